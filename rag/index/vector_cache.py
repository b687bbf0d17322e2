"""Computed vectors by the hash of their text. After an interrupted sync, a later one reuses them.

Each batch is one SQLite transaction, so a process that is killed at any moment loses at most one batch.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from array import array
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from rag.index.revision import IndexContent

_TABLE = """
CREATE TABLE IF NOT EXISTS vectors (
    collection TEXT, model TEXT, text BLOB, vector BLOB, PRIMARY KEY (collection, model, text)
) WITHOUT ROWID
"""
_BATCH = 500  # texts in one query
_BUSY_S = 30.0  # while another collection's vectors are written


class VectorCache:
    """The vectors of one collection and one embedding model, in a file that all collections share.

    If the file cannot be used, `problem` states why, and the cache finds and keeps nothing.
    """

    def __init__(self, path: Path, content: IndexContent) -> None:
        self._collection, self._dimension = content.name, content.dimension
        self._model = f"{content.embedding_model}/{content.dimension}"
        self.problem = ""
        self._connection: sqlite3.Connection | None = None
        self._path = path
        try:
            self._connection = self._open()
        except sqlite3.OperationalError as error:
            self._give_up(error)
        except sqlite3.DatabaseError:
            self._begin_anew()

    def get(self, texts: Iterable[str]) -> dict[str, array[float]]:
        """The known vectors of these texts."""
        by_hash = {_hash(text): text for text in texts}
        hashes, found = list(by_hash), dict[str, "array[float]"]()
        if self._connection is None:
            return found
        try:
            for start in range(0, len(hashes), _BATCH):
                some = hashes[start : start + _BATCH]
                rows = self._connection.execute(
                    "SELECT text, vector FROM vectors WHERE collection = ? AND model = ? "
                    f"AND text IN ({','.join('?' * len(some))})",
                    (self._collection, self._model, *some),
                )
                for text, blob in rows:
                    if len(blob) == 4 * self._dimension:
                        found[by_hash[text]] = array("f", blob)
        except sqlite3.Error as error:
            self._give_up(error)
        return found

    def put(self, texts: Sequence[str], vectors: Sequence[Sequence[float]]) -> None:
        """Store vectors durably."""
        if self._connection is None:
            return
        rows = [
            (self._collection, self._model, _hash(text), array("f", vector).tobytes())
            for text, vector in zip(texts, vectors, strict=True)
        ]
        try:
            with self._connection:
                self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", rows)
        except sqlite3.Error as error:
            self._give_up(error)

    def keep_only(self, texts: Iterable[str]) -> None:
        """Delete this collection's vectors of other texts and of other models."""
        if self._connection is None:
            return
        try:
            with self._connection:
                self._connection.execute("CREATE TEMP TABLE kept (text BLOB PRIMARY KEY) WITHOUT ROWID")
                self._connection.executemany(
                    "INSERT OR IGNORE INTO kept VALUES (?)", ((_hash(text),) for text in texts)
                )
                self._connection.execute(
                    "DELETE FROM vectors WHERE collection = ? AND (model <> ? OR text NOT IN (SELECT text FROM kept))",
                    (self._collection, self._model),
                )
                self._connection.execute("DROP TABLE kept")
        except sqlite3.Error as error:
            self._give_up(error)

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(OSError):  # SQLite reports the error
            make_file(self._path)
        connection = sqlite3.connect(self._path, timeout=_BUSY_S, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(_TABLE)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _begin_anew(self) -> None:
        """Set a damaged file aside and create a new one."""
        aside = aside_of(self._path)
        try:
            self._path.rename(aside)
            for rest in ("-wal", "-shm"):  # they belong to the damaged file
                self._path.with_name(self._path.name + rest).unlink(missing_ok=True)
            self._connection = self._open()
        except (OSError, sqlite3.Error) as error:
            self._give_up(error)
        else:
            self.problem = f"The kept vectors were damaged; they are set aside as {aside.name!r} and computed again."

    def _give_up(self, error: Exception) -> None:
        self.close()
        detail = error.strerror if isinstance(error, OSError) else ""
        kind = error.sqlite_errorname if isinstance(error, sqlite3.Error) else detail or "the disk refused"
        self.problem = f"Vectors cannot be kept ({kind}); an interrupted run will start over."


def aside_of(path: Path) -> Path:
    """An unused name in the same folder for a damaged file or folder."""
    name = f"{path.name}.corrupt-{datetime.now(UTC):%Y-%m-%d}"
    free = (path.with_name(name + (f"-{number}" if number > 1 else "")) for number in range(1, 10_000))
    return next(one for one in free if not one.exists())


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


FOLDER, FILE = 0o700, 0o600


def make_folder(path: Path) -> None:
    """Create a folder and its parents. Only the owner may enter the folder, even if it existed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(mode=FOLDER, exist_ok=True)
    _close(path, FOLDER)


def make_file(path: Path) -> None:
    """Create an empty file before it is filled. Only the owner may read the file, even if it existed."""
    path.touch(mode=FILE)
    _close(path, FILE)


def close_tree(folder: Path) -> None:
    """Restrict a folder and its contents to the owner, whatever the permissions were."""
    for path in folder.rglob("*"):
        _close(path, FOLDER if path.is_dir() else FILE)
    _close(folder, FOLDER)


def keep_others_out(folder: Path) -> None:
    """Remove all permissions except the owner's from a folder and its contents. The owner's stay as they are."""
    for root, _, files in os.walk(folder):  # skips a folder that another process removes meanwhile
        for path in (Path(root), *(Path(root, file) for file in files)):
            with suppress(OSError):  # as in `_close`, or the file is gone
                _close(path, path.stat().st_mode & 0o700)


def _close(path: Path, mode: int) -> None:
    with suppress(OSError):  # a share without modes, or another user's file, which that user must restrict
        if path.stat().st_mode & 0o777 != mode:
            path.chmod(mode)
