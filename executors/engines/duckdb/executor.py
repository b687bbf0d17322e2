"""DuckDB files: read-only or, if the registry allows it, with one write at a time.

`executors.engines.duckdb.engine` blocks a database's access to anything else.
"""

from __future__ import annotations

import pickle
import shutil
import tempfile
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Unpack

from executors import base
from executors.base import Cancel, CheckedSql, CheckedWrite, Executor, Layer, QueryResult, Schema, WriteResult
from executors.engines.common.local.files import FileState, Gate, duckdb_layers, state_of
from executors.engines.duckdb import engine as duckdb_engine
from executors.engines.duckdb import schema as duckdb_schema
from executors.errors import DatabaseUnavailable

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class _Opened(NamedTuple):
    """An opened file in a certain state."""

    state: tuple[FileState | None, ...]
    connection: DuckDBPyConnection
    found: duckdb_schema.DuckdbCatalogue


class DuckdbExecutor(Executor):
    """One DuckDB file, with one database instance and a cursor for each query. Data that does not fit in memory is
    spilled to a temporary folder, never beside the file.

    A process opens a file with one instance. Before a write, the reading instance is closed after its queries ended.
    Args: memory: DuckDB's memory limit, such as `1GB`; sample_values: number per text column.
    """

    dialect = "duckdb"

    def __init__(
        self, name: str, path: Path, *, memory: str, threads: int, sample_values: int, writable: bool = False
    ) -> None:
        self.name, self._path, self._sample_values = name, path.absolute(), sample_values
        self._memory, self._threads, self._writable = memory, threads, writable
        self._gate = Gate()
        self._scratch = scratch_folder(self)
        self._lock = threading.Lock()
        self._opened: _Opened | None = None
        self._found: tuple[tuple[FileState | None, ...], duckdb_schema.DuckdbCatalogue] | None = None

    def schema(self) -> Schema:
        """See `Executor.schema`. It is read again if the file has changed."""
        with self._gate.reading(), self._lock:
            return self._current().found.schema

    def run(self, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None) -> QueryResult:
        with self._reading() as (cursor, schema), self._failing(query.executable, schema):
            return duckdb_engine.run(cursor, query, timeout_s=timeout_s, cancel=cancel)

    def write(self, statement: CheckedWrite, **terms: Unpack[base.WriteTerms]) -> WriteResult:
        """See `Executor.write`. It waits for running queries; later queries wait for it."""
        if not self._writable:
            return super().write(statement, **terms)
        with self._gate.reading(), self._lock:
            found = self._current().found
        with self._gate.writing(terms["timeout_s"]) as alone, self._lock:
            if not alone:
                raise DatabaseUnavailable(f"{self._path.name} is being read all the time; try the change again later.")
            self._close()
            with (
                self._failing(statement.runs, found.schema, locked=True),
                self._attach(writable=True) as connection,
                duckdb_engine.new_cursor(connection, found.search_path) as cursor,
            ):
                return duckdb_engine.run_write(cursor, statement, **terms)

    def dump_cache(self) -> bytes:
        """The schema in a form for another process that opens the file. Only this class reads it."""
        opened = self._opened
        return pickle.dumps(None if opened is None else (opened.state, opened.found))

    def load_cache(self, cache: bytes) -> None:
        """Load the dump of another process. It is used as long as the file has not changed."""
        self._found = pickle.loads(cache)  # noqa: S301  it comes from another worker

    def layers(self) -> tuple[Layer, ...]:
        with self._reading() as (cursor, _):
            return duckdb_layers(cursor)

    @contextmanager
    def _reading(self) -> Iterator[tuple[DuckDBPyConnection, Schema]]:
        with self._gate.reading():
            with self._lock:
                opened = self._current()
                # A cursor keeps its instance alive, even if the file is replaced.
                cursor = duckdb_engine.new_cursor(opened.connection, opened.found.search_path)
            with cursor:
                yield cursor, opened.found.schema

    @contextmanager
    def _failing(self, sql: str, schema: Schema, *, locked: bool = False) -> Iterator[None]:
        """Translate DuckDB's errors. Args: locked: whether the caller holds the lock."""
        import duckdb

        from executors.sql.names import diagnose

        try:
            yield
        except (duckdb.IOException, duckdb.FatalException) as error:
            if not locked and (spilled := duckdb_engine.translate_error(error)) is not None:
                raise spilled from error
            if not locked:
                self.close()  # the next query opens it again
            raise self._unavailable(str(error)) from error
        except duckdb.Error as error:
            raise duckdb_engine.translate_error(error) or diagnose.sql_failed(str(error), sql, schema) from error

    def close(self) -> None:
        """Close the file as soon as the running queries have ended."""
        with self._lock:
            self._close()

    def _current(self) -> _Opened:
        """The opened file in its present state. Raises DatabaseUnavailable."""
        state = state_of(self._path), state_of(self._path.with_name(f"{self._path.name}.wal"))
        if self._opened is None or self._opened.state != state:
            self._close()
            if state[0] is None:
                raise DatabaseUnavailable(f"{self._path.name} does not exist or cannot be read; check the file.")
            self._opened = self._open(state)
            self.warnings = self._opened.found.warnings
        return self._opened

    def _open(self, state: tuple[FileState | None, ...]) -> _Opened:
        import duckdb

        connection = self._attach()
        if self._found is not None and self._found[0] == state:
            return _Opened(state, connection, self._found[1])
        try:
            with duckdb_engine.new_cursor(connection) as cursor:
                found = duckdb_schema.read(cursor, self.name, self._sample_values)
        except duckdb.Error as error:
            connection.close()
            raise self._unavailable(str(error)) from error
        if not found.schema.tables:
            connection.close()
            raise DatabaseUnavailable(f"{self._path.name} has no tables; is it the right file?")
        return _Opened(state, connection, found)

    def _attach(self, *, writable: bool = False) -> DuckDBPyConnection:
        """A new instance with the file attached. Raises DatabaseUnavailable."""
        import duckdb

        spill = self._scratch / "spill"
        try:
            return duckdb_engine.open_database(
                self._path, memory=self._memory, threads=self._threads, spill=spill, writable=writable
            )
        except duckdb.Error as error:
            raise self._unavailable(str(error)) from error

    def _unavailable(self, message: str) -> DatabaseUnavailable:
        import duckdb

        if "lock on file" in message or "file handle conflict" in message:
            return DatabaseUnavailable(
                f"{self._path.name} is open for writing in another program; try again when that has closed it."
            )
        return DatabaseUnavailable(
            f"{self._path.name} cannot be read as a DuckDB database; check the file, and that it was not written by a "
            f"version newer than DuckDB {duckdb.__version__}."
        )

    def _close(self) -> None:
        if self._opened is not None:
            self._opened.connection.close()
        self._opened = None


def scratch_folder(owner: object) -> Path:
    """A temporary folder that is deleted with its owner, or when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="plumbline-"))
    weakref.finalize(owner, shutil.rmtree, folder, ignore_errors=True)
    return folder
