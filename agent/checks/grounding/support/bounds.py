"""Bounds on some, all or none of the rows: "only Lyon is above 300", "all but one had more than 20"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from agent.checks.grounding.claims.claims import BOTH, Segment
from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.claims.names import Rows
from agent.checks.grounding.evidence.facts import ColumnFacts, Facts
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.support.found import Support
from agent.checks.grounding.support.support import Numbers, is_counted_in

_QUANTIFIERS = frozenset({Class.ALL, Class.ALL_BUT, Class.ONLY, Class.EACH, Class.NOT})
_SETTLED = _QUANTIFIERS | {Class.OVER, Class.UNDER, Class.NEGATIVE}
# Words for a value nearby. A distant bound would be true but misleading.
NEAR = frozenset(["nearly", "almost", "close to", "just under", "fast", "knapp", "beinahe", "nahezu", "presque"])
NEAR |= {"près de", "casi", "quasi"}
EXCEPT = frozenset(["but", "except", "apart from", "außer", "bis auf", "sauf", "excepté", "à part", "hormis", "salvo"])
_COMPARING = frozenset({Class.EQUAL, Class.MORE, Class.LESS, Class.DIFFERENCE, Class.MULTIPLIED})
EXCEPT |= {"excepto", "menos", "tranne", "eccetto"}


class Settled(NamedTuple):
    """The verdict on the claims of one segment.

    holds: whether the rows support them. supports: of its numbers, by start position.
    """

    holds: bool
    supports: Mapping[int, Support]


def settle(facts: Facts, numbers: Numbers, segment: Segment) -> Settled | None:
    """Recompute which rows are beyond a segment's bound. None if it states none that the rows can decide."""
    place = _find_bound(segment)
    if not facts.calculate or len(facts.rows) < 2 or facts.result.truncated or _COMPARING & segment.classes:
        return None  # "more than three times as many"
    if place is None:
        return _below_zero(facts, numbers, segment)
    limit, quantifiers = segment.items[place + 1], _QUANTIFIERS & segment.classes
    behind = segment.items[place + 2 : place + 3]
    measured = any(numbers.columns.list_labelled(it) for it in behind)
    if not quantifiers and not measured and numbers.is_condition(segment, place + 1) and not _is_circular(facts):
        return None  # "the flights over 2,000 miles are 99 and 387", whose distance is not shown
    columns = numbers.columns.find(segment, place + 1)
    named = numbers.find_named(segment)
    if any(it.text.lower() in EXCEPT for it in segment.items) and quantifiers & {Class.ALL, Class.EACH}:
        quantifiers = frozenset({Class.ALL_BUT})  # "all except Ada"
    first = min((it.start for it in segment.names), default=None)
    if (
        first is not None
        and Class.ALL_BUT not in quantifiers
        and any(
            it.cls in (Class.ALL, Class.EACH) and it.start < first and it.text.lower() not in BOTH
            for it in segment.items
        )
    ):
        return None  # "all hotels" and a name: the subject is unclear
    counts = [it for it in _list_parts(numbers, segment) if it != limit and not it.percent and not it.currency]
    cells = facts.values(columns[0].index, named or ()) if len(columns) == 1 else []
    counts = [it for it in counts if it.value not in cells]  # "above 500 in May, 512"
    if any(it.cls for it in segment.numbers) or any(it.percent or it.currency for it in segment.numbers if it != limit):
        return None
    if len(columns) != 1 or len(counts) > 1 or not (quantifiers or counts or (named and len(named) > 1)):
        return None
    beyond = find_rows_beyond(facts, numbers, segment, place, columns[0])
    if beyond is None:
        return None
    holds = _verdict(facts, quantifiers, named, beyond, counts)
    if holds is None:
        return None
    sign = ">" if segment.items[place].cls is Class.OVER else "<"
    spelled = f"count({columns[0].name} {sign} {limit.value})"
    told = {it.start: Support("calculation", it.value, None, None, spelled) for it in (limit, *counts)}
    return Settled(holds, told)


def list_settled_items(segment: Segment) -> frozenset[int]:
    """The start positions of the words that `settle` decides."""
    return frozenset(it.start for it in segment.items if it.cls in _SETTLED)


def _find_bound(segment: Segment) -> int | None:
    """The position of the only bound that a number follows."""
    items = segment.items
    found = [
        at
        for at, item in enumerate(items[:-1])
        if item.cls in (Class.OVER, Class.UNDER) and items[at + 1].kind == "number" and item.text.lower() not in NEAR
    ]
    if len(found) != 1 or items[found[0] + 1].cls:
        return None
    after = items[found[0] + 2 : found[0] + 3]
    return found[0] if not any(it.cls is Class.TIMES for it in after) else None  # "more than five times that of Ada"


def find_rows_beyond(facts: Facts, numbers: Numbers, segment: Segment, place: int, column: ColumnFacts) -> Rows | None:
    """The rows whose value is beyond the bound. None if a row has no value, or the number has another unit."""
    limit = segment.items[place + 1]
    cells = [facts.values(column.index, [row]) for row in range(len(facts.rows))]
    fractions = limit.percent and not column.percent and all(0 <= value <= 1 for it in cells for value in it)
    if any(not it for it in cells) or not numbers.currency_fits(limit, column):
        return None
    if limit.percent is not column.percent and not fractions:
        return None
    reached = numbers.reaches(segment, limit)
    over = segment.items[place].cls in (Class.OVER, Class.MORE)
    unit = 100 if fractions else column.scale if is_counted_in(limit, column) else 1
    return frozenset(
        row
        for row, (value,) in enumerate(cells)
        if (value * unit > limit.value if over else value * unit < limit.value)
        or (reached and value * unit == limit.value)
    )


def _below_zero(facts: Facts, numbers: Numbers, segment: Segment) -> Settled | None:
    """Check the number of rows below zero, if a segment counts them: "a loss in two of the six years"."""
    negative = [at for at, it in enumerate(segment.items) if it.cls is Class.NEGATIVE]
    counts = _list_parts(numbers, segment)
    if len(negative) != 1 or len(counts) != 1 or len(counts) == len(segment.numbers):
        return None
    if counts[0].percent or counts[0].currency or counts[0].cls:
        return None
    columns = numbers.columns.find(segment, negative[0])
    values = facts.values(columns[0].index) if len(columns) == 1 else []
    if len(values) != len(facts.rows) or {Class.NOT, Class.ALL_BUT} & segment.classes:
        return None
    below = frozenset(row for row, value in enumerate(values) if value < 0)
    holds = _verdict(facts, _QUANTIFIERS & segment.classes, numbers.find_named(segment), below, counts)
    if holds is None:
        return None
    told = Support("calculation", counts[0].value, None, None, f"count({columns[0].name} < 0)")
    return Settled(holds, {counts[0].start: told})


def _list_parts(numbers: Numbers, segment: Segment) -> list[Item]:
    """The numbers of a segment, except the number of all rows: "two of the six"."""
    items = enumerate(segment.items)
    return [it for at, it in items if it.kind == "number" and not numbers.counts.is_of_all(segment, at)]


def _is_circular(facts: Facts) -> bool:
    """Whether the query itself selects rows by a measure."""
    return any(facts.measured_names.intersection(it.columns) and not it.present for it in facts.conditions)


def _verdict(
    facts: Facts, quantifiers: frozenset[Class], named: Rows | None, beyond: Rows, counts: Sequence[Item]
) -> bool | None:
    """Whether the rows support the claim. None if the words are ambiguous, or other rows were left out."""
    everything = frozenset(range(len(facts.rows)))
    if quantifiers <= {Class.ALL, Class.EACH} and named and not counts:
        return named <= beyond  # "both", "each"
    if facts.is_limited or len(quantifiers) > 1:
        return None
    if _is_circular(facts) and not counts:
        return None  # of the rows above 20, all are above 20
    if Class.ALL_BUT in quantifiers:
        outside = everything - beyond
        return outside == named if named else bool(counts) and len(outside) == counts[0].value
    if Class.ONLY in quantifiers:
        return beyond == named if named else bool(counts) and len(beyond) == counts[0].value
    if Class.NOT in quantifiers:
        return None if counts else not (beyond & named if named else beyond)
    if quantifiers:
        return beyond == everything if not counts or counts[0].value == len(everything) else False
    if counts:
        return len(beyond) == counts[0].value and (not named or named == beyond)
    return named <= beyond if named else None
