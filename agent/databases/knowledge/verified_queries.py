"""Queries whose answers passed every check, stored for the next time the same question is asked.

They are in the state store, which all instances share. A question is stored as a hash, so only a caller
who asks exactly the same question finds it.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from agent.platform.storage.store import Place, Remove, Replace, StateConflict, StateStore, remove_all
from executors.base import Frozen, JsonValue

KIND = "verified"
MAX_QUERIES = 1000  # per database; the least recently used are removed first
TRIM_EVERY = 20  # queries added per database by this process between trims
USED_S = 3600.0  # uses within this time of the last recorded use are not recorded


class Key(NamedTuple):
    """A question and who shares it. audience: empty for all who may query the database, else one principal."""

    database: str
    audience: str
    question: str


class VerifiedQuery(Frozen):
    """A query, its tables, and a fingerprint of everything that its verification depended on.

    votes: number of drafts that agreed on it, and of all drafts; None if a judge accepted it. by_second: whether the
    second model wrote one of them.
    """

    sql: str
    tables: tuple[str, ...]
    fingerprint: str
    votes: tuple[int, int] | None = None
    by_second: bool = False


class VerifiedQueries:
    """The queries of every database, at most `max_queries` each plus those added since the last trim.

    Methods block briefly, are thread-safe, and raise StateUnavailable if the store cannot be used.
    """

    def __init__(
        self,
        state: StateStore,
        *,
        max_queries: int = MAX_QUERIES,
        trim_every: int = TRIM_EVERY,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._state, self.max_queries, self.trim_every, self.clock = state, max_queries, trim_every, clock
        self._added: Counter[str] = Counter()

    def find(self, key: Key) -> VerifiedQuery | None:
        record = self._state.get(_place(key.database), hash_of(key))
        if record is None:
            return None
        query, now = VerifiedQuery.model_validate(record.value["query"]), self.clock()
        if now - float(str(record.value["used_at"])) >= USED_S:
            used = Replace(key=record.key, value=value_of(query, now), version=record.version)
            with suppress(StateConflict):  # another process recorded a use, or replaced the query
                self._state.commit(record.place, [used])
        return query

    def keep(self, key: Key, query: VerifiedQuery) -> None:
        """Store a query, replacing the last one for its question. If there are too many, the oldest are removed."""
        self._state.commit(_place(key.database), [Replace(key=hash_of(key), value=value_of(query, self.clock()))])
        if self._added[key.database] % self.trim_every == 0:
            records = self._state.records(_place(key.database))
            records.sort(key=lambda record: float(str(record.value["used_at"])), reverse=True)
            remove_all(self._state, _place(key.database), [record.key for record in records[self.max_queries :]])
        self._added[key.database] += 1

    def forget(self, key: Key) -> None:
        self._state.commit(_place(key.database), [Remove(key=hash_of(key))])

    def forget_all(self, database: str) -> None:
        remove_all(self._state, _place(database), [record.key for record in self._state.records(_place(database))])


def hash_of(key: Key) -> str:
    """The key of a question's record. It reveals neither the question nor the caller."""
    return hashlib.sha256(json.dumps([key.audience, key.question]).encode()).hexdigest()


def value_of(query: VerifiedQuery, used_at: float) -> dict[str, JsonValue]:
    """The record of a query. Args: used_at: seconds since the epoch."""
    return {"query": query.model_dump(mode="json", exclude_defaults=True), "used_at": used_at}


def _place(database: str) -> Place:
    return Place(kind=KIND, partition=database)
