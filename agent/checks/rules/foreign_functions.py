"""Translates functions of other dialects, mostly for dates and times, into the query's dialect.

SQLite has few of them, and models write those of other databases. Functions with one meaning are translated here. Of
the rest, sqlglot translates a few to SQLite, and all to other dialects.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel, SqlglotError, UnsupportedError
from sqlglot.tokenizer_core import TokenType

from agent.checks.rules.base import WORDS, Change, Finding, Rule, RuleContext
from executors.sql.grammar import tokenize
from executors.sql.parsed import parse_sql

# The format of each unit of time in strftime.
_PARTS = {"year": "%Y", "month": "%m", "day": "%d", "hour": "%H", "minute": "%M", "second": "%S", "week": "%W"}
_PARTS |= {"doy": "%j", "dow": "%w", "dayofweek": "%w", "epoch": "%s"}
_SECONDS = {"day": 86_400, "hour": 3_600, "minute": 60, "second": 1}  # per unit of a difference
_TRUNCATED = {"day": (), "month": ("start of month",), "year": ("start of year",), "week": ("weekday 0", "-6 days")}
_STEPS = {"quarter": ("month", 3), "week": ("day", 7)}
_OF_DATES = (exp.Year, exp.Quarter, exp.Month, exp.Day, exp.Hour, exp.Minute, exp.Second, exp.DayOfWeek)
_NOW = {"now": "datetime", "getdate": "datetime", "sysdate": "datetime", "curdate": "date", "today": "date"}
_FORMATS = (
    ("YYYY", "%Y"),
    ("MM", "%m"),
    ("DD", "%d"),
    ("HH24", "%H"),
    ("MI", "%M"),
    ("SS", "%S"),
    ("%i", "%M"),
    ("%s", "%S"),
)
_NAMES = re.compile(r"%[MbWaceDhklprjuUvVxX]")  # MySQL's formats that strftime lacks or reads in another way
# What dialects write differently, and those of them that sqlglot translates to SQLite with the same meaning.
_CALLED = re.compile(r"\b(\w+)\s*\(|(\bILIKE\b|::|\b(?:DATE|TIMESTAMP)\s+(?='))", re.IGNORECASE)
_WRITTEN = {"LEN", "NVL", "STRING_AGG", "IF", "POSITION", "ILIKE", "DATE ", "TIMESTAMP "}
_CAST = re.compile(r"::\s*(?:date|timestamp|text|varchar)\b", re.IGNORECASE)
_FOREIGN = ("postgres", "mysql", "tsql", "duckdb", "snowflake")
_SQLITE_FORMAT = re.compile(r"\bSTRFTIME\s*\(\s*'([^']*)'", re.IGNORECASE)  # elsewhere, the format comes last
_SQLITE_TIME = re.compile(
    r"\b(?:DATE|DATETIME|TIME|STRFTIME|JULIANDAY)\s*\([^()]*'(?:now|start of \w+|[+-]?\d+ \w+|weekday \d)'",
    re.IGNORECASE,
)
_EVERYWHERE = re.compile(r"(?:%[YmdHS]|[^%\w])+")  # the formats that sqlglot knows in each dialect
_NULLS = re.compile(r"\b(NULLS\s+)(FIRST|LAST)\b", re.IGNORECASE)
_UNITS = {*_PARTS, *_TRUNCATED, *_STEPS, "decade", "century"}
_CLOCKS = {"now", "getdate", "sysdate", "sysdatetime", "curdate", "current_date", "current_timestamp", "localtimestamp"}


def apply(context: RuleContext) -> Finding | None:
    if context.error not in WORDS:
        return None
    if context.schema.dialect == "sqlite":
        told = dict[str, None]()
        found = context.change(lambda tree: _say_in_sqlite(tree, context.sql, told))
        return found._replace(detail="; ".join(told)) if found is not None and told else found
    return _translate(context)


def _translate(context: RuleContext) -> Finding | None:
    own, formats = context.to_sql(context.tree) if context.tree is not None else "", _SQLITE_FORMAT.findall(context.sql)
    if _SQLITE_TIME.search(context.sql) or not all(map(_EVERYWHERE.fullmatch, formats)):
        return None
    for foreign in ("sqlite",) if formats else _FOREIGN:
        if foreign == "mysql" and "||" in context.sql:
            continue  # there it means OR
        try:
            written = context.to_sql(_order_as_here(context, foreign))
            is_rounded = "epoch" in written and "epoch" not in context.sql.lower()  # a difference in days
            is_other = foreign != context.dialect and written != own and not is_rounded
            if is_other and _list_used(context.sql, context) <= _list_used(written, context):
                return Finding(f"read as {foreign}", written)
        except (SqlglotError, RecursionError):
            continue
    return None


def _order_as_here(context: RuleContext, foreign: str) -> exp.Expr:
    """The query as another dialect reads it, with NULLs where the own database puts them, unless the query says where.

    The dialect of a function does not show that its order of NULLs is meant, and `nulls_first` reads what is left open.
    """
    tree, ordering = parse_sql(context.sql, foreign).copy(), Dialect.get_or_raise(context.dialect).NULL_ORDERING
    swapped = parse_sql(_NULLS.sub(_swap_nulls, context.sql), foreign)
    for key, other in zip(tree.find_all(exp.Ordered), swapped.find_all(exp.Ordered), strict=False):
        if key.args.get("nulls_first") is other.args.get("nulls_first"):  # the query does not say it
            descending = bool(key.args.get("desc"))
            key.set("nulls_first", ordering != "nulls_are_last" and descending is (ordering == "nulls_are_large"))
    return tree


def _swap_nulls(match: re.Match[str]) -> str:
    return f"{match[1]}{'LAST' if match[2].upper() == 'FIRST' else 'FIRST'}"


def _list_used(sql: str, context: RuleContext) -> Counter[str]:
    """How often a query names each column of the schema and now, and how many values it has. Units of time are neither.

    A translation must keep them: a parser drops arguments that its dialect does not have, and in MySQL's, a name in
    double quotes becomes a text.
    """
    names = {column.name.lower() for table in context.schema.tables for column in table.columns}
    words = [(it.token_type, it.text.lower()) for it in tokenize(sql, context.dialect) if it.text.lower() not in _UNITS]
    values = {TokenType.STRING, TokenType.NUMBER}
    words = [(kind, "now" if text in _CLOCKS else text) for kind, text in words]
    return Counter("" if kind in values else text for kind, text in words if kind in values or text in names | {"now"})


def _say_in_sqlite(tree: exp.Query, sql: str, told: dict[str, None]) -> Iterator[Change | str]:
    """Args: told: takes a sentence for each function, without its arguments."""
    changed = False
    for node in reversed(list(tree.walk())):  # what is inside comes first
        new = _in_sqlite(node) if node.parent is not None else None
        if new is not None:
            changed, used = True, new.this if isinstance(new, exp.Cast) else new
            instead = f"; {used.name.upper()} is used" if isinstance(used, exp.Anonymous) else ""
            told[f"{_name_of(node)} is not available here{instead}"] = None
            yield Change(node.sql(unsupported_level=ErrorLevel.IGNORE)[:80], new.sql(dialect="sqlite"))
            node.replace(new)
    if not changed:
        with suppress(UnsupportedError):
            written = _list_called(tree.sql(dialect="sqlite", unsupported_level=ErrorLevel.RAISE))
            gone = [it for it in _list_called(sql) if it not in written]
            same = _WRITTEN | ({"::"} if len(_CAST.findall(sql)) == sql.count("::") else set())
            if gone and same.issuperset(gone):
                yield f"{', '.join(gone)} in SQLite's words"


def _name_of(node: exp.Expr) -> str:
    if isinstance(node, exp.Anonymous):
        return node.name.upper()
    return str(node.sql_name()) if isinstance(node, exp.Func) else "INTERVAL"


def _list_called(sql: str) -> list[str]:
    """The functions and operators of a query's text that dialects may write differently, each once."""
    return list(dict.fromkeys((found[1] or found[2]).upper() for found in _CALLED.finditer(sql)))


def _in_sqlite(node: exp.Expr) -> exp.Expr | None:
    """The same expression for SQLite; None if it needs no translation, or none is known."""
    match node:
        case exp.Extract():
            return _part(node.this.name, node.expression)
        case exp.Func() if isinstance(node, _OF_DATES):
            return _part(node.key, node.this)
        case exp.DateDiff() | exp.TimestampDiff():
            return _translate_difference(node)
        case exp.Concat() if type(node) is exp.Concat:
            return _join(node.expressions)
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
    """A function that the parser does not know, for SQLite; None if no translation is known."""
    match name, len(args):
        case ("date_part" | "datepart", 2):
            return _part(args[0].name, args[1])
        case (_, 0) if name in _NOW:
            return _call(_NOW[name], "now")
        case ("unix_timestamp", 1):
            return _part("epoch", args[0])
        case ("isnull", 2):
            return _call("ifnull", *args)
        case ("to_date", 2) if args[1].name.upper() == "YYYY-MM-DD":
            return _call("date", args[0])
        case ("date_format", 2):
            return _translate_format(args[0], args[1])
        case ("dateadd" | "date_add", 3):
            return _shift(args[2], exp.Interval(this=args[1].copy(), unit=exp.var(args[0].name)), 1)
    return None


def _join(parts: Sequence[exp.Expr]) -> exp.Expr | None:
    """Texts joined without those that are NULL, as most databases and newer SQLite do."""
    texts: list[exp.Expr] = []
    for part in parts:
        value = part.this if isinstance(part, exp.Coalesce) else part  # the parser puts it around some
        texts.append(part.copy() if isinstance(part, exp.Literal) else _call("ifnull", value, ""))
    joined = texts.pop(0) if texts else None
    for text in texts:
        joined = exp.DPipe(this=joined, expression=text)
    return joined


def _translate_difference(node: exp.DateDiff | exp.TimestampDiff) -> exp.Expr | None:
    """A difference of two times. Of three arguments, the parser reads the first as a time and the last as the unit."""
    last, by_calendar = node.args.get("unit"), isinstance(node, exp.DateDiff)
    if last is None:
        return _difference("day", node.expression, node.this, by_calendar=True) if by_calendar else None
    if isinstance(last, exp.Var):  # an identifier; a literal has lost its quotes
        last = exp.column(last.name.lower()) if re.fullmatch(r"[A-Za-z_]\w*", last.name) else None
    return _difference(node.this.name, node.expression, last, by_calendar=by_calendar) if last is not None else None


def _difference(unit: str, earlier: exp.Expr, later: exp.Expr, *, by_calendar: bool) -> exp.Expr | None:
    """The number of units that end between two times; without `by_calendar`, of whole units between them."""
    size = _SECONDS.get(unit.lower())
    if size is None:
        return None
    ends = [_part("epoch", it) for it in (later, earlier)]

    def units(seconds: exp.Expr | None) -> exp.Expr:
        return exp.cast(exp.Div(this=seconds, expression=exp.Literal.number(size)), "INTEGER")

    if by_calendar:
        return exp.paren(exp.Sub(this=units(ends[0]), expression=units(ends[1])))
    return units(exp.paren(exp.Sub(this=ends[0], expression=ends[1])))


def _part(unit: str, moment: exp.Expr) -> exp.Expr | None:
    times = moment.unnest()
    if isinstance(times, exp.Sub):  # PostgreSQL's way to write a duration
        ends = [_part("epoch", it) for it in (times.this, times.expression)]
        return exp.paren(exp.Sub(this=ends[0], expression=ends[1])) if unit.lower() == "epoch" else None
    if unit.lower() == "quarter":
        month = exp.cast(_call("strftime", "%m", moment), "INTEGER")
        return exp.cast(exp.Div(this=exp.paren(month + 2), expression=exp.Literal.number(3)), "INTEGER")
    form = _PARTS.get(unit.lower())
    kind = "REAL" if unit.lower() == "epoch" else "INTEGER"  # seconds may be divided
    return exp.cast(_call("strftime", form, moment), kind) if form else None


def _translate_format(moment: exp.Expr, form: exp.Expr) -> exp.Expr | None:
    text = form.name if isinstance(form, exp.Literal) else ""
    if _NAMES.search(text):
        return None
    for foreign, own in _FORMATS:
        text = text.replace(foreign, own)
    is_whole = "%" in text and re.search(r"[A-Za-z]", re.sub("%.", "", text)) is None
    return _call("strftime", text, moment) if is_whole else None


def _shift(moment: exp.Expr, step: exp.Interval, sign: int) -> exp.Expr | None:
    """A time plus or minus an interval: `date(moment, '-3 months')`."""
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
