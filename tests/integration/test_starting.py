"""While a service starts: deadlines hold, readiness waits for retrieval, and waiting callers get Retry-After."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from api_client import api_client, app_without_docs, problem
from eventually import eventually

from agent.api.app import create_app
from agent.api.http import context
from agent.api.http.streaming import as_sse, open_stream
from agent.core.errors import OutOfTime, StateUnavailable
from agent.core.events import Event, Started
from agent.core.resilience import deadline
from agent.pipeline import asking
from agent.pipeline.service import Service
from executors.errors import DatabaseUnavailable, RegistryInvalid
from rag.errors import RetrievalError, StoreUnavailable
from testbed.scripted_model import ScriptedModel

QUERY = {"question": "How many orders are there?", "database": "shop"}
COUNT = "SELECT COUNT(*) AS n FROM orders"


# -- deadlines ---------------------------------------------------------------------------------------------


async def test_a_deadline_holds_while_modules_are_loaded(
    make_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = threading.Event()
    monkeypatch.setattr(asking, "load_first_steps", loaded.wait)
    service = make_service(enable_retrieval=False, request_deadline_s=0.05)
    try:
        with pytest.raises(OutOfTime):
            await service.query("How many orders are there?", "shop")
    finally:
        loaded.set()
        await service.close()


async def test_a_deadline_holds_while_a_database_is_opened(
    make_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    service = make_service(enable_retrieval=False, request_deadline_s=0.05)
    opened = threading.Event()
    monkeypatch.setattr(service.router, "get", lambda _: opened.wait())
    try:
        with pytest.raises(OutOfTime):
            await service.query("How many orders are there?", "shop")
    finally:
        opened.set()
        await service.close()


async def test_a_deadline_holds_while_the_service_is_built(make_service: Callable[..., Service]) -> None:
    go_on, made = threading.Event(), 0

    def slow() -> Service:
        nonlocal made
        made += 1
        go_on.wait()
        return make_service(enable_retrieval=False)

    async with api_client(create_app(slow, request_deadline_s=0.05)) as client:
        try:
            refused = [await client.post(path, json=QUERY) for path in ("/query", "/query/stream")]
            ready = await client.get("/health/ready")
        finally:
            go_on.set()
        await eventually(lambda: client.get("/databases"), lambda told: told.status_code == 200)

    for one in refused:
        assert "Send the request again in 5 s." in problem(one, 503, "starting")["detail"]
        assert one.headers["retry-after"] == "5"
    assert (ready.status_code, ready.json()["parts"][0]["name"]) == (503, "service")
    assert made == 1, "who leaves does not have it made again"


async def test_a_service_that_could_not_be_built_is_tried_again(make_service: Callable[..., Service]) -> None:
    tries = 0

    def sometimes() -> Service:
        nonlocal tries
        tries += 1
        if tries == 1:
            raise RegistryInvalid("databases.yaml cannot be read.")
        return make_service(enable_retrieval=False)

    async with api_client(create_app(sometimes)) as client:
        first = await client.get("/databases")
        second = await client.get("/databases")

    problem(first, 503, "registry-invalid")
    assert second.status_code == 200


@pytest.fixture
def _arrived_long_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests that have waited for an hour when they come to their route."""

    @contextmanager
    def arriving() -> Iterator[None]:
        token = deadline._ARRIVED.set(asyncio.get_running_loop().time() - 3600)
        yield
        deadline._ARRIVED.reset(token)

    monkeypatch.setattr(context, "arriving", arriving)


@pytest.mark.usefixtures("_arrived_long_ago")
@pytest.mark.parametrize("path, body", [
    ("/query", QUERY),
    ("/execute", {"database": "shop", "sql": COUNT}),
    ("/records", {"database": "shop", "sql": COUNT}),
])  # fmt: skip
async def test_what_a_request_has_waited_is_of_its_deadline(
    make_service: Callable[..., Service], path: str, body: dict[str, Any]
) -> None:
    app = create_app(lambda: make_service(enable_retrieval=False), request_deadline_s=7200)
    async with api_client(app) as client:
        problem(await client.post(path, json=body), 504, "out-of-time")


@pytest.mark.usefixtures("_arrived_long_ago")
async def test_a_job_has_its_own_time(make_service: Callable[..., Service], model: ScriptedModel) -> None:
    model.replies(sql=COUNT)
    model.replies(correct=True)
    model.replies(text="There are 5 orders.")
    app = create_app(lambda: make_service(enable_retrieval=False), request_deadline_s=7200)
    async with api_client(app) as client:
        job = (await client.post("/query?mode=async", json=QUERY)).json()
        done = await eventually(
            lambda: client.get(f"/jobs/{job['id']}"), lambda told: told.json()["finished_at"] is not None
        )

    assert done.json()["status"] == "succeeded", done.text


# -- readiness ---------------------------------------------------------------------------------------------


async def test_readiness_waits_for_retrieval(
    make_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    service, loaded = make_service(), asyncio.Event()
    monkeypatch.setattr(service.knowledge, "warm_up", loaded.wait)
    warming = service.start()
    asked = asyncio.create_task(service.health())
    try:
        await asyncio.sleep(0)
        before = asked.done()
        loaded.set()
        parts = {part.name: part for part in await asked}
    finally:
        await warming
        await service.close()

    assert not before
    assert parts["store"].ready


async def test_what_takes_too_long_to_load_is_not_ready(
    make_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    service, loaded = make_service(retrieval_timeout_s=0.01), asyncio.Event()
    monkeypatch.setattr(service.knowledge, "warm_up", loaded.wait)
    async with api_client(create_app(lambda: service)) as client:
        response = await client.get("/health/ready")
        loaded.set()

    (store,) = [part for part in response.json()["parts"] if part["name"] == "store"]
    assert (response.status_code, response.headers["retry-after"]) == (503, "5")
    assert store["detail"] == "The index and the embedding model are being loaded. Ask again in a moment."


async def test_an_answer_without_the_docs_is_not_verified(
    make_service: Callable[..., Service],
    model: ScriptedModel,
    registry: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "rules.md").write_text("# Rules\n\n- A sale is an order.\n", encoding="utf-8")
    registry.write_text("shop: {url: shop.sqlite, docs: rules.md}\n", encoding="utf-8")
    service = make_service()

    async def broken(*_: Any) -> Any:
        raise StoreUnavailable("The index is damaged. Index it anew.")

    monkeypatch.setattr(service.knowledge, "_find_seen_documents", broken)
    model.replies(sql=COUNT)
    model.replies(correct=True)
    model.replies(text="There are 5 orders.")
    try:
        answer = await service.query("How many orders are there?", "shop")
    finally:
        await service.close()

    assert answer.results == [{"n": 5}]
    assert not answer.verified
    assert [check.passed for check in answer.checks if check.name == "docs"] == [None]
    assert issubclass(StoreUnavailable, RetrievalError)


# -- turns -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error, slug", [
    (StateUnavailable("The state store cannot be used now. Try again later."), "state-unavailable"),
    (StoreUnavailable("Another process is indexing. Wait until it has finished."), "index-unavailable"),
    (DatabaseUnavailable("All connections are in use. Try again."), "database-unavailable"),
])  # fmt: skip
async def test_who_has_to_wait_is_told_how_long(
    make_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch, error: Exception, slug: str
) -> None:
    async def fails(*_: Any, **__: Any) -> Any:
        raise error

    monkeypatch.setattr(Service, "query", fails, raising=False)
    service = make_service(enable_retrieval=False)
    monkeypatch.setattr(service, "query", fails)
    async with api_client(create_app(lambda: service)) as client:
        response = await client.post("/query", json=QUERY)

    problem(response, 503, slug)
    assert response.headers["retry-after"] == "5"


# -- streams -----------------------------------------------------------------------------------------------


async def test_a_stream_whose_events_stop_ends_with_an_error() -> None:
    async def events() -> AsyncGenerator[Event, None]:
        yield Started(trace_id="t", answer_id="t-1", question="q", database="shop")

    async with open_stream(events(), "t", as_sse) as stream:
        told = [event.event async for event in stream]

    assert told == ["start", "error"]


async def test_a_stream_whose_database_is_closed_ends_with_an_error(
    make_service: Callable[..., Service], model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def closed(*_: Any, **__: Any) -> Any:
        raise asyncio.CancelledError  # as a pool of threads ends what waits in it

    monkeypatch.setattr(model, "complete", closed)
    async with api_client(app_without_docs(make_service)) as client:
        stream = await client.post("/query/stream", json=QUERY)
        whole = await client.post("/query", json=QUERY)

    last = stream.text.strip().rpartition("event: ")[2]
    assert last.startswith("error")
    assert "was closed while the question was being answered" in last
    problem(whole, 503, "database-unavailable")
