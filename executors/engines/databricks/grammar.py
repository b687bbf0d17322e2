"""Databricks, which uses Spark SQL."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from sqlglot import exp
from sqlglot.dialects.databricks import Databricks
from sqlglot.generator import Generator as BaseGenerator
from sqlglot.generators.databricks import DatabricksGenerator
from sqlglot.parsers.databricks import DatabricksParser
from sqlglot.tokenizer_core import Token, TokenType

from executors.sql.plain.faithful import (
    KEYWORD_ARGUMENTS,
    FaithfulGenerator,
    FaithfulParser,
    as_written,
    tables_selected,
)


class PlainDatabricks(Databricks):
    """Databricks, kept as written.

    A hint controls how rows are read, not which, so it is treated as a comment. `'it''s'` contains an apostrophe, as
    in other dialects; Spark itself would read two adjacent strings. RECURSIVE, which newer versions support, is kept.
    """

    to_json_path = as_written

    def tokenize(self, sql: str, dialect: Any = None) -> list[Token]:
        return _windows_named(tables_selected(super().tokenize(sql, dialect)))

    class Tokenizer(Databricks.Tokenizer):
        HEX_STRINGS = [("X'", "'"), ("x'", "'"), ('X"', '"'), ('x"', '"')]
        STRING_ESCAPES = ["\\", "'"]
        KEYWORDS = {word: kind for word, kind in Databricks.Tokenizer.KEYWORDS.items() if kind is not TokenType.HINT}

    class Parser(FaithfulParser, DatabricksParser):
        FUNCTION_PARSERS = {name: DatabricksParser.FUNCTION_PARSERS[name] for name in KEYWORD_ARGUMENTS}
        LAMBDAS = DatabricksParser.LAMBDAS
        NO_PAREN_FUNCTION_PARSERS = {
            name: read
            for name, read in DatabricksParser.NO_PAREN_FUNCTION_PARSERS.items()
            if name not in ("TRANSFORM", "CURDATE")
        }

    class Generator(FaithfulGenerator, DatabricksGenerator):
        TRANSFORMS = {
            kind: write
            for kind, write in DatabricksGenerator.TRANSFORMS.items()
            if kind not in (exp.Select, exp.With, exp.Table, exp.Unnest)
        }

        with_sql = BaseGenerator.with_sql


def _windows_named(tokens: list[Token]) -> list[Token]:
    """Read `window` as a name in `window(...)` and in `window.start`, a field of the column that `window(...)` adds. It
    does not begin a WINDOW clause there."""
    found: list[Token] = []
    for token, following in zip_longest(tokens, tokens[1:]):
        named = following is not None and following.token_type in (TokenType.DOT, TokenType.L_PAREN)
        if named and token.token_type is TokenType.WINDOW:
            at = Token(TokenType.VAR, token.text, line=token.line, col=token.col, start=token.start, end=token.end)
            found.append(at)
        else:
            found.append(token)
    return found


PLAIN = PlainDatabricks()
