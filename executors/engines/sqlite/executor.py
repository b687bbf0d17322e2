"""SQLite files: read-only or, if the registry allows it, with one write at a time.

There are three independent layers: the file is opened with `mode=ro`, `query_only` is on, and an authorizer allows only
reads. Each query has its own connection. Opening takes a fraction of a millisecond, and a replaced file is noticed. A
write uses another kind of connection; see `_run_write`.
"""

from __future__ import annotations

import pickle
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Unpack

from executors import base
from executors.base import (
    Cancel,
    CheckedSql,
    CheckedWrite,
    Executor,
    Layer,
    QueryResult,
    Schema,
    WriteResult,
    WriteTerms,
)
from executors.dialects.table import DIALECTS
from executors.engines.common.local import read_back
from executors.engines.common.local.files import FileState, quote_name, sqlite_layers, state_of
from executors.engines.common.stopping import no_room, out_of_time, row_too_large
from executors.engines.sqlite import schema as sqlite_schema
from executors.errors import DatabaseUnavailable, ErrorKind, SqlFailed, check_count, no_such_write
from executors.values import RowTooLarge, collect

MAX_VALUE_BYTES = 16 * 1024 * 1024  # SQLite refuses to build or load a longer text or blob
MAX_SQL_BYTES = 100_000
BUSY_TIMEOUT_S = 5.0
_STEPS_BETWEEN_CHECKS = 5_000  # virtual machine instructions: well under a millisecond

_WAL_SUFFIX = "-wal"
_VIRTUAL_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%'"
_TABLES_OF_JSON = ("json_each", "json_tree")
_ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE})
_DENIED_FUNCTIONS = frozenset({"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit"})
# Full-text tables run this PRAGMA themselves, each time they are read.
_ALLOWED_PRAGMAS = frozenset({"data_version"})
_FILE_ERRORS = frozenset(
    {
        *(sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_CANTOPEN),
        *(sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED),
    }
)
_NO_ROOM = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_TRUNCATE})
_WRITING_ERRORS = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL})


class SqliteExecutor(Executor):
    """One SQLite file.
    Args: sample_values: number per text column; writable: whether `write` may open the file for writing."""

    dialect = "sqlite"

    def __init__(self, name: str, path: Path, *, sample_values: int, writable: bool = False) -> None:
        self.name, self._path, self._sample_values, self._writable = name, path, sample_values, writable
        self._lock = threading.Lock()
        self._schema: tuple[tuple[FileState | None, ...], Schema] | None = None

    def schema(self) -> Schema:
        """See `Executor.schema`. It is read again if the file or its write-ahead log has changed."""
        with self._lock:
            state = self._state()
            if self._schema is None or self._schema[0] != state:
                with self._connection() as connection:
                    found = sqlite_schema.read(connection, self.name, self._sample_values)
                if not found.schema.tables:
                    raise DatabaseUnavailable(f"{self._path.name} has no tables; is it the right file?")
                self.warnings = found.warnings
                self._schema = (state, found.schema)
            return self._schema[1]

    def run(self, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None) -> QueryResult:
        """See `Executor.run`. Texts and blobs over `MAX_VALUE_BYTES` raise an error of kind RESOURCE."""
        started = time.monotonic()
        deadline = started + timeout_s

        def is_over() -> bool:
            return (cancel is not None and cancel.is_cancelled) or time.monotonic() > deadline

        try:
            with self._connection() as connection:
                _restrict(connection)
                # SQLite itself calls the handler while it works, so no thread is needed to stop it.
                connection.set_progress_handler(is_over, _STEPS_BETWEEN_CHECKS)
                if is_over():
                    raise out_of_time(timeout_s, cancel)
                return _rows(connection, query, started)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                raise out_of_time(timeout_s, cancel) from error
            raise self._diagnose(query.executable, error) from error
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise self._diagnose(query.executable, error) from error
        except (RowTooLarge, MemoryError) as error:
            raise row_too_large() from error

    def write(self, statement: CheckedWrite, **terms: Unpack[base.WriteTerms]) -> WriteResult:
        """See `Executor.write`. Foreign keys are enforced, even if other programs do not enforce them."""
        if not self._writable:
            return super().write(statement, **terms)
        timeout_s = terms["timeout_s"]
        deadline = time.monotonic() + timeout_s
        try:
            with self._connection(wait_s=min(timeout_s, BUSY_TIMEOUT_S), writable=True) as connection:
                _limit_sizes(connection)
                return _run_write(
                    connection,
                    statement,
                    is_over=lambda: time.monotonic() > deadline,
                    **terms,
                )
        except (sqlite3.Error, sqlite3.Warning) as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
                raise out_of_time(timeout_s) from error
            raise self._diagnose(statement.runs, error) from error

    def dump_cache(self) -> bytes:
        """The schema in a form for another process that opens the file. Only this class reads it."""
        return pickle.dumps(self._schema)

    def load_cache(self, cache: bytes) -> None:
        """Load the dump of another process. It is used as long as the file has not changed."""
        self._schema = pickle.loads(cache)  # noqa: S301  it comes from another worker

    def layers(self) -> tuple[Layer, ...]:
        with self._connection() as connection:
            return sqlite_layers(connection, _restrict)

    def _diagnose(self, sql: str, error: sqlite3.Error | sqlite3.Warning) -> SqlFailed:
        from executors.sql.names import diagnose

        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_TOOBIG:
            return SqlFailed(ErrorKind.RESOURCE, str(error), "Select a part of the text, or its length.")
        if "one statement at a time" in str(error):
            return SqlFailed(ErrorKind.NOT_READ_ONLY, "Only one statement can run at a time.", "Write one SELECT.")
        return diagnose.sql_failed(str(error), sql, self.schema())

    def _state(self) -> tuple[FileState | None, ...]:
        return state_of(self._path), state_of(self._path.with_name(self._path.name + _WAL_SUFFIX))

    @contextmanager
    def _connection(self, *, wait_s: float = BUSY_TIMEOUT_S, writable: bool = False) -> Iterator[sqlite3.Connection]:
        """Open a connection and close it afterwards. Raises DatabaseUnavailable if the file causes the error."""
        file, log = self._state()
        if file is None:
            raise DatabaseUnavailable(f"{self._path.name} does not exist or cannot be read; check the file.")
        # In WAL mode, even a reader creates files beside the database. Without a log there is no writer, so the file
        # can be opened as immutable.
        quiet = log is None and not writable and _uses_wal(self._path)
        mode = "rw" if writable else "ro"
        uri = f"{self._path.absolute().as_uri()}?mode={mode}{'&immutable=1' if quiet else ''}"
        try:
            connection = sqlite3.connect(uri, uri=True, timeout=wait_s, isolation_level=None)
            try:
                connection.text_factory = lambda stored: stored.decode("utf-8", "replace")
                connection.execute(f"PRAGMA query_only = {'OFF' if writable else 'ON'}")
                connection.execute("PRAGMA trusted_schema = OFF")
                yield connection
            finally:
                connection.close()
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if writable and code in _WRITING_ERRORS:
                raise DatabaseUnavailable(
                    f"{self._path.name} cannot be written now ({error}); try again when no other program writes it, "
                    "and check that the file may be written."
                ) from error
            if _NO_ROOM & {code, getattr(error, "sqlite_errorcode", 0)}:
                raise no_room() from error  # a reader writes only temporary files, for sorting
            if code in _FILE_ERRORS:
                raise DatabaseUnavailable(
                    f"{self._path.name} cannot be read as an SQLite database ({error}); check the file."
                ) from error
            raise


def _restrict(connection: sqlite3.Connection) -> None:
    """Restrict a connection to reads and to values of reasonable size."""
    for name in _TABLES_OF_JSON:
        with suppress(sqlite3.OperationalError):  # SQLite was built without JSON
            connection.execute(f"SELECT 1 FROM {name}('[]') LIMIT 0")
    for (name,) in connection.execute(_VIRTUAL_TABLES).fetchall():
        # Full-text and R*Tree tables prepare writes on their first use, which the authorizer would deny.
        connection.execute(f"SELECT 1 FROM {quote_name(name)} LIMIT 0")
    _limit_sizes(connection)
    connection.setlimit(sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 0)
    connection.set_authorizer(_authorize)


def _limit_sizes(connection: sqlite3.Connection) -> None:
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, MAX_SQL_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0)


def _authorize(action: int, first: str | None, second: str | None, _database: str | None, _origin: str | None) -> int:
    if action in _ALLOWED:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() not in _DENIED_FUNCTIONS:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_PRAGMA and first in _ALLOWED_PRAGMAS and second is None:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _rows(connection: sqlite3.Connection, query: CheckedSql, started: float) -> QueryResult:
    cursor = connection.execute(query.executable)
    if cursor.description is None:
        raise SqlFailed(ErrorKind.SYNTAX_ERROR, "The query gives no columns.", "Write one SELECT.")
    rows, truncated = collect(cursor.fetchmany, query.row_limit)
    return QueryResult(
        columns=tuple(column[0] for column in cursor.description),
        rows=rows,
        truncated=truncated,
        elapsed_ms=round((time.monotonic() - started) * 1000, 3),
    )


def _uses_wal(path: Path) -> bool:
    """Whether the file is in WAL mode, by its header (byte 18, file format section 1.3.3)."""
    with path.open("rb") as file:
        return file.read(19)[18:] == b"\x02"


_ROW_WRITES = {
    sqlite3.SQLITE_INSERT: "insert",
    sqlite3.SQLITE_UPDATE: "update",
    sqlite3.SQLITE_DELETE: "delete",
}


def _run_write(
    connection: sqlite3.Connection,
    statement: CheckedWrite,
    *,
    is_over: Callable[[], bool],
    **terms: Unpack[WriteTerms],
) -> WriteResult:
    """Run a write, and commit it or let the closing connection roll it back. See `Executor.write`.

    An authorizer allows only the statement's table and kind of change, and all changed rows are counted. A confirmed
    plan does not show what triggers and cascading keys change besides the statement's rows, so a write that would fire
    them is refused.
    Args: connection: opened for writing, without a transaction; is_over: whether the time has run out.
    Raises SqlFailed: the statement is another one, or would change more than its own rows, or too many; sqlite3.Error.
    """
    started = time.monotonic()
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("BEGIN IMMEDIATE")
    authorizer = _OnlyThisWrite(statement)
    connection.set_authorizer(authorizer)
    connection.set_progress_handler(is_over, _STEPS_BETWEEN_CHECKS)

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
    """An authorizer that allows reads, and writes of rows. The first write must be the declared one. Later ones belong
    to triggers and cascading keys; the number of changed rows reveals them."""

    def __init__(self, statement: CheckedWrite) -> None:
        self._expected = (statement.kind, statement.table.lower())
        self._has_begun = False
        self.refused_write = False

    def __call__(
        self, action: int, first: str | None, second: str | None, database: str | None, origin: str | None
    ) -> int:
        kind = _ROW_WRITES.get(action)
        if kind is None:
            allowed = _authorize(action, first, second, database, origin)
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
