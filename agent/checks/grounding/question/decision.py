"""Whether the rows say yes or no to a question: "Did Ann sell more than Bo?", "Are there overdue loans?"

Each kind of question has its own evidence: a flag, a number and a bound, the values of two things, the first row of an
order, two times, or that something was found. What the rows do not decide is neither yes nor no.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from agent.checks.grounding.claims.claims import Segment, segments_of
from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.claims.names import NameIndex
from agent.checks.grounding.claims.reading import items_of
from agent.checks.grounding.evidence.facts import ColumnFacts, Facts
from agent.checks.grounding.evidence.kinds import fits, is_adjective
from agent.checks.grounding.languages.near_words import is_near
from agent.checks.grounding.languages.polar_words import (
    AGES,
    ANY,
    EVER,
    EXISTENCE,
    OF_AGE,
    OF_RANK,
    OF_SIZE,
    QUANTITATIVE,
    REQUEST,
    SIZES,
    THAN,
)
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.languages.words import is_among, words_of
from agent.checks.grounding.numbers.units import unit
from agent.checks.grounding.support.bounds import NEAR, find_rows_beyond
from agent.checks.grounding.support.support import Numbers
from agent.checks.grounding.wording.flags import is_flag, read_flag

_GREATER = frozenset({Class.MORE, Class.OVER})
COMPARING = _GREATER | {Class.LESS, Class.UNDER}
_EVERY = frozenset({Class.ALL, Class.EACH})
_CHANGES = frozenset({Class.RISE, Class.FALL})
_ENDS = frozenset({Class.MOST, Class.LEAST})
# Claims that the existence of rows does not decide.
_CLAIMS = _EVERY | {Class.ONLY, Class.ALL_BUT, Class.EQUAL, Class.MULTIPLIED, Class.EXACT, Class.RANGE, Class.STABLE}
_CLAIMS |= {
    Class.TIMES,
    Class.STEADY,
    Class.LATEST,
    Class.EARLIEST,
    Class.RANK,
    Class.SHARE,
    Class.ABOUT,
    Class.DIFFERENCE,
}
_AMOUNTS = frozenset({Class.ONLY, Class.ALL_BUT, Class.EQUAL, Class.MULTIPLIED, Class.TIMES, Class.RANGE})
_TIME = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?|-?[Qq][1-4])?(?:[T ].*)?")
_PLURAL = re.compile(r"[^\W\d]{3,}(?<!ou)(?<!le)s(?<!ss)")  # "patients", not "dangerous"
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")


class Side(NamedTuple):
    """One of two compared things. words: that name it in a text, in lower case. row: its own row, if it has one."""

    words: frozenset[str]
    value: Fraction
    row: int | None = None

    def find(self, items: Sequence[Item]) -> int | None:
        """Where a text names it first, in characters."""
        return next((it.start for it in items if it.text.lower() in self.words or it.rows == {self.row}), None)


class Decision:
    """What the rows say to one question."""

    def __init__(self, asked: Sequence[Item], facts: Facts, numbers: Numbers) -> None:
        self._asked, self._facts, self._numbers = asked, facts, numbers
        self._classes = frozenset(it.cls for it in asked if it.cls is not None)

    @cached_property
    def holds(self) -> bool | None:
        """Yes or no. None if neither is certain."""
        conditions = self._facts.conditions
        if Class.NOT in self._classes and not any(it.denied for it in conditions):
            return None  # "Is there no order?"
        if any(it.cls in COMPARING and it.text.lower() in NEAR for it in self._asked):
            return None
        flag = self._read_flag()
        if flag is not None:
            return flag
        if self._classes & {Class.BEFORE, Class.AFTER} and not self._facts.query.bounds:
            return None
        if self.comparatives:
            return self.compare(self._facts.question, self._asked, self.comparative)
        if self._free_bounds:
            return self._is_beyond_bounds()
        if Class.EQUAL in self._classes:
            return self._are_equal()
        if Class.EXACT in self._classes:
            return self._is_exact()
        if Class.ONLY in self._classes:
            return self._is_only()
        if self._classes & _ENDS:
            return self._is_first()
        if self._classes & _CHANGES:
            return self._changes()
        return None if self._classes & _CLAIMS else self._exists()

    # -- what the question compares -----------------------------------------------------------------------

    @cached_property
    def _bounds(self) -> tuple[tuple[Segment, int], ...]:
        """The bounds of the question with a number: "more than 50", "exceed 50"."""
        return tuple(find_bounds(segments_of(self._asked)))

    @cached_property
    def _free_bounds(self) -> tuple[tuple[Segment, int], ...]:
        """The bounds that are no condition of the query, so that a value has to meet them."""
        return tuple(it for it in self._bounds if not self.is_condition(*it))

    def is_condition(self, segment: Segment, place: int) -> bool:
        """Whether a bound and its number are a condition of the query."""
        limit, measures = segment.items[place + 1], self._facts.measures
        before = [it for it in self._asked if it.start < segment.items[place].start]
        counts = [it.projection.aggregate for it in measures if not it.projection.compared]
        counted = counts == ["count"] and len(self._facts.rows) == len(measures) == 1
        if (
            counted
            and all(it.cls in (Class.FILLER, Class.EXISTS) for it in before)
            and segment.items[0] is self._asked[0]
        ):
            return False  # "Are there more than 2 managers?"
        written = {limit.numeral.raw if limit.numeral is not None else ""}
        if limit.value.denominator == 1:  # "more than 9" is also "at least 10"
            reached = self._numbers.reaches(segment, limit)
            step = 1 if (segment.items[place].cls in _GREATER) is not reached else -1
            written |= {str(int(limit.value)), str(int(limit.value) + step)}
        return bool(written & self._facts.query.bounds)

    @cached_property
    def comparative(self) -> Item | None:
        """The only word of the question that compares. None if there is none, or several."""
        found = self.comparatives
        return found[0] if len(found) == 1 and not self._free_bounds else None

    @cached_property
    def comparatives(self) -> tuple[Item, ...]:
        """The words of the question that compare without a number."""
        bounds = {segment.items[place].start for segment, place in self._bounds}
        return tuple(it for it in self._asked if it.cls in COMPARING and it.start not in bounds)

    @property
    def is_comparison(self) -> bool:
        """Whether the question compares values, with each other or with a number."""
        return bool(self.comparatives or self._free_bounds)

    @property
    def is_by_values(self) -> bool:
        """Whether values decide the question, not the existence of rows."""
        return self.is_comparison or bool(self._classes & (_ENDS | _CHANGES | {Class.EQUAL, Class.EXACT, Class.ONLY}))

    # -- two things ---------------------------------------------------------------------------------------

    @cached_property
    def _sides(self) -> tuple[Side, ...]:
        """The two things that the question compares. Empty if the rows do not have exactly two values of one kind."""
        facts, measures = self._facts, self._facts.measures
        found: list[Side | None] = []
        if len(facts.rows) > 1 and len(measures) == 1:
            found = [self._read_row(row, measures[0]) for row in range(len(facts.rows))]
        elif len(facts.rows) == 1 and len(measures) == 2:
            names = [frozenset(re.findall(r"[^\W_]+", it.name.lower())) | it.words for it in measures]
            own = [names[0] - names[1], names[1] - names[0]]
            found = [self._read_column(words, it) for words, it in zip(own, measures, strict=True)]
        sides = tuple(it for it in found if it is not None)
        return sides if len(sides) == 2 else ()

    def _read_row(self, row: int, measure: ColumnFacts) -> Side | None:
        keys = {str(self._facts.rows[row][it.index]) for it in self._facts.columns if it.kind == "dimension"}
        names = [it for it in self._asked if it.rows == {row} or (it.kind == "number" and it.text in keys)]
        values = self._facts.values(measure.index, [row])
        return Side(frozenset({names[0].text.lower()}), values[0], row) if len(names) == len(values) == 1 else None

    def _read_column(self, words: frozenset[str], column: ColumnFacts) -> Side | None:
        values = self._facts.values(column.index)
        said = [it.text.lower() for it in self._asked if it.text.lower() in words]
        return Side(words, values[0]) if len(said) == len(values) == 1 else None

    def compare(self, text: str, items: Sequence[Item], comparative: Item | None) -> bool | None:
        """Whether a text's comparison of the two things is true. None if the rows do not decide it."""
        if comparative is None:
            return None
        if not self._sides:
            return self._repeats_query(text, comparative)
        than = [it.start() for it in THAN[self._facts.language or "en"].finditer(text)]
        if not self._measures(items, comparative) or (items is self._asked and not than):
            return None  # "Does Berlin or Hamburg have more?"
        places = [it.find(items) for it in self._sides]
        ends = [at for at in than if at >= comparative.start]
        behind = [n for n, at in enumerate(places) if at is not None and any(at > end for end in ends)]
        before = [(at, n) for n, at in enumerate(places) if at is not None and n not in behind]
        if len(behind) == 2:  # "more customers in Berlin than in Hamburg"
            later = max(behind, key=lambda n: places[n] or 0)
            between = any((places[1 - later] or 0) < end < (places[later] or 0) for end in ends)
            first = 1 - later if between else None
        elif behind:
            first = 1 - behind[0]
        else:
            first = max(before)[1] if before and max(before)[0] < comparative.start else None
        if first is None:
            return None
        one, other = self._sides[first].value, self._sides[1 - first].value
        return one > other if comparative.cls in _GREATER else one < other

    def _are_equal(self) -> bool | None:
        """Whether the first one of two things has as much as the second one."""
        if len(self._sides) != 2 or self._classes & (_CLAIMS - {Class.EQUAL}):
            return None
        one, other = sorted(self._sides, key=lambda it: it.find(self._asked) or 0)
        return True if one.value == other.value else False if one.value < other.value else None

    def _repeats_query(self, text: str, comparative: Item) -> bool | None:
        """What the query says that compares them itself, if a text repeats the question's comparison."""
        flag = self._read_flag()
        holds = True if flag is None and self._facts.query.ranks else flag
        own, than = self.comparative, THAN[self._facts.language or "en"]
        if own is None or (own.cls in _GREATER) is not (comparative.cls in _GREATER):
            return None
        parts = (text[comparative.start :], self._facts.question[own.start :])
        ends = [than.split(it)[-1] if than.search(it) else it.split(maxsplit=1)[-1] for it in parts]
        tails = [re.findall(r"\w+", it)[:2] for it in ends]
        return holds if tails[0] == tails[1] else None

    def _measures(self, items: Sequence[Item], comparative: Item) -> bool:
        """Whether the shown values are what a text compares: no price for "bigger", no birthday for "older"."""
        facts, column = self._facts, self._facts.measures[0]
        names, said = (column.name, *column.projection.sources, *column.told), comparative.text.lower().split()
        after = next((it for it in items if it.start >= comparative.end), None)
        said += [after.text.lower()] if after is not None else []
        word = next(filter(is_adjective, said), said[0])
        if column.words & OF_RANK or all(it.value < 0 for it in self._sides):
            return False
        if OF_AGE.search(facts.question):
            return {*words_of(column.name)} - {"avg", "average", "mean"} <= AGES
        counts = column.projection.aggregate == "count"
        if is_adjective(word):
            return fits(word, names, counts=counts)
        if any(map(OF_SIZE.fullmatch, said)):
            return any(map(SIZES.search, names))
        if word not in QUANTITATIVE:
            return any(is_among(word, words_of(it)) for it in names)
        if after is None or after.kind != "word" or (facts.language == "de" and after.text[0].isupper()):
            return True
        if counts and facts.language == "en" and _PLURAL.fullmatch(after.text):
            return True
        return self._is_known(after)  # "more reliable" is not of failures

    # -- a number -----------------------------------------------------------------------------------------

    def _is_beyond_bounds(self) -> bool | None:
        """Whether the only number of the rows is beyond all bounds of the question."""
        if self._classes & _AMOUNTS:
            return None
        found = [self._meets(*it) for it in self._free_bounds]
        return False if False in found else None if None in found else True

    def _meets(self, segment: Segment, place: int) -> bool | None:
        if len(self._facts.rows) > 1:
            return self._meet_all(segment, place)
        aggregate = self._facts.measures[0].projection.aggregate if self._facts.measures else ""
        greater = segment.items[place].cls in _GREATER
        if self._classes & _EVERY and aggregate != ("min" if greater else "max"):
            return None
        if self._says_any and aggregate not in ("", "count", "max" if greater else "min"):
            return None
        return self.is_beyond(segment, place)

    def _is_exact(self) -> bool | None:
        """Whether the only value of the rows is the number of the question."""
        unknown, measures = list(self._find_unknown()), self._facts.measures
        if len(unknown) != 1 or unknown[0].kind != "number" or len(self._facts.rows) != 1 or len(measures) != 1:
            return None
        if self._classes & (_CLAIMS - {Class.EXACT}) or unknown[0].percent or unknown[0].currency:
            return None
        values = self._facts.values(measures[0].index)
        return values[0] == unknown[0].value if values else None

    def _meet_all(self, segment: Segment, place: int) -> bool | None:
        """Whether all rows are beyond a bound, or any, as the question asks."""
        facts, measures = self._facts, self._facts.measures
        if len(measures) != 1 or not facts.is_whole or self._says_any is bool(self._classes & _EVERY):
            return None
        beyond = find_rows_beyond(facts, self._numbers, segment, place, measures[0])
        if beyond is None:
            return None
        return bool(beyond) if self._says_any else len(beyond) == len(facts.rows)

    def is_beyond(self, segment: Segment, place: int) -> bool | None:
        """Whether the only number of the rows is beyond a bound. None if there is none, or it has another unit."""
        measures = self._facts.measures
        if len(self._facts.rows) != 1 or len(measures) != 1:
            return None
        column, after = measures[0], segment.items[place + 2 : place + 3]
        said = after[0].text.lower() if after else ""
        counted = column.projection.aggregate == "count"
        if unit(said) is not None and not counted and not is_among(said, (*column.units, *column.words)):
            return None
        beyond = find_rows_beyond(self._facts, self._numbers, segment, place, column)
        return None if beyond is None else bool(beyond)

    # -- what is first, later or found --------------------------------------------------------------------

    def _is_first(self) -> bool | None:
        """Whether the row that an order puts first is the one that the question names."""
        facts, order, most = self._facts, self._facts.query.order, Class.MOST in self._classes
        if len(self._classes & _ENDS) != 1 or self._classes & _CLAIMS:
            return None
        named = [it.rows for it in self._asked if it.kind in ("name", "date") and it.rows]
        unknown = list(self._find_unknown())
        if any(it.text[0].islower() for it in unknown):
            return None  # "the most loyal"
        if len(facts.rows) == facts.query.limit == len(order) == 1 and order[0][1] is most:
            return True if named and not unknown else False if not named and len(unknown) == 1 else None
        values = facts.values(facts.measures[0].index) if len(facts.measures) == 1 else []
        if not facts.is_whole or len(values) != len(facts.rows) or len(values) < 2 or len(named) != 1 or unknown:
            return None
        chosen = {column for it in facts.conditions for column in it.columns}
        if len(named[0]) != 1 or any(it.name.lower() in chosen for it in facts.columns):
            return None  # of two cities that the query chose
        first = max(values) if most else min(values)
        if values.count(first) > 1:
            return None
        return values[min(named[0])] == first

    def _changes(self) -> bool | None:
        """Whether the last one of several times has more, or less, than the first one; with "every", each step."""
        facts, measures = self._facts, self._facts.measures
        stepwise = self._classes & (_EVERY | {Class.STEADY})
        if self._classes & (_CLAIMS - stepwise) or len(self._classes & _CHANGES) != 1 or not facts.is_whole:
            return None
        if len(facts.rows) > 1 and len(measures) == 1 and len(facts.columns) == 2:
            at = next(it.index for it in facts.columns if it is not measures[0])
            times = [str(row[at]) for row in facts.rows]
            values = facts.values(measures[0].index)
        elif len(facts.rows) == 1 and len(measures) == 2:
            times = ["-".join(f"{part:04}" for part in it.period or ()) for it in measures]
            values = [value for it in measures for value in facts.values(it.index)]
        else:
            return None
        if not all(map(_TIME.fullmatch, times)) or len(set(times)) != len(values):
            return None
        ordered = [value for _, value in sorted(zip(times, values, strict=True))]
        steps = pairwise(ordered if stepwise else (ordered[0], ordered[-1]))
        return all(later > earlier if Class.RISE in self._classes else later < earlier for earlier, later in steps)

    def _is_only(self) -> bool | None:
        """Whether the row that the question names is the only one."""
        facts = self._facts
        named = {row for it in self._asked if it.kind == "name" for row in it.rows}
        if facts.measures or not facts.is_whole or len(named) != 1 or self._classes & (_CLAIMS - {Class.ONLY}):
            return None
        return len(facts.rows) == 1

    def _exists(self) -> bool | None:
        """Whether something was found, if that is all that the question asks."""
        facts = self._facts
        asks = self._says_any or EXISTENCE.search(facts.question) is not None
        asks = asks or any(it.text.lower() in EVER for it in self._asked)
        unknown = list(self._find_unknown())
        if not asks or not facts.conditions:
            if unknown:
                return None
        elif facts.language != "de" and any(it.text[0].isupper() or it.kind == "number" for it in unknown):
            return None
        denied = {word for it in facts.conditions if _is_denied(it.values) or it.denied for word in it.columns}
        words = [part for it in denied for part in words_of(it)]
        if Class.NOT not in self._classes and any(is_among(it.text.lower(), words) for it in self._asked):
            return None  # "Are the invoices paid?", with those that are not
        amounts = [it for it in facts.measures if it.projection.aggregate in ("count", "sum")]
        if amounts:
            values = facts.values(amounts[0].index)
            return None if not values or min(values) < 0 else max(values) > 0
        valued = [it for it in facts.measures if any(is_among(word, it.words) for word in self._facts.question_words)]
        alone = len(facts.rows) == 1 and len(facts.measures) == len(facts.columns)
        if (valued or alone) and not self._bounds:
            return None  # the values say how much
        said = [it for it in facts.columns if any(is_among(word, it.words) for word in facts.question_words)]
        empty = [it for it in said for row in facts.rows if row[it.index] is None]
        if any(it.name.lower().startswith(("is_", "has_")) for it in empty):
            return None
        if empty:
            return False if len(empty) == len(facts.rows) == 1 else None  # "Was it returned?", without a day
        return any(cell is not None for row in facts.rows for cell in row) or None

    @cached_property
    def _says_any(self) -> bool:
        return any(it.text.lower() in ANY for it in self._asked)

    def _find_unknown(self) -> Iterator[Item]:
        """The words and numbers of the question that are neither in the query nor in the rows."""
        facts, years = self._facts, _YEAR.findall(self._facts.sql)
        numbers = {*re.findall(r"\d+(?:\.\d+)?", facts.sql), *(str(cell) for row in facts.rows for cell in row)}
        bounds = {segment.items[place + 1].start for segment, place in self._bounds}
        for item in (it for it in self._asked[1:] if it.start not in bounds and it.text.lower() not in EVER):
            if item.kind == "word" and not self._is_known(item):
                yield item
            if item.kind == "number" and not item.cls and {item.text, str(item.value)}.isdisjoint(numbers):
                yield item
            if item.kind == "date" and not item.rows and not set(_YEAR.findall(item.text)) <= {*years}:
                yield item

    def _is_known(self, item: Item) -> bool:
        word = item.text.lower()
        return is_among(word, self._known_words) or is_near(word, self._known_words)

    @cached_property
    def _known_words(self) -> frozenset[str]:
        """The words of the query and its rows, those that a stored value in the query is called by, and docs."""
        facts = self._facts
        said = (word for it, value in facts.linked if value.lower() in facts.sql.lower() for word in words_of(it))
        cells = (word for row in facts.rows for cell in row if isinstance(cell, str) for word in words_of(cell))
        columns = (word for it in facts.columns for word in it.words)
        names = re.findall(r"[^\W_]+", facts.sql.lower())  # `co2`
        return frozenset((*words_of(facts.sql), *names, *said, *cells, *columns))

    def _read_flag(self) -> bool | None:
        """The yes or no that the query itself computes or selects."""
        facts = self._facts
        flags = [it for it in facts.columns if is_flag(it, facts)]
        alone = facts.columns[0] if len(facts.columns) == 1 else None
        if alone is not None and not flags and len(facts.rows) == 1:
            cell = facts.rows[0][0]
            counted = alone.projection.aggregate or self._bounds or self.comparatives
            if alone.projection.compared or isinstance(cell, str | bool) or not counted:
                return read_flag(cell)
        if len(flags) != 1 or (self.is_comparison and len(facts.columns) > 1):
            return None
        cells = [read_flag(row[flags[0].index]) for row in facts.rows]
        if self._says_any:
            return True if any(cells) else None if None in cells or not facts.is_whole else False
        if len(cells) > 1 and not (self._classes & _EVERY and facts.is_whole):
            return None
        return None if None in cells else all(cells)


def decide(facts: Facts) -> bool | None:
    """Whether the rows say yes or no to a question that expects it. None for others, and where they do not decide."""
    if not facts.is_polar or not facts.rows or REQUEST.match(facts.question):
        return None
    asked = items_of(facts.question, facts, NameIndex(facts))
    return Decision(asked, facts, Numbers(facts, asked, segments_of(asked), asked)).holds


def find_bounds(segments: Sequence[Segment]) -> Iterator[tuple[Segment, int]]:
    """The bounds before a number, each with its place in its segment."""
    for segment in segments:
        for place, item in enumerate(segment.items[:-1]):
            after = segment.items[place + 1]
            if item.cls in COMPARING and after.kind == "number" and not after.cls:
                yield segment, place


def _is_denied(values: Sequence[str]) -> bool:
    return len(values) == 1 and values[0].lower() in ("0", "false")
