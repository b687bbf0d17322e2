"""The databases of the registry's file and of uploads, and changes to them by other instances."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from agent.core.errors import StateUnavailable, StorageFull
from agent.platform.storage.store import Place, Replace
from agent.platform.telemetry.logs import hide
from executors.engines.common.local.files import FileState, state_of
from executors.errors import DatabaseUnavailable, RegistryInvalid

if TYPE_CHECKING:
    from agent.databases.uploads.uploads import Upload, Uploads
    from agent.platform.storage.store import StateStore
    from executors.base import Executor, Schema
    from executors.registry.entry import Entry
    from executors.router import Router

LOOK_EVERY_S = 3.0
RETIRED_S = 300.0  # time after which a replaced database is no longer in use

log = logging.getLogger(__name__)


class Catalogue:
    """Keeps the router's databases current; `changed`, which blocks, gets the names of changed databases."""

    def __init__(
        self, router: Router, uploads: Uploads, registry: Path | None, changed: Callable[[Sequence[str]], None]
    ) -> None:
        self._router, self.uploads, self._registry, self._changed = router, uploads, registry, changed
        self._read = None if registry is None else state_of(registry)
        self.is_outdated = False  # whether the registry's file was changed or deleted, and cannot be used
        self._lock = asyncio.Lock()
        self._looked_at: float | None = None
        self._known: dict[str, Upload] = {}
        self._retired: list[tuple[float, Executor]] = []

    def upload(self, name: str) -> Upload | None:
        """The upload that a database was created from; None for other databases."""
        return self._known.get(name)

    def bring(self, name: str) -> None:
        """Fetch an upload's data to this machine. A no-op for other databases. Blocks. Raises DatabaseUnavailable."""
        upload = self._known.get(name)
        if upload is None:
            return
        try:
            self.uploads.bring(upload)
        except (StateUnavailable, StorageFull, OSError) as error:
            raise DatabaseUnavailable(f"The data of {name!r} cannot be fetched now. Try again later.") from error

    async def follow(self, name: str = "", *, now: bool = False) -> None:
        """Look for changed databases if the last look is too old, if `name` is unknown, or if `now`."""
        if not self._is_time(name, now):
            return
        async with self._lock:
            if self._is_time(name, now):
                self._looked_at = time.monotonic()
                await asyncio.to_thread(self._look)

    def _is_time(self, name: str, now: bool) -> bool:
        if now or self._looked_at is None or (name and name not in self._router.names()):
            return True
        return time.monotonic() - self._looked_at >= LOOK_EVERY_S

    def _look(self) -> None:
        uploads: list[Entry] | None = None
        try:
            found = {upload.name: upload for upload in self.uploads.every()}
            uploads = [self.uploads.entry(upload) for upload in found.values()]
            for name, upload in self._known.items():
                if (now := found.get(name)) is None or now.place != upload.place:
                    self.uploads.let_go(upload)
            self._known = found
        except StateUnavailable as error:
            log.warning("What was uploaded is not known: %s", error)
        changed, closed = self._router.replace(self._read_registry(), uploads)
        self._retire(closed)
        if changed:
            self._changed(changed)

    def _read_registry(self) -> list[Entry] | None:
        """The registry's entries if its file has changed, else None. An invalid file changes nothing."""
        from executors.registry.registry import load_registry

        state: FileState | None = None if self._registry is None else state_of(self._registry)
        if self._registry is None or state == self._read:
            return None
        if state is None:
            self._read, self.is_outdated = None, True
            log.warning("The registry was deleted; the databases are those before.")
            return None
        self._read = state
        try:
            registry = load_registry(self._registry)
        except RegistryInvalid as error:
            self.is_outdated = True
            log.warning("The registry was changed and cannot be used; the databases are those before. %s", error)
            return None
        self.is_outdated = False
        hide(secret for entry in registry.entries for secret in entry.secrets())
        return list(registry.entries)

    def _retire(self, closed: Sequence[Executor]) -> None:
        """Close executors that were retired long enough ago that no question uses them."""
        now = time.monotonic()
        over = [executor for at, executor in self._retired if now - at >= RETIRED_S]
        self._retired = [it for it in self._retired if now - it[0] < RETIRED_S]
        self._retired += [(now, executor) for executor in closed]
        for executor in over:
            executor.close()

    def close(self) -> None:
        for _, executor in self._retired:
            executor.close()
        self._retired = []


PLACE = Place(kind="changes", partition="databases")


class Changes:
    """Change notices between instances: which schemas and docs have changed since they were read.

    The state store has one record per database. Its version changes with the database's schema and docs. The store
    is read every `every_s` seconds, and only while there are requests. `changed`, which blocks, is called with the name
    of each database that another instance has changed.
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
        self._seen: dict[str, str] | None = None  # versions by database; None before the first look: nothing is old

    async def follow(self) -> None:
        """Read the change notices if the last look is too old. A store that cannot be read changes nothing."""
        now = self._clock()
        if self._looked_at is not None and now - self._looked_at < self._every_s:
            return
        async with self._lock:
            if self._looked_at is not None and now - self._looked_at < self._every_s:
                return  # another task looked while this one waited
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
        """Make other instances reread a database's schema and docs. An instance that misses the notice rereads later.

        `digest` is the digest of the schema, if it was just read.
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
        """Notify if the schema differs from the last notice. Returns whether it differs. Raises StateUnavailable."""
        digest = digest_of(schema)
        record = await asyncio.to_thread(self._state.get, PLACE, name)
        if record is not None and record.value["digest"] == digest:
            return False
        await self.tell(name, digest)
        return True


def digest_of(schema: Schema) -> str:
    """A digest of the schema's tables, columns, keys and comments. Row counts and samples do not affect it."""
    tables = [
        table.model_dump(mode="json", exclude={"row_count": True, "columns": {"__all__": {"samples"}}})
        for table in schema.tables
    ]
    return hashlib.sha256(json.dumps(tables, sort_keys=True).encode()).hexdigest()
