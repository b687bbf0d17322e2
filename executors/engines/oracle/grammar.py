"""Oracle."""

from __future__ import annotations

from typing import Any

from sqlglot import exp
from sqlglot.dialects.oracle import Oracle
from sqlglot.generators.oracle import OracleGenerator
from sqlglot.parsers.oracle import OracleParser
from sqlglot.tokenizer_core import Token, TokenType

from executors.sql.plain.clauses import CLAUSES, LISTAGG, XML, conversions
from executors.sql.plain.faithful import (
    FaithfulGenerator,
    FaithfulParser,
    TypedLiteralGenerator,
    TypedLiteralParser,
    as_written,
    signs_joined,
)


class PlainOracle(Oracle):
    """Oracle, kept as written.

    A hint controls how rows are read, not which, so it is treated as a comment. LIMIT and TOP are generated as FETCH
    FIRST, EXCEPT as MINUS (which older servers require), and WITH without RECURSIVE.
    """

    to_json_path = as_written

    def tokenize(self, sql: str, dialect: Any = None) -> list[Token]:
        return signs_joined(super().tokenize(sql, dialect))

    class Tokenizer(Oracle.Tokenizer):
        VAR_SINGLE_TOKENS = {"$", "#"}  # without @, which refers to another database
        KEYWORDS = {word: kind for word, kind in Oracle.Tokenizer.KEYWORDS.items() if kind is not TokenType.HINT}

    class Parser(TypedLiteralParser, FaithfulParser, OracleParser):
        FUNCTION_PARSERS = {
            **{name: OracleParser.FUNCTION_PARSERS[name] for name in ("CAST", "EXTRACT", "TRIM")},
            **CLAUSES,
            **LISTAGG,
            **XML,
            **conversions("VALIDATE_CONVERSION", "TO_NUMBER", "TO_DATE", "TO_TIMESTAMP", "TO_TIMESTAMP_TZ"),
            **conversions("TO_BINARY_DOUBLE", "TO_BINARY_FLOAT", "TO_DSINTERVAL", "TO_YMINTERVAL"),
        }

    class Generator(TypedLiteralGenerator, FaithfulGenerator, OracleGenerator):
        CTE_RECURSIVE_KEYWORD_REQUIRED = False

        def set_operation(self, expression: exp.SetOperation) -> str:
            return str(super().set_operation(expression)).replace("EXCEPT", "MINUS")

        def lateral_sql(self, expression: exp.Lateral) -> str:
            word = {True: "CROSS APPLY", False: "OUTER APPLY", None: "LATERAL"}[expression.args.get("cross_apply")]
            return f"{word} {self.sql(expression, 'this')} {self.sql(expression, 'alias')}".rstrip()


PLAIN = PlainOracle()
