"""What numbers can be traced to: rows, a text or a set of values, arranged so that each look-up is quick."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from math import isfinite

from agent.arithmetic.dates import MONTHS, DateInText, dates_in
from agent.arithmetic.numerals import numeral_at
from executors.base import JsonValue, QueryResult

_NAME = re.compile(r"[^\W_]+(?:[-_./:#][^\W_]+)*")
_TOKEN = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*")
_YEAR = re.compile(r"(?:19|20)\d{2}")
_COUNTS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12,
}  # fmt: skip
_MARGIN = 1e-9  # floats only narrow the search; fractions decide


class Source:
    """Numbers, dates and numbered names, from one place."""

    def __init__(self) -> None:
        self._values: set[Fraction] = set()
        self._sorted: list[tuple[float, Fraction]] | None = None
        self._dates: set[tuple[int, int, int]] = set()
        self._partial: set[tuple[int | None, int | None, int | None, int | None]] = set()
        self._times: set[str] = set()
        self._months: set[int] = set()  # named without a date, as in a column of months
        self._names: set[str] = set()
        self._numbered: set[tuple[str, str]] = set()
        self._bare: set[str] = set()

    @classmethod
    def of_rows(cls, result: QueryResult) -> Source:
        """Everything that the cells and column names hold."""
        source = cls()
        for cell in {(type(cell), cell) for row in result.rows for cell in row if isinstance(cell, (int, float, str))}:
            source._add_cell(cell[1])
        for other in (cell for row in result.rows for cell in row if isinstance(cell, (list, dict))):
            source._add_text(str(other), every_number=True)
        for name in result.columns:
            source._add_text(name.replace("_", " "))
        return source

    @classmethod
    def of_values(cls, values: Iterable[Fraction]) -> Source:
        """Exact values."""
        source = cls()
        source._values.update(values)
        return source

    @classmethod
    def of_text(cls, text: str) -> Source:
        """Every number of a text, also the words from one to twelve."""
        source = cls()
        source._add_text(text, every_number=True)
        source._values.update(
            Fraction(n) for word, n in _COUNTS.items() if re.search(rf"\b{word}\b", text, re.IGNORECASE)
        )
        return source

    def _add_cell(self, cell: JsonValue) -> None:
        if isinstance(cell, bool):
            return
        if isinstance(cell, int):
            self._values.add(Fraction(cell))
        elif isinstance(cell, float):
            if isfinite(cell):
                self._values.add(Fraction(repr(cell)))
        elif any(char.isdigit() for char in cell) or cell.lower() in MONTHS:
            self._add_text(cell)

    def _add_text(self, text: str, *, every_number: bool = False) -> None:
        """Dates, names, and numbers: of a cell only where the number is all that it holds."""
        numeral = numeral_at(text.strip(), 0)
        if numeral is not None and numeral.end == len(text.strip()):
            self._add_readings(text.strip(), 0)
        if not self._add_dates(text):
            self._months.update(MONTHS[word] for word in re.findall(r"[^\W\d_]+", text.lower()) if word in MONTHS)
        self._names.update(name.lower() for name in _NAME.findall(text) if any(char.isdigit() for char in name))
        tokens = [token.lower() for token in _TOKEN.findall(text)]
        worded = any(token[0].isalpha() for token in tokens)
        self._numbered.update(pairwise(tokens))
        for token in tokens:
            if token[0].isdigit() and (not worded or _YEAR.fullmatch(token)):
                self._bare.add(token)
        if every_number:
            for match in re.finditer(r"(?<![\d.,])[-−]?(?:[$€£¥]\s?)?\.?\d", text):
                self._add_readings(text, match.start())

    def _add_readings(self, text: str, at: int) -> None:
        numeral = numeral_at(text, at)
        for reading in numeral.readings if numeral else ():
            sign = -1 if numeral and numeral.negative else 1
            self._values.add(sign * reading.value * (numeral.scale if numeral else 1))

    def _add_dates(self, text: str) -> bool:
        """Every part that may be stated of every date; False where there is none."""
        found = list(dates_in(text))
        for date in found:
            if date.time:
                self._times.add(date.time[:5].lstrip("0"))
            for year, month, day, quarter in date.readings:
                if year is not None:
                    self._bare.add(str(year))
                if month is not None:
                    quarter = (month + 2) // 3
                stated = [(year, month, day, quarter), (year, month, day, None), (year, month, None, None)]
                stated += [(None, month, day, None), (year, None, None, quarter), (None, None, None, quarter)]
                self._partial.update(stated)
        return bool(found)

    def has_date(self, date: DateInText) -> bool:
        """Is the date, or the part of it that is stated, here?"""
        timed = date.time is None or date.time[:5].lstrip("0") in self._times
        return timed and (not date.readings or any(r in self._partial or self._has_parts(*r) for r in date.readings))

    def _has_parts(self, year: int | None, month: int | None, day: int | None, quarter: int | None) -> bool:
        """Is each part here in a cell of its own, such as a column of years beside one of months?"""
        return (
            (year is None or Fraction(year) in self._values)
            and (month is None or month in self._months or Fraction(month) in self._values)
            and all(part is None or Fraction(part) in self._values for part in (day, quarter))
        )

    def has_name(self, name: str) -> bool:
        """Is an identifier such as `SKU-12` or `Q1` here?"""
        lowered = name.lower()
        quarter = re.fullmatch(r"q([1-4])", lowered)
        if lowered in self._names:
            return True
        if quarter:
            number = int(quarter[1])
            return (None, None, None, number) in self._partial or Fraction(number) in self._values
        year = re.fullmatch(r"[a-z]+-?((?:19|20)\d{2})", lowered)
        return year is not None and year[1] in self._bare

    def has_numbered(self, digits: str, before: str, after: str) -> bool:
        """Is the numeral here with the word before or after it, as in `Phase 3`, or as a year or part of a code?"""
        return digits in self._bare or (before, digits) in self._numbered or (digits, after) in self._numbered

    def has_between(self, low: Fraction, high: Fraction) -> bool:
        """Is there a value between the two, ends included? A positive one may also stand for a negative value."""
        return self._between(low, high) or (low >= 0 and self._between(-high, -low))

    def _between(self, low: Fraction, high: Fraction) -> bool:
        if self._sorted is None:
            self._sorted = sorted((float(value), value) for value in self._values)
        margin = _MARGIN * max(1.0, abs(float(low)))
        at = bisect_left(self._sorted, (float(low) - margin, low))
        while at < len(self._sorted) and self._sorted[at][0] <= float(high) + margin:
            if low <= self._sorted[at][1] <= high:
                return True
            at += 1
        return False
