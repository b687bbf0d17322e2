"""The available databases, kept up to date with the registry's file and with uploads, without a restart."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from agent.core.errors import StateUnavailable, StorageFull
from agent.platform.telemetry.logs import hide
from executors.engines.local.files import FileState, state_of
from executors.errors import DatabaseUnavailable, RegistryInvalid

if TYPE_CHECKING:
    from agent.databases.uploads.uploads import Upload, Uploads
    from executors.base import Executor
    from executors.registry.entry import Entry
    from executors.router import Router

LOOK_EVERY_S = 3.0
RETIRED_S = 300.0  # after which nobody uses a database any more that another one took the place of

log = logging.getLogger(__name__)


class Catalogue:
    """Tells the router what databases there are; `changed`, which blocks, gets each name whose meaning changed."""

    def __init__(
        self,
        router: Router,
        uploads: Uploads,
        registry: Path | None,
        changed: Callable[[Sequence[str]], None],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._router, self.uploads, self._registry, self._changed, self._clock = (
            router,
            uploads,
            registry,
            changed,
            clock,
        )
        self._read = None if registry is None else state_of(registry)
        self._lock = asyncio.Lock()
        self._looked_at: float | None = None
        self._known: dict[str, Upload] = {}
        self._retired: list[tuple[float, Executor]] = []

    def upload(self, name: str) -> Upload | None:
        """The upload that a database came from; None for any other."""
        return self._known.get(name)

    def bring(self, name: str) -> None:
        """Have an upload's data on this machine; else nothing is done. Blocks. Raises DatabaseUnavailable."""
        upload = self._known.get(name)
        if upload is None:
            return
        try:
            self.uploads.bring(upload)
        except (StateUnavailable, StorageFull, OSError) as error:
            raise DatabaseUnavailable(f"The data of {name!r} cannot be fetched now. Try again later.") from error

    async def follow(self, name: str = "", *, now: bool = False) -> None:
        """Look for new databases: when it is time to, when this name is unknown, or now."""
        if not self._is_time(name, now):
            return
        async with self._lock:
            if self._is_time(name, now):
                self._looked_at = self._clock()
                await asyncio.to_thread(self._look)

    def _is_time(self, name: str, now: bool) -> bool:
        if now or self._looked_at is None or (name and name not in self._router.names()):
            return True
        return self._clock() - self._looked_at >= LOOK_EVERY_S

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
        """The entries of the registry, where its file has changed; a file that cannot be used changes nothing."""
        from executors.registry.registry import load_registry

        state: FileState | None = None if self._registry is None else state_of(self._registry)
        if self._registry is None or state is None or state == self._read:
            return None
        self._read = state
        try:
            registry = load_registry(self._registry)
        except RegistryInvalid as error:
            log.warning("The registry was changed and cannot be used; the databases are those before. %s", error)
            return None
        hide(secret for entry in registry.entries for secret in entry.secrets())
        return list(registry.entries)

    def _retire(self, closed: Sequence[Executor]) -> None:
        """Close what was retired long enough ago that no question uses it any more."""
        now = self._clock()
        over = [executor for at, executor in self._retired if now - at >= RETIRED_S]
        self._retired = [it for it in self._retired if now - it[0] < RETIRED_S]
        self._retired += [(now, executor) for executor in closed]
        for executor in over:
            executor.close()

    def close(self) -> None:
        """Close what was retired. Blocks."""
        for _, executor in self._retired:
            executor.close()
        self._retired = []
