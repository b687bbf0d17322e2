"""Dates as people write them, as ISO 8601 has them: `Apr 1, 2023` is 2023-04-01."""

from __future__ import annotations

import re
from datetime import date

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
_WRITTEN = (
    rf"\b{_MONTH}\s+{_DAY},?\s+{_YEAR}\b",  # Apr 1, 2023
    rf"\b{_DAY}\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}\b",  # 1st of April 2023
    rf"\b{_MONTH},?\s+(?:of\s+)?{_YEAR}\b",  # April 2023
    r"\b(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})\b",  # 2023/4/1
)
_PATTERNS = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _WRITTEN)


def dates_in(text: str) -> list[tuple[str, str]]:
    """Each date of a text as it stands there, and as `2023-04-01`; a month without a day as `2023-04`.

    `4/1/2023` is left out: nobody can tell which is the month. So is what is no date, as April 31.
    """
    found: list[tuple[int, str, str]] = []
    taken: list[tuple[int, int]] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            iso = _iso(match.groupdict())
            if iso:
                taken.append(match.span())
                found.append((match.start(), match[0], iso))
    return [(said, iso) for _, said, iso in sorted(found)]


def _iso(parts: dict[str, str | None]) -> str:
    written = (parts["month"] or "").lower()
    month = int(written) if written.isdigit() else _MONTHS.index(written[:3]) + 1
    day = parts.get("day")
    try:
        whole = date(int(parts["year"] or 0), month, int(day or 1)).isoformat()
    except ValueError:
        return ""
    return whole if day else whole[:7]
