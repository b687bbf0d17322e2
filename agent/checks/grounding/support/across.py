"""Values computed over the columns of one row or their sums. Each operand is named, each operation stated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations

from agent.checks.grounding.claims.claims import Segment
from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.evidence.facts import ColumnFacts, Facts
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.support.aggregates import (
    Computed,
    add,
    compute_of_two,
    is_summable,
    spell_out,
    write_equation,
)

_APART = frozenset({Class.DIFFERENCE, Class.MORE, Class.LESS, Class.RISE, Class.FALL, Class.TIMES, Class.MULTIPLIED})
_LEAST_OF_SERIES = 3  # least number of columns that are summed without being named

Values = Mapping[int, Fraction]  # by column


def values_of(facts: Facts, rows: Sequence[int] | None) -> Values:
    """The numbers of one row, or sums over all rows of summable columns. Empty for several rows or incomplete data."""
    if rows is not None and len(rows) != 1:
        return {}
    if rows is None and not facts.is_whole:
        return {}
    found = {it.index: facts.values(it.index, rows) for it in facts.measures if rows is not None or is_summable(it)}
    whole = 1 if rows is not None else len(facts.rows)
    return {at: add(cells) for at, cells in found.items() if len(cells) == whole}


def compute_across(
    facts: Facts, segment: Segment, item: Item, named: Sequence[ColumnFacts], values: Values
) -> Iterator[Computed]:
    """The values that a number of a segment may have.

    Args:
        named: the columns that the sentence names, in order.
        values: of the row that it names.
    """
    classes = segment.classes
    told = [it for it in named if it.index in values]
    if item.percent and not _APART & classes:
        yield from _shares(facts, told, values, denied=Class.NOT in classes)
    elif Class.NOT in classes and not _APART & classes:
        for part in told:
            whole = whole_of(facts, part)
            if whole is not None and whole.index in values:
                rest = values[whole.index] - values[part.index]
                yield Computed(rest, _write_difference(values[whole.index], values[part.index]), Class.NOT)
    if _APART & classes:
        for pair in combinations(told, 2):
            if _are_alike(*pair):
                yield from compute_of_two(item, [values[it.index] for it in _list_in_time(pair, classes)], classes)
    if Class.SUM in classes and not item.percent:
        for parts in filter(None, (told, series(facts))):
            if len(parts) > 1 and set(parts) <= set(series(facts)) and all(it.index in values for it in parts):
                cells = [values[it.index] for it in parts]
                yield Computed(add(cells), spell_out(" + ", [write_equation(it) for it in cells], "sum"), Class.SUM)
    if {Class.MEAN, Class.PER} & classes and not item.percent:
        yield from _means(facts, told, values)


def whole_of(facts: Facts, part: ColumnFacts) -> ColumnFacts | None:
    """The only measure that includes this one: it has the same unit and is less in no row. None if there is not one."""
    found = [it for it in facts.measures if it is not part and _are_alike(part, it) and _is_within(facts, part, it)]
    return found[0] if len(found) == 1 else None


def series(facts: Facts) -> Sequence[ColumnFacts]:
    """The measures that are parts of one sum: of several times, or at least three of which none includes another."""
    measures = [it for it in facts.measures if is_summable(it)]
    timed = [it for it in measures if it.period is not None]
    if len(timed) > 1 and len({it.period for it in timed}) == len(timed):
        return timed
    alike = all(_are_alike(one, other) for one, other in combinations(measures, 2))
    nested = any(_is_within(facts, one, other) for one, other in permutations(measures, 2))
    whole = len(measures) == len(facts.measures) >= _LEAST_OF_SERIES
    return measures if whole and alike and not nested and len(facts.rows) > 1 else ()


def _are_alike(one: ColumnFacts, other: ColumnFacts) -> bool:
    plain = not (one.percent or other.percent or one.rate or other.rate)
    mean = "avg" in (one.projection.aggregate, other.projection.aggregate)
    same = one.currency == other.currency and one.units == other.units and one.scale == other.scale
    return plain and same and (not mean or one.projection.aggregate == other.projection.aggregate)


def _is_within(facts: Facts, part: ColumnFacts, whole: ColumnFacts) -> bool:
    less, more = facts.values(part.index), facts.values(whole.index)
    return bool(less) and len(less) == len(more) and all(0 <= a <= b for a, b in zip(less, more, strict=True))


def _list_in_time(pair: Sequence[ColumnFacts], classes: frozenset[Class]) -> Sequence[ColumnFacts]:
    """Two columns in the order of mention. For a change, the earlier one comes first."""
    changed = {Class.RISE, Class.FALL, Class.MULTIPLIED} & classes
    timed = all(it.period is not None for it in pair)
    return sorted(pair, key=lambda it: it.period or (0, 0)) if changed and timed else pair


def _shares(facts: Facts, told: Sequence[ColumnFacts], values: Values, *, denied: bool) -> Iterator[Computed]:
    pairs = [(one, other) for one, other in permutations(told, 2) if _are_alike(one, other)]
    pairs += [(it, other) for it in told if (other := whole_of(facts, it)) is not None]
    for one, other in pairs:
        part, whole = values[one.index], values.get(other.index)
        if not whole or not 0 <= part <= whole:
            continue
        share = (whole - part if denied else part) / whole * 100
        top = f"({_write_difference(whole, part)})" if denied else write_equation(part)
        yield Computed(share, f"{top} / {write_equation(whole)} * 100", Class.NOT if denied else Class.SHARE)


def _means(facts: Facts, told: Sequence[ColumnFacts], values: Values) -> Iterator[Computed]:
    """A sum divided by the count of its items: the kilograms per parcel."""
    counts = [it for it in facts.measures if it.projection.aggregate == "count" and values.get(it.index)]
    for column in told if len(counts) == 1 else ():
        if column.projection.aggregate == "sum" and not column.projection.tested:
            total, count = values[column.index], values[counts[0].index]
            yield Computed(total / count, f"{write_equation(total)} / {write_equation(count)}", Class.MEAN)


def _write_difference(whole: Fraction, part: Fraction) -> str:
    return f"{write_equation(whole)} - {write_equation(part)}"
