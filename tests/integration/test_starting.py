"""While a service starts: deadlines hold, readiness waits for retrieval, and who has to wait is told how long."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from api_client import api_client, app_without_docs, problem

from agent.api.app import create_app
from agent.api.http.streaming import OpenStream
from agent.core.errors import OutOfTime, StateUnavailable
from agent.core.events import Event, Started
from agent.llm.scripted import ScriptedModel
from agent.pipeline import asking
from agent.service import Service
from executors.errors import DatabaseUnavailable
from rag.errors import RetrievalError, StoreUnavailable

QUERY = {"question": "How many orders are there?", "database": "shop"}
COUNT = "SELECT COUNT(*) AS n FROM orders"


# -- deadlines ---------------------------------------------------------------------------------------------


async def test_a_deadline_holds_while_modules_are_loaded(
    make_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = threading.Event()
    monkeypatch.setattr(asking, "load_steps", loaded.wait)
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

    monkeypatch.setattr(service.knowledge, "_seen", broken)
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
    async def events() -> AsyncIterator[Event]:
        yield Started(trace_id="t", question="q", database="shop")

    first = Started(trace_id="t", question="q", database="shop")
    told = [event.event async for event in OpenStream(first, events(), "t")]

    assert told == ["start", "start", "error"]


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
