"""What a question that expects yes or no asks: its claims, and its words that the query does not know."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from agent.checks.grounding.claims.claims import Segment, segments_of
from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.evidence.facts import ColumnFacts, Facts
from agent.checks.grounding.languages.near_words import is_near
from agent.checks.grounding.languages.polar_words import ANY, EVER, EXISTENCE, YET
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.languages.words import is_among, words_of

GREATER = frozenset({Class.MORE, Class.OVER})
COMPARING = GREATER | {Class.LESS, Class.UNDER}
EVERY = frozenset({Class.ALL, Class.EACH})
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
Bound = tuple[Segment, int]  # a segment, and the place of a bound before a number in it


class Asked:
    """A question. items: its pieces. classes: its claims."""

    def __init__(self, items: Sequence[Item], facts: Facts) -> None:
        self.items, self._facts = items, facts
        self.classes = frozenset(it.cls for it in items if it.cls is not None)

    @cached_property
    def says_any(self) -> bool:
        return any(it.text.lower() in ANY for it in self.items)

    @cached_property
    def asks_existence(self) -> bool:
        """Whether its form asks for existence: "Are there ...?", "Did Ann ever ...?" """
        ever = any(it.text.lower() in EVER for it in self.items)
        return ever or self.says_any or EXISTENCE.search(self._facts.question) is not None

    @cached_property
    def bounds(self) -> tuple[Bound, ...]:
        """The bounds with a number: "more than 50", "exceed 50"."""
        return tuple(find_bounds(segments_of(self.items)))

    @cached_property
    def comparatives(self) -> tuple[Item, ...]:
        """The words that compare without a number."""
        bounds = {segment.items[place].start for segment, place in self.bounds}
        return tuple(it for it in self.items if it.cls in COMPARING and it.start not in bounds)

    @cached_property
    def unknown_items(self) -> tuple[Item, ...]:
        """The words and numbers that are neither in the query nor in the rows, nor a stored value's other name."""
        return tuple(self._find_unknown())

    def _find_unknown(self) -> Iterator[Item]:
        facts, years = self._facts, {*_YEAR.findall(self._facts.sql)}
        numbers = {*re.findall(r"\d+(?:\.\d+)?", facts.sql)}
        bounds = {segment.items[place + 1].start for segment, place in self.bounds}
        for item in (it for it in self.items[1:] if it.start not in bounds and it.text.lower() not in EVER | YET):
            is_unknown = (
                (item.kind == "word" and not _is_among(item, self._known_words))
                or (item.kind == "number" and not item.cls and {item.text, str(item.value)}.isdisjoint(numbers))
                or (item.kind == "date" and not item.rows and not set(_YEAR.findall(item.text)) <= years)
            )
            if is_unknown:
                yield item

    def is_known(self, item: Item) -> bool:
        """Whether a word, or a near one, is in the query, its rows or the docs of its columns."""
        return _is_among(item, self._known_words.union(*(it.words for it in self._facts.columns)))

    @cached_property
    def measure(self) -> ColumnFacts | None:
        """The only measure, or the only one of several that the question names, if it names nothing else."""
        measures = self._facts.measures
        if len(measures) == 1:
            return measures[0]
        said = [it.text.lower() for it in self.items if it.kind == "word"]
        named = [it for it in measures if any(is_among(word, words_of(it.name)) for word in said)]
        return named[0] if len(named) == 1 and not self.unknown_items else None

    @cached_property
    def _known_words(self) -> frozenset[str]:
        facts = self._facts
        linked = (word for it, value in facts.linked if value.lower() in facts.sql.lower() for word in words_of(it))
        cells = (word for row in facts.rows for cell in row if isinstance(cell, str) for word in words_of(cell))
        names = re.findall(r"[^\W_]+", facts.sql.lower())  # `co2`
        return frozenset((*words_of(facts.sql), *names, *linked, *cells))


def _is_among(item: Item, known: frozenset[str]) -> bool:
    return is_among(item.text.lower(), known) or is_near(item.text.lower(), known)


def find_bounds(segments: Sequence[Segment]) -> Iterator[Bound]:
    """The bounds before a number."""
    for segment in segments:
        for place, item in enumerate(segment.items[:-1]):
            after = segment.items[place + 1]
            if item.cls in COMPARING and after.kind == "number" and not after.cls:
                yield segment, place
