"""Many records of one place: in as few commits as they fit in."""

from __future__ import annotations

from collections.abc import Sequence

from agent.platform.storage.store import MAX_CHANGES, Insert, Place, Remove, StateConflict, StateStore

AT_ONCE = 20  # inserted; of what is kept in bulk, so many always fit one commit


def insert_missing(store: StateStore, place: Place, inserts: Sequence[Insert]) -> None:
    """Insert what is not there yet; what is stays as it is. Raises StateUnavailable: some may be inserted."""
    for first in range(0, len(inserts), AT_ONCE):
        _insert(store, place, inserts[first : first + AT_ONCE])


def _insert(store: StateStore, place: Place, inserts: Sequence[Insert]) -> None:
    try:
        store.commit(place, inserts)
    except StateConflict:
        if len(inserts) > 1:
            for insert in inserts:
                _insert(store, place, [insert])


def remove_all(store: StateStore, place: Place, keys: Sequence[str]) -> None:
    """Remove these, even if changed. Raises StateUnavailable: some may be removed."""
    for first in range(0, len(keys), MAX_CHANGES):
        store.commit(place, [Remove(key=key) for key in keys[first : first + MAX_CHANGES]])
