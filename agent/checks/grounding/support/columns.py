"""The columns that a number may belong to, judging by the words beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property

from agent.checks.grounding.claims.claims import Segment
from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.evidence.facts import ColumnFacts, Facts
from agent.checks.grounding.languages.currencies import are_same
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.languages.words import is_among, is_same_word, words_of
from agent.checks.grounding.support.beside import FROM, NEAR, currencies

_NAMED = {Class.MEAN: "avg", Class.SUM: "sum", Class.MOST: "max", Class.LEAST: "min"}
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_WITH = frozenset({"with", "mit", "avec", "con"})
_ENDS = frozenset(".;!?\n")
_UNIT_WORDS = 2  # most words of a unit: "square metres"
_SHORT = 3  # most letters of a word that may also be a unit


class Columns:
    """Identifies measures by the words for them."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def find(self, segment: Segment, place: int) -> Sequence[ColumnFacts]:
        """The columns that a number may belong to, judging by the words beside it."""
        measures = self._facts.measures
        items = segment.items
        if len(measures) < 2:
            return () if self._is_of_key(items, place) else measures
        if (named := self._find_named_after(items, place)) is not None:
            return [named]
        shared: list[ColumnFacts] = []
        for item in items[place + 1 : place + 1 + NEAR]:
            found = self.list_labelled(item)
            whole = items[place].percent and item.cls is Class.FILLER  # "50 % of the customers" is a share
            if whole or (not found and item.kind in ("number", "mark")):
                break
            if found:
                before = self._list_labelled_before(items, place)  # "a total of 12 km": the unit alone fits both
                found = [it for it in found if it in before] or found
                if len(found) < len(measures):
                    return found
                shared = found
                if not any(it.period for it in found):
                    break
        if shared and not any(it.period for it in shared):
            return shared
        if (told := self._find_told_before(items, place)) is not None:
            return told
        if (exact := self._find_named_exactly(segment)) is not None:
            return [exact]
        asked = [
            it
            for it in measures
            if any(is_among(word, self._list_telling_words(it)) for word in self._facts.question_words)
        ]
        said = currencies(items, place)
        currency = [it for it in measures if said and it.currency and are_same(said, {it.currency})]
        return currency or asked or measures

    def _is_of_key(self, items: Sequence[Item], place: int) -> bool:
        """Whether the last column named before a number is a key: "the id is 64", not an age."""
        for at in reversed(range(place)):
            item = items[at]
            if item.kind in ("name", "number") or self.list_labelled(item):
                return False
            if item.kind == "word" and is_among(item.text.lower(), self._key_words):
                return not at or items[at - 1].kind != "name"  # "3 stars have 120 rooms"
        return False

    @cached_property
    def _key_words(self) -> frozenset[str]:
        """The last words of key names: "id" of `driver_id`."""
        rows, columns = self._facts.rows, self._facts.columns
        keys = [it for it in columns if it.kind == "dimension" and any(type(row[it.index]) is int for row in rows)]
        return frozenset(word for it in keys for word in words_of(it.name)[-1:])

    def pair_lists(self, items: Sequence[Item], asked: Sequence[Item]) -> dict[int, ColumnFacts]:
        """The columns of numbers in a list that matches a list of labels: "the height and weight are 170 and 62".

        Args:
            items, asked: of a text and of its question. A number of the question ends no list of labels: "of person 3".

        Returns them by start position. Other numbers are not included.
        """
        said = {it.value for it in asked if it.kind == "number"}
        paired: dict[int, ColumnFacts] = {}
        for run in self._find_lists(items, said):
            labels: list[ColumnFacts] = []
            for at in reversed(range(run[0])):
                item = items[at]
                if item.text.strip() in _ENDS or (item.kind == "number" and item.value not in said):
                    break
                found = self.list_labelled(item)
                if len(found) == 1 and not self._is_of_superlative(items, at):
                    labels.append(found[0])
            columns = tuple(dict.fromkeys(reversed(labels)))
            if len(columns) == len(run):
                paired |= {items[at].start: column for at, column in zip(run, columns, strict=True)}
        return paired

    def _find_lists(self, items: Sequence[Item], said: set[Fraction]) -> Iterator[list[int]]:
        """The positions of numbers separated only by commas, "and" and units: "20 cm and 30 cm"."""
        run: list[int] = []
        for at in (at for at, it in enumerate(items) if it.kind == "number" and it.value not in said):
            between = items[run[-1] + 1 : at] if run else []
            units = [it for it in between if it.kind == "word"]
            is_next = len(units) < len(between) and len(units) <= _UNIT_WORDS
            is_next &= all(it.kind == "word" or it.text == "," or it.cls is Class.JOIN for it in between)
            if run and not (is_next and not any(map(self.list_labelled, units))):
                if len(run) > 1:
                    yield run
                run = []
            run.append(at)
        if len(run) > 1:
            yield run

    def _is_of_superlative(self, items: Sequence[Item], place: int) -> bool:
        """Whether a label only identifies a row: "the price of the car with the least age is 12"."""
        leads = [at for at in range(max(0, place - NEAR), place) if items[at].cls in (Class.MOST, Class.LEAST)]
        if not leads or not any(it.text.lower() in _WITH for it in items[max(0, leads[-1] - 2) : leads[-1]]):
            return False
        return any(self.list_labelled(it) for it in items[: leads[-1]])

    def _find_told_before(self, items: Sequence[Item], place: int) -> Sequence[ColumnFacts] | None:
        """The columns of the nearest label before a number. Empty if it is a key's, None if there is no label."""
        if self._is_of_key(items, place):
            return ()
        for at in reversed(range(place)):
            own = at == place - 1  # "with the highest stock (12)"
            if (found := self.list_labelled(items[at])) and (own or not self._is_of_superlative(items, at)):
                return found
        return None

    def _find_named_after(self, items: Sequence[Item], place: int) -> ColumnFacts | None:
        """The column named in the words right after a number, "668 closed tickets", or by a change: "grew by 12 %"."""
        changes = [it for it in self._facts.measures if it.is_change]
        if len(changes) == 1 and _is_changed(items, place):
            return changes[0]
        words: list[str] = []
        for item in items[place + 1 : place + 1 + NEAR]:
            if item.kind != "word":
                break
            words.append(item.text.lower())
        own = {it.index: {word for word in words_of(it.name) if len(word) > _SHORT} for it in self._facts.measures}
        found = {at for at, names in own.items() if any(is_among(word, names) for word in words)}
        return self._facts.columns[found.pop()] if len(found) == 1 else None

    def _find_named_exactly(self, segment: Segment) -> ColumnFacts | None:
        """The column whose whole name is a word beside a number: `hours`, unlike `mean_hours`."""
        if Class.MEAN in segment.classes:
            return None
        words = [it.text.lower() for it in segment.items if it.kind == "word"]
        whole = [it for it in self._facts.measures if it.projection.aggregate != "avg" and len(words_of(it.name)) == 1]
        found = [it for it in whole if any(is_same_word(word, words_of(it.name)[0]) for word in words)]
        return found[0] if len(found) == 1 else None

    def _list_labelled_before(self, items: Sequence[Item], place: int) -> list[ColumnFacts]:
        """The columns of labels between a number and the one before it."""
        for item in reversed(items[:place]):
            if item.kind in ("number", "mark", "date"):
                break
            if found := self.list_labelled(item):
                return found
        return []

    def list_labelled(self, item: Item) -> list[ColumnFacts]:
        """The measures that a word identifies, or a time, for `sales_2023` and `sales_2024`."""
        if item.kind in ("date", "number") and not item.places:
            years = {0, *(int(year) for year in _YEAR.findall(item.text))}
            quarters = {0, *(it[3] for it in (item.date.readings if item.date else ()) if it[3])}
            dated = [it for it in self._facts.measures if it.period is not None]
            return [it for it in dated if it.period and it.period[0] in years and it.period[1] in quarters]
        if item.kind not in ("word", "phrase"):
            return []
        word = item.text.lower()
        meant = [
            it for it in self._facts.measures if item.cls in _NAMED and it.projection.aggregate == _NAMED[item.cls]
        ]
        if meant:
            return meant  # "the average", of MIN, AVG and MAX
        return [it for it in self._facts.measures if is_among(word, self._list_telling_words(it)) or word in it.units]

    def _list_telling_words(self, column: ColumnFacts) -> set[str]:
        """The words of a column that no other measure shares, unless that is only its change."""
        measures = [it for it in self._facts.measures if it is not column]
        keys = {it.name.lower() for it in self._facts.columns if it.kind == "dimension"}
        changes = [it for it in measures if it.is_change]
        own = [it for it in changes if {*it.projection.sources} - keys == {column.name.lower()}]
        others = {word for it in measures for word in (words_of(it.name) if it in own else it.words)}
        return set(column.words) - others


def _is_changed(items: Sequence[Item], place: int) -> bool:
    """Whether a number is what something rose or fell by: "grew by 12", "up 12", "+12"."""
    before = place - 1
    while before > 0 and items[before].cls is Class.FILLER and items[before].text.lower() not in FROM | {"to", "auf"}:
        before -= 1
    return before >= 0 and (items[before].cls in (Class.RISE, Class.FALL) or items[place - 1].text == "+")
