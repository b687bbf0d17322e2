"""State in this process only: for tests, and for a service that need not remember."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence

from agent.platform.storage.store import (
    Change,
    Place,
    Record,
    Remove,
    StateConflict,
    conflicts,
    is_over,
    payloads,
    take_records,
    value_of,
)
from executors.base import Frozen


class _Entry(Frozen):
    text: bytes  # as JSON, so that nobody changes a value by holding on to it
    version: str
    expires_at: float | None


class MemoryStore:
    """A `StateStore` that ends with the process."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: dict[Place, dict[str, _Entry]] = {}

    def get(self, place: Place, key: str) -> Record | None:
        with self._lock:
            entry = self._alive(place, key)
            return _record(place, key, entry) if entry else None

    def records(
        self, place: Place, *, prefix: str = "", start: str = "", limit: int | None = None, newest_first: bool = False
    ) -> list[Record]:
        with self._lock:
            found = [record for record in self._in(place) if record.key.startswith(prefix) and record.key >= start]
        return take_records(found, limit=limit, newest_first=newest_first)

    def everywhere(self, kind: str, *, key: str | None = None, limit: int | None = None) -> list[Record]:
        with self._lock:
            places = sorted((place for place in self._entries if place.kind == kind), key=lambda place: place.partition)
            found = [record for place in places for record in self._in(place) if key is None or record.key == key]
        return take_records(found, limit=limit)

    def commit(self, place: Place, changes: Sequence[Change]) -> list[str]:
        texts = payloads(place, changes)
        with self._lock:
            now, there = self._clock(), self._entries.get(place, {})
            for change in changes:
                entry = there.get(change.key)
                over = entry is not None and is_over(entry.expires_at, now)
                if conflicts(change, entry.version if entry else None, is_over=over):
                    raise StateConflict(change.key)
            return [self._make(place, change, text) for change, text in zip(changes, texts, strict=True)]

    def _make(self, place: Place, change: Change, text: bytes) -> str:
        partition = self._entries.setdefault(place, {})
        if isinstance(change, Remove):
            partition.pop(change.key, None)
            return ""
        partition[change.key] = _Entry(text=text, version=uuid.uuid4().hex, expires_at=change.expires_at)
        return partition[change.key].version

    def count(self, kind: str, *, key: str | None = None) -> int:
        return len(self.everywhere(kind, key=key))

    def purge(self) -> int:
        with self._lock:
            now = self._clock()
            before = sum(map(len, self._entries.values()))
            alive = {
                place: {key: one for key, one in entry.items() if not is_over(one.expires_at, now)}
                for place, entry in self._entries.items()
            }
            self._entries = {place: entry for place, entry in alive.items() if entry}
            return before - sum(map(len, self._entries.values()))

    def close(self) -> None:
        """Nothing is open."""

    def _alive(self, place: Place, key: str) -> _Entry | None:
        entry = self._entries.get(place, {}).get(key)
        return None if entry is None or is_over(entry.expires_at, self._clock()) else entry

    def _in(self, place: Place) -> Iterator[Record]:
        for key in sorted(self._entries.get(place, {})):
            if entry := self._alive(place, key):
                yield _record(place, key, entry)


def _record(place: Place, key: str, entry: _Entry) -> Record:
    return Record(place=place, key=key, value=value_of(entry.text), version=entry.version, expires_at=entry.expires_at)
