"""Rows that a sentence refers to by position: "the top three regions", "the other four", "the first and the second"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.claims.names import NameIndex, Rows
from agent.checks.grounding.evidence.facts import ColumnFacts, Facts
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.languages.words import is_among

_ENDS = frozenset({Class.MOST, Class.LEAST, Class.LATEST})
_OTHERS = frozenset({"other", "others", "remaining", "rest", "übrigen", "anderen", "restlichen", "restliche", "übrige"})
_OTHERS |= {"autres", "reste", "restants", "restantes", "otras", "otros", "demás", "resto", "altre", "altri"}
_OTHERS |= {"restanti", "rimanenti", "나머지"}
_BETWEEN = frozenset({Class.DIFFERENCE, Class.SUM})
_CHANGED = frozenset({Class.RISE, Class.FALL, Class.DIFFERENCE, Class.MULTIPLIED})
_FIRST, _LAST = frozenset({Class.RANK, Class.EARLIEST}), frozenset({Class.LATEST, Class.ASKED})  # "last month"
_STOPS = ".!?;\n"


class _Role(NamedTuple):
    """Rows referred to by position. length: in items of the sentence."""

    length: int
    rows: Rows


def with_roles(items: Sequence[Item], facts: Facts, names: NameIndex) -> list[Item]:
    """The items, with positions replaced by names of their rows. Unchanged if the rows do not determine them."""
    keys = [it for it in facts.columns if it.kind == "dimension"]
    if len(keys) != 1 or len(facts.rows) < 2 or facts.result.truncated:
        return list(items)
    reader = _Roles(facts, keys[0], keys[0].index in names.dated)
    found: list[Item] = []
    at = 0
    while at < len(items):
        role = reader.find_role(items, at, found)
        if role is None:
            found.append(items[at])
            at += 1
            continue
        start, last = items[at], items[at + role.length - 1]
        text = " ".join(it.text for it in items[at : at + role.length])
        places = {keys[0].index: role.rows}
        found.append(Item("name", start.start, last.end, text, places=places))
        at += role.length
    return found


class _Roles:
    """Args: key: the column that distinguishes rows. timed: whether it contains times."""

    def __init__(self, facts: Facts, key: ColumnFacts, timed: bool) -> None:
        self._facts, self._key, self._timed = facts, key, timed

    def find_role(self, items: Sequence[Item], place: int, before: Sequence[Item]) -> _Role | None:
        """The role that begins at an item. None if there is none."""
        item = items[place]
        sentence = _sentence(items, place)
        if item.text.lower() in _OTHERS:
            return self._find_others(items, place, before)
        if self._timed and item.cls in _FIRST | _LAST and _CHANGED & {it.cls for it in sentence}:
            return self._end(items, place, sentence)
        if any(it.places for it in sentence):
            return None  # "the top three are A, B and C"
        if item.cls is Class.RANK and _BETWEEN & {it.cls for it in sentence}:
            return self._find_ranked(items, place, sentence)
        if item.cls in _ENDS or (item.cls is Class.RANK and item.rank == 1):
            return self._find_several(items, place)
        return None

    def _find_others(self, items: Sequence[Item], place: int, before: Sequence[Item]) -> _Role | None:
        """All rows except those named before: "the other four"."""
        named = frozenset(row for it in before for row in it.places.get(self._key.index, ()))
        rest = frozenset(range(len(self._facts.rows))) - named
        count = items[place + 1] if place + 1 < len(items) and _is_count(items[place + 1]) else None
        if not named or not rest or self._facts.is_limited or (count is not None and count.value != len(rest)):
            return None
        return _Role(self._with_noun(items, place, 2 if count is not None else 1), rest)

    def _find_several(self, items: Sequence[Item], place: int) -> _Role | None:
        """The first or last rows in an order: "the top three regions", "the first three months"."""
        count = items[place + 1] if place + 1 < len(items) else None
        if count is None or not _is_count(count) or not 1 < count.value < len(self._facts.rows):
            return None
        number, item = int(count.value), items[place]
        length = self._with_noun(items, place, 2)
        if item.cls in (Class.RANK, Class.LATEST):
            order = self._by_time() if self._timed else self._by_measure(Class.MOST) if item.rank == 1 else None
        else:
            order = self._by_measure(item.cls)
        if order is None or (item.cls is not Class.MOST and self._facts.is_limited):
            return None
        return _Role(length, frozenset(order[-number:] if item.cls is Class.LATEST else order[:number]))

    def _find_ranked(self, items: Sequence[Item], place: int, sentence: Sequence[Item]) -> _Role | None:
        """One of the two ranked rows in a sentence: "between the first and the second region"."""
        ranks = [it.rank for it in sentence if it.cls is Class.RANK]
        order = self._by_measure(Class.MOST) if len(ranks) == 2 and not self._timed else None
        rank = items[place].rank
        if order is None or rank > len(order):
            return None
        return _Role(self._with_noun(items, place, 1), frozenset({order[rank - 1]}))

    def _end(self, items: Sequence[Item], place: int, sentence: Sequence[Item]) -> _Role | None:
        """One end of a period, if the sentence names both ends: "from the first to the last month"."""
        first = [it for it in sentence if it.cls in _FIRST and it.rank < 2]
        last = [it for it in sentence if it.cls in _LAST]
        if len(first) != 1 or len(last) != 1 or self._facts.is_limited:
            return None
        return _Role(
            self._with_noun(items, place, 1), frozenset({self._by_time()[0 if items[place] is first[0] else -1]})
        )

    def _with_noun(self, items: Sequence[Item], place: int, length: int) -> int:
        """The length of a role, including its noun for the rows."""
        following = items[place + length] if place + length < len(items) else None
        if following is None or following.kind not in ("word", "phrase"):
            return length
        of_time = self._timed and following.cls is Class.TIME
        return length + (of_time or (following.kind == "word" and is_among(following.text.lower(), self._key.words)))

    def _by_time(self) -> list[int]:
        return sorted(range(len(self._facts.rows)), key=lambda row: str(self._facts.rows[row][self._key.index]))

    def _by_measure(self, cls: Class | None) -> list[int] | None:
        """The rows ordered by their only measure or by the one in ORDER BY. None if two values are equal."""
        facts, ordered = self._facts, dict(self._facts.query.order)
        columns = [it for it in facts.measures if it.name.lower() in ordered] or list(facts.measures)
        if len(columns) != 1 or (
            self._facts.is_limited and ordered.get(columns[0].name.lower()) is not (cls is Class.MOST)
        ):
            return None
        values = facts.values(columns[0].index)
        if len(values) != len(facts.rows) or len(set(values)) != len(values):
            return None
        return sorted(range(len(values)), key=values.__getitem__, reverse=cls is Class.MOST)


def _sentence(items: Sequence[Item], place: int) -> Sequence[Item]:
    ends = [at for at, it in enumerate(items) if it.kind == "mark" and it.text.strip()[:1] in _STOPS]
    start = max((at + 1 for at in ends if at < place), default=0)
    return items[start : min((at for at in ends if at >= place), default=len(items))]


def _is_count(item: Item) -> bool:
    return item.kind == "number" and not item.percent and not item.currency and item.cls is None
