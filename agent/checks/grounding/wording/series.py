"""Checks whether a series rises or falls with each step: "month after month", "steadily", "every year"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from agent.checks.grounding.claims.claims import Segment
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.wording.context import WordingContext

# Names of a series' steps in the supported languages.
_STEPS = {
    "year": re.compile(r"\b(?:years?|jahre?n?|année|ans?|año|anno)\b"),
    "quarter": re.compile(r"\b(?:quarters?|quartale?|trimestre)\b"),
    "month": re.compile(r"\b(?:months?|monate?|mois|mes|mese)\b"),
    "week": re.compile(r"\b(?:weeks?|wochen?|semaine|semana|settimana)\b"),
    "day": re.compile(r"\b(?:days?|tage?n?|jour|día|giorno)\b"),
}
_LEAST = 3  # least rows of a series
_CHANGES = frozenset({Class.RISE, Class.FALL})


def is_steady(context: WordingContext, segment: Segment, place: int) -> bool:
    """Whether the rows change with each step as a segment claims.

    Args:
        place: of the words for "with each step".
    """
    direction = _CHANGES & segment.classes
    columns = context.numbers.columns.find(segment, place)
    if len(direction) != 1 or not columns or Class.NOT in segment.classes:
        return False
    if not context.facts.is_whole:
        return False
    said = _find_step(" ".join(it.text.lower() for it in segment.items[place : place + 2]))
    rows = _list_in_time(context, segment, said) if len(columns) == 1 else ()
    values = [context.facts.values(columns[0].index, [row]) for row in rows] or _list_across(context, segment, said)
    if len(values) < _LEAST or not all(values):
        return False
    rises = Class.RISE in direction
    return all(after > before if rises else after < before for [before], [after] in pairwise(values))


def says_each_step(segment: Segment, place: int) -> bool:
    """Whether "every" or "each" at a position refers to a change with each step: "grew every month"."""
    following = " ".join(it.text.lower() for it in segment.items[place + 1 : place + 2])
    return bool(_CHANGES & segment.classes) and _find_step(following) is not None


def _find_step(text: str) -> str | None:
    return next((step for step, pattern in _STEPS.items() if pattern.search(text)), None)


def _list_in_time(context: WordingContext, segment: Segment, said: str | None) -> Sequence[int]:
    """The rows in question, by time. Empty if a time repeats, is missing or has another step."""
    index = context.names
    others = [
        rows for column, rows in {**segment.inherited, **segment.map_own_rows()}.items() if column not in index.dated
    ]
    chosen = frozenset(range(len(context.facts.rows))).intersection(*others)
    ordered = index.list_in_time(chosen)
    times = [index.step_of(row) for row in ordered]
    steps = [
        (step, after[1] - before[1]) for before, after in pairwise(times) if before and after for step in [after[0]]
    ]
    return ordered if set(steps) == {(said or (times[0] or ("", 0))[0], 1)} else ()


def _list_across(context: WordingContext, segment: Segment, said: str | None) -> Sequence[list[Fraction]]:
    """The values of the only named row, in order, in columns of one time each, such as `q1` to `q4`."""
    measures, rows = context.facts.measures, context.numbers.rows_of(segment) or frozenset()
    periods = {it.period: it.index for it in measures if it.period is not None}
    step = "quarter" if all(quarter for _, quarter in periods) else "year"
    if len(rows) != 1 or len(periods) < len(measures) or said not in (None, step):
        return ()
    return [context.facts.values(periods[it], rows) for it in sorted(periods)]
