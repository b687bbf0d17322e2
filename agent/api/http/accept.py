"""Which of the formats that there are does a caller want? By the Accept header, as RFC 9110, section 12.5.1, has it.

Starlette leaves this to the application, and the libraries that do it bring a framework or have no types.
"""

from __future__ import annotations

from collections.abc import Sequence


def best_match(header: str, offered: Sequence[str]) -> str | None:
    """The media type to answer with.

    The highest `q` wins; then what is named more exactly (`text/csv` before `text/*` before `*/*`), then the order of
    `offered`. Parameters other than `q` are not looked at. A range whose `q` is no number is passed over.

    Args:
        header: the value of Accept; empty where there is none, which accepts everything.
        offered: media types, the preferred one first.

    Returns:
        One of `offered`; None where the caller takes none of them.
    """
    ranges = [_range(part) for part in (header.strip() or "*/*").lower().split(",")]
    best, rank = None, (0.0, 0)
    for media_type in offered:
        exact = {media_type: 3, f"{media_type.partition('/')[0]}/*": 2, "*/*": 1}
        found = max(
            ((exact[name], q) for name, q in ranges if name in exact), default=(0, 0.0)
        )  # the most exact counts
        if found[1] > 0 and (found[1], found[0]) > rank:
            best, rank = media_type, (found[1], found[0])
    return best


def _range(part: str) -> tuple[str, float]:
    """Media range and weight; no range at all where the weight cannot be read."""
    name, *parameters = (piece.strip() for piece in part.split(";"))
    weight = next(
        (value.partition("=")[2].strip() for value in parameters if value.partition("=")[0].strip() == "q"), "1"
    )
    try:
        return name, min(max(float(weight), 0.0), 1.0)
    except ValueError:
        return "", 0.0
