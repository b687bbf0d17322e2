"""Queries whose answers passed every check, kept for the day the same question is asked again.

They are kept in a file, so that any process of the service knows them. A question is kept as a hash: only who asks the
very same one finds it.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from agent.errors import VerifiedQueriesUnavailable
from agent.state_file import StateFile
from executors.base import Frozen

MAX_KEPT = 1000  # queries of one database; the one that was used longest ago goes first

_TABLE = (
    "CREATE TABLE IF NOT EXISTS verified (database TEXT, question TEXT, sql TEXT, tables TEXT, fingerprint TEXT, "
    "used_at REAL, PRIMARY KEY (database, question))"
)


class Key(NamedTuple):
    """Whose question: audience is empty where everybody who may ask the database shares, else one principal."""

    database: str
    audience: str
    question: str


class VerifiedQuery(Frozen):
    """A query, the tables that it reads, and the fingerprint of all that its being right rested on."""

    sql: str
    tables: tuple[str, ...]
    fingerprint: str


class VerifiedQueries:
    """The queries, in an SQLite file that several processes may share.

    Args:
        path: the file; made with its folder when something is first kept.
        max_kept: of one database.
        clock: seconds since the epoch.

    Methods block briefly, are safe to call from threads, and raise VerifiedQueriesUnavailable where the file cannot be
    used.
    """

    def __init__(self, path: Path, *, max_kept: int = MAX_KEPT, clock: Callable[[], float] = time.time) -> None:
        self.path, self.max_kept, self.clock = path, max_kept, clock
        self._file = StateFile(path, (_TABLE,), "Verified queries", VerifiedQueriesUnavailable)

    def find(self, key: Key) -> VerifiedQuery | None:
        """The query that was kept for this question."""
        if not self.path.exists():
            return None  # reading makes no files
        with self._file.transaction() as connection:
            row = connection.execute(
                "UPDATE verified SET used_at = ? WHERE database = ? AND question = ? "
                "RETURNING sql, tables, fingerprint",
                (self.clock(), key.database, _hash(key)),
            ).fetchone()
        return VerifiedQuery(sql=row[0], tables=tuple(json.loads(row[1])), fingerprint=row[2]) if row else None

    def keep(self, key: Key, query: VerifiedQuery) -> None:
        """Keep a query instead of the last one of its question; where there are too many, the oldest goes."""
        with self._file.transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO verified VALUES (?, ?, ?, ?, ?, ?)",
                (key.database, _hash(key), query.sql, json.dumps(query.tables), query.fingerprint, self.clock()),
            )
            connection.execute(
                "DELETE FROM verified WHERE database = ? AND rowid NOT IN "
                "(SELECT rowid FROM verified WHERE database = ? ORDER BY used_at DESC, rowid DESC LIMIT ?)",
                (key.database, key.database, self.max_kept),
            )

    def forget(self, key: Key) -> None:
        """Keep nothing for this question any more."""
        if not self.path.exists():
            return
        with self._file.transaction() as connection:
            connection.execute("DELETE FROM verified WHERE database = ? AND question = ?", (key.database, _hash(key)))


def _hash(key: Key) -> str:
    return hashlib.sha256(json.dumps([key.audience, key.question]).encode()).hexdigest()
