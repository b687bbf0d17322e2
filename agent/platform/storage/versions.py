"""The version of the stored state, and the migration of older state.

The version is a record in the store, so it means the same in every place. A migration only adds: during an update,
instances of the old release still work with the same state.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from agent.core.errors import StateUnavailable
from agent.platform.storage.store import Change, Place, Record, Replace, StateConflict, StateStore

FIRST = 1  # of state that does not say its version: the first release kept none
META, VERSION = Place(kind="meta", partition="state"), "version"

Migration = Callable[[StateStore], None]  # may be run twice, by several processes at once, and be interrupted


class VersionedStore:
    """A `StateStore` that is brought up to date before it is first used; where that fails, the next use tries again.

    The first migration leads from version `FIRST` to the next, and so on. Every method raises StateUnavailable, too,
    where the state is of a newer Plumbline.
    """

    def __init__(self, store: StateStore, migrations: Sequence[Migration]) -> None:
        self.store, self._migrations = store, migrations
        self._lock, self._ready = threading.Lock(), False

    @property
    def version(self) -> int:
        """That this Plumbline writes."""
        return FIRST + len(self._migrations)

    def get(self, place: Place, key: str) -> Record | None:
        return self._current().get(place, key)

    def records(
        self, place: Place, *, prefix: str = "", start: str = "", limit: int | None = None, newest_first: bool = False
    ) -> list[Record]:
        return self._current().records(place, prefix=prefix, start=start, limit=limit, newest_first=newest_first)

    def everywhere(self, kind: str, *, key: str | None = None, limit: int | None = None) -> list[Record]:
        return self._current().everywhere(kind, key=key, limit=limit)

    def commit(self, place: Place, changes: Sequence[Change]) -> list[str]:
        return self._current().commit(place, changes)

    def count(self, kind: str, *, key: str | None = None) -> int:
        return self._current().count(kind, key=key)

    def purge(self) -> int:
        return self._current().purge()

    def close(self) -> None:
        self.store.close()

    def _current(self) -> StateStore:
        if not self._ready:
            with self._lock:
                if not self._ready:
                    self._migrate()
                    self._ready = True
        return self.store

    def _migrate(self) -> None:
        record = self.store.get(META, VERSION)
        found = int(str(record.value["version"])) if record else FIRST
        if found > self.version:
            raise StateUnavailable(
                f"The state was written by a newer Plumbline (version {found}, this one knows {self.version}): run "
                "that one, or name another place in PLUMBLINE_STATE_DIR or PLUMBLINE_AZURE_TABLES_NAME."
            )
        for migrate in self._migrations[found - FIRST :]:
            migrate(self.store)
        if record is None or found < self.version:
            now = Replace(key=VERSION, value={"version": self.version}, version=record.version if record else "")
            with suppress(StateConflict):  # another process has done the same
                self.store.commit(META, [now])
