"""DuckDB."""

from __future__ import annotations

from typing import Any

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.generator import Generator
from sqlglot.generators.duckdb import DuckDBGenerator
from sqlglot.parsers.duckdb import DuckDBParser
from sqlglot.tokenizer_core import Token, TokenType

from executors.sql.plain.clauses import Phrase
from executors.sql.plain.faithful import (
    KEYWORD_ARGUMENTS,
    FaithfulGenerator,
    FaithfulParser,
    as_written,
    tables_selected,
    wrap_shortened,
)

_ALIASES = DuckDBParser.ALIAS_TOKENS | {TokenType.VAR, TokenType.IDENTIFIER, TokenType.STRING}


class PlainDuckDB(DuckDB):
    """DuckDB, kept as written."""

    to_json_path = as_written

    def tokenize(self, sql: str, dialect: Any = None) -> list[Token]:
        return wrap_shortened(tables_selected(super().tokenize(sql, dialect)))

    class Parser(FaithfulParser, DuckDBParser):
        FUNCTION_PARSERS = {name: DuckDBParser.FUNCTION_PARSERS[name] for name in KEYWORD_ARGUMENTS}
        LAMBDAS = DuckDBParser.LAMBDAS

        def _parse_expression(self) -> exp.Expr | None:
            """Parse `foo: 1` as an alias, but not `SELECT :name` or `(:name)`, which hold a placeholder."""
            if self._curr is not None and self._curr.token_type in _ALIASES:
                return super()._parse_expression()
            return super(DuckDBParser, self)._parse_expression()

        def _parse_unary(self) -> exp.Expr | None:
            """Parse `5!` as a factorial, but not `a !~~ b`, which is NOT LIKE."""
            found = super()._parse_unary()
            follows = self._next.token_type if self._next else None
            while found and self._is_bang() and follows not in self.RANGE_PARSERS:
                self._advance()
                found = self.expression(Phrase(expressions=[found, exp.var("!")]))
                follows = self._next.token_type if self._next else None
            return found

        def _parse_star_ops(self) -> exp.Expr | None:
            """Parse `*COLUMNS(...)`, which expands to several arguments. Without the star, the call is repeated."""
            found = super()._parse_star_ops()
            unpacks = isinstance(found, exp.Anonymous)
            return self.expression(Phrase(expressions=[exp.var("*"), found])) if unpacks else found

        def _parse_select_query(self, *args: Any, **options: Any) -> exp.Expr | None:
            """Parse `SUMMARIZE t` as SUMMARIZE of a SELECT of all columns of t."""
            found = super()._parse_select_query(*args, **options)
            if isinstance(found, exp.Summarize) and isinstance(found.this, exp.Table):
                found.set("this", exp.select("*").from_(found.this.pop()))
                found.set("table", False)
            return found

        def _is_bang(self) -> bool:
            return self._curr is not None and self._curr.token_type is TokenType.NOT and self._curr.text == "!"

        def _parse_lambda(self, alias: bool = False) -> exp.Expr | None:
            """Parse `x -> x + 1` as a lambda, as models write it, and `x -> 'key'` without a later x as JSON access."""
            index = self._index
            found = super()._parse_lambda(alias=alias)
            if isinstance(found, exp.Lambda) and self._tokens[index].text.upper() != "LAMBDA":
                parameters = {parameter.name.lower() for parameter in found.expressions}
                if not any(name.name.lower() in parameters for name in found.this.find_all(exp.Identifier)):
                    self._retreat(index)
                    return self._parse_order(self._parse_select_or_expression(alias=alias))
            return found

    class Generator(FaithfulGenerator, DuckDBGenerator):
        def ignorenulls_sql(self, expression: exp.IgnoreNulls) -> str:
            call = self.sql(expression, "this")
            # sqlglot's parser adds the words to ANY_VALUE, which is no window function and does not take them.
            return call if isinstance(expression.this, exp.AnyValue) else f"{call} IGNORE NULLS"

        def withingroup_sql(self, expression: exp.WithinGroup) -> str:
            return Generator.withingroup_sql(self, expression)


PLAIN = PlainDuckDB()
