"""Words of PostgreSQL that sqlglot has no parser for, written as others that mean the same."""

from __future__ import annotations

import re
from itertools import pairwise

from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

_SORTS = {"<": (TokenType.ASC, "ASC"), ">": (TokenType.DESC, "DESC")}


def mended(tokens: list[Token]) -> list[Token]:
    """The words, with orders and names that are given by signs and numbers written out.

    `ORDER BY a USING <` (or `USING OPERATOR(pg_catalog.<)`) is `a ASC`; nowhere else does a sign follow USING.
    `U&"d\\0061t"` is the name "dat".

    Raises:
        TokenError: a name whose numbers are none.
    """
    found: list[Token] = []
    index = 0
    while index < len(tokens):
        read = _order(tokens, index) or _name(tokens, index) or (tokens[index], 1)
        found.append(read[0])
        index += read[1]
    return found


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
    return _instead(tokens, index, length, TokenType.IDENTIFIER, _decoded(three[2].text, escape))


def _decoded(text: str, escape: str) -> str:
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
