"""`guard`: checks SQL with the guard, before any database sees it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agent.cli.console import open_service, read_settings
from agent.cli.paths import resolve
from executors.base import Frozen, Schema
from executors.errors import ErrorKind, SqlRefused

if TYPE_CHECKING:
    from executors.dialects.row import Dialect

ROW_LIMIT = 500


class GuardVerdict(Frozen):
    """The verdict on one statement. sql: the query that would run, rewritten and capped; None if it is refused."""

    allowed: bool
    reason: str | None = None
    kind: ErrorKind | None = None
    hint: str | None = None
    sql: str | None = None
    dialect: str


class GuardRunner:
    """Returns the guard's verdicts. `open_parameters` allows a query that only reads a parameter."""

    def __init__(
        self,
        schema: Schema | None = None,
        *,
        check_names: bool = True,
        functions: frozenset[str] = frozenset(),
        catalogue: frozenset[str] = frozenset(),
        open_parameters: bool = True,
    ) -> None:
        self._schema, self._check_names = schema, check_names
        self._functions, self._catalogue = functions, catalogue
        self._open_parameters = open_parameters

    def verdict(self, sql: str, dialect: str | None) -> GuardVerdict:
        """The verdict on one statement. Args: dialect: a name or alias; None: the schema's dialect."""
        from executors.guard.guard import check

        called = dialect or (self._schema.dialect if self._schema else "")
        try:
            schema = self._schema_in(dialect)
            checked = check(
                sql,
                schema,
                row_limit=ROW_LIMIT,
                check_names=self._check_names,
                open_parameters=self._open_parameters,
                functions=self._functions,
                catalogue=self._catalogue,
            )
        except SqlRefused as no:
            return _build_refusal(no, called)
        return GuardVerdict(allowed=True, sql=checked.sql, dialect=schema.dialect)

    def _schema_in(self, dialect: str | None) -> Schema:
        if self._schema is None:
            return Schema(database="", dialect=_dialect(dialect).name, tables=())
        if dialect is not None and (row := _dialect(dialect)).name != self._schema.dialect:
            message = f"{self._schema.database} speaks {self._schema.dialect}, not {row.name}."
            raise SqlRefused(ErrorKind.SYNTAX_ERROR, message, "Leave the dialect out.")
        return self._schema


def guard(
    dialect: Annotated[
        str | None, typer.Option("--dialect", help="Dialect of the SQL; a JSON line may name its own.")
    ] = None,
    database: Annotated[
        str | None,
        typer.Option("--database", "-d", help="Check names against this database: a name of the registry, or a path."),
    ] = None,
    no_schema: Annotated[bool, typer.Option("--no-schema", help="Leave tables and columns unchecked.")] = False,
    values: Annotated[
        bool, typer.Option("--values", help="Refuse a parameter without a value, as the service does.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with code 1 if a statement was refused.")] = False,
) -> None:
    """Check SQL from standard input, or JSON lines with `sql` and `dialect`; print a verdict for each statement.

    Without a database, every table is unknown. --no-schema leaves tables and columns unchecked.
    """
    if database is None:
        read_settings()  # also loads the extensions, which may add a dialect
        judge = GuardRunner(check_names=not no_schema, open_parameters=not values)
    else:
        with open_service() as (service, _):
            name = resolve(service, database, None)
            entry = service.router.entry(name)
            schema = service.router.get(name).schema()
        judge = GuardRunner(
            schema,
            check_names=not no_schema,
            functions=frozenset(it.lower() for it in entry.functions),
            catalogue=frozenset(it.lower() for it in entry.catalogue),
            open_parameters=not values,
        )
        dialect = dialect or schema.dialect
    all_allowed = True
    for verdict in verdicts(typer.get_text_stream("stdin", encoding="utf-8", errors="replace"), dialect, judge):
        all_allowed &= verdict.allowed
        sys.stdout.write(verdict.model_dump_json() + "\n")
        sys.stdout.flush()
    raise typer.Exit(1 if strict and not all_allowed else 0)


def verdicts(lines: Iterable[str], dialect: str | None, judge: GuardRunner) -> Iterator[GuardVerdict]:
    """A verdict for every statement, in order. `dialect` applies to lines without one.

    If the first line begins with `{`, JSON lines are read one by one; otherwise the text is SQL with semicolons.
    """
    rest = iter(lines)
    first = next((line for line in rest if line.strip()), "").removeprefix("\ufeff")
    every = chain([first], rest)
    if first.lstrip().startswith("{"):
        yield from (_of_line(line, dialect, judge) for line in every if line.strip())
        return
    for sql in _statements("".join(every), dialect):
        yield judge.verdict(sql, dialect)


def _of_line(line: str, dialect: str | None, judge: GuardRunner) -> GuardVerdict:
    try:
        parsed: Any = json.loads(line)
    except ValueError:
        parsed = None
    fields = parsed if isinstance(parsed, dict) else {}
    sql, own = fields.get("sql"), fields.get("dialect", dialect)
    if not isinstance(sql, str) or not isinstance(own, str | None):
        message = "This line is not a JSON object with a string `sql` and, optionally, a string `dialect`."
        return _build_refusal(SqlRefused(ErrorKind.SYNTAX_ERROR, message, "Write one object a line."), dialect or "")
    return judge.verdict(sql, own)


def _statements(text: str, dialect: str | None) -> list[str]:
    """The statements of a text; the whole text if it cannot be split, or holds no statement."""
    from sqlglot.errors import ParseError, TokenError
    from sqlglot.tokenizer_core import TokenType

    from executors.dialects.table import dialect_named
    from executors.sql import grammar

    row = dialect_named(dialect or "")
    if row is None:
        return [text]
    try:
        tokens = grammar.tokenize(text, row.sqlglot)
    except (TokenError, ParseError):
        return [text]
    found: list[str] = []
    start: int | None = None
    for token in tokens:
        if token.token_type is not TokenType.SEMICOLON:
            start = token.start if start is None else start
        elif start is not None:
            found.append(text[start : token.start])
            start = None
    return [*found, *([text[start:]] if start is not None else [])] or [text]


def _dialect(called: str | None) -> Dialect:
    """The dialect with that name. Raises SqlRefused for an unknown name."""
    from executors.dialects.table import ALIASES, DIALECTS, dialect_named

    row = dialect_named(called or "")
    if row is None:
        message = f"There is no dialect {called[:40]!r} here." if called else "No dialect was named."
        known = f"Known: {', '.join(DIALECTS)}; also {', '.join(ALIASES)}."
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, message, known)
    return row


def _build_refusal(no: SqlRefused, dialect: str) -> GuardVerdict:
    from executors.dialects.table import dialect_named

    row = dialect_named(dialect)
    name = row.name if row else dialect
    return GuardVerdict(allowed=False, reason=no.message, kind=no.kind, hint=no.hint or None, dialect=name)
