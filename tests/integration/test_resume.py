"""A stream continues after a lost connection and is resumed where it broke off."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable

import httpx2
import pytest
from api_client import problem
from asgi_server import served
from held_model import HeldModel
from shop_questions import ASKED, TOTAL
from sse import Told, read_events, read_until

from agent.api.app import create_app
from agent.api.http.replay import Replay, Replays
from agent.core.errors import UnknownAnswer
from agent.core.events import AnswerDelta, Event
from agent.pipeline.service import build_service
from agent.platform.config.settings import Settings

PATIENCE = 60  # seconds until a test that waits in vain fails


@pytest.fixture
def model() -> HeldModel:
    return HeldModel()


@pytest.fixture
def replays() -> Replays:
    return Replays(linger_s=60)


@pytest.fixture
async def client(settings: Settings, model: HeldModel, replays: Replays) -> AsyncIterator[httpx2.AsyncClient]:
    app = create_app(lambda: build_service(settings.model_copy(update={"enable_retrieval": False}), model=model))
    app.state.replays = replays
    async with (
        served(app) as address,
        httpx2.AsyncClient(base_url=f"{address}/api", timeout=PATIENCE, trust_env=False) as client,
    ):
        yield client


def script(model: HeldModel) -> None:
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="the sum over all orders")
    model.replies(text="All orders together come to 460.5.")


async def lost_after(client: httpx2.AsyncClient, node: str, **more: object) -> list[Told]:
    """What was heard before the connection was lost."""
    async with client.stream("POST", "/query/stream?resumable=true", json=ASKED | more) as response:
        return await read_until(read_events(response), node)


async def resumed(client: httpx2.AsyncClient, trace_id: str, last_event_id: int) -> list[Told]:
    headers = {"last-event-id": str(last_event_id)}
    async with client.stream("GET", f"/query/stream/{trace_id}", headers=headers) as response:
        assert response.status_code == 200
        return [told async for told in read_events(response)]


async def test_what_happened_meanwhile_is_told_once_and_in_order(client: httpx2.AsyncClient, model: HeldModel) -> None:
    script(model)
    heard = await lost_after(client, "schema_selector")
    model.released.set()

    rest = await resumed(client, heard[0]["data"]["trace_id"], len(heard))

    nodes = [told["node"] for told in (*heard, *rest) if told["event"] == "node_complete"]
    assert nodes[:4] == ["entry", "dialect_resolver", "schema_selector", "sql_generator"]
    assert len(nodes) == len(set(nodes)), "each once"
    assert rest[-1]["event"] == "done"
    assert rest[-1]["data"]["answer"] == "All orders together come to 460.5."


async def test_an_answer_that_was_given_meanwhile_is_still_there(client: httpx2.AsyncClient, model: HeldModel) -> None:
    script(model)
    model.released.set()
    heard = await lost_after(client, "done")
    trace_id = heard[0]["data"]["trace_id"]
    assert await resumed(client, trace_id, 0) == heard
    assert await resumed(client, trace_id, len(heard)) == []


async def test_each_event_says_its_number(client: httpx2.AsyncClient, model: HeldModel) -> None:
    script(model)
    model.released.set()
    async with client.stream("POST", "/query/stream?resumable=true", json=ASKED) as response:
        ids = [line.removeprefix("id: ") async for line in response.aiter_lines() if line.startswith("id: ")]
    assert ids == [str(number) for number in range(1, len(ids) + 1)]


async def test_a_question_is_given_up_at_once(client: httpx2.AsyncClient, model: HeldModel) -> None:
    async with client.stream("POST", "/query/stream?resumable=true", json=ASKED) as response:
        events = read_events(response)
        heard = await read_until(events, "schema_selector")
        await asyncio.wait_for(model.called.wait(), PATIENCE)
        path = f"/query/stream/{heard[0]['data']['trace_id']}"
        assert (await client.delete(path)).status_code == 204
        rest = [told async for told in events]
    assert (rest[-1]["event"], rest[-1]["data"]["type"]) == ("error", "urn:plumbline:problem:question-ended")
    await asyncio.wait_for(model.cancelled.wait(), PATIENCE)
    problem(await client.get(path), 404, "unknown-answer")
    problem(await client.delete(path), 404, "unknown-answer")


async def test_a_question_to_which_nobody_comes_back_ends(
    client: httpx2.AsyncClient, model: HeldModel, replays: Replays, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with client.stream("POST", "/query/stream?resumable=true", json=ASKED) as response:
        events = read_events(response)  # kept: when it goes, it hangs up
        heard = await read_until(events, "schema_selector")
        await asyncio.wait_for(model.called.wait(), PATIENCE)
        monkeypatch.setattr(replays, "_linger_s", 0.01)
    await asyncio.wait_for(model.cancelled.wait(), PATIENCE)
    problem(await client.get(f"/query/stream/{heard[0]['data']['trace_id']}"), 404, "unknown-answer")


async def test_what_is_refused_before_the_start_has_a_status(client: httpx2.AsyncClient) -> None:
    response = await client.post("/query/stream?resumable=true", json={**ASKED, "database": "nowhere"})
    problem(response, 404, "unknown-database")


async def test_an_error_after_the_start_is_the_last_event(client: httpx2.AsyncClient, model: HeldModel) -> None:
    model.replies(raises=RuntimeError("password=hunter2"))
    model.released.set()
    heard = await lost_after(client, "error")
    assert (heard[-1]["event"], heard[-1]["data"]["status"]) == ("error", 500)
    assert "hunter2" not in str(heard)


@pytest.mark.parametrize("last", ["x", "-1", "1" * 10])
async def test_a_number_that_is_none_is_refused(client: httpx2.AsyncClient, last: str) -> None:
    response = await client.get(f"/query/stream/{'0' * 32}", headers={"last-event-id": last})
    problem(response, 422, "invalid-field")


async def the_answer() -> AsyncGenerator[Event, None]:
    yield AnswerDelta(text="42")


async def unanswered() -> AsyncGenerator[Event, None]:
    yield AnswerDelta(text="42")
    await asyncio.Event().wait()


async def events_of(replays: Replays, replay: Replay) -> list[tuple[str | None, str]]:
    """Each event's name, and the type of its problem where it is an error."""
    sent = [it async for it in replays.listen(replay, "ann", 0)]
    return [(it.event, json.loads(it.raw_data or "{}")["data"].get("type", "")) for it in sent]


@pytest.mark.parametrize(
    ("events", "problem"), [(the_answer, "unexpected"), (unanswered, "shutting-down")], ids=["stop early", "never end"]
)
async def test_a_stream_ends_with_an_error_where_there_is_no_answer(
    replays: Replays, events: Callable[[], AsyncGenerator[Event, None]], problem: str
) -> None:
    replay = await replays.begin(events(), "a" * 32, "ann")
    listening = asyncio.create_task(events_of(replays, replay))
    await asyncio.sleep(0)  # it has the first event, and waits
    await replays.close()
    assert await listening == [("answer_delta", ""), ("error", f"urn:plumbline:problem:{problem}")]


async def test_events_that_never_begin_are_an_error(replays: Replays) -> None:
    async def none() -> AsyncGenerator[Event, None]:
        for text in tuple[str, ...]():
            yield AnswerDelta(text=text)

    with pytest.raises(AssertionError, match="without a response"):
        await replays.begin(none(), "a" * 32, "ann")


async def test_only_who_asked_may_come_back(replays: Replays) -> None:
    replay = await replays.begin(the_answer(), "a" * 32, "ann")
    assert replays.get("a" * 32, "ann") is replay
    with pytest.raises(UnknownAnswer):
        replays.get("a" * 32, "bo")
    await replays.close()


async def test_what_has_ended_leaves_nothing_that_waits(replays: Replays) -> None:
    before = asyncio.all_tasks()
    for trace_id in ("1" * 32, "2" * 32):
        await replays.begin(the_answer(), trace_id, "ann")
    await replays.end("1" * 32, "ann")
    await replays.close()
    assert asyncio.all_tasks() == before


async def test_two_who_listen_hear_the_same(replays: Replays) -> None:
    more = asyncio.Event()

    async def events() -> AsyncGenerator[Event, None]:
        yield AnswerDelta(text="4")
        await more.wait()
        yield AnswerDelta(text="2")

    replay = await replays.begin(events(), "a" * 32, "ann")

    async def heard() -> list[str | None]:
        return [sent.id async for sent in replays.listen(replay, "ann", 0)]

    listening = [asyncio.create_task(heard()) for _ in range(2)]
    await asyncio.sleep(0)
    more.set()
    assert await asyncio.gather(*listening) == [["1", "2", "3"], ["1", "2", "3"]], (
        "the third says that there is no answer"
    )
    await replays.close()
