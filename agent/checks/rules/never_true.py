"""A condition that no row meets: `closed_on = '2024-03-01' AND closed_on = '2024-03-31'`, or a span that ends before it
begins: `BETWEEN '2024-01-01 22:00' AND '2024-01-01 06:00'`, `day < '2025-07-01' AND day > '2025-07-31'`.

The first and the last day of months are the ends of a period, so the period is a candidate. Of other values, either is
meant, or rows that have one each, as two loans of a reader; so the query is only doubted.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import product
from typing import NamedTuple

from sqlglot import exp

from agent.checks.rules.base import Change, Finding, Rule, RuleContext
from agent.checks.rules.reading import holds_dates
from executors.sql.literals import owner_of
from executors.sql.tree import conjuncts, set_conjuncts

_ENDS = 2
_PARTS = (exp.TimeToStr, exp.Year, exp.Month, exp.Extract)  # of a time
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_TIME = re.compile(r"\d{4}(?:-\d\d(?:-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?)?)?")


def apply(context: RuleContext) -> Finding | None:
    shown: list[str] = []

    def widen(tree: exp.Query) -> Iterator[Change]:
        for select in tree.find_all(exp.Select):
            for parts, days in _list_contradictions(select, context):
                shown.append(context.to_sql(exp.and_(*(it.copy() for it in parts))))
                if days is None or not _is_span_of_months(days):
                    continue
                ends = {"low": exp.Literal.string(days[0]), "high": exp.Literal.string(days[-1])}
                period = exp.Between(this=_sides(parts[0])[0], **ends)
                kept = [it for it in conjuncts(select.args["where"].this) if not any(it is part for part in parts)]
                set_conjuncts(select, [period, *kept])
                yield Change(shown[-1], context.to_sql(period))

    changed = context.change(widen)
    if not shown:
        return None
    detail = f"No row meets {shown[0]}."
    is_all = changed is not None and len(changed.changes) == len(set(shown))
    return changed._replace(detail=detail) if changed is not None and is_all else Finding(detail)


def contradicts(query: exp.Query, context: RuleContext) -> bool:
    """Whether no row can meet the conditions of a SELECT itself, apart from those of queries inside."""
    return isinstance(query, exp.Select) and any(True for _ in _list_contradictions(query, context))


def _is_span_of_months(days: list[str]) -> bool:
    try:
        first, last = date.fromisoformat(days[0]), date.fromisoformat(days[-1])
    except ValueError:  # 30 February
        return False
    return len(days) == _ENDS and first.day == 1 and (last + timedelta(days=1)).day == 1


def _list_contradictions(select: exp.Select, context: RuleContext) -> Iterator[tuple[list[exp.Expr], list[str] | None]]:
    """The conditions of each column that exclude each other, and their days, sorted, if the column holds days."""
    where, equal = select.args.get("where"), defaultdict[str, list[tuple[exp.Expr, exp.Literal]]](list)
    parts = list(conjuncts(where.this if where is not None else None))
    for part in parts:
        column, literal = _sides(part)
        if column is not None and literal is not None:
            equal[_key_of(column)].append((part, literal))
    yield from ((several, None) for several in _list_reversed(parts))
    for pairs in equal.values():
        values = {_value_of(literal) for _, literal in pairs}
        if len(values) < 2:
            continue
        column, _ = _sides(pairs[0][0])
        owner = owner_of(column, context.schema) if isinstance(column, exp.Column) else None
        are_days = owner is not None and holds_dates(owner[1], context.schema.dialect)
        days = sorted(map(str, values))
        yield [part for part, _ in pairs], days if are_days and all(map(_DAY.fullmatch, days)) else None


def _value_of(literal: exp.Literal) -> str | float:
    """A literal's value; texts that a database may take for the same are one."""
    text = str(literal.this).strip()
    try:
        return float(text)
    except ValueError:
        return text.casefold()


def _list_reversed(parts: list[exp.Expr]) -> Iterator[list[exp.Expr]]:
    """The bounds of each column that leave no number or time between them, such as `x < 3 AND x > 5`."""
    bounds = defaultdict[str, tuple[list[_Bound], list[_Bound]]](lambda: ([], []))
    for part in parts:
        for bound in _list_bounds(part, part.unnest()):
            bounds[bound.key][bound.is_upper].append(bound)
    for lower, upper in bounds.values():
        for low, high in product(lower, upper):
            if _is_after(low.literal, high.literal):
                yield [low.part] if low.part is high.part else [low.part, high.part]
                break


class _Bound(NamedTuple):
    part: exp.Expr
    key: str
    literal: exp.Literal
    is_upper: bool


def _list_bounds(part: exp.Expr, condition: exp.Expr) -> Iterator[_Bound]:
    match condition:
        case exp.Between(this=it) if not condition.args.get("symmetric"):
            sides = [(it, condition.args.get("low"), False), (it, condition.args.get("high"), True)]
        case exp.GT(this=it, expression=other) | exp.GTE(this=it, expression=other):
            sides = [(it, other, False), (other, it, True)]
        case exp.LT(this=it, expression=other) | exp.LTE(this=it, expression=other):
            sides = [(it, other, True), (other, it, False)]
        case _:
            sides = []
    for column, literal, is_upper in sides:
        if isinstance(literal, exp.Literal) and isinstance(column, (exp.Column, *_PARTS)):
            yield _Bound(part, _key_of(column), literal, is_upper)


def _is_after(low: exp.Literal, high: exp.Literal) -> bool:
    """Whether a lower bound is above the upper one: two numbers, or two times of one form."""
    if not low.is_string and not high.is_string:
        return float(low.this) > float(high.this)
    first, last = (str(it.this).replace("T", " ") for it in (low, high))
    are_times = low.is_string and high.is_string and all(map(_TIME.fullmatch, (first, last)))
    return are_times and len(first) == len(last) and first > last


def _sides(part: exp.Expr) -> tuple[exp.Expr | None, exp.Literal | None]:
    """The column of a condition, or the part of a time of it, and the constant that it must equal."""
    match part.unnest():
        case (
            exp.EQ(this=it, expression=exp.Literal() as literal) | exp.EQ(this=exp.Literal() as literal, expression=it)
        ) if isinstance(it, (exp.Column, *_PARTS)):
            return it, literal
    return None, None


def _key_of(side: exp.Expr) -> str:
    """What is equal for the same side: its names in small letters, its texts as they are."""
    side = side.copy()
    for name in side.find_all(exp.Identifier):
        name.set("this", name.name.lower())
    return side.sql()


RULE = Rule("never_true", "query", "schema", "alternative", apply)
