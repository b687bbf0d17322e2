"""Functions of another dialect, above all of dates and times, in the words of the query's own.

SQLite has few of them, and models write those of other databases. What is translated here is what has one meaning; the
functions of the other dialects are sqlglot's to translate.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from agent.rules.base import WORDS, Change, Finding, Rule, RuleContext
from executors.sql.parsed import parsed
from executors.sql.tree import tree_to_change

# What each unit of time is in strftime; a quarter is worked out of the month.
_PARTS = {
    "year": "%Y",
    "month": "%m",
    "day": "%d",
    "hour": "%H",
    "minute": "%M",
    "second": "%S",
    "week": "%W",
    "doy": "%j",
    "dow": "%w",
}
_TRUNCATED = {
    "day": (),
    "month": ("start of month",),
    "year": ("start of year",),
    "week": ("weekday 0", "-6 days"),
}
_SECONDS = {"second": 86400, "minute": 1440, "hour": 24, "day": 1}  # of a unit in a day
_DAYS = {"week": 7, "month": 30.4375, "quarter": 91.3125, "year": 365.25}
_STEPS = {"quarter": ("month", 3), "week": ("day", 7)}
_NOW = {"now": "datetime", "getdate": "datetime", "sysdate": "datetime", "curdate": "date", "today": "date"}
_FORMATS = (("YYYY", "%Y"), ("MM", "%m"), ("DD", "%d"), ("HH24", "%H"), ("MI", "%M"), ("SS", "%S"), ("%i", "%M"))
_FOREIGN = ("postgres", "mysql", "tsql", "duckdb", "snowflake")


def apply(context: RuleContext) -> Finding | None:
    if context.error not in WORDS:
        return None
    return context.changed(_say_in_sqlite) if context.schema.dialect == "sqlite" else _translated(context)


def _say_in_sqlite(tree: exp.Query) -> Iterator[Change]:
    for node in reversed(list(tree.walk())):  # what is inside comes first
        new = _in_sqlite(node) if node.parent is not None else None
        if new is not None:
            yield Change(_short(node), new.sql(dialect="sqlite"))
            node.replace(new)


def _short(node: exp.Expr) -> str:
    return node.sql(unsupported_level=ErrorLevel.IGNORE)[:80]


def _translated(context: RuleContext) -> Finding | None:
    tree = tree_to_change(context.sql, context.dialect)
    own = context.shown(tree) if tree is not None else ""
    for foreign in _FOREIGN:
        try:
            written = context.shown(parsed(context.sql, foreign))
        except (SqlglotError, RecursionError):
            continue
        if foreign != context.dialect and written != own:
            return Finding(f"read as {foreign}", written)
    return None


def _in_sqlite(node: exp.Expr) -> exp.Expr | None:
    """The same in SQLite's words; None where it is that already, or nobody knows."""
    match node:
        case exp.Extract():
            return _part(node.this.name, node.expression)
        case exp.Year() | exp.Month() | exp.Day() | exp.Quarter():
            return _part(node.key, node.this)
        case exp.DayOfWeek():
            return _part("dow", node.this)
        case exp.DateTrunc() | exp.TimestampTrunc():
            return _truncated(node.args["unit"].name, node.this)
        case exp.ToChar() if node.args.get("format") is not None:
            return _formatted(node.this, node.args["format"])
        case exp.Sub() | exp.Add() if isinstance(node.expression, exp.Interval):
            return _moved(node.this, node.expression, 1 if isinstance(node, exp.Add) else -1)
        case exp.DateSub() | exp.DateAdd():
            return _moved(node.this, node.expression, 1 if isinstance(node, exp.DateAdd) else -1)
        case exp.DateDiff() | exp.TimestampDiff() if node.args.get("unit") is not None:
            return _difference(node)
        case exp.Left() | exp.Right():
            start = exp.Literal.number(1) if isinstance(node, exp.Left) else exp.Neg(this=node.expression.copy())
            length = [node.expression.copy()] if isinstance(node, exp.Left) else []
            return exp.Anonymous(this="SUBSTR", expressions=[node.this.copy(), start, *length])
        case exp.Anonymous():
            return _called(node)
    return None


def _called(node: exp.Anonymous) -> exp.Expr | None:
    """A function that has no meaning to the parser."""
    name, args = str(node.this).lower(), node.expressions
    match name, len(args):
        case ("date_part" | "datepart", 2):
            return _part(args[0].name, args[1])
        case (_, 0) if name in _NOW:
            return _function(_NOW[name], exp.Literal.string("now"))
        case (_, 1) if name in _PARTS:
            return _part(name, args[0])
        case ("date_format", 2):
            return _formatted(args[0], args[1])
        case ("dateadd" | "date_add", 3):
            step = exp.Interval(this=args[1].copy(), unit=exp.var(args[0].name))
            return _moved(args[2], step, 1)
    return None


def _part(unit: str, moment: exp.Expr) -> exp.Expr | None:
    unit = unit.lower()
    if unit == "epoch" and isinstance(inner := moment.unnest(), exp.Sub):
        return exp.Mul(this=exp.Paren(this=_days_between(inner.expression, inner.this)), expression=_number(86400))
    if unit == "quarter":
        month = _part("month", moment)
        if month is None:
            return None
        counted = exp.Paren(this=exp.Add(this=month, expression=_number(2)))
        return exp.cast(exp.Div(this=counted, expression=_number(3), typed=True), "INTEGER")
    if unit not in _PARTS:
        return None
    written = _function("strftime", exp.Literal.string(_PARTS[unit]), moment)
    return exp.cast(written, "INTEGER")


def _truncated(unit: str, moment: exp.Expr) -> exp.Expr | None:
    steps = _TRUNCATED.get(unit.lower())
    return None if steps is None else _function("date", moment, *map(exp.Literal.string, steps))


def _formatted(moment: exp.Expr, form: exp.Expr) -> exp.Expr | None:
    if not isinstance(form, exp.Literal):
        return None
    text = str(form.this)
    for foreign, own in _FORMATS:
        text = text.replace(foreign, own)
    return _function("strftime", exp.Literal.string(text), moment) if "%" in text else None


def _moved(moment: exp.Expr, step: exp.Expr, sign: int) -> exp.Expr | None:
    """A moment some time later or earlier: `date(moment, '-3 months')`."""
    if isinstance(step, exp.Literal) and step.is_string:  # DATE_SUB('now', '-6 months')
        return _function("date", moment, step)
    if not isinstance(step, exp.Interval) or step.args.get("unit") is None:
        return None
    unit = step.args["unit"].name.lower().removesuffix("s")
    amount = step.this.this if isinstance(step.this, exp.Neg) else step.this
    sign = -sign if isinstance(step.this, exp.Neg) else sign
    unit, times = _STEPS.get(unit, (unit, 1))
    if unit not in {"year", "month", "day", "hour", "minute", "second"} or not amount.name.lstrip("-").isdigit():
        return None
    text = exp.Literal.string(f"{sign * int(amount.name) * times:+d} {unit}s")
    whole_days = unit in {"year", "month", "day"} and not _has_time(moment)
    return _function("date" if whole_days else "datetime", moment, text)


def _has_time(moment: exp.Expr) -> bool:
    if isinstance(moment, exp.CurrentTimestamp):
        return True
    return isinstance(moment, exp.Anonymous) and str(moment.this).lower() in {"datetime", "now"}


def _difference(node: exp.Expr) -> exp.Expr | None:
    """DATEDIFF(unit, from, to), which is read with the unit in the place of the first moment."""
    unit, start, end = node.this, node.expression, node.args["unit"]
    name = unit.name.lower().removesuffix("s")
    end = exp.column(end.name) if isinstance(end, exp.Var) else end
    days = _days_between(start, end)
    if name in _SECONDS:
        return exp.cast(exp.Mul(this=exp.Paren(this=days), expression=_number(_SECONDS[name])), "INTEGER")
    if name in _DAYS:
        return exp.cast(exp.Div(this=exp.Paren(this=days), expression=_number(_DAYS[name])), "INTEGER")
    return None


def _days_between(start: exp.Expr, end: exp.Expr) -> exp.Sub:
    return exp.Sub(this=_function("julianday", end), expression=_function("julianday", start))


def _function(name: str, *args: exp.Expr) -> exp.Anonymous:
    return exp.Anonymous(this=name, expressions=[arg.copy() for arg in args])


def _number(value: float) -> exp.Expr:
    return exp.Literal.number(value)


RULE = Rule("foreign_functions", "error", "schema", "repair", apply)
