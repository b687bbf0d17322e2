"""Two things that a question compares: "Did Ann sell more than Bo?", "as many cats as dogs"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.evidence.facts import ColumnFacts, Facts
from agent.checks.grounding.evidence.kinds import fits, is_adjective
from agent.checks.grounding.languages.polar_words import AGES, OF_AGE, OF_RANK, OF_SIZE, QUANTITATIVE, SIZES, THAN
from agent.checks.grounding.languages.words import is_among, words_of
from agent.checks.grounding.question.asked import GREATER, Asked

_PLURAL = re.compile(r"[^\W\d]{3,}(?<!ou)(?<!le)s(?<!ss)")  # "patients", not "dangerous"


class Side(NamedTuple):
    """One of two compared things. words: that name it in a text, in lower case. row: its own row, if it has one."""

    words: frozenset[str]
    value: Fraction
    row: int | None = None

    def find(self, items: Sequence[Item]) -> int | None:
        """Where a text names it first, in characters."""
        return next((it.start for it in items if it.text.lower() in self.words or it.rows == {self.row}), None)


class Comparison:
    """The two things of a question. says: what the query says that compares them itself; None if it does not."""

    def __init__(self, asked: Asked, facts: Facts, *, says: bool | None) -> None:
        self._asked, self._facts, self._says = asked, facts, says
        self._measure = asked.measure
        self._than = THAN[facts.language or "en"]

    @cached_property
    def _sides(self) -> tuple[Side, ...]:
        """The two things that the question compares. Empty if the rows do not have exactly two values of one kind."""
        facts, measures = self._facts, self._facts.measures
        found: list[Side | None] = []
        if len(facts.rows) > 1 and self._measure is not None:
            found = [self._read_row(row, self._measure) for row in range(len(facts.rows))]
        elif len(facts.rows) == 1 and len(measures) == 2 and _are_of_one_unit(*measures):
            names = [frozenset(re.findall(r"[^\W_]+", it.name.lower())) | it.words for it in measures]
            own = [names[0] - names[1], names[1] - names[0]]
            found = [self._read_column(words, it) for words, it in zip(own, measures, strict=True)]
        sides = tuple(it for it in found if it is not None)
        return sides if len(sides) == 2 else ()

    def _read_row(self, row: int, measure: ColumnFacts) -> Side | None:
        keys = {str(self._facts.rows[row][it.index]) for it in self._facts.columns if it.kind == "dimension"}
        names = [it for it in self._asked.items if it.rows == {row} or (it.kind == "number" and it.text in keys)]
        values = self._facts.values(measure.index, [row])
        return Side(frozenset({names[0].text.lower()}), values[0], row) if len(names) == len(values) == 1 else None

    def _read_column(self, words: frozenset[str], column: ColumnFacts) -> Side | None:
        values = self._facts.values(column.index)
        said = [it.text.lower() for it in self._asked.items if it.text.lower() in words]
        return Side(words, values[0]) if len(said) == len(values) == 1 else None

    def holds(self) -> bool | None:
        """Whether the question's comparison is true. None if it has several, or the rows do not decide it."""
        found, sides = self._asked.comparatives, frozenset[str]().union(*(it.words for it in self._sides))
        if any(it.kind == "number" and not it.is_year and it.text not in sides for it in self._asked.items):
            return None if self._sides else self._says  # "3 more cats than dogs"
        return self.compare(self._facts.question, self._asked.items, found[0]) if len(found) == 1 else None

    def compare(self, text: str, items: Sequence[Item], comparative: Item) -> bool | None:
        """Whether a text's comparison of the two things is true. None if the rows do not decide it."""
        if not self._sides:
            return self._repeats_query(text, comparative)
        than = [it.start() for it in self._than.finditer(text)]
        if not self.measures(items, comparative) or (items is self._asked.items and not than):
            return None  # "Does Berlin or Hamburg have more?"
        first = self._find_first(items, comparative, [at for at in than if at >= comparative.start])
        if first is None:
            return None
        one, other = self._sides[first].value, self._sides[1 - first].value
        return one > other if comparative.cls in GREATER else one < other

    def _find_first(self, items: Sequence[Item], comparative: Item, ends: Sequence[int]) -> int | None:
        """Which of the sides has more, or less, according to a text. ends: where "than" stands behind the word."""
        places = [it.find(items) for it in self._sides]
        behind = [n for n, at in enumerate(places) if at is not None and any(at > end for end in ends)]
        before = [(at, n) for n, at in enumerate(places) if at is not None and n not in behind]
        if len(behind) == 2:  # "more customers in Berlin than in Hamburg"
            later = max(behind, key=lambda n: places[n] or 0)
            between = any((places[1 - later] or 0) < end < (places[later] or 0) for end in ends)
            return 1 - later if between else None
        if behind:
            return 1 - behind[0]
        nearest = max(before, default=None)
        return nearest[1] if nearest is not None and nearest[0] < comparative.start else None

    def are_equal(self) -> bool | None:
        """Whether the first one of two things has as much as the second one."""
        if len(self._sides) != 2:
            return None
        one, other = sorted(self._sides, key=lambda it: it.find(self._asked.items) or 0)
        return True if one.value == other.value else False if one.value < other.value else None

    def _repeats_query(self, text: str, comparative: Item) -> bool | None:
        """What the query says that compares them itself, if a text repeats the question's comparison."""
        own, than = self._asked.comparatives, self._than
        if len(own) != 1 or (own[0].cls in GREATER) is not (comparative.cls in GREATER):
            return None
        parts = (text[comparative.start :], self._facts.question[own[0].start :])
        ends = [than.split(it)[-1] if than.search(it) else it.split(maxsplit=1)[-1] for it in parts]
        tails = [re.findall(r"\w+", it)[:2] for it in ends]
        return self._says if tails[0] == tails[1] else None

    def measures(self, items: Sequence[Item], comparative: Item) -> bool:
        """Whether the shown values are what a text compares: no price for "bigger", no birthday for "older"."""
        facts, column = self._facts, self._measure or next(iter(self._facts.measures), None)
        if column is None:
            return False
        names, said = (column.name, *column.projection.sources, *column.told), comparative.text.lower().split()
        after = next((it for it in items if it.start >= comparative.end), None)
        said += [after.text.lower()] if after is not None else []
        word = next(filter(is_adjective, said), said[0])
        if column.words & OF_RANK or any(it < 0 for it in facts.values(column.index)):
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
        if after is not None and after.kind == "name" and not counts and not self._than.search(comparative.text):
            return False  # "more cats than dogs", by their weights
        if after is None or after.kind != "word" or (facts.language == "de" and after.text[0].isupper()):
            return True
        if counts and facts.language == "en" and _PLURAL.fullmatch(after.text):
            return True
        return self._asked.is_known(after)  # "more reliable" is not of failures


def _are_of_one_unit(one: ColumnFacts, other: ColumnFacts) -> bool:
    return (one.units, one.currency, one.percent, one.scale) == (
        other.units,
        other.currency,
        other.percent,
        other.scale,
    )
