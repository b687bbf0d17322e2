"""The shared context for all checks of a sentence's words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import takewhile

from agent.checks.grounding.claims.claims import Segment
from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.claims.names import NameIndex
from agent.checks.grounding.evidence.facts import ColumnFacts, Facts
from agent.checks.grounding.evidence.kinds import fits, is_adjective
from agent.checks.grounding.languages.language import split_words
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.languages.words import is_same_word, words_of
from agent.checks.grounding.support.conversion import find_factor
from agent.checks.grounding.support.found import Support
from agent.checks.grounding.support.support import Numbers

_PART = 4  # least letters of a part of a compound
_AGES = frozenset({"age", "alter", "âge", "edad", "età", "old", "alt"})
_YEARS_OLD = frozenset(
    {"years", "year", "old", "jahre", "jahren", "alt", "ans", "âgés", "âgées", "años", "anni", "anno", "año"}
)

# Columns or questions about differences, which have a sign.
CHANGE = re.compile(
    r"change|growth|increase|decrease|diff|delta|develop|veränder|entwick|évol|variaci|cambi", re.IGNORECASE
)

_NAMES = frozenset(["name", "names"])

# By class of a phrase: returns the reason why its claim is unsupported, or an empty string.
Checks = Mapping[Class, Callable[[Segment, int], str]]


class WordingContext:
    """A text, its question and the support of its numbers.

    Args:
        asked: the items of the question.
        supports: of its numbers, by start position.
        segments: of the text.

    known: words that a sentence may use. queried: the words of the tables.
    """

    def __init__(
        self,
        facts: Facts,
        names: NameIndex,
        asked: Sequence[Item],
        numbers: Numbers,
        supports: Mapping[int, Support],
        segments: Sequence[Segment],
    ) -> None:
        self.facts, self.names, self.asked = facts, names, asked
        self.numbers, self.supports, self.segments = numbers, supports, segments
        self.question_classes = frozenset(
            it.cls for at, it in enumerate(asked) if it.cls is not None and not _is_of_name(asked, at)
        )
        self.known = _find_known_words(facts) | {it.text.lower() for it in asked if it.kind == "word"}
        self.queried = frozenset(word for name in facts.query.tables for word in words_of(name))

    def is_in_question(self, item: Item) -> bool:
        """Whether the question contains the word."""
        return any(is_same_word(item.text.lower(), it.text.lower()) for it in self.asked)

    def is_head(self, word: str) -> bool:
        """Whether a German word ends a known one: `Quote` in `Ausschussquote`."""
        known = self.known if self.facts.language == "de" and len(word) >= _PART else ()
        return any(it.endswith(word) and len(it) >= len(word) + _PART for it in known)

    def origin(self, item: Item) -> str | None:
        support = self.supports.get(item.start)
        return support.origin if support is not None else None

    def cls(self, item: Item) -> Class | None:
        support = self.supports.get(item.start)
        return support.cls if support is not None else None

    def is_calculated(self, segment: Segment) -> bool:
        """Whether a number of a segment was recomputed."""
        return any(self.origin(it) == "calculation" for it in segment.numbers)

    def list_sentence(self, segment: Segment) -> list[Segment]:
        """The segments of a segment's sentence."""
        return [it for it in self.segments if it.sentence == segment.sentence]

    def list_sentence_names(self, segment: Segment) -> list[Item]:
        """The names of rows in a segment's sentence."""
        return [it for one in self.list_sentence(segment) for it in one.names]

    def aggregates(self, *names: str) -> bool:
        return any(it.aggregate in names for it in self.facts.query.projections)

    def columns_of_numbers(self, segment: Segment) -> list[ColumnFacts]:
        """The columns of the cells that support its numbers."""
        told = (self.supports.get(it.start) for it in segment.numbers)
        return [self.facts.columns[it.column] for it in told if it is not None and it.column is not None]

    def is_converted(self, segment: Segment, place: int) -> bool:
        """Whether a word is a unit that the number before it was converted to."""
        number = segment.items[place - 1] if place else None
        support = self.supports.get(number.start) if number is not None else None
        if support is None or number is None:
            return False
        if segment.items[place].text.lower() in support.words:
            return True
        column = self.facts.columns[support.column] if support.column is not None else None
        return find_factor(segment.items, place - 1, column) is not None

    def find_rate(self, segment: Segment, place: int) -> tuple[ColumnFacts, ColumnFacts] | None:
        """The two columns of a rate named after a position: "revenue per order"."""
        items = list(takewhile(lambda it: it.kind in ("word", "phrase"), segment.items[place + 1 :]))
        at = next((at for at, it in enumerate(items) if it.cls is Class.PER), None)
        if at is None:
            return None
        over = [it for item in items[:at] for it in self.numbers.columns.list_labelled(item)]
        under = [it for item in items[at + 1 : at + 2] for it in self.numbers.columns.list_labelled(item)]
        return (over[-1], under[0]) if len(set(over)) == len(under) == 1 and over[-1] is not under[0] else None

    def values_of(
        self, column: ColumnFacts, rate: tuple[ColumnFacts, ColumnFacts] | None, rows: Iterable[int]
    ) -> list[Fraction]:
        """The values of a column, or of one column per another. NULL and divisions by 0 are left out."""
        if rate is None:
            return self.facts.values(column.index, rows)
        pairs = [[value for it in rate for value in self.facts.values(it.index, [row])] for row in rows]
        return [pair[0] / pair[1] for pair in pairs if len(pair) == len(rate) and pair[1]]

    def with_numbers(self, segment: Segment) -> Segment:
        """The segment, or the next one if only that contains the number: "is the longest" before ", at 63.8"."""
        at = next(at for at, it in enumerate(self.segments) if it is segment)
        following = self.segments[at + 1] if at + 1 < len(self.segments) else None
        ends = following is None or following.sentence != segment.sentence or following.map_own_rows()
        return segment if segment.numbers or following is None or ends else following

    def find_measures(self, segment: Segment, place: int) -> Sequence[ColumnFacts]:
        """The columns that a superlative may refer to, by the words after it, or else by the number with it."""
        text = segment.items[place].text
        fitting = [
            it
            for it in self.facts.measures
            if fits(text, it.told or (it.name,), counts=it.projection.aggregate == "count")
        ]
        if is_adjective(text.lower().split()[-1]) and len(fitting) == 1:
            return fitting  # "the longest bridge", for its length and its opening year
        after = takewhile(lambda it: it.kind != "number", segment.items[place + 1 :])
        for item in after:
            if found := self.numbers.columns.list_labelled(item):
                return found
        told = self.with_numbers(segment).numbers
        beside = [it for it in told if it.start > segment.items[place].start] or told
        for item in beside:
            support = self.supports.get(item.start)
            if support is not None and support.column is not None:
                return [self.facts.columns[support.column]]
        return self.numbers.columns.find(segment, place)


def _is_of_name(asked: Sequence[Item], place: int) -> bool:
    """Whether a word of the question belongs to the name of a column: "first and last name"."""
    behind = [it.text.lower() for it in asked[place + 1 : place + 4]]
    if asked[place].cls not in (Class.LATEST, Class.EARLIEST, Class.RANK, Class.LAST_PLACE) or not behind:
        return False
    return behind[0] in _NAMES or (behind[0] in ("and", ",") and any(it in _NAMES for it in behind))


def _find_known_words(facts: Facts) -> frozenset[str]:
    """The words that a sentence may use: from the question, the columns, units and compared values."""
    found = {*facts.question_words, *split_words(facts.question), *split_words(facts.earlier)}
    for column in facts.columns:
        found |= _words_of_column(column)
    for condition in facts.conditions:
        for value in condition.bounds:
            if not condition.denied:
                found |= {*words_of(value), value.lower()}
    if _AGES & found:
        found |= _YEARS_OLD
    found |= {word for mention, _ in facts.linked for word in words_of(mention)}
    return frozenset(found)


def _words_of_column(column: ColumnFacts) -> set[str]:
    mentioned = column.mentioned if column.kind == "measure" else ()
    return {*column.words, *column.units, *words_of(column.name), *mentioned}
