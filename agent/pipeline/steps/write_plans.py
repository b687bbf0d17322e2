"""Planned changes that wait for a confirmation.

They are kept in the state store, so any instance of the service can handle the second request. A token is a password
for one change: only its hash is stored, and it works once, for a limited time, for the caller who got it.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from agent.core.errors import UnknownWritePlan, WriteNotMade
from agent.core.resilience.deadline import lies_ahead, utc_at
from agent.platform.storage.store import Insert, Place, Replace, StateConflict, StateStore
from executors.base import Frozen, JsonValue

KIND, PLAN = "write", "plan"
FORGOTTEN_AFTER_S = 86_400.0  # until then, a used or expired token is reported as such


class PlannedWrite(Frozen):
    """A change that was tried and rolled back.

    database, principal: the database to change, and the caller who asked.
    sql: the statement as the guard wrote it; it is checked again before it runs.
    rows: number of affected rows.
    seen: a digest of the rows that were shown to the caller.
    asked: the question; it decides which private columns may be shown.
    """

    database: str
    principal: str
    sql: str
    rows: int
    seen: str
    asked: str = ""


class Issued(NamedTuple):
    token: str
    expires_at: datetime


class WritePlans:
    """Changes that wait for `lifetime_s` seconds. Methods block, are safe in threads, and raise StateUnavailable."""

    def __init__(self, state: StateStore, *, lifetime_s: float, clock: Callable[[], float] = time.time) -> None:
        self._state, self.lifetime_s, self.clock = state, lifetime_s, clock

    def keep(self, plan: PlannedWrite) -> Issued:
        """Store a change until it is confirmed or expires."""
        token, until = secrets.token_urlsafe(24), self.clock() + self.lifetime_s
        stored = Insert(key=PLAN, value=value_of(plan, until), expires_at=until + FORGOTTEN_AFTER_S)
        self._state.commit(_place(token), [stored])
        return Issued(token, utc_at(until))

    def claim(self, token: str, database: str, principal: str) -> PlannedWrite:
        """Claim a planned change, in order to make it. A token can be claimed once.

        Raises UnknownWritePlan: there is none for this caller and database, but the token stays valid for the right
        ones; WriteNotMade: it was claimed before, or has expired.
        """
        record = self._state.get(_place(token), PLAN)
        plan = PlannedWrite.model_validate(record.value["plan"]) if record else None
        if record is None or plan is None or (plan.database, plan.principal) != (database, principal):
            raise UnknownWritePlan(
                f"No change of the database {database!r} waits for this token. Ask for the change again."
            )
        until = float(str(record.value["until"]))
        if record.value["used"]:
            raise _build_used_error()
        if until < (now := self.clock()) or lies_ahead(until, now, self.lifetime_s):
            raise WriteNotMade("The token has expired, and nothing was changed. Ask for the change again.")
        value = value_of(plan, until, used=True)
        used = Replace(key=PLAN, value=value, version=record.version, expires_at=record.expires_at)
        try:
            self._state.commit(record.place, [used])
        except StateConflict as error:
            raise _build_used_error() from error
        return plan


def value_of(plan: PlannedWrite, until: float, *, used: bool = False) -> dict[str, JsonValue]:
    """The record of a change. Args: until: expiry, in seconds since the epoch; used: whether it was claimed."""
    return {"plan": plan.model_dump(mode="json"), "until": until, "used": used}


def _build_used_error() -> WriteNotMade:
    return WriteNotMade("This token was already used. Ask for the change again.")


def _place(token: str) -> Place:
    return Place(kind=KIND, partition=hashlib.sha256(token.encode()).hexdigest())
