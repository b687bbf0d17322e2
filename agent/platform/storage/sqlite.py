"""State in one SQLite file, which survives restarts and which processes of one machine can share, or in memory."""

from __future__ import annotations

import sqlite3
import threading
import time
import uuid
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from agent.core.errors import StateUnavailable
from agent.platform.storage.store import (
    PAST_ALL,
    Change,
    Insert,
    Place,
    Record,
    Remove,
    StateConflict,
    decode_name,
    encode_name,
    payloads,
    value_of,
)

SCHEMA = 1  # stored in `PRAGMA user_version`
BUSY_S = 10  # seconds to wait for another process that writes

_TABLES = (
    # Names are encoded by `encode_name`, so that every store has the same order.
    "CREATE TABLE records (kind TEXT, partition TEXT, key TEXT, value TEXT NOT NULL, version TEXT NOT NULL, "
    "expires_at REAL, PRIMARY KEY (kind, partition, key)) WITHOUT ROWID",
    "CREATE INDEX expiring ON records (expires_at) WHERE expires_at IS NOT NULL",
)
_COLUMNS = "kind, partition, key, value, version, expires_at"
_ALIVE = "(expires_at IS NULL OR expires_at >= ?)"


class SqliteStore:
    """A `StateStore` in a file, which is created with its folder on first use.

    It uses SQLite's rollback journal: the write-ahead log needs shared memory, which network shares lack.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self.path, self._clock = path, clock

    def get(self, place: Place, key: str) -> Record | None:
        found = self._find(
            f"kind = ? AND partition = ? AND key = ? AND {_ALIVE}", (*_names(place, key), self._clock()), 1
        )
        return found[0] if found else None

    def records(self, place: Place, *, prefix: str = "", start: str = "", limit: int | None = None) -> list[Record]:
        first, past = max(encode_name(prefix), encode_name(start)), encode_name(prefix) + PAST_ALL
        return self._find(
            f"kind = ? AND partition = ? AND key >= ? AND key < ? AND {_ALIVE} ORDER BY key",
            (encode_name(place.kind), encode_name(place.partition), first, past, self._clock()),
            limit,
        )

    def everywhere(self, kind: str, *, key: str | None = None, limit: int | None = None) -> list[Record]:
        wanted = None if key is None else encode_name(key)
        return self._find(
            f"kind = ? AND key = coalesce(?, key) AND {_ALIVE} ORDER BY partition, key",
            (encode_name(kind), wanted, self._clock()),
            limit,
        )

    def commit(self, place: Place, changes: Sequence[Change]) -> list[str]:
        texts = payloads(place, changes)
        with self._writing() as connection:
            return [self._make(connection, place, *change) for change in zip(changes, texts, strict=True)]

    def _make(self, connection: sqlite3.Connection, place: Place, change: Change, text: bytes) -> str:
        names = _names(place, change.key)
        row = connection.execute(
            f"SELECT version, NOT {_ALIVE} FROM records WHERE kind = ? AND partition = ? AND key = ?",
            (self._clock(), *names),
        ).fetchone()
        version, over = row or (None, False)
        if (version and not over) if isinstance(change, Insert) else (change.version and change.version != version):
            raise StateConflict(change.key)
        if isinstance(change, Remove):
            connection.execute("DELETE FROM records WHERE kind = ? AND partition = ? AND key = ?", names)
            return ""
        version = uuid.uuid4().hex
        connection.execute(
            f"INSERT OR REPLACE INTO records ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
            (*names, text.decode(), version, change.expires_at),
        )
        return version

    def purge(self) -> int:
        with self._writing() as connection:
            return connection.execute("DELETE FROM records WHERE expires_at < ?", (self._clock(),)).rowcount

    def close(self) -> None:
        """Nothing stays open between two calls."""

    def _find(self, where: str, parameters: tuple[object, ...], limit: int | None) -> list[Record]:
        with self._open() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM records WHERE {where} LIMIT ?",
                (*parameters, -1 if limit is None else limit),
            ).fetchall()
        return [_record(row) for row in rows]

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One exclusive write transaction, rolled back on an error."""
        with self._open() as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            if not self.path.exists():
                self.path.parent.mkdir(parents=True, exist_ok=True)  # slower than the check, on some disks
                self.path.touch(mode=0o600)  # it will contain questions; sqlite3 would make it world-readable
            with closing(sqlite3.connect(self.path, timeout=BUSY_S, isolation_level=None)) as connection:
                self._prepare(connection)
                yield connection
        except (sqlite3.Error, OSError) as error:
            cause = error.strerror if isinstance(error, OSError) else error  # its text contains the path
            raise StateUnavailable(
                f"The state store cannot be read or written ({cause}). Check that the folder of "
                f"PLUMBLINE_STATE_DIR is writable. If {self.path.name} is damaged, remove it."
            ) from error

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Create the tables of a new file. Raises StateUnavailable if another version wrote the file."""
        found = _schema_of(connection)
        if found == 0:
            connection.execute("BEGIN IMMEDIATE")
            if _schema_of(connection) == 0:  # no other process created them meanwhile
                for statement in _TABLES:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {SCHEMA}")
            connection.execute("COMMIT")
            found = _schema_of(connection)
        if found != SCHEMA:
            raise StateUnavailable(
                f"{self.path.name} was written by another version of Plumbline (format {found}, this one knows "
                f"{SCHEMA}): use that version, or set PLUMBLINE_STATE_DIR to another folder."
            )


class MemoryStore(SqliteStore):
    """A `StateStore` that ends with the process: one connection to a database in memory. For tests, and for services
    without persistent state.
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        super().__init__(Path(":memory:"), clock)
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        weakref.finalize(self, self._connection.close)
        self._prepare(self._connection)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            yield self._connection


def _schema_of(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def _names(place: Place, key: str) -> tuple[str, str, str]:
    return encode_name(place.kind), encode_name(place.partition), encode_name(key)


def _record(row: tuple[str, str, str, str, str, float | None]) -> Record:
    kind, partition, key, value, version, expires_at = row
    return Record(
        place=Place(kind=decode_name(kind), partition=decode_name(partition)),
        key=decode_name(key),
        value=value_of(value),
        version=version,
        expires_at=expires_at,
    )
