"""Finds dates and times in text and splits them into the stated parts.

`2024-03-01`, `March 1, 2024`, `1. März 2024`, `marzo de 2024`, `Q1 2024`, `3/1/2024`, `2025년 1월`, `14:30`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rag.linking.month_names import NAMES

_SHORT = ("jan feb mar apr may jun jul aug sep oct nov dec", "jan feb mär apr mai jun jul aug sept okt nov dez")
MONTHS = {name: number for it in (*NAMES.values(), *_SHORT) for number, name in enumerate(it.lower().split(), 1)}
_NAMES = "|".join(sorted(MONTHS, key=len, reverse=True))
_ORDINALS = (
    "first 1st erste ersten erstes 1. premier 1er primer primo",
    "second 2nd zweite zweiten zweites 2. deuxième segundo secondo",
    "third 3rd dritte dritten drittes 3. troisième tercer terzo",
    "fourth 4th vierte vierten viertes 4. quatrième cuarto quarto",
)
_QUARTERS = {name: number for number, names in enumerate(_ORDINALS, 1) for name in names.split()}
_NTH = "|".join(re.escape(it) for it in sorted(_QUARTERS, key=len, reverse=True))
_YEAR = r"(?:19|20)\d{2}"
_YEAR_OF_DAY = r"(?:1[5-9]|20)\d{2}"  # beside a day, a number of four digits is always a year
_DATE = re.compile(
    rf"""
      \b(?P<iso_year>\d{{4}})-(?P<iso_month>0[1-9]|1[0-2])(?:-(?P<iso_day>0[1-9]|[12]\d|3[01]))?
        (?:[T ](?P<iso_time>\d{{2}}:\d{{2}}(?::\d{{2}})?)(?:\.\d+)?(?:Z|[+-]\d{{2}}:?\d{{2}})?)?(?![\d-])
    | \b(?P<name>{_NAMES})\b\.?(?:\s+(?P<day>[0-3]?\d)(?:st|nd|rd|th)?(?![\d.%]*\d))?
        (?:,?\s+(?:(?:of|de|del)\s+)?(?P<year>(?(day){_YEAR_OF_DAY}|{_YEAR}))\b)?
    | \b(?P<day_first>[0-3]?\d)(?:st|nd|rd|th|er|º|°|\.)?\s+(?:(?:of|de)\s+)?(?P<name_after>{_NAMES})\b\.?
        (?:,?\s+(?:(?:de|del)\s+)?(?P<year_after>{_YEAR_OF_DAY})\b)?
    | \b(?:(?P<ko_year>\d{{4}})년\s*)?(?P<ko_month>1[0-2]|0?[1-9])월(?:\s*(?P<ko_day>[0-3]?\d)일)?
    | \bQ(?P<quarter>[1-4])(?:(?:\s+(?:of\s+)?|[/-])(?P<quarter_year>{_YEAR}))?\b
    | \b(?P<year_quarter>{_YEAR})[\s/-]?Q(?P<quarter_after>[1-4])\b
    | \b(?P<nth>{_NTH})\s+(?:quarter|quartals?|trimestre)(?:,?\s+(?:(?:of|de|del)\s+)?(?P<nth_year>{_YEAR}))?\b
    | \b(?:(?P<ko_quarter_year>\d{{4}})년\s*)?(?P<ko_quarter>[1-4])분기
    | \b(?P<one>[0-3]?\d)[/.](?P<two>[0-3]?\d)[/.](?P<slash_year>{_YEAR})\b
    | \b(?P<time>(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?)\b(?:\s?(?P<half>[ap])\.?m\b)?
    """,
    re.VERBOSE | re.IGNORECASE,
)

Clock = tuple[int, int, int | None]


@dataclass(frozen=True, slots=True)
class DateInText:
    """A date or time as stated.

    `readings` are its possible (year, month, day, quarter), with None for parts that are not stated. `clock` is its
    hour, minute and second. The second is None if it is not stated.
    """

    start: int
    end: int
    readings: tuple[tuple[int | None, int | None, int | None, int | None], ...]
    clock: Clock | None = None

    def is_at(self, clock: Clock) -> bool:
        """Whether its time of day is `clock`. Seconds are compared only if stated."""
        return self.clock is not None and self.clock[:2] == clock[:2] and self.clock[2] in (None, clock[2] or 0)


def find_dates(text: str) -> Iterator[DateInText]:
    """The dates in `text`, in order. A month's name alone does not count, because it contains no number."""
    for match in _DATE.finditer(text):
        found = _read(match)
        if found is not None:
            yield found


def _read(match: re.Match[str]) -> DateInText | None:
    def number(name: str) -> int | None:
        return int(match[name]) if match[name] else None

    start, end = match.span()
    if match["time"]:
        return DateInText(start, end, (), _read_clock(match["time"], match["half"] or ""))
    if match["iso_year"]:
        reading = (number("iso_year"), number("iso_month"), number("iso_day"), None)
        clock = _read_clock(match["iso_time"]) if match["iso_time"] else None
        return DateInText(start, end, (reading,), clock)
    if match["quarter"] or match["quarter_after"]:
        year, quarter = number("quarter_year") or number("year_quarter"), number("quarter") or number("quarter_after")
        return DateInText(start, end, ((year, None, None, quarter),))
    if match["nth"] or match["ko_quarter"]:
        year, quarter = number("nth_year") or number("ko_quarter_year"), number("ko_quarter")
        return DateInText(start, end, ((year, None, None, quarter or _QUARTERS[match["nth"].lower()]),))
    if match["slash_year"]:  # the order of day and month differs between countries
        year, one, two = number("slash_year"), number("one"), number("two")
        return DateInText(start, end, ((year, one, two, None), (year, two, one, None)))
    if match["ko_month"]:
        return DateInText(start, end, ((number("ko_year"), number("ko_month"), number("ko_day"), None),))
    name, day, year = match["name"] or match["name_after"], number("day"), number("year")
    day, year = day or number("day_first"), year or number("year_after")
    if day is None and year is None:
        return None
    return DateInText(start, end, ((year, MONTHS[name.lower()], day, None),))


def _read_clock(text: str, half: str = "") -> Clock:
    """The clock time of "17:53", or of "5:53" with the half "p"."""
    hour, minute, *second = map(int, text.split(":"))
    if half:
        hour = hour % 12 + 12 * (half.lower() == "p")
    return hour, minute, second[0] if second else None
