"""Sums and differences of dates, where the database takes them for numbers.

SQLite reads the digits that a text begins with: `'2024-03-01' - '2024-01-01'` is 0. MySQL reads all digits:
`DATE '2024-02-01' - DATE '2024-01-31'` is 70.
"""

from __future__ import annotations

import re

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from executors.base import Column
from executors.sql.literals import owner_of

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_DATE_TYPE = re.compile(r"date|timestamp", re.IGNORECASE)
_SAME = (exp.Max, exp.Min, exp.Coalesce, exp.Paren)  # of a date they give a date
_DATES = (exp.Date, exp.CurrentDate, exp.CurrentTimestamp, exp.TsOrDsToDate, exp.Timestamp)
_FUNCTIONS = {"DATE", "DATETIME", "NOW"}


def apply(context: RuleContext) -> Finding | None:
    if context.schema.dialect not in {"sqlite", "mysql"}:
        return None
    for node in context.query.find_all(exp.Add, exp.Sub, exp.Avg, exp.Sum):
        operands = (node.this, node.args.get("expression"))
        if not isinstance(operands[1], exp.Interval) and any(_is_date(it, context) for it in operands):
            return Finding(f"The dates in {context.to_sql(node)} are taken for numbers, not for times.")
    return None


def _is_date(node: exp.Expr | None, context: RuleContext) -> bool:
    while isinstance(node, _SAME):
        node = node.this
    if isinstance(node, exp.Column):
        owner = owner_of(node, context.schema)
        return owner is not None and _holds_dates(owner[1], context.schema.dialect)
    return isinstance(node, _DATES) or (isinstance(node, exp.Anonymous) and node.name.upper() in _FUNCTIONS)


def _holds_dates(column: Column, dialect: str) -> bool:
    if dialect == "sqlite":  # which stores what it is given, whatever the type
        return bool(column.samples) and all(map(_DATE.match, column.samples))
    return _DATE_TYPE.search(column.type) is not None


RULE = Rule("date_arithmetic", "query", "schema", "doubt", apply)
