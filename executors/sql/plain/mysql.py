"""MySQL and MariaDB."""

from __future__ import annotations

from typing import Any

from sqlglot import exp
from sqlglot.dialects.mysql import MySQL
from sqlglot.errors import ParseError
from sqlglot.generators.mysql import MySQLGenerator
from sqlglot.parsers.mysql import MySQLParser
from sqlglot.tokenizer_core import Token, TokenType

from executors.sql.plain.faithful import KEYWORD_ARGUMENTS, WRITTEN, FaithfulGenerator, FaithfulParser, as_written

_EXECUTABLE = ("!", "M!")  # /*! ... */ and /*M! ... */: comments that the server runs


class PlainMySQL(MySQL):
    """MySQL as it is written, except where it means what nobody means: `||` is refused, for it says OR there."""

    to_json_path = as_written

    def tokenize(self, sql: str, dialect: Any = None) -> list[Token]:
        tokens: list[Token] = super().tokenize(sql, dialect)
        for token in tokens:
            for comment in token.comments:
                if comment.startswith(_EXECUTABLE):
                    raise ParseError.new(
                        "A comment that is run", start_context=f"/*{comment[:40].rstrip()}", highlight=""
                    )
        return tokens

    class Parser(FaithfulParser, MySQLParser):
        FUNCTION_PARSERS = {
            name: MySQLParser.FUNCTION_PARSERS[name] for name in (*KEYWORD_ARGUMENTS, "CONVERT", "MATCH")
        }
        NO_PAREN_FUNCTION_PARSERS = {
            name: parser for name, parser in MySQLParser.NO_PAREN_FUNCTION_PARSERS.items() if name != "IF"
        }
        LAMBDAS = {}
        PRIMARY_PARSERS = {
            **MySQLParser.PRIMARY_PARSERS,
            TokenType.STRING: lambda self, token: self.text(token),
        }
        DISJUNCTION = {kind: node for kind, node in MySQLParser.DISJUNCTION.items() if kind is not TokenType.DPIPE}
        JOINS_HAVE_EQUAL_PRECEDENCE = False

        def text(self, token: Token) -> exp.Expr:
            """A text, which remembers whether it was written as other dialects write names."""
            literal = exp.Literal.string(token.text)
            literal.meta["double"] = self.sql[token.start : token.start + 1] == '"'
            return self.expression(literal, token)

        def _parse_lambda(self, alias: bool = False) -> exp.Expr | None:
            """An argument; `x SEPARATOR ', '`, as GROUP_CONCAT has it, is kept as the pair that it is."""
            found = super()._parse_lambda(alias=alias)
            if found is not None and self._match(TokenType.SEPARATOR):
                return self.expression(exp.Kwarg(this=found, expression=self._parse_string()))
            return found

    class Generator(FaithfulGenerator, MySQLGenerator):
        # What MySQL cannot say is refused: a model mends it better than a rewrite.
        TRANSFORMS = {
            kind: how
            for kind, how in MySQLGenerator.TRANSFORMS.items()
            if kind not in {exp.Select, exp.RegexpLike, exp.JSONExtractScalar}
        }

        def join_sql(self, expression: exp.Join, join_op: str | None = None) -> str:
            if expression.side == "FULL":
                self.unsupported("There is no FULL JOIN; FULL would be taken for an alias")
            return str(super().join_sql(expression, join_op))

        def qualify_sql(self, expression: exp.Qualify) -> str:
            self.unsupported("There is no QUALIFY; filter in a query around this one")
            return str(super().qualify_sql(expression))

        def kwarg_sql(self, expression: exp.Kwarg) -> str:
            return f"{self.sql(expression, 'this')} SEPARATOR {self.sql(expression, 'expression')}"

        def cast_sql(self, expression: exp.Cast, safe_prefix: str | None = None) -> str:
            if WRITTEN in expression.to.meta:
                return f"CAST({self.sql(expression, 'this')} AS {self.sql(expression, 'to')})"
            return str(super().cast_sql(expression, safe_prefix))

        def regexplike_sql(self, expression: exp.RegexpLike) -> str:
            return self.binary(expression, "REGEXP")

        def jsonextractscalar_sql(self, expression: exp.JSONExtractScalar) -> str:
            path = exp.Anonymous(this="JSON_EXTRACT", expressions=[expression.this, expression.expression])
            return self.func("JSON_UNQUOTE", path)  # what ->> is short for, and MariaDB has no ->>


PLAIN = PlainMySQL()
