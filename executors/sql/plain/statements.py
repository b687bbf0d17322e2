"""Queries that begin with no SELECT: `TABLE t`, and DuckDB's PIVOT, UNPIVOT and SUMMARIZE.

Each is short for a SELECT, and is made that in the words, so that whoever reads a query has one form to know.
"""

from __future__ import annotations

from sqlglot.tokenizer_core import Token, TokenType

_BEFORE = frozenset(
    {TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT, TokenType.ALL, TokenType.DISTINCT, TokenType.L_PAREN}
)
_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER})
_SHORT = frozenset({TokenType.PIVOT, TokenType.UNPIVOT, TokenType.SUMMARIZE})
_AFTER = frozenset({TokenType.ORDER_BY, TokenType.LIMIT, TokenType.OFFSET})
_DEPTH = {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}
_ALL = ((TokenType.SELECT, "SELECT"), (TokenType.STAR, "*"), (TokenType.FROM, "FROM"))


def tables_selected(tokens: list[Token]) -> list[Token]:
    """`TABLE t` as `SELECT * FROM t`: at the beginning, beside UNION and its like, and in brackets."""
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


def shortened_selected(tokens: list[Token]) -> list[Token]:
    """`PIVOT t ON a USING sum(b) ORDER BY a` as `SELECT * FROM (PIVOT t ON a USING sum(b)) ORDER BY a`."""
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
    """Words that stand where a token does."""
    return [Token(*word, line=token.line, col=token.col, start=token.start, end=token.end) for word in words]
