"""SAP HANA."""

from __future__ import annotations

from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from executors.sql.bounded import Hana
from executors.sql.plain.clauses import CLAUSES, REGEXPR
from executors.sql.plain.faithful import (
    FaithfulGenerator,
    FaithfulParser,
    TypedLiteralGenerator,
    TypedLiteralParser,
    as_written,
)


def _word(name: str) -> Any:
    return lambda _: exp.var(name)


class PlainHana(Hana):
    """SAP HANA, kept as written. Optimizer hints are removed: WITH HINT (...), and MANY TO ONE before JOIN."""

    to_json_path = as_written

    def tokenize(self, sql: str, dialect: Any = None) -> list[Token]:
        return _without_hint(_without_cardinality(super().tokenize(sql, dialect)))

    class Parser(TypedLiteralParser, FaithfulParser, Hana.Parser):
        FUNCTION_PARSERS = {**Hana.Parser.FUNCTION_PARSERS, **CLAUSES, **REGEXPR}

        NO_PAREN_FUNCTION_PARSERS = {
            **Hana.Parser.NO_PAREN_FUNCTION_PARSERS,
            **{name: _word(name) for name in ("CURRENT_UTCDATE", "CURRENT_UTCTIME", "CURRENT_UTCTIMESTAMP")},
        }

        def _parse_range(self, this: exp.Expr | None = None, parse_is: bool = False) -> exp.Expr | None:
            found: exp.Expr | None = super()._parse_range(this, parse_is)
            like = found.this if isinstance(found, exp.Not) else found
            if isinstance(like, exp.RegexpLike) and self._match_text_seq("FLAG"):
                like.set("flag", self._parse_string())
            return found

    class Generator(TypedLiteralGenerator, FaithfulGenerator, Hana.Generator):
        def regexplike_sql(self, expression: exp.RegexpLike) -> str:
            flag = self.sql(expression, "flag")
            return self.binary(expression, "LIKE_REGEXPR") + (f" FLAG {flag}" if flag else "")


def _words(tokens: list[Token]) -> list[str]:
    return ["" if it.token_type in (TokenType.STRING, TokenType.IDENTIFIER) else it.text.upper() for it in tokens]


def _without_cardinality(tokens: list[Token]) -> list[Token]:
    """Remove the cardinality from `LEFT OUTER MANY TO EXACT ONE JOIN`."""
    found: list[Token] = []
    for token in tokens:
        if token.token_type is TokenType.JOIN:
            words = _words(found[-5:])
            if (count := next((n for n in (5, 4, 3) if _is_cardinality(words[-n:])), 0)) and len(found) > count:
                del found[-count:]
        found.append(token)
    return found


def _is_cardinality(words: list[str]) -> bool:
    sides = " ".join(words).split(" TO ")
    return len(sides) == 2 and all(side in ("MANY", "ONE", "EXACT ONE") for side in sides)


def _without_hint(tokens: list[Token]) -> list[Token]:
    """Remove WITH HINT (...) from the end of a query. A CTE named `hint` differs, because AS follows its name."""
    end = len(tokens) - (bool(tokens) and tokens[-1].token_type is TokenType.SEMICOLON)
    words, depth = _words(tokens), 0
    for at in range(end - 1, 1, -1):
        depth += {")": 1, "(": -1}.get(words[at], 0)
        if depth <= 0:
            return tokens[: at - 2] + tokens[end:] if words[at - 2 : at + 1] == ["WITH", "HINT", "("] else tokens
    return tokens


PLAIN = PlainHana()
