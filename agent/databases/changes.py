"""Change notices between instances: which schemas and docs have changed since they were read.

The state store has one record for each database, whose version changes with what is known of the database. Each
instance reads these at most every few seconds, and only while it has requests.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import time
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING

from agent.core.errors import StateUnavailable
from agent.platform.storage.store import Place, Replace

if TYPE_CHECKING:
    from agent.platform.storage.store import StateStore
    from executors.base import Schema

PLACE = Place(kind="changes", partition="databases")
LOOK_EVERY_S = 3.0

log = logging.getLogger(__name__)


class Changes:
    """The changes of all databases, as this instance knows them.

    It looks every `every_s` seconds, and calls `changed`, which blocks, with each database that another instance has
    changed.
    """

    def __init__(
        self,
        state: StateStore,
        changed: Callable[[str], None],
        *,
        clock: Callable[[], float] = time.monotonic,
        every_s: float = LOOK_EVERY_S,
    ) -> None:
        self._state, self._changed, self._clock, self._every_s = state, changed, clock, every_s
        self._lock = asyncio.Lock()
        self._looked_at: float | None = None
        self._seen: dict[str, str] | None = None  # versions by database; None: nothing that was read can be older

    async def follow(self) -> None:
        """Hear of what others have changed, where it is time to. A store that cannot be read changes nothing."""
        now = self._clock()
        if self._looked_at is not None and now - self._looked_at < self._every_s:
            return
        async with self._lock:
            if self._looked_at is not None and now - self._looked_at < self._every_s:
                return  # somebody else has looked while this one waited
            self._looked_at = now
            try:
                await asyncio.to_thread(self._look)
            except StateUnavailable as error:
                log.warning("What other instances have changed is not known: %s", error)

    def _look(self) -> None:
        found = {record.key: str(record.value["version"]) for record in self._state.records(PLACE)}
        if self._seen is not None:
            for name, version in found.items():
                if self._seen.get(name) != version:
                    self._changed(name)
        self._seen = {**(self._seen or {}), **found}

    async def tell(self, name: str, digest: str = "") -> None:
        """Have the other instances read a database's schema and docs anew. One that misses it reads them in time.

        `digest` is that of its schema, where it was read just now.
        """
        version = uuid.uuid4().hex
        value = {"version": version, "digest": digest}
        try:
            await asyncio.to_thread(self._state.commit, PLACE, [Replace(key=name, value=value)])
        except StateUnavailable as error:
            log.warning("Other instances do not learn that %r has changed: %s", name, error)
            return
        if self._seen is not None:
            self._seen[name] = version

    async def tell_if_new(self, name: str, schema: Schema) -> bool:
        """The same, where the schema differs from the last notice. Returns whether it did. Raises StateUnavailable."""
        digest = digest_of(schema)
        record = await asyncio.to_thread(self._state.get, PLACE, name)
        if record is not None and record.value["digest"] == digest:
            return False
        await self.tell(name, digest)
        return True


def digest_of(schema: Schema) -> str:
    """The same for the same tables, columns, keys and comments, however many rows there are."""
    tables = [
        table.model_dump(mode="json", exclude={"row_count": True, "columns": {"__all__": {"samples"}}})
        for table in schema.tables
    ]
    return hashlib.sha256(json.dumps(tables, sort_keys=True).encode()).hexdigest()
