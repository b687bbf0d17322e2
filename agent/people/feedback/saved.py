"""Saved queries: stored under a name by a principal, to run again."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from pydantic import ConfigDict

from agent.core.errors import ChangedMeanwhile, NameTaken, NotPermitted, SavedQueryInvalid, UnknownSavedQuery
from agent.core.resilience.deadline import utc_at
from agent.databases.registry import Databases, Executed
from agent.people.feedback.records import MAX_SQL
from agent.people.feedback.reviews import Reviewers
from agent.people.feedback.shelf import Shelf
from agent.platform.storage.store import (
    Change,
    Insert,
    Place,
    Record,
    Remove,
    Replace,
    StateConflict,
    StateStore,
    key_of,
    put_after,
)
from executors.base import Frozen, Scalar

KIND, NAMES, PREFIX = "saved", "names", "query/"
TRIES = 20  # if other requests of the same principal make changes at the same time
MAX_PARAMETERS = 20_000  # characters as JSON

Values = list[Scalar] | dict[str, Scalar]
Names = dict[str, Any]  # the ids by name in lower case


class NewQuery(Frozen):
    """A query to save. parameters: default values of its placeholders."""

    name: str
    database: str
    sql: str
    question: str = ""
    parameters: Values | None = None


class SavedQuery(NewQuery):
    """A saved query.

    name: Name of the query.
    database: The database that the query runs on.
    sql: The query.
    question: What the query answers. Empty if there is none.
    parameters: Default values of placeholders. Null if there are none.
    id: Id of the saved query.
    created_at: When the query was saved, in UTC.
    updated_at: When the query was last changed, in UTC.
    """

    model_config = ConfigDict(extra="ignore")

    id: str
    created_at: datetime
    updated_at: datetime


class StoredQuery(NamedTuple):
    """A saved query and the version of its record."""

    query: SavedQuery
    version: str


class SavedQueries:
    """The saved queries of principals. Each sees only their own. Without names, all callers are one principal.

    One record per principal has all names and is part of every change. Methods raise StateUnavailable, NotPermitted.
    """

    def __init__(
        self,
        state: StateStore,
        shelf: Shelf,
        registered: Databases,
        reviewers: Reviewers,
        *,
        most: int,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._state, self._shelf, self._registered, self._reviewers = state, shelf, registered, reviewers
        self._most, self._clock = most, clock

    async def save(self, principal: str, new: NewQuery, *, answer_id: str = "") -> StoredQuery:
        """Save a query, completed from the answer with an id.

        Raises UnknownDatabase, DatabaseUnavailable, SqlRefused, SavedQueryInvalid, NameTaken.
        """
        if answer_id:
            new = await self._complete(principal, new, answer_id)
        await self._check(principal, new)
        now = utc_at(self._clock())
        query = SavedQuery(**new.model_dump(), id=secrets.token_hex(16), created_at=now, updated_at=now)
        return await asyncio.to_thread(self._insert, principal, query)

    async def all(self, principal: str) -> list[SavedQuery]:
        """A principal's saved queries whose databases they may query, by name."""
        records = await asyncio.to_thread(self._state.records, self._of(principal), prefix=PREFIX)
        queries = (_parse_record(record).query for record in records)
        mine = (query for query in queries if self._reviewers.may_ask(query.database, principal))
        return sorted(mine, key=lambda query: query.name.casefold())

    async def get(self, principal: str, query_id: str) -> StoredQuery:
        """A principal's saved query. Raises UnknownSavedQuery."""
        record = await asyncio.to_thread(self._state.get, self._of(principal), PREFIX + query_id)
        if record is None or not self._reviewers.may_ask(_parse_record(record).query.database, principal):
            raise _build_unknown(query_id)
        return _parse_record(record)

    async def is_stored(self, principal: str, query_id: str) -> bool:
        """Whether the query exists, even if its database may no longer be queried."""
        return await asyncio.to_thread(self._state.get, self._of(principal), PREFIX + query_id) is not None

    async def replace(self, principal: str, query_id: str, new: NewQuery, *, version: str = "") -> StoredQuery:
        """Change a query, if it has the given version. Raises ChangedMeanwhile; else as `save`."""
        stored = await self.get(principal, query_id)
        if version and version != stored.version:
            raise _build_conflict()
        await self._check(principal, new)
        times = {"created_at": stored.query.created_at, "updated_at": utc_at(self._clock())}
        query = SavedQuery(**new.model_dump(), id=query_id, **times)
        return await asyncio.to_thread(self._replace, principal, query, stored)

    async def delete(self, principal: str, query_id: str, *, version: str = "") -> None:
        """Delete a query. Raises UnknownSavedQuery, ChangedMeanwhile."""
        stored = await self.get(principal, query_id)
        if version and version != stored.version:
            raise _build_conflict()
        await asyncio.to_thread(self._delete, principal, stored)

    async def run(
        self, principal: str, query_id: str, *, parameters: Values | None = None, row_limit: int | None = None
    ) -> tuple[SavedQuery, Executed]:
        """Run a saved query. Raises UnknownSavedQuery; else as `Databases.execute`."""
        query = (await self.get(principal, query_id)).query
        values = query.parameters if parameters is None else parameters
        done = await self._registered.execute(
            query.database, query.sql, row_limit=row_limit, parameters=values, principal=principal
        )
        return query, done

    async def _complete(self, principal: str, new: NewQuery, answer_id: str) -> NewQuery:
        """The query with the question and SQL of one of the principal's answers. Raises SavedQueryInvalid."""
        answers = await asyncio.to_thread(self._shelf.answers, answer_id)
        key = key_of(principal)
        mine = (stored.answer for stored in answers if key_of(stored.answer.principal) == key)
        found = [one for one in mine if one.database == new.database]
        if len(found) != 1 or not (new.sql or found[0].sql):
            raise SavedQueryInvalid(
                f"You were given no answer about {new.database!r} with this id that has a query, it was too long ago, "
                "or several answers have this trace_id. Send an `answer_id`, or the query as `sql`."
            )
        (answer,) = found
        return new.model_copy(update={"sql": new.sql or answer.sql, "question": new.question or answer.question})

    async def _check(self, principal: str, new: NewQuery) -> None:
        """Check that the query can run, without running it."""
        if len(new.sql) > MAX_SQL:
            raise SavedQueryInvalid(f"The query has {len(new.sql)} characters; at most {MAX_SQL} can be saved.")
        if len(json.dumps(new.parameters)) > MAX_PARAMETERS:
            raise SavedQueryInvalid(f"The parameters are longer than the {MAX_PARAMETERS} characters that are kept.")
        await (await self._registered.get(new.database, principal)).check(new.sql, 1, new.parameters)

    def _insert(self, principal: str, query: SavedQuery) -> StoredQuery:
        def add(names: Names) -> Names:
            if len(names) >= self._most:
                raise SavedQueryInvalid(f"At most {self._most} queries can be saved. Delete one first.")
            return _add_name(names, query)

        insert = Insert(key=PREFIX + query.id, value=query.model_dump(mode="json"))
        return StoredQuery(query, self._commit(principal, insert, add, None))

    def _replace(self, principal: str, query: SavedQuery, stored: StoredQuery) -> StoredQuery:
        put = Replace(key=PREFIX + query.id, value=query.model_dump(mode="json"), version=stored.version)
        version = self._commit(principal, put, lambda names: _add_name(_without(names, query.id), query), stored)
        return StoredQuery(query, version)

    def _delete(self, principal: str, stored: StoredQuery) -> None:
        removal = Remove(key=PREFIX + stored.query.id, version=stored.version)
        self._commit(principal, removal, lambda names: _without(names, stored.query.id), stored)

    def _commit(
        self, principal: str, change: Change, rename: Callable[[Names], Names], stored: StoredQuery | None
    ) -> str:
        """Commit a change and the change of names. Returns the new version. `stored`: the expected current query."""
        place = self._of(principal)
        for _ in range(TRIES):
            record = self._state.get(place, NAMES)
            names = rename(dict(record.value) if record else {})
            try:
                return self._state.commit(place, [put_after(record, NAMES, dict(names)), change])[1]
            except StateConflict:
                if stored is not None:
                    self._still(principal, stored)
        raise _build_conflict()

    def _still(self, principal: str, stored: StoredQuery) -> None:
        """Check that the query itself is unchanged. Raises ChangedMeanwhile, UnknownSavedQuery."""
        record = self._state.get(self._of(principal), PREFIX + stored.query.id)
        if record is None:
            raise _build_unknown(stored.query.id)
        if record.version != stored.version:
            raise _build_conflict()

    def _of(self, principal: str) -> Place:
        """The place of a principal's queries. Raises NotPermitted for a caller without a name, if others have names."""
        if not self._reviewers.is_somebody(principal):
            raise NotPermitted(
                "Saved queries belong to a name, and this call has none. Sign in, or use a key of your own."
            )
        return Place(kind=KIND, partition=key_of(principal))


def _add_name(names: Names, query: SavedQuery) -> Names:
    """The names with a query's name added. Raises NameTaken."""
    folded = query.name.casefold()
    if folded in names:
        raise NameTaken(f"You have another saved query named {query.name!r}. Choose another name.")
    return names | {folded: query.id}


def _without(names: Names, query_id: str) -> Names:
    return {name: stored for name, stored in names.items() if stored != query_id}


def _parse_record(record: Record) -> StoredQuery:
    return StoredQuery(SavedQuery.model_validate(record.value), record.version)


def _build_unknown(query_id: str) -> UnknownSavedQuery:
    return UnknownSavedQuery(f"You have no saved query {query_id}. GET /api/saved lists your queries.")


def _build_conflict() -> ChangedMeanwhile:
    return ChangedMeanwhile("The saved query has changed since you read it. Read it again, then decide.")
