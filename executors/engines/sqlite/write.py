"""One INSERT, UPDATE or DELETE on an SQLite file, in a transaction of its own.

The layers under the guard: an authorizer that allows the one table and the one kind of change, and a count of
everything that changed. No confirmed plan shows what triggers and cascading keys would change besides the statement's
rows, so a write that sets them off changes nothing.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from typing import Any, Unpack

from executors.base import CheckedWrite, WriteResult, WriteTerms
from executors.dialects.table import DIALECTS
from executors.engines.local import read_back
from executors.errors import ErrorKind, SqlFailed, check_count, no_such_write

_ROW_WRITES = {
    sqlite3.SQLITE_INSERT: "insert",
    sqlite3.SQLITE_UPDATE: "update",
    sqlite3.SQLITE_DELETE: "delete",
}

Authorizer = Callable[[int, str | None, str | None, str | None, str | None], int]


def run(
    connection: sqlite3.Connection,
    statement: CheckedWrite,
    *,
    reads: Authorizer,
    is_over: Callable[[], bool],
    steps: int,
    **terms: Unpack[WriteTerms],
) -> WriteResult:
    """Run it, and commit it or leave it to be rolled back when the connection is closed. See `Executor.write`.

    Args:
        connection: opened for writing, in no transaction.
        reads: authorizes what is not a write.
        is_over: whether the time has run out; asked every `steps` instructions of SQLite's machine.

    Raises:
        SqlFailed: it is another statement, or would change more than its own rows, or too many.
        sqlite3.Error: what SQLite says.
    """
    started = time.monotonic()
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("BEGIN IMMEDIATE")
    authorizer = _OnlyThisWrite(statement, reads)
    connection.set_authorizer(authorizer)
    connection.set_progress_handler(is_over, steps)

    def ask(parts: Sequence[str], parameters: Sequence[Any], size: int) -> Sequence[Sequence[Any]]:
        return connection.execute("?".join(parts), parameters).fetchmany(size)

    before = connection.total_changes
    try:
        expected = read_back.expect(statement, ask)
        affected = connection.execute(statement.runs).rowcount
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_AUTH and authorizer.refused_write:
            raise no_such_write(statement.kind) from error
        raise
    if affected < 0:
        raise no_such_write(statement.kind)
    changed = connection.total_changes - before
    if changed != affected:
        raise SqlFailed(
            ErrorKind.PERMISSION,
            f"A trigger or a cascading key would change {changed - affected} more rows; nothing was changed.",
            "Change those rows first, or a row on which nothing depends.",
        )
    check_count(affected, terms["max_rows"])
    agreed = terms.get("exactly") in {None, affected}
    again = read_back.confirm(statement, expected, DIALECTS["sqlite"], ask) if agreed else None
    connection.set_authorizer(None)
    connection.set_progress_handler(None, 0)
    committed = terms["commit"] and agreed
    if committed:
        connection.execute("COMMIT")
    return expected.result(affected, again, committed=committed, started=started)


class _OnlyThisWrite:
    """An authorizer: reads, and writes of rows, the first of which is the one that was asked for.

    Those after the first belong to triggers and cascading keys; they are seen by what they count.
    """

    def __init__(self, statement: CheckedWrite, reads: Authorizer) -> None:
        self._expected = (statement.kind, statement.table.lower())
        self._reads = reads
        self._has_begun = False
        self.refused_write = False

    def __call__(
        self, action: int, first: str | None, second: str | None, database: str | None, origin: str | None
    ) -> int:
        kind = _ROW_WRITES.get(action)
        if kind is None:
            allowed = self._reads(action, first, second, database, origin)
            self.refused_write |= allowed == sqlite3.SQLITE_DENY and action != sqlite3.SQLITE_FUNCTION
            return allowed
        table = (first or "").lower()
        if (
            table.startswith("sqlite_")
            or database != "main"
            or not (self._has_begun or (kind, table) == self._expected)
        ):
            self.refused_write = True
            return sqlite3.SQLITE_DENY
        self._has_begun = True
        return sqlite3.SQLITE_OK
