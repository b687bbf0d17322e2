"""SQL text to tree and back, changing nothing on the way.

sqlglot translates between dialects: it reads `strftime`, `date_trunc` or `isnull` as what they mean and writes what it
takes for the same. Here both sides are one dialect, so a function keeps the name and the arguments it was written with
(and the guard can hold that name against the engine's own documentation), and a cast keeps the type it was written with
(SQLite derives integer or real division from it).
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect as SqlglotDialect
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.dialects.postgres import Postgres
from sqlglot.dialects.sqlite import SQLite
from sqlglot.dialects.tsql import TSQL
from sqlglot.errors import ErrorLevel, ParseError, TokenError, UnsupportedError
from sqlglot.generator import Generator
from sqlglot.generators.duckdb import DuckDBGenerator
from sqlglot.generators.postgres import PostgresGenerator
from sqlglot.generators.sqlite import SQLiteGenerator
from sqlglot.generators.tsql import TSQLGenerator
from sqlglot.parser import Parser, build_json_extract, build_json_extract_scalar
from sqlglot.parsers.duckdb import DuckDBParser
from sqlglot.parsers.postgres import PostgresParser
from sqlglot.parsers.sqlite import SQLiteParser
from sqlglot.parsers.tsql import TSQLParser
from sqlglot.tokenizer_core import Token, TokenType

_WRITTEN = "written"
_PLAIN_TYPE = re.compile(r"[A-Z_][A-Z0-9_ ]*(\(\d+(,\d+)?\)[A-Z ]*)?(\[\d*\])*")

_QUOTED = (TokenType.STRING, TokenType.IDENTIFIER)

# Functions whose arguments are not a plain list, so that only a parser of their own can read them.
_KEYWORD_ARGUMENTS = ("CAST", "TRY_CAST", "EXTRACT", "POSITION", "OVERLAY", "TRIM", "SUBSTRING")


class _FaithfulParser:
    """Mixed into a dialect's parser: function calls keep their names, casts their types, and nothing is half parsed."""

    FUNCTIONS: ClassVar[dict[str, Any]] = {}
    LAMBDAS: ClassVar[dict[TokenType, Any]] = {
        TokenType.FARROW: Parser.LAMBDAS[TokenType.FARROW]
    }  # an arrow inside a call leads into JSON

    def _parse_as_command(self, start: Token) -> exp.Command:
        self.raise_error("Only queries are understood", start)  # type: ignore[attr-defined]
        return exp.Command(this=start.text)

    def _parse_command(self) -> exp.Command:
        return self._parse_as_command(self._prev)  # type: ignore[attr-defined]

    def _parse_cast(self, strict: bool, safe: bool | None = None) -> exp.Expression:
        cast: exp.Expression = super()._parse_cast(strict, safe)  # type: ignore[misc]
        self._keep_type(cast)
        return cast

    def _keep_type(self, cast: exp.Expression) -> None:
        """Remember the words between `AS` and where the parser stands now."""
        to = cast.args.get("to")
        if not isinstance(cast, exp.Cast) or not isinstance(to, exp.DataType) or cast.args.get("format"):
            return
        tokens: list[Token] = self._tokens  # type: ignore[attr-defined]
        end = start = self._index  # type: ignore[attr-defined]
        while start > 0 and tokens[start - 1].text.upper() != "AS":
            start -= 1
        words = tokens[start:end]
        written = re.sub(r" ?([(,)\[\]]) ?", r"\1", " ".join(word.text.upper() for word in words))
        if _PLAIN_TYPE.fullmatch(written) and all(word.token_type not in _QUOTED for word in words):
            to.meta[_WRITTEN] = written


class _FaithfulGenerator:
    """Mixed into a dialect's generator: a type that was written out is written the same, and so is DISTINCT."""

    MULTI_ARG_DISTINCT = True

    def datatype_sql(self, expression: exp.DataType) -> str:
        written = expression.meta.get(_WRITTEN)
        return str(written) if written else str(super().datatype_sql(expression))  # type: ignore[misc]


def _as_written(_: SqlglotDialect, path: exp.Expr | None) -> exp.Expr | None:
    """What stands right of `->` stays the key, the index or the path that it is."""
    return path


class PlainSQLite(SQLite):
    """SQLite as it is written."""

    to_json_path = _as_written

    class Parser(_FaithfulParser, SQLiteParser):
        FUNCTION_PARSERS = {name: SQLiteParser.FUNCTION_PARSERS[name] for name in ("CAST",)}
        # A comma stays a comma: CROSS JOIN would forbid SQLite to reorder the tables.
        JOINS_HAVE_EQUAL_PRECEDENCE = False

    class Generator(_FaithfulGenerator, SQLiteGenerator):
        def cast_sql(self, expression: exp.Cast, safe_prefix: str | None = None) -> str:
            if _WRITTEN in expression.to.meta:
                return f"CAST({self.sql(expression, 'this')} AS {self.sql(expression, 'to')})"
            return str(super().cast_sql(expression, safe_prefix))


class PlainDuckDB(DuckDB):
    """DuckDB as it is written."""

    to_json_path = _as_written

    class Parser(_FaithfulParser, DuckDBParser):
        FUNCTION_PARSERS = {name: DuckDBParser.FUNCTION_PARSERS[name] for name in _KEYWORD_ARGUMENTS}
        LAMBDAS = DuckDBParser.LAMBDAS

        def _parse_lambda(self, alias: bool = False) -> exp.Expr | None:
            """`x -> x + 1` is a function, as models learnt it; `x -> 'key'`, where no x comes back, leads into JSON."""
            index = self._index
            found = super()._parse_lambda(alias=alias)
            if isinstance(found, exp.Lambda) and self._tokens[index].text.upper() != "LAMBDA":
                parameters = {parameter.name.lower() for parameter in found.expressions}
                if not any(name.name.lower() in parameters for name in found.this.find_all(exp.Identifier)):
                    self._retreat(index)
                    return self._parse_order(self._parse_select_or_expression(alias=alias))
            return found

    class Generator(_FaithfulGenerator, DuckDBGenerator):
        def ignorenulls_sql(self, expression: exp.IgnoreNulls) -> str:
            return f"{self.sql(expression, 'this')} IGNORE NULLS"

        def withingroup_sql(self, expression: exp.WithinGroup) -> str:
            return Generator.withingroup_sql(self, expression)


class PlainPostgres(Postgres):
    """PostgreSQL as it is written."""

    to_json_path = _as_written

    class Parser(_FaithfulParser, PostgresParser):
        FUNCTION_PARSERS = {name: PostgresParser.FUNCTION_PARSERS[name] for name in _KEYWORD_ARGUMENTS}
        JSON_OPERATORS = {
            **PostgresParser.JSON_OPERATORS,
            TokenType.ARROW: build_json_extract,
            TokenType.DARROW: build_json_extract_scalar,
        }

    class Generator(_FaithfulGenerator, PostgresGenerator):
        pass


class PlainTSQL(TSQL):
    """T-SQL as it is written."""

    to_json_path = _as_written

    class Parser(_FaithfulParser, TSQLParser):
        FUNCTION_PARSERS = {
            name: TSQLParser.FUNCTION_PARSERS[name] for name in ("CAST", "TRY_CAST", "CONVERT", "TRY_CONVERT", "TRIM")
        }

    class Generator(_FaithfulGenerator, TSQLGenerator):
        pass


_DIALECTS: dict[str, SqlglotDialect] = {
    "sqlite": PlainSQLite(),
    "duckdb": PlainDuckDB(),
    "postgres": PlainPostgres(),
    "tsql": PlainTSQL(),
}


# What text that is no SQL makes the library trip over, besides its own errors.
_STUMBLES = (ValueError, TypeError, AttributeError, LookupError, re.error)


def tokenize(sql: str, dialect: str) -> list[Token]:
    """The words of `sql`. Args: dialect: sqlglot's name of it.

    Raises:
        sqlglot.errors.TokenError: a string or comment that never ends.
    """
    try:
        return list(_DIALECTS[dialect].tokenize(sql))
    except _STUMBLES as error:
        raise TokenError(f"Not SQL: {error}") from error


def parse(tokens: list[Token], sql: str, dialect: str) -> list[exp.Expr]:
    """The statements in `tokens`, whole or not at all.

    Raises:
        sqlglot.errors.ParseError: what is no query, or goes on after its end.
        RecursionError: nested too deeply.
    """
    parser = _DIALECTS[dialect].parser(error_level=ErrorLevel.RAISE)
    try:
        return [tree for tree in parser.parse(tokens, sql) if tree is not None]
    except _STUMBLES as error:
        raise ParseError(f"Not SQL: {error}") from error


def write(tree: exp.Expr, dialect: str) -> str:
    """One line of SQL for `tree`, without comments.

    Raises:
        sqlglot.errors.UnsupportedError: the dialect has no words for it.
        RecursionError: nested too deeply.
    """
    generator = _DIALECTS[dialect].generator(comments=False, unsupported_level=ErrorLevel.RAISE)
    try:
        return str(generator.generate(tree))
    except _STUMBLES as error:
        raise UnsupportedError(f"It has no written form: {error}") from error
