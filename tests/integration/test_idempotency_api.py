"""`Idempotency-Key`: a request that creates or changes something is carried out once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from api_client import api_client, problem
from eventually import eventually
from held_model import HeldModel
from manual_clock import Clock
from people_shop import ANN, BEN, VALID, Client, served, succeed
from shop_questions import TOTAL, Make

from agent.api.app import create_app
from agent.api.http import idempotent
from agent.api.http.idempotent import TAKING
from agent.core.errors import KeyReused, ModelFailed, RequestInProgress, ResponseNotKept
from agent.pipeline.service import build_service
from agent.platform.config.settings import Settings
from agent.platform.storage.idempotency import LEASE_S, Claim, Idempotency, StoredResponse
from agent.platform.storage.parts import PART_CHARS
from agent.platform.storage.sqlite import MemoryStore
from agent.platform.storage.store import Change, Place, Replace
from testbed.scripted_model import ScriptedModel

QUERY = {"question": "What is the total of all orders?", "database": "shop"}
KEY = {"idempotency-key": "8e03978e-40d5-43dd-bc93-6894a57f9324"}
SAVED = {"name": "Total", "database": "shop", "sql": VALID}


pytestmark = pytest.mark.usefixtures("service_embedder")


@pytest.fixture
async def client(make_service: Make, registry: Path) -> AsyncIterator[Client]:
    async with served(make_service, registry) as client:
        yield client


def replies(model: ScriptedModel) -> None:
    """What one question takes."""
    model.replies(sql=TOTAL)
    model.replies(correct=True)
    model.replies(text="It is 460.5.")


# -- the same request ----------------------------------------------------------------------------------------


async def test_a_question_that_is_sent_again_is_answered_as_before(client: Client, model: ScriptedModel) -> None:
    replies(model)  # once: another call of the model would fail the test
    first = await client.post("/query", json=QUERY, headers=ANN | KEY)
    second = await client.post("/query", json=QUERY, headers=ANN | KEY)

    assert (first.status_code, second.status_code) == (200, 200)
    assert second.json() == first.json()
    assert "idempotent-replayed" not in first.headers
    assert second.headers["idempotent-replayed"] == "true"
    assert second.headers["content-type"] == first.headers["content-type"]
    assert second.headers["x-trace-id"] != first.headers["x-trace-id"], "it is of another request"


async def test_nothing_is_created_twice(client: Client) -> None:
    first = await client.post("/saved", json=SAVED, headers=ANN | KEY)
    second = await client.post("/saved", json=SAVED, headers=ANN | KEY)
    third = await client.post("/saved", json=SAVED, headers=ANN)

    assert (first.status_code, second.status_code) == (201, 201)
    assert (second.json(), second.headers["etag"]) == (first.json(), first.headers["etag"])
    problem(third, 409, "name-taken")


async def test_a_job_is_begun_once(client: Client, model: ScriptedModel) -> None:
    replies(model)
    sent = [await client.post("/query?mode=async", json=QUERY, headers=ANN | KEY) for _ in range(2)]

    assert [one.status_code for one in sent] == [202, 202]
    assert sent[0].headers["location"] == sent[1].headers["location"]
    path = f"/jobs/{sent[0].json()['id']}"
    await eventually(lambda: client.get(path, headers=ANN), lambda told: told.json()["finished_at"] is not None)


@pytest.mark.parametrize("path, body", [
    ("/query/stream", QUERY),
    ("/text2sql/generate/stream", {"question": QUERY["question"], "connection_id": "shop"}),
])  # fmt: skip
async def test_a_stream_is_told_again(client: Client, model: ScriptedModel, path: str, body: dict[str, Any]) -> None:
    replies(model)
    first = await client.post(path, json=body, headers=ANN | KEY)
    second = await client.post(path, json=body, headers=ANN | KEY)

    assert "done" in first.text
    assert second.text == first.text
    assert second.headers["content-type"].startswith("text/event-stream")


async def test_a_session_is_started_once_and_feedback_given_once(client: Client, model: ScriptedModel) -> None:
    path = "/agents/text-to-sql/start-session"
    started = [await client.post(path, json={"database": "shop"}, headers=ANN | KEY) for _ in range(2)]
    answer = await succeed(client, model)
    body = {"trace_id": answer["trace_id"], "correct": True}
    said = [await client.post("/feedback", json=body, headers=ANN | {"idempotency-key": "f"}) for _ in range(2)]

    assert started[0].json()["session_id"] == started[1].json()["session_id"]
    assert [one.status_code for one in said] == [200, 200]
    assert said[1].headers["idempotent-replayed"] == "true"


async def test_every_route_that_takes_it_says_so(client: Client) -> None:
    contract = (await client.get("/openapi.json")).json()
    said = {
        operation["operationId"]
        for methods in contract["paths"].values()
        for operation in methods.values()
        if any(one.get("name") == "Idempotency-Key" for one in operation.get("parameters", ()))
    }

    assert said == TAKING


# -- another request -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("path, body", [
    ("/query", QUERY | {"question": "How many orders are there?"}),
    ("/query?mode=async", QUERY),
    ("/query/stream", QUERY),
])  # fmt: skip
async def test_another_request_with_the_same_key_is_refused(
    client: Client, model: ScriptedModel, path: str, body: dict[str, Any]
) -> None:
    replies(model)
    await client.post("/query", json=QUERY, headers=ANN | KEY)

    problem(await client.post(path, json=body, headers=ANN | KEY), 422, "key-reused")


async def test_another_caller_has_keys_of_their_own(client: Client, model: ScriptedModel) -> None:
    replies(model)
    await client.post("/query", json=QUERY, headers=ANN | KEY)
    model.replies(correct=True)  # the query is known by now
    model.replies(text="It is 460.5.")
    second = await client.post("/query", json=QUERY, headers=BEN | KEY)

    assert second.status_code == 200
    assert "idempotent-replayed" not in second.headers


async def test_a_request_that_is_being_answered_is_not_begun_again(settings: Settings) -> None:
    model = HeldModel()
    replies(model)
    app = create_app(lambda: build_service(settings.model_copy(update={"enable_retrieval": False}), model=model))
    async with api_client(app) as client, asyncio.TaskGroup() as tasks:
        first = tasks.create_task(client.post("/query", json=QUERY, headers=KEY))
        await model.called.wait()
        second = await client.post("/query", json=QUERY, headers=KEY)
        model.released.set()

    assert (await first).status_code == 200
    assert problem(second, 409, "request-in-progress")["detail"].endswith("Send it again in 2 s.")
    assert second.headers["retry-after"] == "2"


# -- what failed ---------------------------------------------------------------------------------------------


async def test_what_failed_may_be_sent_again(client: Client, model: ScriptedModel) -> None:
    unknown = await client.post("/query", json=QUERY | {"database": "nowhere"}, headers=ANN | KEY)
    replies(model)
    right = await client.post("/query", json=QUERY, headers=ANN | KEY)

    problem(unknown, 404, "unknown-database")
    assert right.status_code == 200


async def test_a_stream_that_failed_may_be_sent_again(client: Client, model: ScriptedModel) -> None:
    model.replies(raises=ModelFailed("The model said nothing that could be used."))
    broken = await client.post("/query/stream", json=QUERY, headers=ANN | KEY)
    replies(model)
    whole = await client.post("/query/stream", json=QUERY, headers=ANN | KEY)

    assert "event: error" in broken.text
    assert "event: done" in whole.text


@pytest.mark.parametrize("key", ["", " ", "a b", "k" * 256, "schlüssel"])
async def test_a_key_is_visible_ascii(client: Client, key: str) -> None:
    raw = [(b"idempotency-key", key.encode("latin-1")), *((k.encode(), v.encode()) for k, v in ANN.items())]
    response = await client.post("/query", json=QUERY, headers=raw)

    assert "such as a UUID" in problem(response, 422, "invalid-field")["detail"]


async def test_a_query_is_run_once(client: Client) -> None:
    body = {"database": "shop", "sql": TOTAL}
    sent = [await client.post("/execute", json=body, headers=ANN | KEY) for _ in range(2)]
    other = await client.post("/execute", json=body | {"sql": f"{TOTAL} LIMIT 1"}, headers=ANN | KEY)

    assert [one.status_code for one in sent] == [200, 200]
    assert sent[1].headers["idempotent-replayed"] == "true"
    assert sent[1].json() == sent[0].json()
    problem(other, 422, "key-reused")


async def test_what_only_looks_up_needs_none(client: Client) -> None:
    body = {"database": "shop", "query": "revenue"}
    sent = [await client.post("/rag/search", json=body, headers=ANN | KEY) for _ in range(2)]

    assert "idempotent-replayed" not in sent[1].headers


# -- what is kept --------------------------------------------------------------------------------------------

REPLY = StoredResponse(200, [("content-type", "application/json")], b"{}")


@pytest.fixture
def kept(clock: Clock) -> Idempotency:
    return Idempotency(MemoryStore(clock=clock), ttl_s=100, clock=clock)


def begun(kept: Idempotency) -> Claim:
    claim = kept.begin("ann", "key", "print")
    assert isinstance(claim, Claim)
    return claim


def test_a_response_is_kept_for_its_time(kept: Idempotency, clock: Clock) -> None:
    kept.finish(begun(kept), REPLY)
    clock.now += 99

    assert kept.begin("ann", "key", "print") == REPLY
    with pytest.raises(KeyReused):
        kept.begin("ann", "key", "another")
    clock.now += 2
    assert begun(kept)


def test_where_a_process_has_ended_another_may_begin_after_a_while(kept: Idempotency, clock: Clock) -> None:
    first = begun(kept)
    with pytest.raises(RequestInProgress):
        kept.begin("ann", "key", "print")
    clock.now += LEASE_S + 1
    second = begun(kept)

    assert not kept.renew(first), "its time is over"
    kept.forget(first)
    kept.finish(second, REPLY)
    assert kept.begin("ann", "key", "print") == REPLY


def test_a_claim_holds_while_it_is_renewed(kept: Idempotency, clock: Clock) -> None:
    claim = begun(kept)
    for _ in range(3):
        clock.now += LEASE_S - 1
        assert kept.renew(claim)
        with pytest.raises(RequestInProgress):
            kept.begin("ann", "key", "print")
    kept.finish(claim, REPLY)
    assert not kept.renew(claim), "it is done"
    assert kept.begin("ann", "key", "print") == REPLY


class RepeatedCommits(MemoryStore):
    """Repeats commits that replace a record, as Azure's SDK does if the first response is lost."""

    def commit(self, place: Place, changes: Sequence[Change]) -> list[str]:
        done = super().commit(place, changes)
        return super().commit(place, changes) if isinstance(changes[0], Replace) else done


def test_a_renewal_that_the_store_has_repeated_is_one(clock: Clock) -> None:
    kept = Idempotency(RepeatedCommits(clock=clock), ttl_s=100, clock=clock)
    claim = begun(kept)
    clock.now += LEASE_S - 1
    assert kept.renew(claim)
    clock.now += LEASE_S - 1
    with pytest.raises(RequestInProgress):
        kept.begin("ann", "key", "print")


async def test_the_claim_of_a_running_request_is_renewed(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    renewed: list[bool] = []
    twice, loop = asyncio.Event(), asyncio.get_running_loop()
    renew = Idempotency.renew

    def watched(self: Idempotency, claim: Claim) -> bool:
        renewed.append(renew(self, claim))
        if len(renewed) == 2:
            loop.call_soon_threadsafe(twice.set)
        return renewed[-1]

    monkeypatch.setattr(idempotent, "LEASE_S", 0.01)
    monkeypatch.setattr(Idempotency, "renew", watched)
    model = HeldModel()
    replies(model)
    app = create_app(lambda: build_service(settings.model_copy(update={"enable_retrieval": False}), model=model))
    async with api_client(app) as client, asyncio.TaskGroup() as tasks:
        first = tasks.create_task(client.post("/query", json=QUERY, headers=KEY))
        await model.called.wait()
        await twice.wait()
        model.released.set()
        again = await first
        repeated = await client.post("/query", json=QUERY, headers=KEY)

    assert all(renewed[:2])
    assert repeated.json() == again.json()


def test_a_large_response_is_kept_in_parts(kept: Idempotency) -> None:
    body = bytes(((number * number) % 251) ^ (number >> 8 & 255) for number in range(4 * PART_CHARS))
    kept.finish(begun(kept), REPLY._replace(body=body))
    found = kept.begin("ann", "key", "print")

    assert isinstance(found, StoredResponse)
    assert found.body == body


def test_of_one_that_is_too_large_it_is_known_that_it_was_done(
    kept: Idempotency, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent.platform.storage.idempotency.MAX_PARTS", 0)
    kept.finish(begun(kept), REPLY)

    with pytest.raises(ResponseNotKept, match="too large"):
        kept.begin("ann", "key", "print")
