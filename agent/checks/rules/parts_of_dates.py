"""A month or a year compared with a column of dates: `day = '2025-03'`, which most engines cannot convert.

It becomes the days of the month: from the first one on, and before that of the next month.
"""

from __future__ import annotations

import re
from datetime import date
from functools import partial

from sqlglot import exp

from agent.checks.rules.base import WORDS, Finding, Rule, RuleContext
from executors.sql.literals import owner_of

_PART = re.compile(r"(\d{4})(?:-(0[1-9]|1[0-2]))?")
_DATED_TYPE = re.compile(r"date(?!range)|timestamp", re.IGNORECASE)
_LAST_YEAR = 9998  # whose next year can be written


def apply(context: RuleContext) -> Finding | None:
    kinds = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)
    return context.change_each(*kinds, by=partial(_by_days, context=context)) if context.error in WORDS else None


def _by_days(node: exp.Expr, context: RuleContext) -> exp.Expr | None:
    """A comparison with a month or a year as one with its days; None for any other."""
    column = node.this
    owner = owner_of(column, context.schema) if isinstance(column, exp.Column) else None
    if owner is None or not _DATED_TYPE.search(owner[1].type):
        return None
    if isinstance(node, exp.Between):
        if node.args.get("symmetric"):
            return None
        low, high = node.args["low"], node.args["high"]
        first, last = _ends(low), _ends(high)
        if first is None and last is None:
            return None
        since = column >= (first[0] if first else low)
        return exp.paren(since.and_(column < last[1] if last else column <= high))
    ends = _ends(node.expression)
    if ends is None:
        return None
    if isinstance(node, exp.EQ | exp.NEQ):
        within = exp.paren((column >= ends[0]).and_(column < ends[1]))
        return exp.Not(this=within) if isinstance(node, exp.NEQ) else within
    is_after = isinstance(node, exp.GT | exp.LTE)  # what is later than a month begins after it
    kind = exp.GTE if isinstance(node, exp.GT | exp.GTE) else exp.LT
    return kind(this=column.copy(), expression=ends[is_after])


def _ends(bound: exp.Expr) -> tuple[exp.Literal, exp.Literal] | None:
    """The first day of a month or year, and the day after its last; None for anything else."""
    part = _PART.fullmatch(bound.name) if isinstance(bound, exp.Literal) and bound.is_string else None
    if part is None or not 0 < int(part[1]) <= _LAST_YEAR:
        return None
    year, month = int(part[1]), int(part[2] or 1)
    first = date(year, month, 1)
    after = date(year + (month == 12), month % 12 + 1, 1) if part[2] else date(year + 1, 1, 1)
    return exp.Literal.string(first.isoformat()), exp.Literal.string(after.isoformat())


RULE = Rule("parts_of_dates", "error", "schema", "repair", apply)
