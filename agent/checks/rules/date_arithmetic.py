"""Sums and differences of dates, where the database does not give the number that the query works with.

SQLite reads the digits that a text begins with: `'2024-03-01' - '2024-01-01'` is 0. MySQL reads all digits:
`DATE '2024-02-01' - DATE '2024-01-31'` is 70. PostgreSQL and DuckDB give days. A query that counts days becomes a
candidate if both columns hold days of about the same years, as check-in and check-out do; years may be meant between a
birth and an entry.

Between two times, PostgreSQL and DuckDB give an interval, not seconds: `AVG(ended - started) / 3600` is an interval of
some seconds, where hours are meant. A query that divides the seconds becomes a candidate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from agent.checks.rules.base import Change, Finding, Rule, RuleContext
from agent.checks.rules.reading import holds_dates
from executors.sql.literals import owner_of
from rag.words import words

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_YEAR = re.compile(r"(?:19|20)\d\d")
_APART = 3  # years between the samples of two columns, which are few, of days that lie near each other
_SAYS_YEARS = words("year age jahr jahre alter années ans años anni edad età âge")
_SAME = (exp.Max, exp.Min, exp.Coalesce, exp.Paren)  # of a date they give a date
_DATES = (exp.Date, exp.CurrentDate, exp.CurrentTimestamp, exp.TsOrDsToDate, exp.Timestamp)
_FUNCTIONS = {"DATE", "DATETIME", "NOW"}
_TIME = re.compile(r"timestamp|datetime", re.IGNORECASE)
_OF_TIMES = (exp.Avg, exp.Sum, exp.Max, exp.Min, exp.Paren)  # of an interval they give an interval
_SECONDS = frozenset({"60", "3600", "86400", "60.0", "3600.0", "86400.0"})  # of a minute, an hour and a day


def apply(context: RuleContext) -> Finding | None:
    if context.schema.dialect in {"postgresql", "duckdb"}:
        detail = "A difference of two times is an interval, and not a number of seconds: {}."
        return context.change_each(exp.Div, by=lambda node: _divide_seconds(node, context), detail=detail)
    if context.schema.dialect not in {"sqlite", "mysql", "mariadb"}:
        return None
    for node in context.query.find_all(exp.Add, exp.Sub, exp.Avg, exp.Sum):
        operands = [it for it in (node.this, node.args.get("expression")) if it is not None]
        if any(_is_date(it, context) for it in operands) and not any(map(_is_step_or_year, operands)):
            detail = f"The dates in {context.to_sql(node)} are subtracted or added as numbers, not as dates."
            changed = context.change(lambda tree: _count_days(tree, context))
            return changed._replace(detail=detail) if changed is not None else Finding(detail)
    return None


def _divide_seconds(node: exp.Expr, context: RuleContext) -> exp.Expr | None:
    """The quotient of an interval's seconds and those of a unit; None for any other quotient."""
    between, divisor = node.this, node.expression.unnest()
    while isinstance(between, _OF_TIMES):
        between = between.this
    if not isinstance(between, exp.Sub) or not isinstance(divisor, exp.Literal) or divisor.is_string:
        return None
    sides = (between.this, between.expression)
    if divisor.name not in _SECONDS or not all(_is_time(it, context) for it in sides):
        return None
    compared = node.find_ancestor(exp.Predicate, exp.Extract, exp.Select)
    if isinstance(compared, exp.Extract) or (compared is not None and _has_interval(compared)):
        return None  # an interval is meant
    between.replace(exp.Extract(this=exp.var("EPOCH"), expression=exp.paren(between.copy())))
    return node


def _count_days(tree: exp.Query, context: RuleContext) -> Iterator[Change]:
    """Make differences between two columns count days."""
    for node in list(tree.find_all(exp.Sub)):
        sides = (node.this, node.expression)
        item = node.find_ancestor(exp.Alias)
        if node.find_ancestor(exp.Div) or (item is not None and words(item.alias) & _SAYS_YEARS):
            continue
        first, last = (_years_of(it, context) for it in sides)
        if sides[0] != sides[1] and first and last and max(first[0], last[0]) - min(first[-1], last[-1]) <= _APART:
            before = context.to_sql(node)
            if context.schema.dialect == "sqlite":
                start, end = (exp.Anonymous(this="JULIANDAY", expressions=[it.copy()]) for it in sides)
                days: exp.Expr = exp.Sub(this=start, expression=end)
            else:
                days = exp.DateDiff(this=sides[0].copy(), expression=sides[1].copy())
            yield Change(before, context.to_sql(node.replace(days)))


def _years_of(node: exp.Expr, context: RuleContext) -> list[int]:
    """The years of a column's samples, sorted; empty for a column that holds anything but days."""
    owner = owner_of(node, context.schema) if isinstance(node, exp.Column) else None
    samples = owner[1].samples if owner is not None else ()
    return sorted(int(it[:4]) for it in samples) if all(map(_DAY.fullmatch, samples)) else []


def _is_step_or_year(node: exp.Expr) -> bool:
    """Whether it is an interval, or a year: of a year less a date, SQLite gives the difference of years."""
    is_year = isinstance(node, exp.Literal) and not node.is_string and _YEAR.fullmatch(str(node.this)) is not None
    return (
        isinstance(node, exp.Interval) or is_year or (isinstance(node, exp.TimeToStr) and node.text("format") == "%Y")
    )


def _has_interval(compared: exp.Expr) -> bool:
    return isinstance(compared, exp.Predicate) and compared.find(exp.Interval) is not None


def _is_time(node: exp.Expr, context: RuleContext) -> bool:
    """Whether it is a column of times, or the first or last of one."""
    while isinstance(node, _SAME):
        node = node.this
    owner = owner_of(node, context.schema) if isinstance(node, exp.Column) else None
    return owner is not None and _TIME.search(owner[1].type) is not None


def _is_date(node: exp.Expr | None, context: RuleContext) -> bool:
    while isinstance(node, _SAME):
        node = node.this
    if isinstance(node, exp.Column):
        owner = owner_of(node, context.schema)
        return owner is not None and holds_dates(owner[1], context.schema.dialect)
    return isinstance(node, _DATES) or (isinstance(node, exp.Anonymous) and node.name.upper() in _FUNCTIONS)


RULE = Rule("date_arithmetic", "query", "schema", "alternative", apply)
