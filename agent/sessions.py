"""Sessions: the last exchanges with one person about one database."""

from __future__ import annotations

import sqlite3
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from agent.errors import SessionStoreUnavailable, UnknownSession
from agent.models import Exchange
from agent.state_file import StateFile
from executors.base import Frozen

MAX_EXCHANGES = 50  # as many as `max_conversation_history` may ask for

_TABLES = (
    "CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, database TEXT, used_at REAL)",
    "CREATE TABLE IF NOT EXISTS exchanges (number INTEGER PRIMARY KEY, question TEXT, answer TEXT, sql TEXT, "
    "session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE)",
)


class Session(Frozen):
    """Exchanges, oldest first, the latest `MAX_EXCHANGES` of them."""

    id: str
    database: str
    exchanges: tuple[Exchange, ...] = ()


class SessionStore(Protocol):
    """Where sessions live. Methods block briefly and are safe to call from threads.

    Each raises SessionStoreUnavailable where the place cannot be read or written.
    """

    def start(self, database: str) -> Session:
        """A new, empty session."""

    def get(self, session_id: str) -> Session:
        """The session. Raises UnknownSession when there is none, or it has expired."""

    def add(self, session_id: str, exchange: Exchange) -> None:
        """Append an exchange and put off the expiry. Raises UnknownSession."""


class SqliteSessions:
    """Sessions in a SQLite file, which survive a restart and which several processes may share.

    Args:
        path: the file; made with its folder when missing.
        timeout_s: idle seconds after which a session is gone.
        clock: seconds since the epoch.
    """

    def __init__(self, path: Path, *, timeout_s: float, clock: Callable[[], float] = time.time) -> None:
        self.path, self.timeout_s, self.clock = path, timeout_s, clock
        self._file = StateFile(path, _TABLES, "Sessions", SessionStoreUnavailable)

    def start(self, database: str) -> Session:
        session = Session(id=uuid.uuid4().hex, database=database)
        with self._file.transaction() as connection:
            connection.execute("DELETE FROM sessions WHERE used_at < ?", (self.clock() - self.timeout_s,))
            connection.execute("INSERT INTO sessions VALUES (?, ?, ?)", (session.id, database, self.clock()))
        return session

    def get(self, session_id: str) -> Session:
        with self._file.transaction() as connection:
            database = self._database_of(connection, session_id)
            rows = connection.execute(
                "SELECT question, answer, sql FROM exchanges WHERE session_id = ? ORDER BY number DESC LIMIT ?",
                (session_id, MAX_EXCHANGES),
            ).fetchall()
        exchanges = tuple(Exchange(question=q, answer=a, sql=sql) for q, a, sql in reversed(rows))
        return Session(id=session_id, database=database, exchanges=exchanges)

    def add(self, session_id: str, exchange: Exchange) -> None:
        with self._file.transaction() as connection:
            self._database_of(connection, session_id)
            connection.execute(
                "INSERT INTO exchanges (session_id, question, answer, sql) VALUES (?, ?, ?, ?)",
                (session_id, exchange.question, exchange.answer, exchange.sql),
            )
            connection.execute("UPDATE sessions SET used_at = ? WHERE id = ?", (self.clock(), session_id))

    def _database_of(self, connection: sqlite3.Connection, session_id: str) -> str:
        row = connection.execute(
            "SELECT database FROM sessions WHERE id = ? AND used_at >= ?", (session_id, self.clock() - self.timeout_s)
        ).fetchone()
        if row is None:
            raise UnknownSession("There is no such session, or it has expired. Start a new one.")
        return str(row[0])
