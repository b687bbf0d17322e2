"""The contract of state stores for many records and concurrent users."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from state_suite import HERE, keys, put

from agent.platform.storage.store import MAX_CHANGES, Insert, Place, Replace, StateConflict, StateStore


class ManyContract:
    """Inherited together with `StateContract`; `other` is a second store on the same place."""

    # -- many records ----------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        "wanted, found",
        [
            ({}, ["A", "a1", "a2", "a3", "b1"]),
            ({"prefix": "a"}, ["a1", "a2", "a3"]),
            ({"prefix": "a", "limit": 2}, ["a1", "a2"]),
            ({"limit": 0}, []),
            ({"start": "a2"}, ["a2", "a3", "b1"]),
            ({"prefix": "a", "start": "a2"}, ["a2", "a3"]),
            ({"prefix": "a", "start": "a11", "limit": 1}, ["a2"]),
            ({"prefix": "b", "start": "a"}, ["b1"]),
            ({"prefix": "a", "start": "b"}, []),
            ({"prefix": "c"}, []),
        ],
        ids=str,
    )
    def test_lists_a_partition(self, store: StateStore, wanted: dict[str, Any], found: list[str]) -> None:
        put(store, "b1", "a3", "a1", "A", "a2")
        put(store, "a0", place=Place(kind="visit", partition="Ad"))
        put(store, "a0", place=Place(kind="visits", partition="Ada"))
        assert keys(store.records(HERE, **wanted)) == found

    def test_lists_a_kind(self, store: StateStore) -> None:
        put(store, "head", "m1", place=Place(kind="visit", partition="b"))
        put(store, "head", "m1", place=Place(kind="visit", partition="a"))
        put(store, "head", place=Place(kind="visitor", partition="a"))

        assert [(one.place.partition, one.key) for one in store.everywhere("visit")] == [
            ("a", "head"), ("a", "m1"), ("b", "head"), ("b", "m1"),
        ]  # fmt: skip
        assert [one.place.partition for one in store.everywhere("visit", key="head")] == ["a", "b"]
        assert keys(store.everywhere("visit", limit=3)) == ["head", "m1", "head"]
        assert store.everywhere("vis") == []

    def test_lists_more_than_one_page(self, store: StateStore) -> None:
        names = [f"{number:05}" for number in range(1100)]
        for first in range(0, len(names), MAX_CHANGES):
            put(store, *names[first : first + MAX_CHANGES])
        assert keys(store.records(HERE)) == names
        assert keys(store.records(HERE, limit=1050)) == names[:1050]
        assert keys(store.everywhere("visit")) == names

    # -- several at once -------------------------------------------------------------------------------

    def test_another_one_sees_the_same(self, store: StateStore, other: StateStore) -> None:
        (version,) = put(store, "k")
        assert other.get(HERE, "k") == store.get(HERE, "k")
        other.commit(HERE, [Replace(key="k", value={}, version=version)])
        with pytest.raises(StateConflict):
            store.commit(HERE, [Replace(key="k", value={}, version=version)])

    def test_of_many_who_change_a_record_at_once_each_is_heard(self, store: StateStore, other: StateStore) -> None:
        store.commit(HERE, [Insert(key="k", value={"heard": []})])

        def say(number: int) -> int:
            mine, conflicts = (store, other)[number % 2], 0
            while True:
                found = mine.get(HERE, "k")
                assert found is not None
                heard = {"heard": [*found.value["heard"], number]}
                try:
                    mine.commit(HERE, [Replace(key="k", value=heard, version=found.version)])
                except StateConflict:
                    conflicts += 1
                else:
                    return conflicts

        with ThreadPoolExecutor(4) as pool:
            assert sum(pool.map(say, range(40))) >= 0

        found = store.get(HERE, "k")
        assert found is not None
        assert sorted(found.value["heard"]) == list(range(40))

    def test_of_many_who_insert_a_record_at_once_one_does(self, store: StateStore, other: StateStore) -> None:
        def insert(number: int) -> bool:
            try:
                (store, other)[number % 2].commit(HERE, [Insert(key="k", value={"by": number})])
            except StateConflict:
                return False
            return True

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(insert, range(8))) == 1

    def test_is_open_again_after_it_was_closed(self, store: StateStore) -> None:
        put(store, "k")
        store.close()
        assert keys(store.records(HERE)) == ["k"]
