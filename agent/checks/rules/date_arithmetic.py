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
_YEAR = re.compile(r"(?:19|20)\d\d")
_DATE_TYPE = re.compile(r"date|timestamp", re.IGNORECASE)
_SAME = (exp.Max, exp.Min, exp.Coalesce, exp.Paren)  # of a date they give a date
_DATES = (exp.Date, exp.CurrentDate, exp.CurrentTimestamp, exp.TsOrDsToDate, exp.Timestamp)
_FUNCTIONS = {"DATE", "DATETIME", "NOW"}


def apply(context: RuleContext) -> Finding | None:
    if context.schema.dialect not in {"sqlite", "mysql"}:
        return None
    for node in context.query.find_all(exp.Add, exp.Sub, exp.Avg, exp.Sum):
        operands = [it for it in (node.this, node.args.get("expression")) if it is not None]
        if any(_is_date(it, context) for it in operands) and not any(map(_is_step_or_year, operands)):
            return Finding(f"The dates in {context.to_sql(node)} are taken for numbers, not for times.")
    return None


def _is_step_or_year(node: exp.Expr) -> bool:
    """Whether it is an interval, or a year: of a year less a date, SQLite gives the difference of years."""
    is_year = isinstance(node, exp.Literal) and not node.is_string and _YEAR.fullmatch(str(node.this)) is not None
    return (
        isinstance(node, exp.Interval) or is_year or (isinstance(node, exp.TimeToStr) and node.text("format") == "%Y")
    )


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
