"""Parses and generates SQL in time that is linear in its length, for every use of sqlglot in this process.

sqlglot parses some forms by trial: `DATE(...)` as a type and then as a call, `ARRAY[...]`, `STRUCT(...)`, `a -> b`. It
generates others twice: DuckDB's `length(x)` becomes a CASE with two more copies of `x`. Each level of nesting doubles
the work. So parsers and generators count their steps, and refuse a text that takes more than its size allows. The
count is the same on every machine. Importing this module adds the count to the parsers and generators of all dialects,
and adds to sqlglot the one dialect that it lacks, SAP HANA.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from sqlglot import exp, generator, parser, tokens
from sqlglot.dialects.dialect import Dialect, NormalizationStrategy
from sqlglot.errors import ErrorLevel, ParseError, TokenError, UnsupportedError
from sqlglot.generator import Generator
from sqlglot.parser import IsPredicatePrecedence, Parser
from sqlglot.tokenizer_core import Token, TokenType

MAX_CHARS = 100_000  # of any text; the guard allows fewer
MAX_TOKENS = 4_000
MAX_NESTING = 60

# Plain SQL takes one to two steps per token. These limits allow forms parsed by trial to be nested six or seven deep.
_STEPS, _STEPS_PER_TOKEN = 1_000, 4
# Plain trees take one to two steps per node. Parts that a dialect generates twice take that many per level of nesting.
_WRITING_STEPS, _STEPS_PER_NODE = 2_000, 8
_MAX_WRITTEN = 500_000  # characters

_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})

# Exceptions that sqlglot raises for text that is not SQL, besides its own errors.
STUMBLES = (ValueError, TypeError, AttributeError, LookupError, re.error)


class TooMuchToRead(ParseError):
    """A text is too long, or nested too deeply, to be parsed."""


class TooMuchToWrite(UnsupportedError):
    """A tree takes more steps to generate than its size allows."""


class _Spent(Exception):
    """The allowed steps are used up."""


def tokens_of(sql: str, dialect: Dialect) -> list[Token]:
    """The tokens of a text. Raises TooMuchToRead: it is too long; TokenError: a string or comment does not end."""
    if len(sql) > MAX_CHARS:
        raise TooMuchToRead(f"It has {len(sql)} characters, and {MAX_CHARS} are read.")
    return list(dialect.tokenize(sql))


def parse(sql: str, dialect: str) -> list[exp.Expr | None]:
    """The statements of a text, None for an empty one. Args: dialect: sqlglot's name of the dialect.

    Raises TooMuchToRead: it is too long, or nested too deeply; RecursionError: likewise; SqlglotError: it is not SQL.
    """
    grammar = Dialect.get_or_raise(dialect)
    return grammar.parser(error_level=ErrorLevel.IMMEDIATE).parse(tokens_of(sql, grammar), sql)


def _check_size(tokens: list[Token]) -> None:
    if len(tokens) > MAX_TOKENS:
        raise TooMuchToRead(f"It has {len(tokens)} words and signs, and {MAX_TOKENS} are read.")
    depth = 0
    for token in tokens:
        depth += token.token_type in _OPENING
        depth -= token.token_type in _CLOSING
        if depth > MAX_NESTING:
            raise TooMuchToRead(f"It is nested more than {MAX_NESTING} deep.")


@cache
def _build_parser(kind: type[Parser]) -> type[Parser]:
    """A parser class that counts how often the parser moves to another token, forward or back."""

    class Bounded(kind):  # type: ignore[misc, valid-type]
        _left = _STEPS

        def parse(self, raw_tokens: list[Token], sql: str) -> Any:
            _check_size(raw_tokens)
            self._left = _STEPS + _STEPS_PER_TOKEN * len(raw_tokens)
            try:
                return super().parse(raw_tokens, sql)
            except _Spent as error:
                raise TooMuchToRead("It nests too deeply what can be read in several ways.") from error
            except STUMBLES as error:
                raise ParseError(f"Not SQL: {error}") from error

        def _advance(self, times: int = 1) -> None:
            self._left -= 1
            if self._left < 0:
                raise _Spent
            super()._advance(times)

    return Bounded


@cache
def _build_generator(kind: type[Generator]) -> type[Generator]:
    """A generator class that counts the nodes it generates, repeated ones each time, and the characters."""

    class Bounded(kind):  # type: ignore[misc, valid-type]
        _left = _WRITING_STEPS

        def generate(self, expression: exp.Expr, copy: bool = True) -> str:
            self._left = _WRITING_STEPS + _STEPS_PER_NODE * sum(1 for _ in expression.walk())
            try:
                return str(super().generate(expression, copy=copy))
            except _Spent as error:
                raise TooMuchToWrite("it nests too deeply what takes several words to write") from error
            except (*STUMBLES, TokenError) as error:  # it parses types again, at the end of the stack perhaps
                raise UnsupportedError(f"It has no written form: {error}") from error

        def sql(self, *arguments: Any, **options: Any) -> str:
            self._left -= 1
            if self._left < 0:
                raise _Spent
            text: str = super().sql(*arguments, **options)
            if len(text) > _MAX_WRITTEN:
                raise _Spent
            return text

    return Bounded


def _parser(dialect: Dialect, **options: Any) -> Parser:
    return _build_parser(dialect.parser_class)(dialect=dialect, **options)


def _generator(dialect: Dialect, **options: Any) -> Generator:
    return _build_generator(dialect.generator_class)(dialect=dialect, **options)


# sqlglot always uses these two methods, in `parse_one` and `tree.sql()` too.
Dialect.parser = _parser  # type: ignore[method-assign, assignment]
Dialect.generator = _generator  # type: ignore[method-assign, assignment]


def _is_aggregate(build: object) -> bool:
    kind = getattr(build, "__self__", None)
    return isinstance(kind, type) and issubclass(kind, exp.AggFunc)


class Hana(Dialect):
    """Names without quotes are upper case, TOP and LIMIT both limit rows, MINUS is EXCEPT, `||` concatenates text.

    Functions keep their names, because sqlglot does not know most of them. Aggregates are recognized as such.
    """

    NORMALIZATION_STRATEGY = NormalizationStrategy.UPPERCASE
    NULL_ORDERING = "nulls_are_small"

    class Tokenizer(tokens.Tokenizer):
        VAR_SINGLE_TOKENS = {"$", "#"}
        NESTED_COMMENTS = False
        KEYWORDS = {
            **{word: kind for word, kind in tokens.Tokenizer.KEYWORDS.items() if kind is not TokenType.HINT},
            "MINUS": TokenType.EXCEPT,
            "NVARCHAR": TokenType.NVARCHAR,
            "TOP": TokenType.TOP,
            "LIKE_REGEXPR": TokenType.RLIKE,
        }

    class Parser(parser.Parser):
        IS_PREDICATE_PRECEDENCE = IsPredicatePrecedence.LOW
        FUNCTIONS = {
            name: build for name, build in parser.Parser.FUNCTIONS.items() if name == "COUNT" or _is_aggregate(build)
        }
        FUNCTION_PARSERS = {name: parser.Parser.FUNCTION_PARSERS[name] for name in ("CAST", "EXTRACT", "TRIM")}

    class Generator(generator.Generator):
        LIMIT_FETCH = "LIMIT"
        JOIN_HINTS = False
        TABLE_HINTS = False
        QUERY_HINTS = False
        TYPE_MAPPING = {
            **generator.Generator.TYPE_MAPPING,
            exp.DType.TEXT: "NCLOB",
            exp.DType.DATETIME: "TIMESTAMP",
            exp.DType.NVARCHAR: "NVARCHAR",
            exp.DType.NCHAR: "NCHAR",
        }

        def regexplike_sql(self, expression: exp.RegexpLike) -> str:
            return self.binary(expression, "LIKE_REGEXPR")

        def currenttimestamp_sql(self, expression: exp.CurrentTimestamp) -> str:  # noqa: ARG002
            return "CURRENT_TIMESTAMP"

        def currenttime_sql(self, expression: exp.CurrentTime) -> str:  # noqa: ARG002
            return "CURRENT_TIME"
