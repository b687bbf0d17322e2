"""Times compared with days: a time on a day does not equal that day, and is later than its midnight.

The column's type tells times from days; in SQLite, which has no such type, the stored values do. The alternative
selects what is before the next day, so that an index of the column still applies.

A span from the first day of a month to before the last day of one leaves that day out, of dates and of times. Whether
it is meant is not certain, so it is only doubted.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import partial

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from executors.base import Column
from executors.sql.literals import owner_of
from executors.sql.tree import conjuncts

_DAY = re.compile(r"\d{4}-\d\d-\d\d|\d{8}")
_TIMED_TYPE = re.compile(r"timestamp|datetime|seconddate", re.IGNORECASE)
_TIMED = re.compile(r"\d{4}-\d\d-\d\d[ T](?!00:00(?::00)?(?:\.0+)?$)\d\d:\d\d")
_CONVERSIONS = (exp.Cast, exp.Convert, exp.Date, exp.DateStrToDate, exp.TsOrDsToDate, exp.StrToDate, exp.StrToTime)
_CALLS = {"todate", "todate32", "todatetime", "to_date", "to_timestamp"}
_KINDS = (exp.EQ, exp.NEQ, exp.In, exp.Between, exp.LTE, exp.GT)
_MIRRORED: dict[type[exp.Expr], type[exp.Expr]] = {exp.EQ: exp.EQ, exp.NEQ: exp.NEQ, exp.GTE: exp.LTE, exp.LT: exp.GT}


def apply(context: RuleContext) -> Finding | None:
    detail = "A day includes all its times, not only midnight: {}."
    found = context.change_each(*_KINDS, *_MIRRORED, by=partial(_by_days, context=context), detail=detail)
    if found is not None:
        return found
    lost = context.change_each(exp.LT, by=_with_last_day, detail="The last day of the month is left out: {}.")
    return lost and Finding(lost.detail, probes=(context.sql, lost.sql or context.sql))


def _by_days(node: exp.Expr, context: RuleContext) -> exp.Expr | None:
    """A comparison with days as one with the midnights around them; None for any other."""
    kind: type[exp.Expr] | None = type(node)
    column, days = node.this, node.expressions or [node.args.get("high") or node.args.get("expression")]
    if isinstance(days[0], exp.Column):  # the day comes first
        kind, column, days = _MIRRORED.get(type(node)), days[0], [node.this]
    owner = owner_of(column, context.schema) if kind in _KINDS and isinstance(column, exp.Column) else None
    ends = [end for day in days if (end := _next_day(day)) is not None]
    if owner is None or len(ends) < len(days) or not _holds_times(owner[1], context.schema.dialect):
        return None

    if kind in (exp.LTE, exp.GT):
        return (exp.LT if kind is exp.LTE else exp.GTE)(this=column.copy(), expression=ends[0])
    since = [node.args["low"]] if kind is exp.Between else days
    each = [exp.paren((column >= day).and_(column < end)) for day, end in zip(since, ends, strict=True)]
    found = each[0] if len(each) == 1 else exp.paren(exp.or_(*each))
    return exp.Not(this=found) if kind is exp.NEQ else found


def _with_last_day(node: exp.Expr) -> exp.Expr | None:
    """`< '2025-03-31'` as `< '2025-04-01'` if it ends a span since the first day of a month; None for any other."""
    end, whole = _next_day(node.expression), node
    while isinstance(whole.parent, exp.And | exp.Paren):
        whole = whole.parent
    parts = [it.unnest() for it in conjuncts(whole)]
    since = [it.expression for it in parts if isinstance(it, exp.GTE) and it.this == node.this]
    if end is None or not all(map(_begins_month, (end, *since))) or not since:
        return None
    node.set("expression", end)
    return node


def _begins_month(bound: exp.Expr) -> bool:
    literal = bound.find(exp.Literal)
    return literal is not None and _DAY.fullmatch(literal.name) is not None and literal.name.endswith("01")


def _next_day(bound: exp.Expr | None) -> exp.Expr | None:
    """The day after, written as the bound is: a text, or one that is converted to a time; None for anything else."""
    is_call = isinstance(bound, _CONVERSIONS) or (isinstance(bound, exp.Anonymous) and bound.name.lower() in _CALLS)
    parts = bound.iter_expressions() if bound is not None and is_call else iter([bound])
    literal = next((it for it in parts if not isinstance(it, exp.DataType)), None)
    if not isinstance(literal, exp.Literal) or not literal.is_string or not _DAY.fullmatch(str(literal.this)):
        return None
    try:
        day = (date.fromisoformat(str(literal.this)) + timedelta(days=1)).isoformat()
    except (ValueError, OverflowError):  # the 31st of a shorter month
        return None
    after = exp.Literal.string(day if "-" in str(literal.this) else day.replace("-", ""))
    return bound.transform(lambda it: after if it == literal else it) if bound is not None else None


def _holds_times(column: Column, dialect: str) -> bool:
    is_timed = dialect == "oracle" and column.type.upper() == "DATE"  # which has a time of the day
    is_timed = is_timed or (dialect != "sqlite" and _TIMED_TYPE.search(column.type) is not None)
    return is_timed or any(map(_TIMED.match, column.samples))


RULE = Rule("day_ends", "query", "schema", "alternative", apply)
