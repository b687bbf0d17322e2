"""Is this one statement, and a query? Asked of the text itself, for servers whose driver would send several at once.

The guard parses; this does not. It reads quotes and comments as the server does, and refuses what it cannot read, so
that a session that is read-only, or rolled back, cannot be told otherwise by a second statement.
"""

from __future__ import annotations

import re
from functools import lru_cache

from executors.errors import ErrorKind, SqlFailed
from executors.rows.row import Dialect


def require_one(sql: str, row: Dialect, *, writes: bool = False) -> None:
    """Raise unless `sql` is one statement as far as can be told.

    Args:
        row: `session.statement_words` are the words that no query has.
        writes: whether it is a write that the guard has checked: those words are its own then.

    Raises:
        SqlFailed: NOT_READ_ONLY.
    """
    parts = [part for part in _parts(row.quote).findall(sql) if not part.startswith(("--", "/*")) and part.strip()]
    while parts and parts[-1] == ";":
        parts.pop()
    if "\x00" in sql or "$" in parts or ("--" in sql and re.search(r"\r(?!\n)", sql)):
        raise _refused("The query holds quotes or line ends that are not understood here.")
    if ";" in parts:
        raise _refused("Only one statement can run at a time.")
    words = {part.lower() for part in parts} & row.session.statement_words
    if words and not writes:
        raise _refused(f"Only a query can run here, and {min(words).upper()} belongs to none.")


@lru_cache
def _parts(quote: tuple[str, str]) -> re.Pattern[str]:
    """Comments, quoted text, quoted names, words, and single characters. A nested comment ends too early, on purpose:
    what follows is then read as SQL."""
    before, after = (re.escape(mark) for mark in quote)
    name = f"{before}(?:[^{after}]|{after}{after})*{after}"
    return re.compile(
        rf"""--[^\n]*|/\*.*?\*/|[eE]'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|{name}|\w+|\s+|.""", re.DOTALL
    )


def _refused(message: str) -> SqlFailed:
    return SqlFailed(ErrorKind.NOT_READ_ONLY, message, "Write one SELECT.")
