"""The contract of state stores, as tests that each store's class inherits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from manual_clock import Clock

from agent.platform.storage.store import (
    MAX_CHANGES,
    MAX_COMMIT_BYTES,
    MAX_VALUE_BYTES,
    Insert,
    Place,
    Record,
    Remove,
    Replace,
    StateConflict,
    StateStore,
)

HERE = Place(kind="visit", partition="Ada")
NOW = 1_700_000_000.0
ODD_NAMES = ["a/b", "a\\b", "a#b?c", "50%", "it's", 'say "hi"', "x+y&z=1", "ada@x.org", " a ", "A", "a", "ö",
             "日本", "🙂",
             "tab\there", "line\nbreak", "\x00\x7f\x85", "../..", "a:b", "a_b", "a-b", "~", "\ud800"]  # fmt: skip


def keys(records: list[Record]) -> list[str]:
    return [record.key for record in records]


def put(store: StateStore, *keys: str, place: Place = HERE, expires_at: float | None = None) -> list[str]:
    return store.commit(place, [Insert(key=key, value={"is": key}, expires_at=expires_at) for key in keys])


class StateContract(ABC):
    """Subclasses name their store, and make it and a second one on the same place.

    engine: what the list of engines calls it.
    """

    engine: ClassVar[str]

    @abstractmethod
    def version(self, store: StateStore) -> str:
        """Of what keeps the records."""

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock(NOW)

    def test_says_its_version(self, store: StateStore, record_property: Callable[[str, object], None]) -> None:
        version = self.version(store)
        record_property("engine_version", version)
        assert any(character.isdigit() for character in version)

    # -- one record ------------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        "value",
        [
            {},
            {"text": "größer als 🙂\n\x00 \"'\\ \u2028", "surrogate": "\ud83d alone"},
            {"numbers": [0, -1, 1.5, 1e300, 2**63, 10**30], "others": [True, False, None], "deep": {"": [{"a": []}]}},
            {"odata.type": "x", "PartitionKey": "p", "Timestamp": 1, "value": "kept apart from the store's own"},
            {"long": "a" * (MAX_VALUE_BYTES - len('{"long":""}'))},
            {"long": "🙂" * 200_000},
        ],
        ids=["empty", "text", "numbers", "names of the store's own", "as long as allowed", "many emoji"],
    )
    def test_a_value_comes_back_as_it_was(self, store: StateStore, value: dict[str, Any]) -> None:
        (version,) = store.commit(HERE, [Insert(key="k", value=value, expires_at=NOW + 0.25)])

        found = store.get(HERE, "k")

        assert found == Record(place=HERE, key="k", value=value, version=version, expires_at=NOW + 0.25)
        assert version != ""

    @pytest.mark.parametrize("name", ODD_NAMES)
    def test_takes_any_name(self, store: StateStore, name: str) -> None:
        place = Place(kind="visit", partition=name)
        put(store, name, place=place)

        found = store.get(place, name)

        assert found is not None
        assert (found.place, found.key) == (place, name)
        assert [(one.place, one.key) for one in store.everywhere("visit")] == [(place, name)]

    def test_names_differ_where_their_letters_do(self, store: StateStore) -> None:
        put(store, *ODD_NAMES)
        assert keys(store.records(HERE)) == sorted(ODD_NAMES)
        assert store.get(Place(kind="visit", partition="ada"), "a") is None
        assert store.get(Place(kind="Visit", partition="Ada"), "a") is None

    @pytest.mark.parametrize("name", ["", "never stored", "x" * 100_000])
    def test_what_was_never_stored_is_none(self, store: StateStore, name: str) -> None:
        put(store, "k")
        assert store.get(HERE, name) is None
        assert store.get(Place(kind="visit", partition=name), "k") is None
        assert store.records(Place(kind="visit", partition=name)) == []
        assert store.everywhere("visit", key=name) == []

    def test_what_is_read_is_nobody_elses(self, store: StateStore) -> None:
        value: dict[str, Any] = {"list": [1]}
        store.commit(HERE, [Insert(key="k", value=value)])
        value["list"].append(2)
        read = store.get(HERE, "k")
        assert read is not None
        read.value["list"].append(3)

        again = store.get(HERE, "k")

        assert again is not None
        assert again.value == {"list": [1]}

    # -- versions --------------------------------------------------------------------------------------

    def test_inserts_what_is_not_there(self, store: StateStore) -> None:
        put(store, "k")
        with pytest.raises(StateConflict):
            put(store, "k")

    def test_replaces_the_version_that_was_read(self, store: StateStore) -> None:
        (first,) = put(store, "k")
        (second,) = store.commit(HERE, [Replace(key="k", value={"n": 2}, version=first)])
        assert second not in ("", first)
        with pytest.raises(StateConflict):
            store.commit(HERE, [Replace(key="k", value={"n": 3}, version=first)])
        found = store.get(HERE, "k")
        assert found is not None
        assert (found.value, found.version) == ({"n": 2}, second)

    def test_removes_the_version_that_was_read(self, store: StateStore) -> None:
        (first,) = put(store, "k")
        (second,) = store.commit(HERE, [Replace(key="k", value={}, version=first)])
        with pytest.raises(StateConflict):
            store.commit(HERE, [Remove(key="k", version=first)])
        assert store.commit(HERE, [Remove(key="k", version=second)]) == [""]
        assert store.get(HERE, "k") is None

    @pytest.mark.parametrize("change", [Replace(key="k", value={}, version="old"), Remove(key="k", version="old")])
    def test_a_version_of_what_is_gone_is_a_conflict(self, store: StateStore, change: Replace | Remove) -> None:
        (version,) = put(store, "k")
        store.commit(HERE, [Remove(key="k")])
        with pytest.raises(StateConflict):
            store.commit(HERE, [change.model_copy(update={"version": version})])
        assert store.get(HERE, "k") is None

    def test_what_came_back_has_another_version(self, store: StateStore) -> None:
        (first,) = put(store, "k")
        store.commit(HERE, [Remove(key="k")])
        put(store, "k")
        with pytest.raises(StateConflict):
            store.commit(HERE, [Replace(key="k", value={}, version=first)])

    def test_without_a_version_takes_what_is_there_or_nothing(self, store: StateStore) -> None:
        assert store.commit(HERE, [Remove(key="a")]) == [""]
        store.commit(HERE, [Replace(key="a", value={"n": 1})])
        store.commit(HERE, [Replace(key="a", value={"other": 2})])
        found = store.get(HERE, "a")
        assert found is not None
        assert found.value == {"other": 2}, "replaced, not merged"
        assert store.commit(HERE, [Remove(key="a")]) == [""]
        assert store.get(HERE, "a") is None

    # -- together --------------------------------------------------------------------------------------

    def test_changes_happen_together(self, store: StateStore) -> None:
        a, b = put(store, "a", "b")
        versions = store.commit(
            HERE,
            [Remove(key="a", version=a), Insert(key="c", value={"n": 1}), Replace(key="b", value={"n": 2}, version=b),
             Remove(key="never there"), Replace(key="d", value={"n": 3})],
        )  # fmt: skip
        found = store.records(HERE)
        assert [(one.key, one.value["n"]) for one in found] == [("b", 2), ("c", 1), ("d", 3)]
        assert versions == ["", found[1].version, found[0].version, "", found[2].version]

    @pytest.mark.parametrize(
        "last",
        [
            Insert(key="a", value={}),
            Replace(key="a", value={}, version="W/\"datetime'2024-01-01T00%3A00%3A00.0000000Z'\""),
            Remove(key="a", version="W/\"datetime'2024-01-01T00%3A00%3A00.0000000Z'\""),
            Remove(key="z", version="W/\"datetime'2024-01-01T00%3A00%3A00.0000000Z'\""),
        ],
        ids=["insert", "replace", "remove", "remove what is not there"],
    )
    def test_one_conflict_undoes_all(self, store: StateStore, last: Insert | Replace | Remove) -> None:
        (version,) = put(store, "a")
        with pytest.raises(StateConflict):
            store.commit(HERE, [Insert(key="b", value={}), Remove(key="gone"), last])
        assert [(one.key, one.version) for one in store.records(HERE)] == [("a", version)]

    def test_takes_as_many_changes_as_it_says(self, store: StateStore) -> None:
        names = [f"{number:03}" for number in range(MAX_CHANGES)]
        put(store, *names[:-1])
        assert store.commit(HERE, [Replace(key=name, value={}) for name in names]).count("") == 0
        assert keys(store.records(HERE)) == names

    def test_takes_as_much_as_it_says(self, store: StateStore) -> None:
        value = {"v": "x" * (MAX_COMMIT_BYTES // MAX_CHANGES - len('{"v":""}'))}
        store.commit(HERE, [Insert(key=f"{number:03}", value=value) for number in range(MAX_CHANGES)])
        assert all(one.value == value for one in store.records(HERE))

    def test_nothing_to_change_changes_nothing(self, store: StateStore) -> None:
        assert store.commit(HERE, []) == []

    @pytest.mark.parametrize(
        "changes, why",
        [
            ([Remove(key=f"{number}") for number in range(MAX_CHANGES + 1)], "too many"),
            ([Insert(key="k", value={}), Remove(key="k")], "a key twice"),
            ([Insert(key="", value={})], "no name"),
            ([Insert(key="ö" * 65, value={})], "too long as it is written"),
            ([Insert(key="k", value={"v": float("nan")})], "no JSON"),
            ([Insert(key="k", value={"v": "x" * MAX_VALUE_BYTES})], "one value too large"),
            ([Insert(key=f"{n}", value={"v": "x" * (MAX_COMMIT_BYTES // 5)}) for n in range(6)], "all too large"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_refuses(self, store: StateStore, changes: list[Any], why: str) -> None:
        with pytest.raises(ValueError):
            store.commit(HERE, [Insert(key="fine", value={}), *changes])
        assert store.records(HERE) == [], why

    # -- expiry ----------------------------------------------------------------------------------------

    def test_what_has_expired_is_gone(self, store: StateStore, clock: Clock) -> None:
        (version,) = put(store, "k", expires_at=NOW + 10)
        clock.now += 10
        assert keys(store.records(HERE)) == ["k"]

        clock.now += 0.5

        assert store.get(HERE, "k") is None
        assert store.records(HERE) == store.everywhere("visit") == []
        put(store, "k")
        assert keys(store.records(HERE)) == ["k"]
        with pytest.raises(StateConflict):
            store.commit(HERE, [Replace(key="k", value={}, version=version)])

    def test_what_expired_since_it_was_read_is_a_conflict_once_it_is_purged(
        self, store: StateStore, clock: Clock
    ) -> None:
        a, b = put(store, "a", "b", expires_at=NOW + 10)
        clock.now += 11
        store.commit(HERE, [Replace(key="a", value={}, version=a)])
        store.purge()
        with pytest.raises(StateConflict):
            store.commit(HERE, [Replace(key="b", value={}, version=b)])
        assert keys(store.records(HERE)) == ["a"]

    def test_expiry_can_be_put_off_or_taken_away(self, store: StateStore, clock: Clock) -> None:
        a, b = put(store, "a", "b", expires_at=NOW + 10)
        store.commit(HERE, [Replace(key="a", value={}, version=a, expires_at=NOW + 20)])
        store.commit(HERE, [Replace(key="b", value={}, version=b)])
        clock.now += 15
        assert keys(store.records(HERE)) == ["a", "b"]
        clock.now += 15
        assert keys(store.records(HERE)) == ["b"]

    def test_purges_what_has_expired_everywhere(self, store: StateStore, clock: Clock) -> None:
        for kind in ("visit", "review"):
            for partition in ("x", "y/z"):
                put(store, "old", "older", place=Place(kind=kind, partition=partition), expires_at=NOW + 1)
                put(store, "new", place=Place(kind=kind, partition=partition), expires_at=NOW + 9)
                put(store, "for ever", place=Place(kind=kind, partition=partition))
        assert store.purge() == 0
        clock.now += 2

        assert store.purge() == 8

        assert store.purge() == 0
        clock.now -= 2  # only what is still there could be found now
        assert keys(store.everywhere("visit")) == keys(store.everywhere("review")) == ["for ever", "new"] * 2

    def test_purges_more_than_fits_one_commit(self, store: StateStore, clock: Clock) -> None:
        for first in range(0, 250, 50):
            put(store, *(f"{number}" for number in range(first, first + 50)), expires_at=NOW)
        clock.now += 1
        assert store.purge() == 250
