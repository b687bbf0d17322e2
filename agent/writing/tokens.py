"""Changes that wait for a confirmation.

They are kept in a file, so that any process of the service can take the second request. A token is a password for one
change: only its hash is kept, it is good once, for a while, and for who got it.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from agent.errors import UnknownWritePlan, WriteNotMade, WritePlansUnavailable
from agent.state_file import StateFile
from executors.base import Frozen

_TABLE = "CREATE TABLE IF NOT EXISTS writes (token TEXT PRIMARY KEY, plan TEXT, expires_at REAL, used INT)"
FORGOTTEN_AFTER_S = 86_400.0  # until then, a token that was used or has expired is told to be so


class PlannedWrite(Frozen):
    """A change that was tried and undone.

    database, principal: where, and who asked for it.
    sql: as the guard wrote it; it is checked again before it runs.
    rows: how many it affects.
    seen: a digest of the rows that the person was shown.
    """

    database: str
    principal: str
    sql: str
    rows: int
    seen: str


class Issued(NamedTuple):
    """What the person gets."""

    token: str
    expires_at: datetime


class WritePlans:
    """The changes that wait, in an SQLite file that several processes may share.

    Args:
        path: the file; made with its folder when missing.
        lifetime_s: seconds in which a change must be confirmed.
        clock: seconds since the epoch.

    Methods block briefly, are safe to call from threads, and raise WritePlansUnavailable where the file cannot be used.
    """

    def __init__(self, path: Path, *, lifetime_s: float, clock: Callable[[], float] = time.time) -> None:
        self.path, self.lifetime_s, self.clock = path, lifetime_s, clock
        self._file = StateFile(path, (_TABLE,), "Planned changes", WritePlansUnavailable)

    def keep(self, plan: PlannedWrite) -> Issued:
        """Keep a change until it is confirmed, or its time is over."""
        token, now = secrets.token_urlsafe(24), self.clock()
        expires = now + self.lifetime_s
        with self._file.transaction() as connection:
            connection.execute("DELETE FROM writes WHERE expires_at < ?", (now - FORGOTTEN_AFTER_S,))
            connection.execute(
                "INSERT INTO writes VALUES (?, ?, ?, 0)", (_hash(token), plan.model_dump_json(), expires)
            )
        return Issued(token, datetime.fromtimestamp(expires, UTC))

    def claim(self, token: str, database: str, principal: str) -> PlannedWrite:
        """Take a change to make it; whoever comes second gets nothing.

        Raises:
            UnknownWritePlan: there is none for this caller and this database; the token stays good for the right ones.
            WriteNotMade: it was claimed before, or its time is over.
        """
        with self._file.transaction() as connection:
            row = connection.execute(
                "SELECT plan, expires_at, used FROM writes WHERE token = ?", (_hash(token),)
            ).fetchone()
            plan = PlannedWrite.model_validate_json(row[0]) if row else None
            if plan is None or (plan.database, plan.principal) != (database, principal):
                raise UnknownWritePlan(
                    f"No change of the database {database!r} waits for this token. Ask for the change again."
                )
            if row[2]:
                raise WriteNotMade("This change was confirmed before, and a token is good once. Ask for it again.")
            if row[1] < self.clock():
                raise WriteNotMade("The token has expired, and nothing was changed. Ask for the change again.")
            connection.execute("UPDATE writes SET used = 1 WHERE token = ?", (_hash(token),))
        return plan


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
