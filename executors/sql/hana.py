"""SAP HANA for sqlglot, which lacks this dialect: how it differs from common SQL.

Importing this module makes `hana` a name that sqlglot knows; the guard does, before anything else reads a query.
"""

from __future__ import annotations

from sqlglot import exp, generator, parser, tokens
from sqlglot.dialects.dialect import Dialect, NormalizationStrategy
from sqlglot.parser import IsPredicatePrecedence
from sqlglot.tokenizer_core import TokenType


def _is_aggregate(build: object) -> bool:
    kind = getattr(build, "__self__", None)
    return isinstance(kind, type) and issubclass(kind, exp.AggFunc)


class Hana(Dialect):
    """Names without quotes are upper case, TOP and LIMIT both cap rows, MINUS is EXCEPT, text joins with `||`.

    Functions keep their names, since sqlglot has no words for most of them; aggregates are known as such.
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
