"""Numbers that a question compares with: "more than 50", "at least 10 each", "exactly 12"."""

from __future__ import annotations

from functools import cached_property

from agent.checks.grounding.claims.claims import Segment
from agent.checks.grounding.evidence.facts import Facts
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.languages.words import have_one_meaning, is_among
from agent.checks.grounding.numbers.units import unit, unit_names
from agent.checks.grounding.question.asked import EVERY, GREATER, Asked, Bound
from agent.checks.grounding.support.bounds import NEAR, find_rows_beyond
from agent.checks.grounding.support.support import Numbers, is_counted_in


class Thresholds:
    """The bounds of a question, and whether the rows meet them."""

    def __init__(self, asked: Asked, facts: Facts, numbers: Numbers) -> None:
        self._asked, self._facts, self._numbers = asked, facts, numbers

    @cached_property
    def free(self) -> tuple[Bound, ...]:
        """The bounds that are no condition of the query, so that a value has to meet them."""
        return tuple(it for it in self._asked.bounds if not self.is_condition(*it))

    @property
    def are_near(self) -> bool:
        """Whether a bound asks for a value nearby: "nearly 50"."""
        return any(segment.items[place].text.lower() in NEAR for segment, place in self._asked.bounds)

    def is_condition(self, segment: Segment, place: int) -> bool:
        """Whether a bound and its number are a condition of the query."""
        bound, limit = segment.items[place], segment.items[place + 1]
        if self._is_of_count(segment, place):
            return False
        compared = self._facts.query.bounds
        if limit.percent:
            compared = frozenset(value for it in self._facts.conditions for value in it.values)
        written = {limit.numeral.raw if limit.numeral is not None else ""}
        if limit.value.denominator == 1:  # "more than 9" is also "at least 10"
            step = 1 if (bound.cls in GREATER) is not self._numbers.reaches(segment, limit) else -1
            written |= {str(int(limit.value)), str(int(limit.value) + step)}
        return bool(written & compared)

    def _is_of_count(self, segment: Segment, place: int) -> bool:
        """Whether a bound is of the count that is the only value: "Are there more than 2 managers?" """
        measures, items = self._facts.measures, self._asked.items
        counts = [it.projection.aggregate for it in measures if not it.projection.compared]
        before = (it for it in items if it.start < segment.items[place].start)
        first = all(it.cls in (Class.FILLER, Class.EXISTS) for it in before) and segment.items[0] is items[0]
        return first and counts == ["count"] and len(self._facts.rows) == len(measures) == 1

    def hold(self) -> bool | None:
        """Whether the rows meet all free bounds. None if that is not certain."""
        mixed = len(self.free) < len(self._asked.bounds) and len(self._facts.columns) > 1
        if mixed or (len(self.free) > 1 and len(self._facts.measures) > 1):
            return None
        found = [self._meet(*it) for it in self.free]
        return False if False in found else None if None in found else True

    def _meet(self, segment: Segment, place: int) -> bool | None:
        column, query = self._asked.measure, self._facts.query
        counts = column is not None and column.projection.aggregate == "count" and not column.projection.distinct
        if not self._facts.is_whole or (counts and query.joined):
            return None
        if len(self._facts.rows) > 1:
            return self._meet_rows(segment, place)
        aggregate = self._asked.measure.projection.aggregate if self._asked.measure is not None else ""
        greater = segment.items[place].cls in GREATER
        if self._asked.classes & EVERY and aggregate != ("min" if greater else "max"):
            return None
        if self._asked.says_any and aggregate not in ("", "count", "max" if greater else "min"):
            return None
        if aggregate in ("min", "max") and not self._asked.classes & EVERY and not self._asked.says_any:
            return None
        if aggregate == "avg" and Class.MEAN not in self._asked.classes:
            return None
        return self.is_beyond(segment, place)

    def _meet_rows(self, segment: Segment, place: int) -> bool | None:
        """Whether all rows are beyond a bound, or any, as the question asks."""
        facts, column = self._facts, self._asked.measure
        if column is None or not facts.is_whole or self._asked.says_any is bool(self._asked.classes & EVERY):
            return None
        beyond = find_rows_beyond(facts, self._numbers, segment, place, column)
        if beyond is None:
            return None
        return bool(beyond) if self._asked.says_any else len(beyond) == len(facts.rows)

    def is_beyond(self, segment: Segment, place: int) -> bool | None:
        """Whether the only number of the rows is beyond a bound. None if there is none, or it has another unit."""
        column, after = self._asked.measure, segment.items[place + 2 : place + 3]
        if len(self._facts.rows) != 1 or column is None:
            return None
        said = after[0].text.lower() if after else ""
        counted = column.projection.aggregate == "count"
        if is_unit(said) and not counted and not is_among(said, (*column.units, *column.words)):
            return None
        values, limit = self._facts.values(column.index), segment.items[place + 1]
        is_share = all(0 <= it < 1 for it in values) and any(values) and not limit.percent and limit.value > 1
        if is_share or (column.scale != 1 and not is_counted_in(limit, column)):
            return None
        beyond = find_rows_beyond(self._facts, self._numbers, segment, place, column)
        return None if beyond is None else bool(beyond)

    def is_exact(self) -> bool | None:
        """Whether the only value of the rows is the number of the question."""
        numbers = [it for it in self._asked.unknown_items if it.kind == "number"]
        numbers = numbers or [it for it in self._asked.items if it.kind == "number"]
        column, facts = self._asked.measure, self._facts
        if len(numbers) != 1 or len(facts.rows) != 1 or column is None:
            return None
        values = facts.values(column.index)
        if numbers[0].percent or numbers[0].currency or len(self._asked.unknown_items) > 1 or not values:
            return None
        return values[0] == numbers[0].value


def is_unit(word: str) -> bool:
    """Whether a lower-case word is a unit, in any of the languages."""
    return unit(word) is not None or any(have_one_meaning(word, it) for it in unit_names())
