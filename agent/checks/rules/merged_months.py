"""Groups by a month without its year: the Marches of several years become one."""

from __future__ import annotations

import re

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import group_keys

_UNITS = {"MONTH", "QUARTER", "WEEK"}
# Formats of a month, quarter or week, and of nothing else: as the parser has them, or as Oracle writes them.
_YEARLESS = re.compile(r"%-?[mbBVUWv]|%mstrict|F?%?(?i:(?:FM)?(?:month|mon|mm|q|ww|iw))")
_CALLS = {"tomonth": "toYear", "toquarter": "toYear", "toweek": "toYear"}  # ClickHouse's
_CALLS |= dict.fromkeys(("month", "monthname", "week"), "YEAR")  # HANA's, whose quarters and ISO weeks have their year
_YEARS = {"YEAR", "TOYEAR"}
_YEARLY = re.compile(r"%y|yy|rr", re.IGNORECASE)  # in a format
_FORMATTERS = {"to_char", "to_varchar", "to_nvarchar"}


def apply(context: RuleContext) -> Finding | None:
    for select in context.selects:
        keys = group_keys(select)
        years = [found for key in keys for node in key.walk() if (found := _year_of(node)) is not None]
        if not years or any(map(_names_year, (*select.selects, *keys))):
            continue
        if select is not context.query and None in context.tables(select).values():
            continue  # it reads a query that stands elsewhere
        # The most years that one group has, where one has several.
        number = exp.Count(this=exp.Distinct(expressions=[years[0]]))
        query = select.copy()
        for part in ("order", "limit", "offset", "distinct"):
            query.set(part, None)
        query.set("expressions", [exp.alias_(number, "years")])
        query.set("group", exp.Group(expressions=[key.copy() for key in keys]))
        query = query.having(number.copy() > 1).order_by("1 DESC").limit(1)
        detail = "Nothing groups by the year: months or weeks of {} years are added together."
        return Finding(detail, counts=(context.to_sql(query),))
    return None


def _year_of(node: exp.Expr) -> exp.Expr | None:
    """The year of the time whose month, quarter or week this is; None for anything else."""
    match node:
        case exp.Month() | exp.Monthname() | exp.Quarter() | exp.Week() | exp.WeekOfYear():
            return exp.Extract(this=exp.var("YEAR"), expression=node.this.copy())
        case exp.Extract() if node.name.upper() in _UNITS:
            return exp.Extract(this=exp.var("YEAR"), expression=node.expression.copy())
        case exp.TimeToStr() | exp.ToChar():
            return _with_year(node, "%Y" if isinstance(node, exp.TimeToStr) else "YYYY")
        case exp.Anonymous() if node.name.lower() in _FORMATTERS:
            return _with_year(node, "YYYY")
        case exp.Anonymous(expressions=[time, *_]) if node.name.lower() in _CALLS:
            return exp.Anonymous(this=_CALLS[node.name.lower()], expressions=[time.copy()])
        case exp.Anonymous(expressions=[exp.Literal() as unit, time]) if unit.name.upper() in _UNITS:  # date_part
            return exp.Anonymous(this=node.name, expressions=[exp.Literal.string("year"), time.copy()])
    return None


def _with_year(call: exp.Expr, form: str) -> exp.Expr | None:
    """A call that formats a time, with the format of a year; None if it does not format a month or a week alone."""
    year = call.copy()
    for text in (it for it in year.iter_expressions() if isinstance(it, exp.Literal) and _YEARLESS.fullmatch(it.name)):
        text.replace(exp.Literal.string(form))
        return year
    return None


def _names_year(item: exp.Expr) -> bool:
    """Whether an item or a key tells years apart: `YEAR(day)`, `SUM(CASE WHEN YEAR(day) = 2024 ...)`."""
    years = item.find_all(exp.Year, exp.Extract, exp.TimeToStr, exp.ToChar, exp.Anonymous)
    return any(isinstance(it, exp.Year) or it.name.upper() in _YEARS or _formats_year(it) for it in years)


def _formats_year(call: exp.Expr) -> bool:
    return any(isinstance(it, exp.Literal) and _YEARLY.search(it.name) for it in call.iter_expressions())


RULE = Rule("merged_months", "query", "data", "doubt", apply)
