"""What the words of a statement tell before it is parsed: forms that sqlglot has no tree for, or takes for others."""

from __future__ import annotations

from itertools import pairwise

from sqlglot.tokenizer_core import Token, TokenType

from executors.dialects.row import words
from executors.dialects.table import Dialect
from executors.errors import Because, ErrorKind, SqlRefused
from executors.guard.refusals import form, harm_of, not_read_only, pasted, refused_function, sets_variable

_COMPOUND = frozenset(
    {TokenType.PLUS, TokenType.DASH, TokenType.STAR, TokenType.SLASH, TokenType.MOD, TokenType.AMP, TokenType.PIPE}
    | {TokenType.CARET}
)
_QUOTED = frozenset(
    {TokenType.STRING, TokenType.IDENTIFIER, TokenType.NATIONAL_STRING, TokenType.RAW_STRING, TokenType.BYTE_STRING}
    | {TokenType.HEX_STRING, TokenType.BIT_STRING, TokenType.UNICODE_STRING, TokenType.HEREDOC_STRING}
)

# Words that T-SQL keeps for itself and that begin a statement: no semicolon is needed before them.
_STATEMENTS = words(
    "alter backup begin break bulk checkpoint commit continue create dbcc deallocate declare delete deny drop dump",
    "exec execute goto grant insert kill load merge print raiserror readtext reconfigure restore return revert",
    "revoke rollback save setuser shutdown throw truncate update updatetext use waitfor while writetext",
)
_ENDS = frozenset({TokenType.VAR, TokenType.NUMBER, TokenType.R_PAREN, TokenType.R_BRACKET}) | _QUOTED

_DRAWN = frozenset({"NEXTVAL", "CURRVAL"})
_PSEUDO_COLUMNS = frozenset({"oracle", "hana"})  # where a sequence's next number looks like a column of it


def check_signs(tokens: list[Token], dialect: Dialect) -> None:
    """Refuse a statement for its signs.

    - `NEXT VALUE FOR s`, and where that is a word of the engine, `s.NEXTVAL`: a number that was drawn from a sequence
      stays drawn;
    - MySQL's `INTO OUTFILE`: writes a file of the server's;
    - T-SQL's `@name += 1` sets a variable, its `WAITFOR` waits, and `SELECT 1 DELETE FROM t` is two statements;
    - Oracle's `table@link`: another database; SQL*Plus's `&name` and `@file`, psql's `\\set`: a client's own;
    - Spark's `TRANSFORM (...) USING 'program'`: runs a program; `${env:NAME}` is read inside of texts and names too.

    Raises:
        SqlRefused: with what it would do.
    """
    words = ["" if token.token_type in _QUOTED else token.text.upper() for token in tokens]
    for index, (token, word) in enumerate(zip(tokens, words, strict=True)):
        kind, following = token.token_type, words[index + 1 : index + 4]
        if dialect.kin in _PSEUDO_COLUMNS and token.text.upper() in _DRAWN and words[index - 1 : index] == ["."]:
            raise refused_function(token.text.upper(), dialect)  # in quotes as well
        if word in ("NEXT", "PREVIOUS") and following[:2] == ["VALUE", "FOR"]:
            raise refused_function(f"{word} VALUE FOR", dialect)
        if word == "INTO" and following[:1] in (["OUTFILE"], ["DUMPFILE"]):
            raise not_read_only(f"INTO {following[0]}")
        if dialect.kin == "oracle":
            _check_oracle(kind, dialect, is_first=index == 0)
        elif dialect.kin == "sqlserver":
            _check_tsql(tokens, words, index, dialect)
        elif dialect.kin == "postgresql" and word == "\\":
            raise pasted("A command of psql")
        elif dialect.kin == "databricks" and "${" in token.text:
            raise pasted("${...}")
        elif dialect.kin == "databricks" and word == "USING" and _is_text(tokens[index + 1 : index + 2]):
            raise refused_function("TRANSFORM USING", dialect)


def _check_tsql(tokens: list[Token], words: list[str], index: int, dialect: Dialect) -> None:
    word, following = words[index], words[index + 1 : index + 2]
    if tokens[index].token_type is TokenType.PARAMETER and _is_compound(tokens[index + 2 : index + 4]):
        raise sets_variable(f"@{tokens[index + 1].text}")
    if index and word == "WAITFOR" and following in (["DELAY"], ["TIME"]):
        raise refused_function("WAITFOR", dialect)
    if word.lower() in _STATEMENTS and _ends(tokens[max(index - 2, 0) : index], words[max(index - 2, 0) : index]):
        message = f"One statement is allowed, and {word} begins another."
        hint = f"A name that is such a word is written in brackets: [{tokens[index].text}]."
        raise SqlRefused(ErrorKind.PERMISSION, message, hint, because=Because.WRITES)


def _check_oracle(kind: TokenType, dialect: Dialect, *, is_first: bool) -> None:
    if kind in (TokenType.AMP, TokenType.DAMP):  # there is no such operator
        raise pasted("&name")
    if kind is TokenType.PARAMETER and is_first:
        raise pasted("@file")
    if kind is TokenType.PARAMETER:
        message = "What has an @ behind its name is in another database."
        raise SqlRefused(ErrorKind.PERMISSION, message, form(dialect), because=Because.DANGEROUS)


def _is_compound(tokens: list[Token]) -> bool:
    """`+=`, in two words."""
    kinds = [token.token_type for token in tokens]
    return len(kinds) == 2 and kinds[0] in _COMPOUND and kinds[1] is TokenType.EQ


def _ends(tokens: list[Token], words: list[str]) -> bool:
    """Whether a value or a name may end there, so that what follows is an alias, or a statement."""
    if not tokens or tokens[-1].token_type not in _ENDS or words[-1] == "AS":
        return False
    return words[0] != "TOP"  # TOP 5 and the first column


def _is_text(tokens: list[Token]) -> bool:
    return bool(tokens) and tokens[0].token_type is TokenType.STRING


def harmful_call(tokens: list[Token], dialect: Dialect) -> str:
    """The first function in a statement that is known to do harm: a better reason than that it cannot be parsed."""
    for token, following in pairwise(tokens):
        name = token.text.lower()
        called = following.token_type is TokenType.L_PAREN and token.token_type not in _QUOTED
        if called and harm_of(name) and not any(dialect.may_call(name, in_from=there) for there in (True, False)):
            return token.text
    return ""
