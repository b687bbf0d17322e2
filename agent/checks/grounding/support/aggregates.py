"""Aggregates of a shown column, each with the words that name it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from agent.checks.grounding.claims.claims import BETWEEN, Segment
from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.evidence.facts import ColumnFacts, Facts, number_of
from agent.checks.grounding.languages.vocabulary import Class

_SHOWN = 12  # most operands that an expression lists


class Computed(NamedTuple):
    """A value and its calculation."""

    value: Fraction
    expression: str
    cls: Class


def candidates(
    facts: Facts,
    segment: Segment,
    item: Item,
    column: ColumnFacts,
    rows: Sequence[int],
    *,
    named: bool,
    summed: bool = False,
) -> Iterator[Computed]:
    """The values that a number of a segment may have, computed over the rows that it refers to.

    Args:
        rows: in the order of mention. All rows if none is named.
        named: whether any is. summed: whether the rows are added up without a word for it.
    """
    numbers = [(row, number_of(facts.rows[row][column.index])) for row in rows]
    values = [value for _, value in numbers if value is not None]
    if not values or (facts.result.truncated and not named):
        return
    terms, classes = [write_equation(value) for value in values], segment.classes
    limited = facts.is_limited and not named
    if (Class.SUM in classes or summed) and not limited and is_summable(column):
        yield Computed(add(values), spell_out(" + ", terms, f"sum({column.name})"), Class.SUM)
    if Class.MEAN in classes and not limited:
        spelled = spell_out(" + ", terms, f"sum({column.name})")
        yield Computed(add(values) / len(values), f"({spelled}) / {len(values)}", Class.MEAN)
    single = column.projection.aggregate != "avg" or Class.MEAN in classes  # the highest mean is not the highest value
    if not named and single:
        yield from _compute_ends(column, values, classes)
    if item.percent and named:
        whole = facts.values(column.index)
        total = add(whole) if whole else Fraction(0)
        if len(whole) > len(values) and total and not limited and not {Class.RISE, Class.FALL} & classes:
            part = spell_out(" + ", terms, f"sum({column.name})")
            yield Computed(add(values) / total * 100, f"({part}) / {write_equation(total)} * 100", Class.SHARE)
    if len(values) == 2 and (named or len(facts.rows) == 2):
        if Class.POINTS in classes and any(it.text.lower() in BETWEEN for it in segment.items):
            classes |= {Class.DIFFERENCE}  # "between Ada and Bo lie 1.4 points"
        yield from compute_of_two(item, values, classes)
    elif {Class.DIFFERENCE, Class.MOST, Class.LEAST} <= classes:
        yield Computed(max(values) - min(values), f"max({column.name}) - min({column.name})", Class.DIFFERENCE)


def _compute_ends(column: ColumnFacts, values: Sequence[Fraction], classes: frozenset[Class]) -> Iterator[Computed]:
    """The most and the least. For losses they are reversed: the largest loss is the furthest below zero."""
    losses = [it for it in values if it < 0] if {Class.FALL, Class.NEGATIVE} & classes else []
    for cls, least in ((Class.MOST, bool(losses)), (Class.LEAST, not losses)):
        if cls in classes:
            end, name = (min, "min") if least else (max, "max")
            yield Computed(end(losses or values), f"{name}({column.name})", cls)


def is_summable(column: ColumnFacts) -> bool:
    """Whether the values of groups add up to a whole. Distinct counts do not: groups may share values."""
    aggregate = column.projection.aggregate
    return aggregate not in ("avg", "min", "max") and not column.percent and not column.projection.distinct


def total(facts: Facts, column: ColumnFacts) -> Computed | None:
    """The sum of a column over all groups. None if rows are missing or the values do not add up to a whole."""
    values = facts.values(column.index)
    if len(values) < 2 or not facts.is_whole or not is_summable(column):
        return None
    spelled = spell_out(" + ", [write_equation(value) for value in values], f"sum({column.name})")
    return Computed(add(values), spelled, Class.SUM)


def compute_of_two(item: Item, values: Sequence[Fraction], classes: frozenset[Class]) -> Iterator[Computed]:
    first, second = values
    apart = {Class.DIFFERENCE, Class.MORE, Class.LESS, Class.RISE, Class.FALL} & classes
    shrinks = bool({Class.FALL} & classes)
    grows = bool({Class.RISE} & classes)
    if apart and not item.percent:
        wrong = (Class.MORE in classes and first < second) or (Class.LESS in classes and first > second)
        wrong = wrong or (grows and second < first) or (shrinks and second > first)
        if not wrong:
            high, low = max(values), min(values)
            yield Computed(high - low, f"{write_equation(high)} - {write_equation(low)}", Class.DIFFERENCE)
    if item.percent and apart and (grows or shrinks or Class.MORE in classes or Class.LESS in classes):
        base, other = (first, second) if grows or shrinks else (second, first)
        change = (other - base) / abs(base) * 100 if base else None
        up = grows or Class.MORE in classes
        if change is not None and (change > 0) == up:
            spelled = f"({write_equation(other)} - {write_equation(base)}) / {write_equation(base)} * 100"
            yield Computed(abs(change), spelled, Class.RISE if up else Class.FALL)
    if item.cls is Class.MULTIPLIED or (Class.TIMES in classes and Class.LESS in classes):
        if first:
            yield Computed(second / first, f"{write_equation(second)} / {write_equation(first)}", Class.TIMES)
    elif Class.TIMES in classes and second:
        yield Computed(first / second, f"{write_equation(first)} / {write_equation(second)}", Class.TIMES)


def add(values: Sequence[Fraction]) -> Fraction:
    """The sum, by SymPy like every calculation."""
    import sympy  # type: ignore[import-untyped,unused-ignore]

    total: Any = sympy.Add(*(sympy.Rational(value.numerator, value.denominator) for value in values))
    return Fraction(int(total.p), int(total.q))


def write_equation(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else repr(float(value))


def spell_out(operator: str, terms: Sequence[str], short: str) -> str:
    """The operands, if there are few. Otherwise a short form."""
    return operator.join(terms) if len(terms) <= _SHOWN else short
