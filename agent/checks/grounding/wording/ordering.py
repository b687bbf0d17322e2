"""Checks the order that a list claims to have: "from highest to lowest", "in descending order"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.evidence.facts import ColumnFacts, Facts
from agent.checks.grounding.evidence.result import Problem
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.support.columns import Columns
from agent.checks.grounding.support.found import Support

_FROM_TO = re.compile(
    r"\b(?:from|von|vom|du|de la?|del?|dalla?|dal)\s+(\w+(?:\s\w+)?)\s+"
    r"(?:to|zum|zur|zu|au|à la|al?|alla)\s+(\w+(?:\s\w+)?)",
    re.IGNORECASE,
)
_WAYS = re.compile(r"\b(?:(ascending|aufsteigend\w*)|(descending|absteigend\w*))", re.IGNORECASE)
_ORDERED = re.compile(r"\bin (?:\w+ )?order\b|\b(?:ordered|sorted) (?:by|alphabetically)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?:[^.!?\n]|[.!?](?!\s|$))+")
_CHANGES = (Class.RISE, Class.FALL)


class Ordering(NamedTuple):
    """The verdict on the orders of a text.

    settled: start positions of words that only say the order. problems: orders that the rows do not have.
    """

    settled: frozenset[int] = frozenset()
    problems: tuple[Problem, ...] = ()


def check_ordering(text: str, items: Sequence[Item], supports: Mapping[int, Support], facts: Facts) -> Ordering:
    """Compare the order that a sentence claims with the rows that it lists.

    The values of the column that the claim names decide, or of the only column of numbers; if no numbers are shown,
    ORDER BY does. Claims that neither can decide are left to other checks.
    """
    settled: set[int] = set()
    problems: list[Problem] = []
    for sentence in _SENTENCE.finditer(text) if len(facts.rows) > 1 else ():
        own = [it for it in items if sentence.start() <= it.start < sentence.end()]
        rows = _list_rows(own, supports)
        for said, falls, ends in _claims(sentence[0], sentence.start(), own):
            held = _holds(own, falls, ends, rows, facts)
            if held is not None:
                settled |= {*ends}
            if held is False:
                problems.append(Problem(said, "the rows have another order"))
    return Ordering(frozenset(settled), tuple(problems))


def _claims(sentence: str, start: int, items: Sequence[Item]) -> Iterator[tuple[str, bool | None, list[int]]]:
    """Each claim, whether it falls (None: it does not say), and the start positions of its superlatives."""
    for found in _FROM_TO.finditer(sentence):
        within = [it for it in items if found.start() < it.start - start < found.end()]
        ends = [it for it in within if it.cls in (Class.MOST, Class.LEAST)]
        if len(ends) == 2 and ends[0].cls is not ends[1].cls and not any(it.cls in _CHANGES for it in items):
            yield found[0], ends[0].cls is Class.MOST, [it.start for it in ends]
    for found in _WAYS.finditer(sentence):
        yield found[0], found[1] is None, []
    for found in _ORDERED.finditer(sentence):
        yield found[0], None, []


def _holds(
    items: Sequence[Item], falls: bool | None, ends: Sequence[int], rows: Sequence[int], facts: Facts
) -> bool | None:
    """Whether the rows are in the claimed order. None if that is unknown."""
    if len(rows) < 2:
        return None
    columns = _find_named(items, ends, facts) or (facts.measures if ends and len(facts.measures) == 1 else ())
    if len(columns) == 1 and falls is not None:
        values = [value for row in rows for value in facts.values(columns[0].index, [row])]
        in_order = all(one >= other if falls else one <= other for one, other in pairwise(values))
        return in_order and len(values) == len(rows)
    order = facts.query.order
    if not order or (falls is not None and (len(order) > 1 or not re.fullmatch(r"\w+", order[0][0]))):
        return None
    if falls is not None and falls is not order[0][1]:
        return False
    return all(one <= other for one, other in pairwise(rows))


def _find_named(items: Sequence[Item], ends: Sequence[int], facts: Facts) -> Sequence[ColumnFacts]:
    """The column that the words right after the superlatives name."""
    columns = Columns(facts)
    for start in ends:
        behind = [it for it in items if it.start > start][:1]
        for item in behind:
            if item.kind == "word" and len(found := columns.list_labelled(item)) == 1:
                return found
    return ()


def _list_rows(items: Sequence[Item], supports: Mapping[int, Support]) -> list[int]:
    """The rows of a sentence's names, or else of its numbers, in the order of the sentence, up to one that repeats."""
    named = [min(it.rows) for it in items if it.kind in ("name", "date") and len(it.rows) == 1]
    told = [supports[it.start].row for it in items if it.start in supports]
    rows: list[int] = []
    for row in named or [row for row in told if row is not None]:
        if row in rows[:-1]:
            break  # "…; Bonn is behind Oslo"
        if row not in rows:
            rows.append(row)
    return rows
