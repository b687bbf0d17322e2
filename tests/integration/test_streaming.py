"""Server-sent events over a real connection: one by one, kept alive, and ended by a disconnect."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from asgi_server import served
from held_model import HeldModel
from shop_questions import ASKED, STEPS, TOTAL
from sse import Told, read_events, read_until

from agent.api.app import create_app
from agent.core.errors import ModelFailed
from agent.pipeline.service import build_service
from agent.platform.config.settings import Settings

PATIENCE = 60  # seconds until a test that waits in vain fails


@pytest.fixture
def model() -> HeldModel:
    return HeldModel()


@pytest.fixture
async def client(settings: Settings, model: HeldModel) -> AsyncIterator[httpx2.AsyncClient]:
    app = create_app(lambda: build_service(settings.model_copy(update={"enable_retrieval": False}), model=model))
    async with (
        served(app) as address,
        httpx2.AsyncClient(base_url=f"{address}/api", timeout=PATIENCE, trust_env=False) as client,
    ):
        yield client


async def ask(client: httpx2.AsyncClient) -> list[Told]:
    async with client.stream("POST", "/query/stream", json=ASKED) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        return [told async for told in read_events(response)]


async def test_every_step_is_told_in_order_and_the_last_event_is_the_response(
    client: httpx2.AsyncClient, model: HeldModel
) -> None:
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="the sum over all orders")
    model.replies(text="All orders together come to 460.5. That is all.")
    model.released.set()

    told = await ask(client)

    assert told[0]["event"] == "start"
    assert told[0]["data"]["question"] == ASKED["question"]
    assert [one["node"] for one in told if one["event"] == "node_complete"] == STEPS
    deltas = [one["data"]["text"] for one in told if one["event"] == "answer_delta"]
    done = told[-1]
    assert done["event"] == "done"
    assert len(deltas) == 2
    assert "".join(deltas).strip() == done["data"]["answer"]
    assert done["data"]["trace_id"] == told[0]["data"]["trace_id"]
    assert done["data"]["results"] == [{"total": 460.5}]
    executed = next(one for one in told if one["node"] == "sql_executor")
    assert executed["attempt"] == 1
    assert executed["elapsed_ms"] > 0
    assert executed["data"]["rows"] == [[460.5]]


@pytest.mark.parametrize(
    "reply, status, slug",
    [
        ({"sql": "DROP TABLE orders"}, 409, "writes-not-allowed"),
        ({"raises": ModelFailed("The model answered with nothing usable.")}, 502, "model-failed"),
        ({"raises": RuntimeError("password=hunter2")}, 500, "unexpected"),
    ],
)
async def test_an_error_after_the_start_is_the_last_event(
    client: httpx2.AsyncClient, model: HeldModel, reply: dict[str, Any], status: int, slug: str
) -> None:
    model.replies(**reply)
    model.released.set()

    told = await ask(client)

    problem = told[-1]["data"]
    assert told[-1]["event"] == "error"
    assert (problem["status"], problem["type"]) == (status, f"urn:plumbline:problem:{slug}")
    assert problem["trace_id"] == told[0]["data"]["trace_id"]
    assert "hunter2" not in str(told)


async def test_what_is_refused_before_the_start_has_a_status(client: httpx2.AsyncClient) -> None:
    response = await client.post("/query/stream", json={**ASKED, "database": "nowhere"})
    assert response.status_code == 404
    assert response.headers["content-type"] == "application/problem+json"


async def test_a_silent_stream_is_kept_alive_by_comments(
    client: httpx2.AsyncClient, model: HeldModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fastapi.routing._PING_INTERVAL", 0.01)  # 15 s otherwise
    async with client.stream("POST", "/query/stream", json=ASKED) as response:
        comments = [line async for line in _up_to_comment(response)]
    assert comments == [": ping"]


async def _up_to_comment(response: httpx2.Response) -> AsyncIterator[str]:
    async for line in response.aiter_lines():
        if line.startswith(":"):
            yield line
            return


async def test_hanging_up_on_a_stream_cancels_the_question(client: httpx2.AsyncClient, model: HeldModel) -> None:
    async with client.stream("POST", "/query/stream", json=ASKED) as response:
        events = read_events(response)  # kept: when it goes, it hangs up
        await read_until(events, "schema_selector")
        await asyncio.wait_for(model.called.wait(), PATIENCE)
    await asyncio.wait_for(model.cancelled.wait(), PATIENCE)


async def test_hanging_up_on_a_question_cancels_it(client: httpx2.AsyncClient, model: HeldModel) -> None:
    asking = asyncio.create_task(client.post("/query", json=ASKED))
    await asyncio.wait_for(model.called.wait(), PATIENCE)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    await asyncio.wait_for(model.cancelled.wait(), PATIENCE)


async def test_the_query_is_told_while_it_is_written(client: httpx2.AsyncClient, model: HeldModel) -> None:
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="the sum over all orders")
    model.replies(text="All orders together come to 460.5.")
    async with client.stream("POST", "/query/stream", json=ASKED) as response:
        events = read_events(response)
        early = await read_until(events, "sql_progress")
        model.released.set()
        late = await read_until(events, "done")
    written = early[-1]["data"]
    assert written["attempt"] == 1
    assert TOTAL.startswith(written["sql"])
    assert "sql_generator" in [told["node"] for told in late]
