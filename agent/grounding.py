"""Where does each number in the answer come from?

A number is traced to a cell of the result, a cell of the raw rows, the question, the row count or a calculation,
allowing for rounding, unit words such as "million", percent of a fraction, and parts of dates. A sum or difference that
was not stated as a calculation has no source.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial

from agent.arithmetic.dates import DateInText, dates_in
from agent.arithmetic.numerals import Numeral, Reading, numeral_at
from agent.arithmetic.traceable import Place, Places, Source
from agent.models import Origin
from executors.base import Frozen, JsonValue, QueryResult
from rag.words import split_name, words

_ABOUT = re.compile(
    r"(?:\b(?:about|approximately|approx\.?|around|roughly|some|circa|etwa|rund|ungefähr)|[~≈])\s*$", re.IGNORECASE
)
_OVER = re.compile(r"\b(?:over|above|more than|exceed(?:s|ed|ing)?|at least|über|mehr als)\s*$", re.IGNORECASE)
_UNDER = re.compile(r"\b(?:nearly|almost|under|below|less than|fewer than|fast|knapp|unter)\s*$", re.IGNORECASE)
_IDENTIFIER = re.compile(r"[^\W\d_]+[-_]?\d\w*(?:[-.]\w+)*")
_LIST_MARKER = re.compile(r"(?:^|\n)\s*(?:#+\s*)?$")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")
_COUNT_WORDS = frozenset({"count", "counts", "cnt", "number", "num", "nr", "quantity", "qty"})
_WORD_BEFORE = re.compile(r"([^\W\d_][\w’']*)[\s#-]*$")
_PAUSES = re.compile(r"[,;:.!?\n](?!\d)")
_WORD_AFTER = re.compile(r"[\s-]*([^\W\d_]\w*)")


class TracedNumber(Frozen):
    """A number of the answer as written, what it means, and where it comes from; `source` is None where nowhere.

    start, end: where it stands in the answer, in characters.
    place: row and column, from 0, of the source's cell that it was found in; None where that is no cell.
    """

    text: str
    value: Fraction
    source: Origin | None
    start: int = 0
    end: int = 0
    place: Place | None = None


class Grounding(Frozen):
    """All numbers of an answer, in order."""

    numbers: tuple[TracedNumber, ...]

    @property
    def untraced(self) -> tuple[TracedNumber, ...]:
        """Those that nothing supports."""
        return tuple(number for number in self.numbers if number.source is None)


@dataclass(frozen=True, slots=True)
class _Mention:
    """A number, date or identifier where it stands in the answer."""

    start: int
    end: int
    numeral: Numeral | None = None
    date: DateInText | None = None


def trace(
    answer: str,
    *,
    result: QueryResult,
    raw: QueryResult | None,
    question: str,
    calculated: Iterable[Fraction | Decimal],
    row_count: int,
) -> Grounding:
    """Trace every number in `answer`.

    Args:
        answer: the text that the user will read.
        result: the rows of the query.
        raw: the rows behind an aggregate, where they were fetched.
        question: what was asked.
        calculated: values that placeholders and equations came to.
        row_count: how many rows the query has; the rows given may be fewer.
    """
    tracer = _Tracer(answer, result, raw, question, calculated, row_count)
    return Grounding(numbers=tuple(tracer.traced(mention) for mention in _mentions(answer)))


def _mentions(answer: str) -> Iterator[_Mention]:
    dates = {date.start: date for date in dates_in(answer)}
    at = 0
    while at < len(answer):
        if date := dates.get(at):
            yield _Mention(date.start, date.end, date=date)
            at = date.end
        elif mention := _number_at(answer, at):
            yield mention
            at = mention.end
        elif word := re.compile(r"[^\W\d_]+").match(answer, at):
            at = word.end()
        else:
            at += 1


def _number_at(answer: str, at: int) -> _Mention | None:
    numeral = numeral_at(answer, at)
    before = answer[at - 1 : at]
    if (
        numeral is not None
        and (numeral.negative or answer[at] == "-")
        and before
        and (before.isalnum() or before in ")%")
    ):
        return None  # a hyphen: `10-20`
    if numeral is not None and numeral.readings:
        return _Mention(at, numeral.end, numeral=numeral)
    if numeral is not None:  # `1.2.3`: a version or address
        return _Mention(at, numeral.end)
    identifier = _IDENTIFIER.match(answer, at) if not before.isalnum() else None
    return _Mention(at, identifier.end()) if identifier else None


_Found = tuple[Origin, Place | None]
FAR, PAUSE = 1_000_000, 20  # characters


class _Tracer:
    """Looks a mention up in each source in turn."""

    def __init__(
        self,
        answer: str,
        result: QueryResult,
        raw: QueryResult | None,
        question: str,
        calculated: Iterable[Fraction | Decimal],
        row_count: int,
    ) -> None:
        self._answer, self._lowered = answer, answer.lower()
        self._rows = {"result": result, "raw": raw or result}
        self._counts = {row_count, result.row_count, *([raw.row_count] if raw else [])}
        self._positions = max(row_count, result.row_count)
        self._counted = _counted(result)
        self._made: list[tuple[Origin, Source]] = []
        self._others: deque[tuple[Origin, Callable[[], Source]]] = deque(
            [
                ("result", partial(Source.of_rows, result)),
                ("calculation", partial(Source.of_values, [Fraction(value) for value in calculated])),
                ("question", partial(Source.of_text, question)),
            ]
        )
        if raw is not None:
            self._others.append(("raw", partial(Source.of_rows, raw)))

    @property
    def _sources(self) -> Iterator[tuple[Origin, Source]]:
        """The nearest first. Most numbers stand in the result, so the others are read only where one does not."""
        yield from self._made
        while self._others:
            origin, make = self._others.popleft()
            self._made.append((origin, make()))
            yield self._made[-1]

    def traced(self, mention: _Mention) -> TracedNumber:
        text = self._answer[mention.start : mention.end]
        at = {"text": text, "start": mention.start, "end": mention.end}
        if mention.date is not None:
            found = self._first(mention, [partial(Source.where_date, date=mention.date)])
            if found is None and (day := self._day(mention.date)):  # "In March 12 orders came": no date after all
                return self.traced(day)
            return TracedNumber(**at, value=_first_number(text), **_said(found))
        if mention.numeral is None:
            found = self._first(mention, [partial(Source.where_name, name=text)])
            return TracedNumber(**at, value=_first_number(text), **_said(found))
        value = mention.numeral.value()
        if value is None:
            value = mention.numeral.value(european=True)
        return TracedNumber(**at, value=value or Fraction(0), **_said(self._origin(mention, mention.numeral)))

    def _first(self, mention: _Mention, looks: Sequence[Callable[[Source], Places | None]]) -> _Found | None:
        """Where the first source has it that has it at all, by the first of the looks that finds it."""
        for origin, source in self._sources:
            for look in looks:
                if (places := look(source)) is not None:
                    return origin, self._nearest(places, mention, origin)
        return None

    def _nearest(self, places: Places, mention: _Mention, origin: Origin) -> Place | None:
        """Of several rows with the same value, the one that the answer speaks of: its texts stand nearest."""
        if len(places) < 2:
            return places[0] if places else None
        rows = self._rows[origin]
        return min(places, key=lambda place: self._distance(rows.rows[place[0]], mention))

    def _distance(self, row: Sequence[JsonValue], mention: _Mention) -> int:
        """How far the nearest text of a row is from a number in the answer; beyond a comma is farther."""
        nearest = FAR
        for text in (cell.lower() for cell in row if isinstance(cell, str) and cell.strip()):
            for said in re.finditer(rf"(?<!\w){re.escape(text)}(?!\w)", self._lowered):
                before = said.end() <= mention.start
                start, end = (said.end(), mention.start) if before else (mention.end, said.start())
                between = self._lowered[start:end]
                nearest = min(nearest, len(between) + PAUSE * len(_PAUSES.findall(between)))
        return nearest

    def _day(self, date: DateInText) -> _Mention | None:
        """The number beside a month's name, where no year makes a date of it."""
        at = re.compile(r"\D*").match(self._answer, date.start)
        named = bool(date.readings) and date.readings[0][0] is None and date.readings[0][2] is not None
        return _number_at(self._answer, at.end()) if named and at else None

    def _origin(self, mention: _Mention, numeral: Numeral) -> _Found | None:
        names = self._neighbours(mention)
        looks = [partial(Source.where_between, low=low, high=high) for low, high in self._intervals(mention, numeral)]
        numbered = partial(Source.where_numbered, digits=numeral.raw, before=names[0], after=names[1])
        if (found := self._first(mention, [*looks, numbered])) is not None:
            return found
        if numeral.raw.isdigit() and not numeral.percent and not numeral.currency:
            # "6 customers from France": so many rows there are, but a column says how many customers.
            if int(numeral.raw) in self._counts and not words(names[1]) & self._counted:
                return "row count", None
            if 0 < int(numeral.raw) <= self._positions and self._is_position(mention):
                return "position", None
        return ("calculation", None) if self._is_percent_base(mention, numeral) else None

    def _neighbours(self, mention: _Mention) -> tuple[str, str]:
        before = _WORD_BEFORE.search(self._answer, max(0, mention.start - 40), mention.start)
        after = _WORD_AFTER.match(self._answer, mention.end)
        return (before[1].lower() if before else ""), (after[1].lower() if after else "")

    def _intervals(self, mention: _Mention, numeral: Numeral) -> Iterator[tuple[Fraction, Fraction]]:
        """What the number may be a rounding of; a percentage also as a fraction."""
        before = self._answer[max(0, mention.start - 20) : mention.start]
        for reading in numeral.readings:
            low, high = _rounded_from(reading, before)
            sign = -numeral.scale if numeral.negative else numeral.scale
            ends = sorted((low * sign, high * sign))
            yield ends[0], ends[1]
            if numeral.percent:
                yield ends[0] / 100, ends[1] / 100

    def _is_position(self, mention: _Mention) -> bool:
        """`1.` at the start of a line, `#2`, `3rd`."""
        before = self._answer[: mention.start]
        listed = _LIST_MARKER.search(before) and self._answer[mention.end : mention.end + 1] in (".", ")")
        return bool(listed) or before.endswith("#") or bool(_ORDINAL.match(self._answer, mention.end))

    def _is_percent_base(self, mention: _Mention, numeral: Numeral) -> bool:
        """The 100 of `30 / 80 * 100`."""
        return numeral.raw == "100" and self._answer[: mention.start].rstrip().endswith(("*", "×", "·", "/", "÷"))


def _said(found: _Found | None) -> dict[str, Origin | Place | None]:
    return {"source": found[0], "place": found[1]} if found else {"source": None}


def _counted(result: QueryResult) -> frozenset[str]:
    """What columns count by their names: `customer_count`, `number_of_customers`, `total_customers`, `customers`."""
    found: set[str] = set()
    for index, column in enumerate(result.columns):
        parts = split_name(column).split()
        told = [part for part in parts if part not in _COUNT_WORDS and part != "of"]
        is_count = len(told) < len(parts) or len(parts) == 1
        if parts and parts[0] == "total":
            told, is_count = told[1:], True
        numbers = (row[index] for row in result.rows)
        if is_count and told and all(value is None or isinstance(value, int) for value in numbers):
            found |= words(" ".join(told))
    return frozenset(found)


def _rounded_from(reading: Reading, before: str) -> tuple[Fraction, Fraction]:
    """The interval of values that the reading may stand for, given the words before it."""
    half = Fraction(1, 2 * 10**reading.decimals)
    place = 2 * half
    while reading.value and reading.decimals == 0 and reading.value % (place * 10) == 0:
        place *= 10
    if _OVER.search(before):
        return reading.value - half, reading.value + place
    if _UNDER.search(before):
        return reading.value - place, reading.value + half
    loose = place / 2 if _ABOUT.search(before) else half
    return reading.value - loose, reading.value + loose


def _first_number(text: str) -> Fraction:
    digits = re.search(r"\d{1,40}", text)
    return Fraction(digits[0]) if digits else Fraction(0)
