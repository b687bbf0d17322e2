"""Counts of the rows: "6 countries", "two of the three", "two regions, North and South"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import takewhile

from agent.checks.grounding.claims.claims import Segment
from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.claims.names import Rows
from agent.checks.grounding.evidence.facts import Facts
from agent.checks.grounding.evidence.kinds import words_of_kind
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.languages.words import is_among, words_of
from agent.checks.grounding.support.beside import (
    NEAR,
    OF_THE,
    PART_OF,
    PLURAL,
    THE,
    are_flagged,
    list_counted_words,
    list_words_behind,
)
from agent.checks.grounding.support.found import Support

# Names of columns that contain the name of a table's rows.
_LABEL = re.compile(r"(?:\w+_)?(?:id|name|nombre|nom|nome|bezeichnung|title|titel|titre|label|code|no|nr|number)")

# With these, equal rows count once.
APART = frozenset(["different", "distinct", "unique", "verschiedene", "unterschiedliche", "différents", "différentes"])
APART |= {"distintos", "distintas", "diferentes", "diversi", "diverse", "distinti", "distinte"}


# Names behind these are examples.
_TWO_WORDS = (["led", "by"], ["such", "as"])
_EXAMPLES = frozenset(["including", "include", "includes", "among", "for example", "for instance", "e.g.", "eg"])


def _find_examples(items: Sequence[Item], place: int) -> int | None:
    """Where examples begin behind a number: "12 customers, including Ada and Bo". None if there are none."""
    return next(
        (
            at
            for at in range(place + 1, len(items))
            if items[at].text.lower() in _EXAMPLES or [it.text.lower() for it in items[at : at + 2]] in _TWO_WORDS
        ),
        None,
    )


@dataclass(frozen=True)
class Counts:
    """Supports numbers that count rows.

    Args:
        asked, items: of the question and of the text.
        sentences: the rows that each sentence names, by sentence index.
    """

    facts: Facts
    asked: Sequence[Item]
    items: Sequence[Item]
    sentences: Mapping[int, Rows]

    def find_counted(self, segment: Segment, place: int, bound: Class | None) -> Support | None:
        """The number of rows, if the words refer to rows: "6 countries", not "6 customers" in 6 countries."""
        facts, item = self.facts, segment.items[place]
        count = len(facts.rows)
        examples = _find_examples(segment.items, place)
        own = Segment(segment.sentence, segment.items[:examples]).map_own_rows()
        told = frozenset(row for places in own.values() for row in places)
        if item.percent or item.currency or (facts.query.aggregates and count == 1):
            return None
        if told and len(told) < count:
            return self._find_selected(segment, place, told) if bound is None else None
        limited = facts.is_limited
        if facts.result.truncated and bound is Class.OVER:
            limited = item.value > count
        elif facts.result.truncated or item.value != count or bound is not None:
            return None
        after = list_counted_words(segment.items, place)
        if self._repeats(segment, place):
            return None
        exists = place > 0 and segment.items[place - 1].cls is Class.EXISTS
        if limited and (exists or not any(it.value == item.value for it in self.asked if it.kind == "number")):
            return None
        if any(it.cls is Class.ROWS for it in after):
            return Support("row count", Fraction(count))
        words = [it.text.lower() for it in after if it.kind == "word"]
        keys = self._nouns
        if examples is not None and not self._may_give_examples(segment.items[place + 1 : examples], words):
            return None
        heads = [at for at, it in enumerate(words) if PLURAL.search(it) and is_among(it, keys)]
        words = words[heads[0] : heads[0] + 1] if heads else words  # "5 machines cost more"
        measured = {it.index: it.words - keys - words_of_kind((it.name, *it.told)) for it in facts.measures}
        if any(is_among(word, measured[it.index]) for it in facts.measures for word in words):
            return None
        if place + 1 < len(segment.items) and segment.items[place + 1].cls is Class.TIME:
            words = [segment.items[place + 1].text.lower()]  # "six years"
        known = keys if facts.query.grouped or facts.measures else {*keys, *facts.question_words}
        if (words and any(is_among(word, known) for word in words)) or (not words and not facts.query.grouped):
            return Support("row count", Fraction(count))
        return None

    def _may_give_examples(self, between: Sequence[Item], words: Sequence[str]) -> bool:
        """Whether the rows are counted as what tells them apart, and other numbers are of the query's conditions."""
        given = {value for it in self.facts.conditions for value in it.values}
        others = [it.text for it in between if it.kind == "number" and not it.is_year]
        counted = next((it for it in words if PLURAL.search(it)), "")
        return is_among(counted, self._apart) and given.issuperset(others)

    @cached_property
    def _nouns(self) -> frozenset[str]:
        """Nouns for the rows: from their keys, from the question's "for each", and from the keys' table."""
        facts = self.facts
        each = {*list_words_behind(self.asked, Class.EACH, Class.PER)}
        keys = [it for it in facts.columns if it.kind == "dimension"]
        tables = {table for it in keys for table in it.projection.tables}
        named = all(_LABEL.fullmatch(it) for key in keys for it in key.projection.sources) or (
            len(keys) > 1 and not each
        )
        of_table = {word for it in tables for word in words_of(it)} if len(tables) == 1 and named else set[str]()
        return frozenset((self._apart or {word for it in keys for word in it.words}) | each | of_table)

    @cached_property
    def _apart(self) -> frozenset[str]:
        """The words of the columns that tell all rows apart."""
        facts = self.facts
        keys = [it for it in facts.columns if it.kind == "dimension"]
        apart = [it for it in keys if len({str(row[it.index]) for row in facts.rows}) == len(facts.rows)]
        return frozenset(word for it in apart for word in it.words)

    def _repeats(self, segment: Segment, place: int) -> bool:
        """Whether a number is that of "different" things, but rows are equal."""
        rows = self.facts.rows
        apart = any(it.text.lower() in APART for it in segment.items[place + 1 : place + 1 + NEAR])
        return apart and len({str(row) for row in rows}) < len(rows)

    def is_counted(self, item: Item) -> bool:
        """Whether a word is a noun for the rows."""
        return item.kind == "word" and is_among(item.text.lower(), self._nouns)

    def _find_selected(self, segment: Segment, place: int, told: Rows) -> Support | None:
        """The number of rows with the named values: "two contracts end in December", "three are from Rome"."""
        facts, item = self.facts, segment.items[place]
        shared = all(len(rows) > 1 for it in segment.names for rows in it.places.values())
        if not facts.is_whole or not shared or item.value != len(told):
            return None
        keys = {word for it in facts.columns if it.kind == "dimension" for word in it.words}
        keys |= {word for table in facts.query.tables for word in words_of(table)}
        words = [it.text.lower() for it in list_counted_words(segment.items, place) if it.kind == "word"]
        counts = {word for it in facts.measures for word in it.words}
        named = bool(words) and is_among(words[0], keys) and not is_among(words[0], counts)
        return Support("row count", item.value) if named else None

    def find_listed(self, segment: Segment, place: int) -> Support | None:
        """The number of names in a sentence, if they are all rows or the first: "the top three are A, B and C"."""
        facts, item = self.facts, segment.items[place]
        if self._repeats(segment, place):
            return None
        if self.is_of_all(segment, place):
            return Support("row count", item.value)
        if item.value == self._find_apposition(item) > 1 and not item.percent and not item.currency:
            return Support("row count", item.value)
        named = self.sentences.get(segment.sentence, frozenset())
        if item.percent or item.currency or item.value != len(named) or len(named) < 2:
            return None
        around = segment.items[max(0, place - 1) : place + 2]
        ends = {it.cls for it in around} & {Class.MOST, Class.LEAST}
        if are_flagged(self.facts, segment, named):
            return Support("row count", item.value)
        if named == frozenset(range(len(facts.rows))) and not facts.result.truncated and (ends or not facts.measures):
            return Support("row count", item.value)
        if len(ends) != 1 or len(facts.measures) != 1 or facts.result.truncated:
            return None
        inside = facts.values(facts.measures[0].index, named)
        outside = facts.values(facts.measures[0].index, set(range(len(facts.rows))) - named)
        if len(inside) < len(named) or not outside:
            return None
        first = min(inside) > max(outside) if Class.MOST in ends else max(inside) < min(outside)
        return Support("row count", item.value) if first else None

    def _find_apposition(self, item: Item) -> int:
        """The number of names that follow a number: "two regions, North and South, had more than 800"."""
        items = self.items[self.items.index(item) + 1 :]
        first = next((at for at, it in enumerate(items) if it.kind not in ("word", "phrase") or it.cls), len(items))
        if first > NEAR or not items[first:] or items[first].kind != "mark" or items[first].text not in ",:(–—":
            return 0
        listed = list(takewhile(lambda it: it.places or it.cls is Class.JOIN or it.text == ",", items[first + 1 :]))
        after = items[first + 1 + len(listed) :][:1]
        if items[first].text == ":" and not any(it.text.strip()[:1] != "." for it in after):
            return 0  # in "there are two regions: North and South." they must be all
        return sum(bool(it.places) for it in listed)

    def is_of_all(self, segment: Segment, place: int) -> bool:
        """Whether a number is that of all rows: "two of the three", "the least of the three"."""
        facts, item = self.facts, segment.items[place]
        before = [it.text.lower() for it in segment.items[max(0, place - 2) : place]]
        of_the = bool(before) and (before[-1] in OF_THE or (before[-1] in THE and before[0] in PART_OF))
        following = segment.items[place + 1 : place + 2]
        called = any(is_among(it.text.lower(), self._nouns) for it in following if it.kind in ("word", "phrase"))
        whole = facts.is_whole and (facts.query.grouped or called)
        plain = not item.percent and not item.currency and item.cls is None
        after = list_counted_words(segment.items, place)
        counted = {word for it in facts.measures for word in it.words}
        if not called and any(is_among(it.text.lower(), counted) for it in after if it.kind == "word"):
            return False  # "a total of 3 rides"
        if {Class.SUM, Class.MEAN} & {it.cls for it in segment.items[max(0, place - 3) : place]}:
            return False
        return whole and plain and item.value == len(facts.rows) > 1 and of_the
