"""How long a request may take to arrive."""

from __future__ import annotations

BODY_BYTES_A_SECOND = 16_384  # by which the time grows that a body may take


def arrival_s(timeout_s: float, body_bytes: int) -> float:
    """Seconds that a request may take to arrive, when so much of its body has."""
    return timeout_s + body_bytes / BODY_BYTES_A_SECOND
