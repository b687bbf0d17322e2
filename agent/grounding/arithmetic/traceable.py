"""What numbers can be traced to: rows, a text or a set of values, arranged so that each look-up is quick.

A look-up gives the places where something stands, `(row, column)` from 0: an empty tuple where it is there, but in no
cell, as in a column's name or a text, and None where it is not there.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import isfinite
from typing import Generic, TypeVar

from agent.grounding.arithmetic.dates import MONTHS, DateInText, dates_in
from agent.grounding.arithmetic.numerals import numeral_at
from executors.base import JsonValue, QueryResult

_NAME = re.compile(r"[^\W_]+(?:[-_./:#][^\W_]+)*")
_TOKEN = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*")
_YEAR = re.compile(r"(?:19|20)\d{2}")
_COUNTS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12,
}  # fmt: skip
_MARGIN = 1e-9  # floats only narrow the search; fractions decide
MAX_PLACES = 50  # of one value, the first ones

Place = tuple[int, int]
Places = tuple[Place, ...]
Date = tuple[int | None, int | None, int | None, int | None]  # year, month, day, quarter


Key = TypeVar("Key", bound=Hashable)


class _Index(Generic[Key]):
    """Keys with the places that they stand at."""

    def __init__(self) -> None:
        self._places: dict[Key, list[Place]] = {}

    def add(self, key: Key, places: Sequence[Place]) -> None:
        known = self._places.setdefault(key, [])
        known.extend(places[: MAX_PLACES - len(known)])

    def where(self, key: Key) -> Places | None:
        found = self._places.get(key)
        return None if found is None else tuple(found)

    def __iter__(self) -> Iterator[Key]:
        return iter(self._places)


class Source:
    """Numbers, dates and numbered names, from one place."""

    def __init__(self) -> None:
        self._values = _Index[Fraction]()
        self._sorted: list[tuple[float, Fraction]] | None = None
        self._partial = _Index[Date]()
        self._times: set[str] = set()
        self._months = _Index[int]()  # named without a date, as in a column of months
        self._names = _Index[str]()
        self._numbered = _Index[tuple[str, str]]()
        self._bare = _Index[str]()

    @classmethod
    def of_rows(cls, result: QueryResult) -> Source:
        """Everything that the cells and column names hold."""
        source = cls()
        cells: defaultdict[tuple[type, JsonValue], list[Place]] = defaultdict(list)
        for at, row in enumerate(result.rows):
            for column, cell in enumerate(row):
                if isinstance(cell, (int, float, str)):
                    cells[type(cell), cell].append((at, column))
                elif isinstance(cell, (list, dict)):
                    source._add_text(str(cell), [(at, column)], every_number=True)
        for (_, cell), places in cells.items():
            source._add_cell(cell, places)
        for name in result.columns:
            source._add_text(name.replace("_", " "))
        return source

    @classmethod
    def of_values(cls, values: Iterable[Fraction]) -> Source:
        """Exact values."""
        source = cls()
        for value in values:
            source._values.add(value, ())
        return source

    @classmethod
    def of_text(cls, text: str) -> Source:
        """Every number of a text, also the words from one to twelve."""
        source = cls()
        source._add_text(text, every_number=True)
        for word, n in _COUNTS.items():
            if re.search(rf"\b{word}\b", text, re.IGNORECASE):
                source._values.add(Fraction(n), ())
        return source

    def _add_cell(self, cell: JsonValue, places: Sequence[Place]) -> None:
        if isinstance(cell, bool):
            return
        if isinstance(cell, int):
            self._values.add(Fraction(cell), places)
        elif isinstance(cell, float):
            if isfinite(cell):
                self._values.add(Fraction(repr(cell)), places)
        elif any(char.isdigit() for char in cell) or cell.lower() in MONTHS:
            self._add_text(cell, places)

    def _add_text(self, text: str, places: Sequence[Place] = (), *, every_number: bool = False) -> None:
        """Dates, names, and numbers: of a cell only where the number is all that it holds."""
        numeral = numeral_at(text.strip(), 0)
        if numeral is not None and numeral.end == len(text.strip()):
            self._add_readings(text.strip(), 0, places)
        if not self._add_dates(text, places):
            for word in re.findall(r"[^\W\d_]+", text.lower()):
                if word in MONTHS:
                    self._months.add(MONTHS[word], places)
        for name in _NAME.findall(text):
            if any(char.isdigit() for char in name):
                self._names.add(name.lower(), places)
        tokens = [token.lower() for token in _TOKEN.findall(text)]
        worded = any(token[0].isalpha() for token in tokens)
        for pair in pairwise(tokens):
            self._numbered.add(pair, places)
        for token in tokens:
            if token[0].isdigit() and (not worded or _YEAR.fullmatch(token)):
                self._bare.add(token, places)
        if every_number:
            for match in re.finditer(r"(?<![\d.,])[-−]?(?:[$€£¥]\s?)?\.?\d", text):
                self._add_readings(text, match.start(), places)

    def _add_readings(self, text: str, at: int, places: Sequence[Place]) -> None:
        numeral = numeral_at(text, at)
        for reading in numeral.readings if numeral else ():
            sign = -1 if numeral and numeral.negative else 1
            self._values.add(sign * reading.value * (numeral.scale if numeral else 1), places)

    def _add_dates(self, text: str, places: Sequence[Place]) -> bool:
        """Every part that may be stated of every date; False where there is none."""
        found = list(dates_in(text))
        for date in found:
            if date.time:
                self._times.add(date.time[:5].lstrip("0"))
            for year, month, day, quarter in date.readings:
                if year is not None:
                    self._bare.add(str(year), places)
                if month is not None:
                    quarter = (month + 2) // 3
                stated = {(year, month, day, quarter), (year, month, day, None), (year, month, None, None)}
                stated |= {(None, month, day, None), (year, None, None, quarter), (None, None, None, quarter)}
                for parts in stated:
                    self._partial.add(parts, places)
        return bool(found)

    def where_date(self, date: DateInText) -> Places | None:
        """The places of a date, or of the part of it that is stated."""
        if date.time is not None and date.time[:5].lstrip("0") not in self._times:
            return None
        if not date.readings:
            return ()
        found = (self._partial.where(reading) for reading in date.readings)
        return _first(found, (self._where_parts(*reading) for reading in date.readings))

    def _where_parts(self, year: int | None, month: int | None, day: int | None, quarter: int | None) -> Places | None:
        """Where each part is in a cell of its own, such as a column of years beside one of months."""
        of_month = () if month is None else _first([self._months.where(month)], [self._values.where(Fraction(month))])
        others = [() if part is None else self._values.where(Fraction(part)) for part in (year, day, quarter)]
        found = [of_month, *others]
        if any(places is None for places in found):
            return None
        return next((places for places in found if places), ())

    def where_name(self, name: str) -> Places | None:
        """The places of an identifier such as `SKU-12` or `Q1`."""
        lowered = name.lower()
        quarter = re.fullmatch(r"q([1-4])", lowered)
        if (found := self._names.where(lowered)) is not None:
            return found
        if quarter:
            number = int(quarter[1])
            return _first([self._partial.where((None, None, None, number))], [self._values.where(Fraction(number))])
        year = re.fullmatch(r"[a-z]+-?((?:19|20)\d{2})", lowered)
        return self._bare.where(year[1]) if year else None

    def where_numbered(self, digits: str, before: str, after: str) -> Places | None:
        """The places of a numeral with the word before or after it, as in `Phase 3`, or as a year or part of a code."""
        worded = [self._numbered.where((before, digits)), self._numbered.where((digits, after))]
        return _first(worded, [self._bare.where(digits)])

    def where_between(self, low: Fraction, high: Fraction) -> Places | None:
        """The places of a value between the two, ends included; a positive one may also stand for a negative value."""
        found = self._between(low, high)
        return found if found is not None or low < 0 else self._between(-high, -low)

    def _between(self, low: Fraction, high: Fraction) -> Places | None:
        if self._sorted is None:
            self._sorted = sorted((float(value), value) for value in self._values)
        margin = _MARGIN * max(1.0, abs(float(low)))
        at = bisect_left(self._sorted, (float(low) - margin, low))
        while at < len(self._sorted) and self._sorted[at][0] <= float(high) + margin:
            if low <= self._sorted[at][1] <= high:
                return self._values.where(self._sorted[at][1])
            at += 1
        return None


def _first(*groups: Iterable[Places | None]) -> Places | None:
    """The first that is found at all."""
    return next((places for group in groups for places in group if places is not None), None)
