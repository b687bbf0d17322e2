"""ClickHouse."""

from __future__ import annotations

from typing import Any

from sqlglot import exp
from sqlglot.dialects.clickhouse import ClickHouse
from sqlglot.generators.clickhouse import ClickHouseGenerator
from sqlglot.parser import Parser
from sqlglot.parsers.clickhouse import ClickHouseParser
from sqlglot.tokenizer_core import Token, TokenType

from executors.sql.plain.faithful import FaithfulGenerator, FaithfulParser, as_written


class PlainClickHouse(ClickHouse):
    """ClickHouse, kept as written, except UNION, which has its standard meaning. A bare UNION is UNION DISTINCT, and a
    final ORDER BY or LIMIT applies to the whole. Both are made explicit.
    """

    to_json_path = as_written
    SET_OP_DISTINCT_BY_DEFAULT = {exp.Except: False, exp.Intersect: False, exp.Union: True}

    class Parser(FaithfulParser, ClickHouseParser):
        FUNCTION_PARSERS = {
            name: ClickHouseParser.FUNCTION_PARSERS[name]
            for name in ("CAST", "EXTRACT", "POSITION", "TRIM", "SUBSTRING")
        }
        NO_PAREN_FUNCTION_PARSERS = {
            name: parser for name, parser in ClickHouseParser.NO_PAREN_FUNCTION_PARSERS.items() if name != "IF"
        }
        LAMBDAS = ClickHouseParser.LAMBDAS
        SET_OP_MODIFIERS = Parser.SET_OP_MODIFIERS

        _array_join = False

        def _parse_join(self, *args: Any, **options: Any) -> exp.Join | None:
            """Parse `ARRAY JOIN t.*` as all columns of t. sqlglot would read a table's name and make it a column."""
            try:
                join = super()._parse_join(*args, **options)
            finally:
                self._array_join = False
            for column in [] if join is None or join.kind != "ARRAY" else list(join.find_all(exp.Column)):
                if column.this.meta.pop("star", False):
                    column.set("this", exp.Star())
            return join

        def _parse_table_part(self, schema: bool = False) -> exp.Expr | None:
            if self._array_join and self._prev.token_type is TokenType.DOT and self._match(TokenType.STAR):
                star = exp.to_identifier("*", quoted=True)
                star.meta["star"] = True
                return star
            return super()._parse_table_part(schema)

        def _parse_join_parts(self) -> tuple[Token | None, Token | None, Token | None]:
            """Skip ALL, which is the default, and OUTER, which has no effect: LEFT SEMI OUTER, FULL ALL OUTER JOIN."""
            self._match(TokenType.ALL)
            method, side, kind = super()._parse_join_parts()
            if (side or kind) and (self._match(TokenType.ALL) or kind is not None):
                self._match(TokenType.OUTER)
            method, side, kind = (
                None if it is not None and it.token_type is TokenType.ALL else it for it in (method, side, kind)
            )
            if side is not None and kind is not None and kind.token_type is TokenType.INNER:
                side, kind = kind, side  # INNER ANY JOIN is parsed and generated in one order only
            self._array_join = kind is not None and kind.token_type is TokenType.ARRAY
            return method, side, kind

        def _keep_type(self, cast: exp.Expression) -> None:
            """Keep nothing. Types are case-sensitive here, and sqlglot keeps their names itself."""

        def _parse_function(self, *args: Any, **options: Any) -> exp.Expr | None:
            """Parse a call by its name. With parameters, `quantile(0.9)(x)`, the second parentheses have arguments."""
            found = Parser._parse_function(self, *args, **options)
            if not isinstance(found, exp.Anonymous) or not self._match(TokenType.L_PAREN):
                return found
            arguments = self._parse_csv(self._parse_lambda)
            self._match_r_paren(found)
            call = exp.ParameterizedAgg(this=found.this, expressions=found.expressions, params=arguments)
            return self._parse_window(self.expression(call))

        def _parse_interpolate(self) -> list[exp.Expr] | None:
            """Parse INTERPOLATE. Without parentheses it means all columns, as with empty ones."""
            if not self._match_text_seq("INTERPOLATE"):
                return None
            listed = self._match(TokenType.L_PAREN, advance=False)
            found = self._parse_wrapped_csv(self._parse_name_as_expression) if listed else []
            return found or [exp.Var(this="")]

        def _parse_limit(self, *args: Any, **options: Any) -> exp.Expr | None:
            found = super()._parse_limit(*args, **options)
            if isinstance(found, exp.Limit) and found.expressions and self._match(TokenType.LIMIT, advance=False):
                found.meta["top"] = True  # sqlglot's mark of a limit that another may follow
            return found

        def _parse_query_modifiers(self, this: Any) -> Any:
            """Parse `LIMIT 2 BY a LIMIT 10` as a query with the first limit inside a query with the second."""
            this = super()._parse_query_modifiers(this)
            limit = this.args.get("limit") if isinstance(this, exp.Query) else None
            if limit is None or not limit.meta.pop("top", False):
                return this
            inner = exp.Subquery(this=this, alias=exp.TableAlias(this=exp.to_identifier("limited")))
            return super()._parse_query_modifiers(exp.select("*").from_(inner))

    class Generator(FaithfulGenerator, ClickHouseGenerator):
        def set_operation(self, expression: exp.SetOperation) -> str:
            written = super().set_operation(expression)
            return "UNION DISTINCT" if written == "UNION" else str(written)


PLAIN = PlainClickHouse()
