"""A change of state where others are first."""

from __future__ import annotations

import pytest

from agent.core.errors import StateUnavailable
from agent.platform.storage import store as state_store
from agent.platform.storage.sqlite import MemoryStore
from agent.platform.storage.store import Insert, Place, Replace

PLACE = Place(kind="count", partition="all")


@pytest.fixture
def store() -> MemoryStore:
    store = MemoryStore()
    store.commit(PLACE, [Insert(key="n", value={"n": 0})])
    return store


def counted(store: MemoryStore, others: int) -> int:
    """Add one, where so many others add one first, each between a reading and its writing."""
    left = iter(range(others))

    def add() -> int:
        read = store.get(PLACE, "n")
        assert read is not None
        number = read.value["n"]
        assert isinstance(number, int)
        if next(left, None) is not None:
            store.commit(PLACE, [Replace(key="n", value={"n": number + 1}, version=read.version)])
        store.commit(PLACE, [Replace(key="n", value={"n": number + 1}, version=read.version)])
        return number + 1

    return state_store.until_no_conflict(add, "number")


def test_it_is_made_again_from_reading_on(store: MemoryStore) -> None:
    assert counted(store, others=2) == 3


def test_who_is_never_first_is_told_to_wait(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_store, "PATIENCE_S", 0)
    with pytest.raises(StateUnavailable, match="Too many callers change this number at once"):
        counted(store, others=1)
