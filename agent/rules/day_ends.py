"""Times compared with days: a time of a day is not equal to that day, and later than its midnight.

What tells times from days is the column's type; in SQLite, which has none, the stored values. The alternative asks for
what is before the next day, so that an index of the column still serves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta

from sqlglot import exp

from agent.rules.base import Change, Finding, Rule, RuleContext
from executors.base import Column
from executors.sql.literals import owner_of

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_TIMED_TYPE = re.compile(r"timestamp|datetime", re.IGNORECASE)
_TIMED = re.compile(r"\d{4}-\d\d-\d\d[ T](?!00:00(?::00)?(?:\.0+)?$)\d\d:\d\d")


def apply(context: RuleContext) -> Finding | None:
    def change(tree: exp.Query) -> Iterator[Change]:
        for node in list(tree.find_all(exp.EQ, exp.LTE, exp.GT, exp.Between)):
            bound = node.args.get("high") or node.args.get("expression")
            column, after = node.this, _next_day(bound)
            owner = owner_of(column, context.schema) if isinstance(column, exp.Column) and after is not None else None
            if owner is None or bound is None or after is None or not _holds_times(owner[1], context.schema.dialect):
                continue
            new: exp.Expr = exp.LT(this=column.copy(), expression=after)
            if isinstance(node, exp.GT):
                new = exp.GTE(this=column.copy(), expression=after)
            elif isinstance(node, exp.EQ | exp.Between):
                first = node.args["low"] if isinstance(node, exp.Between) else bound
                new = exp.Paren(this=exp.and_(exp.GTE(this=column.copy(), expression=first.copy()), new, copy=False))
            before = context.shown(node)
            node.replace(new)
            yield Change(before, context.shown(new))

    return context.changed(change, "A day ends with its last second, not with its first: {}.")


def _next_day(bound: exp.Expr | None) -> exp.Expr | None:
    """The day after, written as the bound is: a text, or one that is cast to a date; None for anything else."""
    literals = [bound] if isinstance(bound, exp.Literal) else []
    if isinstance(bound, exp.Cast | exp.Date | exp.TsOrDsToDate) and isinstance(bound.this, exp.Literal):
        literals = [bound.this]
    if bound is None or not literals or not literals[0].is_string or not _DAY.fullmatch(str(literals[0].this)):
        return None
    try:
        day = date.fromisoformat(str(literals[0].this)) + timedelta(days=1)
    except (ValueError, OverflowError):  # the 31st of a shorter month
        return None
    after = exp.Literal.string(day.isoformat())
    if bound is literals[0]:
        return after
    new = bound.copy()
    new.set("this", after)
    return new


def _holds_times(column: Column, dialect: str) -> bool:
    if dialect == "oracle" and column.type.upper() == "DATE":  # which has a time of the day
        return True
    typed = dialect != "sqlite" and _TIMED_TYPE.search(column.type) is not None
    return typed or any(_TIMED.match(sample) for sample in column.samples)


RULE = Rule("day_ends", "query", "schema", "alternative", apply)
