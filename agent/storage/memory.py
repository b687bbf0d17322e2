"""State in this process alone: for tests, and for a service that may forget."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence

from agent.storage.store import Change, Place, Record, Remove, StateConflict
from agent.storage.values import chosen, conflicts, is_over, payloads, value_of
from executors.base import Frozen


class _Kept(Frozen):
    text: bytes  # as JSON, so that nobody changes a value by holding on to it
    version: str
    expires_at: float | None


class MemoryStore:
    """A `StateStore` that ends with the process.

    Args:
        clock: seconds since the epoch.
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[Place, dict[str, _Kept]] = {}

    def get(self, place: Place, key: str) -> Record | None:
        with self._lock:
            kept = self._alive(place, key)
            return _record(place, key, kept) if kept else None

    def records(
        self, place: Place, *, prefix: str = "", start: str = "", limit: int | None = None, newest_first: bool = False
    ) -> list[Record]:
        with self._lock:
            found = [record for record in self._in(place) if record.key.startswith(prefix) and record.key >= start]
        return chosen(found, limit=limit, newest_first=newest_first)

    def everywhere(self, kind: str, *, key: str | None = None, limit: int | None = None) -> list[Record]:
        with self._lock:
            places = sorted((place for place in self._kept if place.kind == kind), key=lambda place: place.partition)
            found = [record for place in places for record in self._in(place) if key is None or record.key == key]
        return chosen(found, limit=limit)

    def commit(self, place: Place, changes: Sequence[Change]) -> list[str]:
        texts = payloads(place, changes)
        with self._lock:
            now, there = self._clock(), self._kept.get(place, {})
            for change in changes:
                kept = there.get(change.key)
                over = kept is not None and is_over(kept.expires_at, now)
                if conflicts(change, kept.version if kept else None, is_over=over):
                    raise StateConflict(change.key)
            return [self._make(place, change, text) for change, text in zip(changes, texts, strict=True)]

    def _make(self, place: Place, change: Change, text: bytes) -> str:
        partition = self._kept.setdefault(place, {})
        if isinstance(change, Remove):
            partition.pop(change.key, None)
            return ""
        partition[change.key] = _Kept(text=text, version=uuid.uuid4().hex, expires_at=change.expires_at)
        return partition[change.key].version

    def count(self, kind: str, *, key: str | None = None) -> int:
        return len(self.everywhere(kind, key=key))

    def purge(self) -> int:
        with self._lock:
            now = self._clock()
            before = sum(map(len, self._kept.values()))
            alive = {
                place: {key: one for key, one in kept.items() if not is_over(one.expires_at, now)}
                for place, kept in self._kept.items()
            }
            self._kept = {place: kept for place, kept in alive.items() if kept}
            return before - sum(map(len, self._kept.values()))

    def close(self) -> None:
        """Nothing is open."""

    def _alive(self, place: Place, key: str) -> _Kept | None:
        kept = self._kept.get(place, {}).get(key)
        return None if kept is None or is_over(kept.expires_at, self._clock()) else kept

    def _in(self, place: Place) -> Iterator[Record]:
        for key in sorted(self._kept.get(place, {})):
            if kept := self._alive(place, key):
                yield _record(place, key, kept)


def _record(place: Place, key: str, kept: _Kept) -> Record:
    return Record(place=place, key=key, value=value_of(kept.text), version=kept.version, expires_at=kept.expires_at)
