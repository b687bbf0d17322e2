"""Functions of another dialect, mostly of dates and times, translated into the query's own.

SQLite has few of them, and models write those of other databases. Only functions with one meaning are translated here;
sqlglot translates those of the other dialects.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from agent.checks.rules.base import WORDS, Change, Finding, Rule, RuleContext
from executors.sql.parsed import parse_sql

# What each unit of time is in strftime.
_PARTS = {"year": "%Y", "month": "%m", "day": "%d", "hour": "%H", "minute": "%M", "second": "%S", "week": "%W"}
_PARTS |= {"doy": "%j", "dow": "%w", "dayofweek": "%w"}
_TRUNCATED = {"day": (), "month": ("start of month",), "year": ("start of year",), "week": ("weekday 0", "-6 days")}
_STEPS = {"quarter": ("month", 3), "week": ("day", 7)}
_NOW = {"now": "datetime", "getdate": "datetime", "sysdate": "datetime", "curdate": "date", "today": "date"}
_FORMATS = (("YYYY", "%Y"), ("MM", "%m"), ("DD", "%d"), ("HH24", "%H"), ("MI", "%M"), ("SS", "%S"), ("%i", "%M"))
_FOREIGN = ("postgres", "mysql", "tsql", "duckdb", "snowflake")


def apply(context: RuleContext) -> Finding | None:
    if context.error not in WORDS:
        return None
    return context.change(_say_in_sqlite) if context.schema.dialect == "sqlite" else _translate(context)


def _translate(context: RuleContext) -> Finding | None:
    own = context.to_sql(context.tree) if context.tree is not None else ""
    for foreign in _FOREIGN:
        try:
            written = context.to_sql(parse_sql(context.sql, foreign))
        except (SqlglotError, RecursionError):
            continue
        if foreign != context.dialect and written != own:
            return Finding(f"read as {foreign}", written)
    return None


def _say_in_sqlite(tree: exp.Query) -> Iterator[Change]:
    for node in reversed(list(tree.walk())):  # what is inside comes first
        new = _in_sqlite(node) if node.parent is not None else None
        if new is not None:
            yield Change(node.sql(unsupported_level=ErrorLevel.IGNORE)[:80], new.sql(dialect="sqlite"))
            node.replace(new)


def _in_sqlite(node: exp.Expr) -> exp.Expr | None:
    """The same in SQLite's words; None where it is that already, or unknown."""
    match node:
        case exp.Extract():
            return _part(node.this.name, node.expression)
        case exp.Year() | exp.Month() | exp.Day() | exp.Hour() | exp.Minute() | exp.Second() | exp.DayOfWeek():
            return _part(node.key, node.this)
        case exp.DateTrunc() | exp.TimestampTrunc():
            steps = _TRUNCATED.get(node.args["unit"].name.lower())
            return None if steps is None else _call("date", node.this, *steps)
        case exp.ToChar() if node.args.get("format") is not None:
            return _translate_format(node.this, node.args["format"])
        case exp.Add() | exp.Sub() | exp.DateAdd() | exp.DateSub() if isinstance(node.expression, exp.Interval):
            return _shift(node.this, node.expression, -1 if isinstance(node, exp.Sub | exp.DateSub) else 1)
        case exp.Left():
            return _call("SUBSTR", node.this, exp.Literal.number(1), node.expression)
        case exp.Right():
            return _call("SUBSTR", node.this, exp.Neg(this=node.expression.copy()))
        case exp.Anonymous():
            return _translate_call(str(node.this).lower(), node.expressions)
    return None


def _translate_call(name: str, args: list[exp.Expr]) -> exp.Expr | None:
    """A function that has no meaning to the parser."""
    match name, len(args):
        case ("date_part" | "datepart", 2):
            return _part(args[0].name, args[1])
        case (_, 0) if name in _NOW:
            return _call(_NOW[name], "now")
        case ("date_format", 2):
            return _translate_format(args[0], args[1])
        case ("dateadd" | "date_add", 3):
            return _shift(args[2], exp.Interval(this=args[1].copy(), unit=exp.var(args[0].name)), 1)
    return None


def _part(unit: str, moment: exp.Expr) -> exp.Expr | None:
    form = _PARTS.get(unit.lower())
    return exp.cast(_call("strftime", form, moment), "INTEGER") if form else None


def _translate_format(moment: exp.Expr, form: exp.Expr) -> exp.Expr | None:
    text = form.name if isinstance(form, exp.Literal) else ""
    for foreign, own in _FORMATS:
        text = text.replace(foreign, own)
    return _call("strftime", text, moment) if "%" in text else None


def _shift(moment: exp.Expr, step: exp.Interval, sign: int) -> exp.Expr | None:
    """A moment some time later or earlier: `date(moment, '-3 months')`."""
    unit = step.text("unit").lower().removesuffix("s")
    unit, times = _STEPS.get(unit, (unit, 1))
    amount = step.this.sql().strip("'")
    if unit not in {"year", "month", "day", "hour", "minute", "second"} or not amount.lstrip("-").isdigit():
        return None
    timed = isinstance(moment, exp.CurrentTimestamp) or unit in {"hour", "minute", "second"}
    timed = timed or (isinstance(moment, exp.Anonymous) and str(moment.this).lower() in {"datetime", "now"})
    return _call("datetime" if timed else "date", moment, f"{sign * int(amount) * times:+d} {unit}s")


def _call(name: str, *args: exp.Expr | str) -> exp.Anonymous:
    made = [exp.Literal.string(it) if isinstance(it, str) else it.copy() for it in args]
    return exp.Anonymous(this=name, expressions=made)


RULE = Rule("foreign_functions", "error", "schema", "repair", apply)
