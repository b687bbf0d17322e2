"""Groups by a month without its year: the Marches of several years become one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import group_keys
from executors.sql.literals import owner_of

_UNITS = {"MONTH", "QUARTER", "WEEK"}
_YEARLESS = re.compile(r"%[mbBVUW]|(?i:month|mon|mm)")  # formats of a month or week, and of nothing else
_TIME = re.compile(r"date|time|year|\b\d{4}\b", re.IGNORECASE)  # of types, names and values
_CALLS = {"tomonth": "toYear", "toquarter": "toYear"}  # ClickHouse's


def apply(context: RuleContext) -> Finding | None:
    for select in context.selects:
        keys = group_keys(select)
        years = [found for key in keys for node in key.walk() if (found := _year_of(node)) is not None]
        if not years or any(_tells_year(node, context) for key in keys for node in key.walk()):
            continue
        query = select.copy()
        for part in ("group", "having", "order", "limit", "offset", "distinct", "with_"):
            query.set(part, None)
        number = exp.Count(this=exp.Distinct(expressions=[years[0]]))
        query.set("expressions", [exp.case().when(number > 1, number.copy())])
        return Finding(
            "Nothing groups by the year: months or weeks of {} years are added together.",
            counts=(context.to_sql(query),),
        )
    return None


def _year_of(node: exp.Expr) -> exp.Expr | None:
    """The year of the time whose month, quarter or week this is; None for anything else."""
    match node:
        case exp.Month() | exp.Monthname() | exp.Quarter() | exp.Week() | exp.WeekOfYear():
            return exp.Extract(this=exp.var("YEAR"), expression=node.this.copy())
        case exp.Extract() if node.name.upper() in _UNITS:
            return exp.Extract(this=exp.var("YEAR"), expression=node.expression.copy())
        case exp.TimeToStr() if _YEARLESS.fullmatch(node.text("format")):
            year = node.copy()
            year.set("format", exp.Literal.string("%Y"))
            return year
        case exp.Anonymous() if node.name.lower() in _CALLS:
            return exp.Anonymous(this=_CALLS[node.name.lower()], expressions=[it.copy() for it in node.expressions])
        case exp.Anonymous(expressions=[exp.Literal() as unit, time]) if unit.name.upper() in _UNITS:  # date_part
            return exp.Anonymous(this=node.name, expressions=[exp.Literal.string("year"), time.copy()])
    return None


def _tells_year(node: exp.Expr, context: RuleContext) -> bool:
    match node:
        case exp.Year() | exp.TimestampTrunc() | exp.DateTrunc():
            return True
        case exp.Extract():
            return "YEAR" in node.name.upper()
        case exp.TimeToStr():
            return "y" in node.text("format").lower()
        case exp.Anonymous():
            return "year" in context.to_sql(node).lower()
        case exp.Column():
            owner = owner_of(node, context.schema)
            said = (owner[1].type, owner[1].name, *owner[1].samples) if owner is not None else ()
            return any(map(_TIME.search, said)) and not any(_year_of(it) is not None for it in _around(node))
    return False


def _around(column: exp.Column) -> Iterator[exp.Expr]:
    """What a column of a group key is an argument of."""
    node = column.parent
    while node is not None and not isinstance(node, exp.Group | exp.Select):
        yield node
        node = node.parent


RULE = Rule("merged_months", "query", "data", "doubt", apply)
