"""A state store that counts its operations."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence

from agent.platform.storage.store import Change, Place, Record, Remove, StateStore


class CountedStore:
    """Another `StateStore`, and how many requests Azure Table Storage would be sent for it, by place.

    Each call is one request, and a removal without a version one more, which reads the version. Operations on all
    partitions of a kind are counted under the kind and an empty partition.
    """

    def __init__(self, store: StateStore) -> None:
        self._store, self._lock = store, threading.Lock()
        self.requests: Counter[Place] = Counter()

    def _count(self, place: Place, requests: int = 1) -> None:
        with self._lock:
            self.requests[place] += requests

    def get(self, place: Place, key: str) -> Record | None:
        """See `StateStore`."""
        self._count(place)
        return self._store.get(place, key)

    def records(self, place: Place, *, prefix: str = "", start: str = "", limit: int | None = None) -> list[Record]:
        """See `StateStore`."""
        self._count(place)
        return self._store.records(place, prefix=prefix, start=start, limit=limit)

    def everywhere(self, kind: str, *, key: str | None = None, limit: int | None = None) -> list[Record]:
        """See `StateStore`."""
        self._count(Place(kind=kind, partition=""))
        return self._store.everywhere(kind, key=key, limit=limit)

    def commit(self, place: Place, changes: Sequence[Change]) -> list[str]:
        """See `StateStore`."""
        self._count(place, 1 + sum(isinstance(it, Remove) and not it.version for it in changes))
        return self._store.commit(place, changes)

    def purge(self) -> int:
        """See `StateStore`."""
        return self._store.purge()

    def close(self) -> None:
        """See `StateStore`."""
        self._store.close()
