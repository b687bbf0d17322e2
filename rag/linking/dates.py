"""Converts written times to ISO 8601: `Apr 1, 2023` is 2023-04-01, March 2023 begins on 2023-03-01.

It supports English, German, French, Spanish, Italian, Korean and Chinese.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, timedelta
from typing import NamedTuple

from rag.linking.month_names import MONTHS

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ORDINALS = ("first", "second", "third", "fourth")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    rf"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b\.?"
)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.|er|º|°)?"
_OF = r"(?:of\s+|del?\s+)?"
_YEAR = r"(?P<year>\d{4})"
_QUARTER = (
    r"(?:q(?P<q>[1-4])|(?:(?P<nth>[1-4])(?:st|nd|rd|th)|(?P<word>first|second|third|fourth))\s+(?:calendar\s+)?quarter)"
)
_WRITTEN = (
    rf"\b{_MONTH}\s+{_DAY},?\s+{_YEAR}\b",  # Apr 1, 2023
    rf"\b{_DAY}\s+{_OF}{_MONTH},?\s+{_OF}{_YEAR}\b",  # 1st of April 2023, 1 de abril de 2023
    rf"\b{_MONTH},?\s+{_OF}{_YEAR}\b",  # April 2023, abril de 2023
    rf"\b{_QUARTER}\s+(?:(?:of|in)\s+)?{_YEAR}\b",  # the first quarter of 2023
    rf"\b(?P<q>[1-4])(?:\.|er|e|º|°)?\s+(?:quartal|trimestre)\s+{_OF}{_YEAR}\b",  # 1. Quartal 2023
    r"(?P<year>\d{4})\s*[년年]\s*第?(?P<q>[1-4])\s*(?:분기|季度)",
    r"(?P<year>\d{4})\s*[년年]\s*(?P<month>\d{1,2})\s*[월月]\s*(?P<day>\d{1,2})\s*[일日号]",
    r"(?P<year>\d{4})\s*[년年]\s*(?P<month>\d{1,2})\s*[월月]",  # 2023년 4월, 2023年4月
    r"(?<!\d)(?P<year>(?:19|20)\d\d)\s*[년年]",
    r"\b(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})\b",  # 2023/4/1
    r"\b(?:in|of|year|since|from|after|before|during|until|by|jahr|seit|ab|vor|nach|en|année|depuis|avant|après|año|desde"
    r"|antes\s+de|después\s+de|nel|del?|dal|anno|prima\s+del|dopo\s+il)\s+"
    r"(?P<year>(?:19|20)\d\d)\b(?![-/.\s]*\d)",  # in 2023
)
_PATTERNS = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _WRITTEN)


class Period(NamedTuple):
    """A day, month, quarter, year or other period as written in a text, with its first and last day."""

    mention: str
    first: date
    last: date

    @property
    def after(self) -> date:
        """The day after the period. For one without end (9999-12-31), that day itself."""
        return min(self.last, date.max - timedelta(days=1)) + timedelta(days=1)

    @property
    def prefix(self) -> str:
        """The common prefix of all times in a day or a month. Empty for longer periods, whose prefix is too general."""
        if self.first == self.last:
            return self.first.isoformat()
        return (
            self.first.isoformat()[:7]
            if (self.first.year, self.first.month) == (self.last.year, self.last.month)
            else ""
        )


def periods_in(text: str) -> list[Period]:
    """All times in a text, in order. Ambiguous dates (`4/1/2023`) and impossible ones (April 31) are omitted."""
    return in_order((match, _period(match)) for pattern in _PATTERNS for match in pattern.finditer(text))


def in_order(found: Iterable[tuple[re.Match[str], Period | None]]) -> list[Period]:
    """The periods in text order. If some overlap, the one found first is kept."""
    taken: list[tuple[int, int, Period]] = []
    for match, period in found:
        if period and not any(start < match.end() and match.start() < end for start, end, _ in taken):
            taken.append((*match.span(), period))
    return [period for _, _, period in sorted(taken)]


def _period(match: re.Match[str]) -> Period | None:
    mention, parts = match[0], {name: value for name, value in match.groupdict().items() if value}
    try:
        year = int(parts["year"])
        if "day" in parts:
            day = date(year, _month(parts["month"]), int(parts["day"]))
            return Period(mention, day, day)
        if "month" in parts:
            return _months(mention, year, _month(parts["month"]), 1)
        quarter = parts.get("q") or parts.get("nth")
        if quarter or "word" in parts:
            number = int(quarter) if quarter else _ORDINALS.index(parts["word"].lower()) + 1
            return _months(mention, year, 3 * number - 2, 3)
        return _months(mention, year, 1, 12)
    except ValueError:
        return None


def _month(written: str) -> int:
    if written.isdigit():
        return int(written)
    return MONTHS.get(written.lower()) or _MONTHS.index(written[:3].lower()) + 1


def _months(mention: str, year: int, month: int, count: int) -> Period:
    after = month - 1 + count
    following = date(year + after // 12, after % 12 + 1, 1)
    return Period(mention, date(year, month, 1), following - timedelta(days=1))
