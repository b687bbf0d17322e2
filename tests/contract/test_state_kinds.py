"""Each kind of state in every store: plans, verified queries, documents, reviews, jobs, rates."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from manual_clock import Clock

from agent.core.errors import TooManyRequests, UnknownWritePlan, WriteNotMade
from agent.core.resilience.deadline import utc_at
from agent.databases.catalogue import PLACE, Changes
from agent.databases.knowledge.added_documents import AddedDocuments
from agent.databases.knowledge.verified_queries import USED_S, Key, VerifiedQueries, VerifiedQuery
from agent.people.feedback.records import AnswerRecord, Feedback, Review
from agent.people.feedback.shelf import DAY_S, Shelf
from agent.pipeline.jobs.shelf import Job, JobRequest, JobShelf
from agent.pipeline.steps.write_plans import FORGOTTEN_AFTER_S, PlannedWrite, WritePlans
from agent.platform.access.policy import Rate, RateLimiter
from agent.platform.storage.azure_tables import AzureTablesStore
from agent.platform.storage.idempotency import LEASE_S, Claim, Idempotency, StoredResponse
from agent.platform.storage.parts import PART_CHARS
from agent.platform.storage.sqlite import MemoryStore, SqliteStore
from agent.platform.storage.store import StateConflict, StateStore
from rag.docs.documents import make_document
from testbed.azurite import Azurite

PLAN = PlannedWrite(database="shop", principal="ann", sql="DELETE FROM orders WHERE id = 1", rows=1, seen="abc")
QUERY = VerifiedQuery(sql="SELECT 1", tables=("orders",), fingerprint="f")
AT_ONCE = 8
_tables = (f"kinds{number}" for number in itertools.count())


@pytest.fixture(params=["memory", "sqlite", "azure_tables"])
def store(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[StateStore]:
    if request.param == "memory":
        yield MemoryStore(clock)
    elif request.param == "sqlite":
        yield SqliteStore(tmp_path / "state.sqlite", clock)
    else:
        server: Azurite = request.getfixturevalue("azurite_server")
        store = AzureTablesStore(connection=server.connection_string, table=next(_tables), clock=clock)
        yield store
        store.close()


def test_of_many_who_confirm_a_change_one_makes_it(store: StateStore, clock: Clock) -> None:
    plans = WritePlans(store, lifetime_s=600, clock=clock)
    issued = plans.keep(PLAN)
    begin = threading.Barrier(AT_ONCE)

    def claim(_: int) -> bool:
        begin.wait()
        try:
            return plans.claim(issued.token, "shop", "ann") == PLAN
        except WriteNotMade:
            return False

    with ThreadPoolExecutor(AT_ONCE) as threads:
        assert sum(threads.map(claim, range(AT_ONCE))) == 1


def test_a_change_is_reported_to_be_over_for_a_day_and_then_unknown(store: StateStore, clock: Clock) -> None:
    plans = WritePlans(store, lifetime_s=600, clock=clock)
    issued = plans.keep(PLAN)
    clock.now += 601
    with pytest.raises(WriteNotMade, match="expired"):
        plans.claim(issued.token, "shop", "ann")
    clock.now += FORGOTTEN_AFTER_S
    assert store.purge() == 1
    with pytest.raises(UnknownWritePlan):
        plans.claim(issued.token, "shop", "ann")


@pytest.mark.parametrize("is_done", [False, True])
def test_a_response_never_replaces_that_of_a_request_that_took_over(
    store: StateStore, clock: Clock, *, is_done: bool
) -> None:
    kept = Idempotency(store, ttl_s=100, clock=clock)
    late, taken = StoredResponse(200, [], b"late"), StoredResponse(200, [], b"taken")
    first = kept.begin("ann", "key", "print")
    clock.now += LEASE_S + 1
    second = kept.begin("ann", "key", "print")
    assert isinstance(first, Claim)
    assert isinstance(second, Claim)
    if is_done:
        assert kept.finish(second, taken)

    assert not kept.finish(first, late)

    assert is_done or kept.finish(second, taken)
    assert kept.begin("ann", "key", "print") == taken
    assert not store.records(first.place, prefix=f"{first.key}/{first.run}"), "nothing of the first is left"


def test_a_response_is_kept_though_its_claim_lapsed_if_nobody_took_over(store: StateStore, clock: Clock) -> None:
    kept, reply = Idempotency(store, ttl_s=100, clock=clock), StoredResponse(200, [], b"{}")
    claim = kept.begin("ann", "key", "print")
    assert isinstance(claim, Claim)
    clock.now += LEASE_S + 1

    assert kept.finish(claim, reply)
    assert kept.finish(claim, reply), "as if the store had repeated it"
    assert kept.begin("ann", "key", "print") == reply


def test_verified_queries_are_found_replaced_forgotten_and_trimmed(store: StateStore, clock: Clock) -> None:
    verified = VerifiedQueries(store, max_queries=2, trim_every=1, clock=clock)
    keys = [Key("shop", "", question) for question in "abc"]
    for key in keys:
        clock.now += USED_S
        verified.keep(key, QUERY)
    assert [verified.find(key) for key in keys] == [None, QUERY, QUERY]
    verified.keep(keys[1], QUERY.model_copy(update={"sql": "SELECT 2"}))
    found = verified.find(keys[1])
    assert found is not None
    assert found.sql == "SELECT 2"
    verified.forget(keys[1])
    verified.forget(keys[1])
    assert verified.find(keys[1]) is None
    assert verified.find(Key("shop", "ann", "c")) is None, "another audience"


def test_documents_keep_their_order_and_are_added_once_by_many(store: StateStore, clock: Clock) -> None:
    added = AddedDocuments(store, clock)
    documents = [make_document("rule", f"Rule {number:03} of the shop.", database="shop") for number in range(130)]
    assert added.add("shop", documents) == tuple(documents)
    more = [*documents[-3:], make_document("rule", "A new one.", database="shop")]
    clock.now += 1
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: added.add("shop", more), range(4)))
    assert added.of("shop")[:130] == tuple(documents)
    assert [document.text for document in added.of("shop")[130:]] == ["A new one."]
    assert added.remove("shop", [document.id for document in documents]) == tuple(documents)
    assert len(added.of("shop")) == 1
    assert added.of("other") == ()


def test_reviews_and_answers_are_kept_for_their_days_and_changed_by_one_at_a_time(
    store: StateStore, clock: Clock
) -> None:
    shelf = Shelf(store, review_days=10, feedback_days=2, clock=clock)
    answers = [
        AnswerRecord(trace_id="0" * 32, question="How many?", database=name, principal=f"{name}'s", sql="SELECT 1")
        for name in ("shop", "sales")
    ]
    reviews = []
    for answer in answers:
        shelf.note(answer)
        clock.now += 1
        reviews.append(Review.of(answer, clock(), Feedback(by="ann", at=utc_at(clock()), correct=False)))
        shelf.add(reviews[-1])
    assert {kept.answer.principal for kept in shelf.answers("0" * 32)} == {"shop's", "sales's"}
    found, following = shelf.reviews(["shop", "sales"], lambda _: True, limit=1)
    assert (found, following) == ([reviews[1]], reviews[0].id), "the newest first"
    kept = shelf.review(reviews[0].id)
    assert kept is not None
    shelf.replace(kept.review.model_copy(update={"question": "How many now?"}), kept.version)
    with pytest.raises(StateConflict):
        shelf.replace(kept.review, kept.version)
    shelf.remove(reviews[1])
    assert [one.question for one in shelf.reviews(["shop", "sales"], lambda _: True, limit=5)[0]] == ["How many now?"]
    clock.now += 3 * DAY_S
    assert (shelf.answers("0" * 32), store.purge()) == ([], 2)
    clock.now += 8 * DAY_S
    assert (shelf.review(reviews[0].id), store.purge()) == (None, 1)


def job_of(clock: Clock, number: int) -> Job:
    request = JobRequest(question="How many?", database="shop")
    return Job(id=f"{number:032x}", principal="ann", request=request, trace_id="0" * 32, created_at=utc_at(clock()))


def test_a_job_is_changed_by_one_after_the_other(store: StateStore, clock: Clock) -> None:
    shelf = JobShelf(store, ttl_s=3600, clock=clock)
    job = job_of(clock, 1)
    shelf.add(job)
    with ThreadPoolExecutor(AT_ONCE) as threads:
        more = [threads.submit(shelf.change, job.id, _started) for _ in range(AT_ONCE)]
        assert all(one.result() is not None for one in more)
    found = shelf.get(job.id)
    assert found is not None
    assert found.starts == AT_ONCE, "none undid another"
    assert [one.id for one in shelf.list_unfinished()] == [job.id]


def _started(job: Job) -> Job:
    return job.model_copy(update={"starts": job.starts + 1})


def test_a_job_and_its_result_are_kept_for_an_hour(store: StateStore, clock: Clock) -> None:
    shelf = JobShelf(store, ttl_s=3600, clock=clock)
    job = job_of(clock, 2)
    shelf.add(job)
    result = "".join(f"{number * 7919 % 1000003:06}" for number in range(2 * PART_CHARS // 6 * 2))
    parts = shelf.put_result(job.id, "run", result)
    ended = {"status": "succeeded", "result_run": "run", "result_parts": parts}
    done = shelf.change(job.id, lambda found: found.model_copy(update=ended))
    assert done is not None
    assert parts > 1
    assert shelf.result(done) == result
    assert shelf.list_unfinished() == []
    clock.now += 3601
    assert shelf.get(job.id) is None
    assert store.purge() == parts + 1
    assert shelf.change(job.id, _started) is None


async def test_changes_are_heard_by_the_others(store: StateStore) -> None:
    heard: list[str] = []
    one, other = Changes(store, heard.append, every_s=0), Changes(store, heard.append, every_s=0)
    await other.follow()
    await one.tell("shop")
    await one.tell("sales")
    await other.follow()
    await one.follow()
    assert sorted(heard) == ["sales", "shop"]
    assert len(store.records(PLACE)) == 2


def accepted(limit: RateLimiter, principal: str, times: int) -> int:
    """How many of so many requests are taken."""
    taken = 0
    for _ in range(times):
        with suppress(TooManyRequests):
            limit.take(principal)
            taken += 1
    return taken


def test_a_rate_is_one_for_all_instances(store: StateStore, clock: Clock) -> None:
    instances = [RateLimiter(Rate.parse("10/hour"), lambda: store, clock) for _ in range(2)]
    with ThreadPoolExecutor(2) as threads:
        assert sum(threads.map(lambda limit: accepted(limit, "ann", 10), instances)) == 10
    assert accepted(instances[1], "bob", 1) == 1, "each principal has a rate of their own"
    clock.now += 3600
    assert [accepted(limit, "ann", 5) for limit in instances] == [5, 5], "the time has given it back"
