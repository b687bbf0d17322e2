"""The shared parser and generator of all plain dialects. Names, types and arguments stay as written."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect as SqlglotDialect
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token, TokenType

from executors.sql.plain.clauses import ClauseParser, Phrase

_WORD = "literal"  # key of the type's word in the cast's `meta`


def _keep_word(word: str) -> Any:
    def read(parser: Any, this: exp.Expr, data_type: exp.DataType) -> exp.Expr:
        cast: exp.Expr = parser.expression(exp.Cast(this=this, to=data_type))
        cast.meta[_WORD] = word
        return cast

    return read


class TypedLiteralParser:
    """A mixin for a dialect's parser that keeps the word of a typed literal: DATE '2024-01-01'."""

    TYPE_LITERAL_PARSERS: ClassVar[dict[exp.DType, Any]] = {
        exp.DType.DATE: _keep_word("DATE"),
        exp.DType.TIME: _keep_word("TIME"),
        exp.DType.TIMESTAMP: _keep_word("TIMESTAMP"),
        exp.DType.TIMESTAMPTZ: _keep_word("TIMESTAMP"),
    }


class TypedLiteralGenerator:
    """A mixin for a dialect's generator that generates typed literals as written."""

    def cast_sql(self, expression: exp.Cast, safe_prefix: str | None = None) -> str:
        word = expression.meta.get(_WORD)
        if word:
            return f"{word} {self.sql(expression, 'this')}"  # type: ignore[attr-defined]
        return str(super().cast_sql(expression, safe_prefix))  # type: ignore[misc]


PLACE = "place"  # key of a placeholder's position in the text, in its node's `meta`
WRITTEN = "written"  # key of a type's own words, in its node's `meta`
_PLAIN_TYPE = re.compile(r"[A-Z_][A-Z0-9_ ]*(\(\d+(,\d+)?\)[A-Z ]*)?(\[\d*\])*")

_QUOTED = (TokenType.STRING, TokenType.IDENTIFIER)

# Functions whose arguments are not a plain list, so that each needs its own parser.
KEYWORD_ARGUMENTS = ("CAST", "TRY_CAST", "EXTRACT", "POSITION", "OVERLAY", "TRIM", "SUBSTRING")


class FaithfulParser(ClauseParser):
    """A mixin for a dialect's parser. Calls keep their names, casts keep their types, and nothing is half parsed."""

    FUNCTIONS: ClassVar[dict[str, Any]] = {}
    LAMBDAS: ClassVar[dict[TokenType, Any]] = {
        TokenType.FARROW: Parser.LAMBDAS[TokenType.FARROW]
    }  # an arrow `->` inside a call is JSON access, not a lambda

    def _parse_as_command(self, start: Token) -> exp.Command:
        self.raise_error("Only queries are understood", start)  # type: ignore[attr-defined]
        return exp.Command(this=start.text)

    def _parse_command(self) -> exp.Command:
        return self._parse_as_command(self._prev)  # type: ignore[attr-defined]

    def _parse_placeholder(self) -> exp.Expr | None:
        found: exp.Expr | None = super()._parse_placeholder()  # type: ignore[misc]
        if found is not None:
            found.meta[PLACE] = self._prev.start  # type: ignore[attr-defined]
        return found

    def _parse_escape(self, this: exp.Expr | None) -> exp.Expr | None:
        """Parse LIKE 'a!_%' ESCAPE '!' COLLATE NOCASE, in which the collation applies to the escape character."""
        found: exp.Expr | None = super()._parse_escape(this)  # type: ignore[misc]
        if isinstance(found, exp.Escape) and self._match(TokenType.COLLATE):  # type: ignore[attr-defined]
            collation = self._parse_unary()  # type: ignore[attr-defined]
            if isinstance(collation, exp.Column) and not collation.this.args.get("quoted"):
                collation = exp.var(collation.name)
            found.set("expression", exp.Collate(this=found.expression, expression=collation))
        return found

    def _parse_bracket(self, this: exp.Expr | None = None) -> exp.Expr | None:
        """Parse `list(x)[1]` as an element of a call's result. sqlglot would read it as the array `[1]`."""
        opens = self._curr is not None and self._curr.token_type is TokenType.L_BRACKET  # type: ignore[attr-defined]
        if opens and isinstance(this, exp.Anonymous) and this.name.upper() in Parser.ARRAY_CONSTRUCTORS:
            this = exp.Paren(this=this)
        found: exp.Expr | None = super()._parse_bracket(this)  # type: ignore[misc]
        return found

    def _parse_cast(self, strict: bool, safe: bool | None = None) -> exp.Expression:
        cast: exp.Expression = super()._parse_cast(strict, safe)  # type: ignore[misc]
        self._keep_type(cast)
        return cast

    def _keep_type(self, cast: exp.Expression) -> None:
        """Keep the words between `AS` and the parser's current position."""
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
            to.meta[WRITTEN] = written


class FaithfulGenerator:
    """A mixin for a dialect's generator. Types, DISTINCT and `~ ~` are generated as written."""

    MULTI_ARG_DISTINCT = True

    def datatype_sql(self, expression: exp.DataType) -> str:
        written = expression.meta.get(WRITTEN)
        return str(written) if written else str(super().datatype_sql(expression))  # type: ignore[misc]

    def bitwisenot_sql(self, expression: exp.BitwiseNot) -> str:
        """Separate two signs, because `~~` would be read as one."""
        written = str(super().bitwisenot_sql(expression))  # type: ignore[misc]
        return f"~ {written[1:]}" if written.startswith("~~") else written

    def __init_subclass__(cls) -> None:
        cls.TRANSFORMS = {**cls.TRANSFORMS, Phrase: _phrase_sql}  # type: ignore[attr-defined]
        super().__init_subclass__()


def _phrase_sql(generator: Any, phrase: Phrase) -> str:
    return " ".join(generator.sql(part) for part in phrase.expressions)


_JOINED = {
    (TokenType.GT, TokenType.EQ): (TokenType.GTE, ">="),
    (TokenType.LT, TokenType.EQ): (TokenType.LTE, "<="),
    (TokenType.LT, TokenType.GT): (TokenType.NEQ, "<>"),
}


def signs_joined(tokens: list[Token]) -> list[Token]:
    """Join `> =` to `>=`, and similar signs, for engines that accept a space between them."""
    found: list[Token] = []
    for token in tokens:
        pair = _JOINED.get((found[-1].token_type, token.token_type)) if found else None
        if pair is None:
            found.append(token)
        else:
            first = found.pop()
            found.append(Token(*pair, line=first.line, col=first.col, start=first.start, end=token.end))
    return found


def side_by_side(found: exp.Expr | None) -> exp.Expr | None:
    """Join `'a' 'b'` to one string, as the engine reads it. sqlglot parses it as CONCAT."""
    if not isinstance(found, exp.Concat) or not all(isinstance(part, exp.Literal) for part in found.expressions):
        return found
    one = exp.Literal.string("".join(part.name for part in found.expressions))
    one.meta.update(found.expressions[0].meta)
    return one


def as_written(_: SqlglotDialect, path: exp.Expr | None) -> exp.Expr | None:
    """Keep the key, index or path to the right of `->` unchanged."""
    return path


# Queries that do not begin with SELECT: `TABLE t`, and DuckDB's PIVOT, UNPIVOT and SUMMARIZE.
#
# Each is short for a SELECT. Its tokens are rewritten to that SELECT, so that other code handles only one form.
_BEFORE = frozenset(
    {TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT, TokenType.ALL, TokenType.DISTINCT, TokenType.L_PAREN}
)
_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER})
_SHORT = frozenset({TokenType.PIVOT, TokenType.UNPIVOT, TokenType.SUMMARIZE})
_AFTER = frozenset({TokenType.ORDER_BY, TokenType.LIMIT, TokenType.OFFSET})
_DEPTH = {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}
_ALL = ((TokenType.SELECT, "SELECT"), (TokenType.STAR, "*"), (TokenType.FROM, "FROM"))


def tables_selected(tokens: list[Token]) -> list[Token]:
    """Rewrite `TABLE t` as `SELECT * FROM t` at the beginning, after UNION and similar words, and in parentheses."""
    found: list[Token] = []
    for at, token in enumerate(tokens):
        named = at + 1 < len(tokens) and tokens[at + 1].token_type in _NAMES
        begins = token.token_type is TokenType.TABLE and named
        called = at > 1 and tokens[at - 1].token_type is TokenType.L_PAREN and tokens[at - 2].token_type in _NAMES
        if begins and not called and (at == 0 or tokens[at - 1].token_type in _BEFORE):
            found += _at(token, *_ALL)
        else:
            found.append(token)
    return found


def wrap_shortened(tokens: list[Token]) -> list[Token]:
    """Rewrite `PIVOT t ON a USING sum(b) ORDER BY a` as `SELECT * FROM (PIVOT t ON a USING sum(b)) ORDER BY a`."""
    if not tokens or tokens[0].token_type not in _SHORT:
        return tokens
    depth, end = 0, len(tokens)
    for at, token in enumerate(tokens):
        depth += _DEPTH.get(token.token_type, 0)
        if depth < 0:
            return tokens
        if depth == 0 and (token.token_type is TokenType.SEMICOLON or token.token_type in _AFTER):
            end = at
            break
    opened = _at(tokens[0], *_ALL, (TokenType.L_PAREN, "("))
    return [*opened, *tokens[:end], *_at(tokens[end - 1], (TokenType.R_PAREN, ")")), *tokens[end:]]


def _at(token: Token, *words: tuple[TokenType, str]) -> list[Token]:
    """New tokens at the position of another token."""
    return [Token(*word, line=token.line, col=token.col, start=token.start, end=token.end) for word in words]
