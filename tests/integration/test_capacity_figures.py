"""The figures of capacity, measured on something small: a real service, a real store, real processes."""

from __future__ import annotations

from agent.platform.storage.sqlite import MemoryStore
from agent.platform.storage.store import Insert, Place, Remove, Replace
from bench import capacity_figures
from bench.counted_store import CountedStore


def test_a_store_that_counts_does_what_the_other_does() -> None:
    store, place = CountedStore(MemoryStore()), Place(kind="a", partition="one")
    (version,) = store.commit(place, [Insert(key="k", value={"n": 1})])
    store.commit(place, [Replace(key="k", value={"n": 2}, version=version)])

    found = store.get(place, "k")
    assert found is not None
    assert found.value == {"n": 2}
    assert [it.key for it in store.records(place)] == [it.key for it in store.everywhere("a")] == ["k"]
    store.commit(place, [Remove(key="k")])
    assert store.get(place, "k") is None
    assert store.requests == {place: 7, Place(kind="a", partition=""): 1}  # the removal is two


async def test_a_question_in_a_session_asks_the_state_store_a_few_times() -> None:
    found = await capacity_figures.state_use(3, 3)

    assert 4 < found.requests < 40
    assert 0 < found.hottest < found.requests
    assert found.hottest_kind


def test_retrieval_is_measured_in_a_process_of_its_own() -> None:
    found = capacity_figures.retrieval(3, 2)

    assert 2 <= found.tables <= 5
    assert found.cpu_ms > 0
    assert found.memory_mb > 20
    assert 0 < found.index_mb < 50
    assert found.schema_tokens > 100
