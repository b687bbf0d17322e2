"""Code that the executors of local files share: detection of changes, a lock, samples and probes."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from executors.base import Layer
from executors.dialects.row import Probe
from executors.dialects.table import DIALECTS

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class FileState(NamedTuple):
    """The properties that distinguish one version of a file from the next."""

    size: int
    modified_ns: int
    inode: int


def state_of(path: Path) -> FileState | None:
    """The present state of a file. None if it does not exist or is not accessible."""
    try:
        found = path.stat()
    except OSError:
        return None
    return FileState(found.st_size, found.st_mtime_ns, found.st_ino)


class Gate:
    """A lock for readers and writers. New readers queue behind a waiting writer. Not reentrant."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._readers = 0
        self._writing = False  # True also while a writer waits

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Wait for the present writer, and block further writers."""
        with self._changed:
            self._changed.wait_for(lambda: not self._writing)
            self._readers += 1
        try:
            yield
        finally:
            with self._changed:
                self._readers -= 1
                self._changed.notify_all()

    @contextmanager
    def writing(self, timeout_s: float) -> Iterator[bool]:
        """Wait for the present writer, then for the readers, at most `timeout_s` seconds each. Yield whether all have
        finished."""
        with self._changed:
            alone = self._changed.wait_for(lambda: not self._writing, timeout_s)
            if alone:
                self._writing = True
        if not alone:
            yield False
            return
        try:
            with self._changed:
                alone = self._changed.wait_for(lambda: self._readers == 0, timeout_s)
            yield alone
        finally:
            with self._changed:
                self._writing = False
                self._changed.notify_all()


SAMPLED_ROWS = 10_000
MAX_SAMPLE_CHARS = 40
_COLUMNS_PER_QUERY = 100  # SQLite joins at most 500 SELECTs; DuckDB binds them faster in smaller portions

Samples = dict[str, tuple[str, ...]]


def quote_name(name: str) -> str:
    """A name in quotes, for SQLite and DuckDB."""
    return '"' + name.replace('"', '""') + '"'


def sample_values(
    fetch: Callable[[str], Iterable[Sequence[Any]]], table: str, columns: Sequence[str], count: int, text: str
) -> Samples:
    """The `count` most frequent values of text columns among the first `SAMPLED_ROWS` rows, ties by value.
    Args: table: as in a FROM clause, quoted; text: SQL that converts a column to text, with the placeholder `{}`; NULL
    for values that are not text."""
    found: dict[str, list[str]] = {}
    for start in range(0, len(columns) if count else 0, _COLUMNS_PER_QUERY):
        part = columns[start : start + _COLUMNS_PER_QUERY]
        for position, value in fetch(_query(table, part, count, text)):
            cut = value if len(value) <= MAX_SAMPLE_CHARS else f"{value[: MAX_SAMPLE_CHARS - 1]}…"
            found.setdefault(part[position], []).append(cut)
    return {column: tuple(values) for column, values in found.items()}


def _query(table: str, columns: Sequence[str], count: int, text: str) -> str:
    shown = ", ".join(
        f"substr({text.format(quote_name(name))}, 1, {MAX_SAMPLE_CHARS + 1}) AS c{i}" for i, name in enumerate(columns)
    )
    counted = (
        f"SELECT * FROM (SELECT {i} AS col, c{i} AS val FROM first_rows WHERE c{i} IS NOT NULL AND c{i} <> '' "
        f"GROUP BY c{i} ORDER BY count(*) DESC, c{i} LIMIT {count})"
        for i in range(len(columns))
    )
    first = f"SELECT {shown} FROM {table} LIMIT {SAMPLED_ROWS}"
    return f"WITH first_rows AS MATERIALIZED ({first}) {' UNION ALL '.join(counted)}"


_REFUSALS = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_AUTH})


def sqlite_layers(connection: sqlite3.Connection, restrict: Callable[[sqlite3.Connection], None]) -> tuple[Layer, ...]:
    """The results of SQLite's probes, each of which checks one layer alone. The connection cannot be used afterwards.
    Args: restrict: completes the preparation for a query; only the last probe runs after it."""
    *opened, last = DIALECTS["sqlite"].probes
    found: list[Layer] = []
    for probe in opened:
        if probe.refused:  # only this layer may refuse it; if it does not, it is rolled back
            connection.execute("PRAGMA query_only = OFF")
            connection.execute("BEGIN")
        found.append(_sqlite_layer(connection, probe))
        connection.rollback()
    restrict(connection)
    return (*found, _sqlite_layer(connection, last))


def _sqlite_layer(connection: sqlite3.Connection, probe: Probe) -> Layer:
    try:
        row = connection.execute(probe.sql).fetchone()
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        return Layer(name=probe.layer, holds=probe.refused if code in _REFUSALS else None, advice=probe.advice)
    return Layer(name=probe.layer, holds=not probe.refused and row is not None and bool(row[0]), advice=probe.advice)


def duckdb_layers(cursor: DuckDBPyConnection) -> tuple[Layer, ...]:
    """The results of DuckDB's probes. Raises duckdb.Error."""
    found: list[Layer] = []
    for probe in DIALECTS["duckdb"].probes:
        row = cursor.execute(probe.sql).fetchone()
        found.append(Layer(name=probe.layer, holds=row is not None and bool(row[0]), advice=probe.advice))
    return tuple(found)
