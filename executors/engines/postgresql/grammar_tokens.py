"""Words of PostgreSQL that sqlglot cannot parse, replaced by equivalents."""

from __future__ import annotations

import re
from itertools import pairwise

from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

_SORTS = {"<": (TokenType.ASC, "ASC"), ">": (TokenType.DESC, "DESC")}


def repair_tokens(tokens: list[Token]) -> list[Token]:
    """The words, with orders and names that are given by signs and numbers written out.

    `ORDER BY a USING <` (or `USING OPERATOR(pg_catalog.<)`) is `a ASC`; nowhere else does a sign follow USING.
    `U&"d\\0061t"` is the name "dat". `substring(a SIMILAR b ESCAPE c)` is `substring(a FROM b FOR c)`.

    Raises:
        TokenError: a name whose numbers are none.
    """
    tokens = _similar(tokens)
    found: list[Token] = []
    index = 0
    while index < len(tokens):
        read = _order(tokens, index) or _name(tokens, index) or (tokens[index], 1)
        found.append(read[0])
        index += read[1]
    return found


def _similar(tokens: list[Token]) -> list[Token]:
    found = list(tokens)
    opened: list[int] = []
    for index, token in enumerate(tokens):
        kind = token.token_type
        if kind is TokenType.L_PAREN:
            opened.append(index)
        elif kind is TokenType.R_PAREN and opened:
            opened.pop()
        elif kind is TokenType.VAR and token.text.lower() == "similar" and opened and opened[-1]:
            end = _escape(tokens, index)
            if end and tokens[opened[-1] - 1].text.lower() == "substring":
                found[index] = _instead(tokens, index, 1, TokenType.FROM, "FROM")[0]
                found[end] = _instead(tokens, end, 1, TokenType.FOR, "FOR")[0]
    return found


def _escape(tokens: list[Token], start: int) -> int:
    """Where ESCAPE stands before the bracket closes; 0 where it does not."""
    depth = 0
    for index in range(start + 1, len(tokens)):
        kind = tokens[index].token_type
        depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
        if depth < 0:
            return 0
        if depth == 0 and kind is TokenType.ESCAPE:
            return index
    return 0


def _order(tokens: list[Token], index: int) -> tuple[Token, int] | None:
    if tokens[index].token_type is not TokenType.USING:
        return None
    words = [token.text.lower() for token in tokens[index + 1 : index + 7]]
    for sign, (kind, text) in _SORTS.items():
        for spelled in ([sign], ["operator", "(", "pg_catalog", ".", sign, ")"]):
            if words[: len(spelled)] == spelled:
                return _instead(tokens, index, len(spelled) + 1, kind, text)
    return None


def _name(tokens: list[Token], index: int) -> tuple[Token, int] | None:
    three = tokens[index : index + 3]
    joined = all(a.end + 1 == b.start for a, b in pairwise(three))
    if [token.text.upper() for token in three[:2]] != ["U", "&"] or not joined:
        return None
    if len(three) < 3 or three[2].token_type is not TokenType.IDENTIFIER:
        return None
    escape, length = "\\", 3
    behind = tokens[index + 3 : index + 5]
    if len(behind) == 2 and behind[0].text.upper() == "UESCAPE" and behind[1].token_type is TokenType.STRING:
        escape, length = behind[1].text, 5
    return _instead(tokens, index, length, TokenType.IDENTIFIER, _decode(three[2].text, escape))


def _decode(text: str, escape: str) -> str:
    if len(escape) != 1:
        raise TokenError("UESCAPE wants one character")
    sign = re.escape(escape)
    written = re.compile(rf"{sign}(?:({sign})|([0-9A-Fa-f]{{4}})|\+([0-9A-Fa-f]{{6}}))")
    try:
        return written.sub(lambda it: it[1] or chr(int(it[2] or it[3], 16)), text)
    except (ValueError, OverflowError) as error:
        raise TokenError("No such letter") from error


def _instead(tokens: list[Token], index: int, length: int, kind: TokenType, text: str) -> tuple[Token, int]:
    first, last = tokens[index], tokens[index + length - 1]
    return Token(kind, text, line=first.line, col=first.col, start=first.start, end=last.end), length
