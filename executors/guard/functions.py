"""Checks whether a query may call a function.

The check compares names, in the engine's spelling: the dialect's row lists functions, and the registry may list more
for a database. A function that can build a text or a list of any length must have an argument that limits it.
"""

from __future__ import annotations

import re

from sqlglot import exp

from executors.dialects.row import Dialect, words
from executors.errors import Because, ErrorKind, SqlRefused
from executors.guard.refusals import build_function_refusal
from executors.sql.names import diagnose

MAX_BUILT_CHARS = 9_999
MAX_REPEATED = 1_000_000

Call = exp.Anonymous | exp.ParameterizedAgg

# Position of the argument that determines the length of the text or list, counted from 0.
_BUILDERS = {
    **dict.fromkeys(words("repeat replicate lpad rpad leftpad rightpad leftpadutf8 rightpadutf8"), 1),
    **dict.fromkeys(words("array_resize list_resize array_repeat"), 1),
    "space": 0,
}
_XML_METHODS = {"value": 2, "query": 1, "exist": 1, "nodes": 1}  # of T-SQL -> number of string arguments
_OUTSIDE = re.compile(r"(column|variable)\s*\(", re.IGNORECASE)  # XQuery's sql:column() and sql:variable()
_REPEATING = words("repeat replicate array_repeat")
_TYPE_NAMED = words("pg_input_is_valid pg_input_error_info")
_PLAIN_TYPE = re.compile(
    r"\s*(smallint|integer|int[248]?|bigint|numeric|decimal|real|double precision|float[48]?|text|(var)?char|bool(ean)?"
    r"|date|time(stamp)?(tz)?|interval|uuid|jsonb?|inet|cidr|bytea)(\([\d, ]+\))?( with(out)? time zone)?(\[\])*\s*",
    re.IGNORECASE,
)
_LISTS = words("range generate_series")
_LONG_STEPS = words("day week month quarter year")
_MEASURES = words("len length array_length list_length year month quarter week day hour")  # of existing values
_LENGTHS = words("len length char_length character_length")  # never negative
_WHOLE = re.compile(r"-?[1-9]\d*")
_UNITS = words(
    "nanosecond microsecond millisecond second minute hour day dayofyear weekday week isoweek month quarter year",
    "iso_week ns mcs ms ss s mi n hh dd d dy y dw w wk ww isowk isoww mm m qq q yyyy yy tzoffset tz",
    "sql_tsi_second sql_tsi_minute sql_tsi_hour sql_tsi_day sql_tsi_week sql_tsi_month sql_tsi_quarter sql_tsi_year",
)


class FunctionCheck:
    """Checks calls in one query.
    Args: own: the database's own functions that may be called too, in lower case, with their schema if calls name it:
    `my_func`, `dbo.getreports`."""

    def __init__(self, dialect: Dialect, own: frozenset[str] = frozenset()) -> None:
        self._dialect, self._own = dialect, own
        self._repeated = 1  # how many times longer a text may become if all repetitions are nested

    def check(self, node: Call) -> None:
        """Refuse a call that is not known to be pure. Raises SqlRefused."""
        name, dialect = node.name.lower(), self._dialect
        makes_table = isinstance(node.parent, exp.Table | exp.Lateral)
        schema = _schema_of(node)
        if self._is_own(name, schema):
            if dialect.kin == "sqlserver" and isinstance(node.this, str):
                node.set("this", exp.to_identifier(node.this, quoted=True))  # keep its spelling: case may count
            return
        if schema is not None and dialect.kin == "sqlserver" and _is_xml_method(node, name):
            return
        if schema is not None and dialect.name != "duckdb":
            written = f"{schema}.{node.name}"
            refused = build_function_refusal(written, dialect)
            if refused.because is Because.FUNCTION:
                message = f"Functions of a schema are not available: {written[:80]}."
                hint = diagnose.function_hint(name, dialect)
                raise SqlRefused(ErrorKind.FUNCTION_NOT_FOUND, message, hint, because=Because.FUNCTION)
            raise refused
        if not dialect.may_call(name, in_from=makes_table):
            raise build_function_refusal(node.name, dialect, where="as a table" if makes_table else "here")
        if name in _TYPE_NAMED and not _is_plain_type(node.expressions[1:]):
            message = f"{node.name} takes the written name of a type of its own, such as 'integer' or 'numeric(9, 2)'."
            raise SqlRefused(ErrorKind.PERMISSION, message, "Write such a name.")
        self._check_length(node, name)
        for part in node.expressions[:1] if name in dialect.units else ():
            bare = isinstance(part, exp.Column) and not part.table and not part.this.args.get("quoted")
            if bare and part.name.lower() in _UNITS:
                part.replace(exp.var(part.name))  # DATEADD(month, ...): a keyword, not a column

    def check_table(self, node: exp.Table) -> None:
        """Refuse anything in FROM but a table's name or a call. A call has no schema, unless the registry lists both.
        Raises SqlRefused."""
        if any(isinstance(part, exp.Parameter | exp.Placeholder) for part in node.parts):
            return  # a placeholder is not allowed here; its own check refuses it
        call = isinstance(node.this, exp.Anonymous | exp.OpenJSON)
        call |= self._dialect.kin == "postgresql" and isinstance(node.this, exp.Func)
        qualified = call and node.args.get("db") and not self._is_own(node.this.name.lower(), node.db)
        if qualified or not (call or isinstance(node.this, exp.Identifier)):
            message = f"{node.sql(self._dialect.sqlglot)[:80]} is not in this database."
            raise SqlRefused(ErrorKind.PERMISSION, message, "Write a table's name alone.")

    def _is_own(self, name: str, schema: str | None) -> bool:
        return (f"{schema.lower()}.{name}" if schema else name) in self._own

    def _check_length(self, node: Call, name: str) -> None:
        """Limit the length of texts and lists. Building a long one cannot be interrupted, and DuckDB's memory limit
        does not apply to it. Raises SqlRefused."""
        arguments = node.expressions
        if self._dialect.kin == "oracle" and name in ("lpad", "rpad") and len(arguments) > 1 and _is_indent(arguments):
            return
        if name in _BUILDERS and len(arguments) > _BUILDERS[name]:
            length = arguments[_BUILDERS[name]]
            most = _most(length)
            if most is None or most > MAX_BUILT_CHARS:
                raise _too_long(node)
            self._repeated *= max(most, 1) if name in _REPEATING else 1
            if self._repeated > MAX_REPEATED:
                raise _too_long(node)
        elif name in _LISTS and self._dialect.kin == "duckdb" and not isinstance(node.parent, exp.Table | exp.Lateral):
            if not _is_short(arguments):
                message = f"A list of {node.name} needs written bounds of at most {MAX_REPEATED}, or a step in days."
                hint = f"Make rows of it: FROM {node.name}(...) AS numbers(n)."
                raise SqlRefused(ErrorKind.PERMISSION, message, hint)
        elif name in self._dialect.formatters and arguments:
            pattern = arguments[0]
            written = isinstance(pattern, exp.Literal) and pattern.is_string
            if not written or "*" in pattern.name or any(len(run) > 4 for run in re.findall(r"\d+", pattern.name)):
                raise _too_long(node)


def _is_plain_type(arguments: list[exp.Expr]) -> bool:
    """Whether the only argument is a written type. A table's name is a type too, and tells its columns."""
    written = arguments[0] if len(arguments) == 1 else None
    return isinstance(written, exp.Literal) and written.is_string and bool(_PLAIN_TYPE.fullmatch(written.name))


def _most(length: exp.Expr) -> int | None:
    """The upper bound of a literal, or of a literal minus an existing length, as in `5 - LEN(code)`. None otherwise."""
    if isinstance(length, exp.Literal):
        return int(length.name) if length.is_int else None
    if isinstance(length, exp.Paren):
        return _most(length.this)
    taken = length.expression if isinstance(length, exp.Sub) else None
    if isinstance(taken, exp.Anonymous) and taken.name.lower() in _LENGTHS:
        return _most(length.this)
    return None


def _is_short(bounds: list[exp.Expr]) -> bool:
    """Whether the size of a list is bounded, by literal numbers or by a step of whole days or longer."""
    if len(bounds) == 3 and isinstance(step := bounds[2], exp.Interval):
        return step.text("unit").lower() in _LONG_STEPS and bool(_WHOLE.fullmatch(step.name))
    return all(map(_is_bound, bounds))


def _is_bound(node: exp.Expr) -> bool:
    if isinstance(node, exp.Literal):
        return node.is_int and int(node.name) <= MAX_REPEATED
    if isinstance(node, exp.Anonymous):
        return node.name.lower() in _MEASURES
    return isinstance(node, exp.Neg | exp.Paren | exp.Add | exp.Sub) and all(map(_is_bound, node.iter_expressions()))


def _schema_of(node: Call) -> str | None:
    """The qualifier before a function's name, or None."""
    parent = node.parent
    if isinstance(parent, exp.Dot) and node.arg_key == "expression":
        return ".".join(part.name for part in parent.this.find_all(exp.Identifier)) or parent.this.name
    if isinstance(parent, exp.Table) and node.arg_key == "this" and parent.args.get("db"):
        return parent.db
    return None


def _is_xml_method(node: Call, name: str) -> bool:
    """Whether a call is `column.value('/path', 'type')` or alike: XQuery that reads only the column itself, without
    `sql:column("other")`."""
    texts = all(
        isinstance(it, exp.Literal) and it.is_string and not _OUTSIDE.search(it.name) for it in node.expressions
    )
    return texts and _XML_METHODS.get(name) == len(node.expressions)


def _is_indent(arguments: list[exp.Expr]) -> bool:
    """Whether a call is `LPAD(' ', 2 * (LEVEL - 1))` or alike: a few blanks for each level of a hierarchy."""
    blank, parts = arguments[0], list(arguments[1].walk())
    numbers = [it for it in parts if isinstance(it, exp.Literal)]
    others = [it for it in parts if isinstance(it, exp.Column)]
    allowed = (exp.Literal, exp.Column, exp.Identifier, exp.Paren, exp.Mul, exp.Sub, exp.Add)
    few = len(numbers) <= 2 and all(it.is_int and int(it.name) <= 10 for it in numbers)
    levels = len(others) == 1 and not others[0].table and others[0].name.upper() == "LEVEL"
    written = isinstance(blank, exp.Literal) and blank.is_string
    return written and few and levels and all(isinstance(it, allowed) for it in parts)


def _too_long(node: Call) -> SqlRefused:
    message = f"{node.name} needs a written length of at most {MAX_BUILT_CHARS}."
    return SqlRefused(ErrorKind.PERMISSION, message, "Write the length as a number, or leave the function out.")
