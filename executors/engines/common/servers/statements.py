"""Checks that a text is one statement and a query, for servers whose driver would send several at once.

Unlike the guard, this module does not parse. It reads quotes and comments as the server does, and refuses text that it
cannot read, so that no second statement changes a session that is read-only or will be rolled back.
"""

from __future__ import annotations

import re
from functools import lru_cache

from executors.base import CheckedWrite
from executors.dialects.row import Dialect, Lexis
from executors.errors import ErrorKind, SqlFailed, SqlRefused, no_such_write

_COMMENTS = ("--", "/*")
_RUN = ("/*!", "/*M!")  # comments that MySQL runs
_WORD = re.compile(r"[^\W\d][\w$]*")
_LONE = re.compile(r"[\ud800-\udfff]")
_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"  # ends where a word begins: `1DELETE` and `1e5DELETE` are two parts
_MYSQL = (
    r"/\*.*?\*/|\#[^\n]*|--(?=[\x00-\x20\x7f])[^\n]*"
    r"|'(?:[^'\\]|''|\\.)*'|\"(?:[^\"\\]|\"\"|\\.)*\"|`(?:[^`]|``)*`"
    rf"|[^\W\d][\w$]*|{_NUMBER}|\s+|."
)


def require_write(statement: CheckedWrite, row: Dialect) -> None:
    """Raise unless a write is of its declared kind (SqlFailed: NOT_READ_ONLY) and can be rolled back (SqlRefused)."""
    if not row.session.transactions:
        message = f"{row.title} cannot undo a write, so nothing is written to it from here."
        raise SqlRefused(ErrorKind.NOT_READ_ONLY, message)
    require_one(statement.runs, row, writes=True)
    found = _parts(row.quote, row.session.lexis).findall(statement.runs)
    first = next((part for part in found if part.strip() and not part.startswith(_COMMENTS)), "")
    if first.lower() != statement.kind:
        raise no_such_write(statement.kind)


def require_one(sql: str, row: Dialect, *, writes: bool = False) -> None:
    """Raise SqlFailed (NOT_READ_ONLY) unless `sql` is certainly one statement with only the words that `row.session`
    allows.

    Args: writes: whether it is a write that the guard has checked. If so, its words are not checked.
    """
    session = row.session
    found = _parts(row.quote, session.lexis).findall(sql)
    comments = (*_COMMENTS, "#") if session.lexis is Lexis.MYSQL else _COMMENTS
    parts = [part for part in found if not part.startswith(comments) and part.strip()]
    while parts and parts[-1] == ";":
        parts.pop()
    if _LONE.search(sql):
        raise _build_refusal("The query holds half of a character.")
    if "\x00" in sql or "$" in parts or ("--" in sql and re.search(r"\r(?!\n)", sql)):
        raise _build_refusal("The query holds quotes or line ends that are not understood here.")
    if session.lexis is Lexis.MYSQL and any(part.startswith(_RUN) for part in found):
        raise _build_refusal("A comment that the server would run is not allowed.")
    if ";" in parts:
        raise _build_refusal("Only one statement can run at a time.")
    if writes:
        return
    words = " ".join(part.lower() for part in parts if _WORD.fullmatch(part))
    foreign = [word for word in session.statement_words if f" {word} " in f" {words} "]
    if foreign:
        raise _build_refusal(f"Only a query can run here, and {min(foreign).upper()} belongs to none.")
    first = next((part for part in parts if part != "("), "nothing")
    if session.first_words and first.lower() not in session.first_words:
        raise _build_refusal(f"Only a query can run here, and none begins with {first[:40]}.")


@lru_cache
def _parts(quote: tuple[str, str], lexis: Lexis) -> re.Pattern[str]:
    """Pattern of comments, quoted text, quoted names, words, and single characters. A nested comment intentionally ends
    too early, so that the following text is read as SQL. A number ends where a word begins: `1DELETE` is two parts."""
    if lexis is Lexis.MYSQL:
        return re.compile(_MYSQL, re.DOTALL)
    escaped = "" if lexis is Lexis.TSQL else r"[eE]'(?:[^'\\]|''|\\.)*'|"
    before, after = (re.escape(mark) for mark in quote)
    name = f"{before}(?:[^{after}]|{after}{after})*{after}"
    return re.compile(
        rf"""--[^\n]*|/\*.*?\*/|{escaped}'(?:[^']|'')*'|"(?:[^"]|"")*"|{name}|[^\W\d][\w$]*|{_NUMBER}|\s+|.""",
        re.DOTALL,
    )


def _build_refusal(message: str) -> SqlFailed:
    return SqlFailed(ErrorKind.NOT_READ_ONLY, message, "Write one SELECT.")
