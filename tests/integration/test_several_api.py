"""A question that needs several queries, over every surface: each shows the parts, and none takes them for rows."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from api_client import api_client, app_without_docs, problem
from asgi_server import served
from held_model import HeldModel
from rich.console import Console
from shop_questions import Make
from sse import read_events, read_until
from tool_calls import call_tool

from agent.api.app import create_app
from agent.core.answers import Answer
from agent.pipeline.service import build_service
from agent.platform.config.settings import Settings
from agent.present.terminal import StepPrinter, Transcript
from testbed.scripted_model import ScriptedModel

WHY = "Why did the amount of orders fall in April?"
MARCH, APRIL = "What is the total amount of orders in March?", "What is the total amount of orders in April?"
IN_MARCH = "SELECT SUM(amount) AS total FROM orders WHERE ordered_at LIKE '%-03-%'"
IN_JANUARY = "SELECT SUM(amount) AS total FROM orders WHERE ordered_at LIKE '%-01-%'"
ASKED = {"question": WHY, "database": "shop"}
LINES = ["The total is 110. [1]", "The total is 310.5. [2]", "110 - 310.5 = -200.5 [1][2]"]
CHAT = "/agents/text-to-sql"
PATIENCE = 60  # seconds until a test that waits in vain fails


def answered(model: ScriptedModel) -> None:
    model.replies(text=json.dumps({"questions": [APRIL, MARCH], "calculations": ["{1} - {2}"]}))
    for sql, text in ((IN_JANUARY, "The total is 110.0."), (IN_MARCH, "The total is 310.5.")):
        model.replies(sql=sql)
        model.replies(correct=True, reason="as asked")
        model.replies(text=text)


@pytest.fixture
async def client(make_service: Make) -> AsyncIterator[httpx2.AsyncClient]:
    async with api_client(app_without_docs(lambda **more: make_service(plan=True, **more))) as client:
        yield client


async def test_a_response_has_the_parts(client: httpx2.AsyncClient, model: ScriptedModel) -> None:
    answered(model)

    body = (await client.post("/query", json=ASKED)).json()

    assert body["answer"].splitlines() == LINES
    assert (body["sql"], body["results"], body["verified"]) == (None, [], True)
    assert [part["number"] for part in body["parts"]] == [1, 2]
    assert body["parts"][0]["results"] == [{"total": 110.0}]
    assert len(body["parts"][0]["raw_results"]) == body["parts"][0]["raw_total"] == 2
    assert body["confidence"] == min(part["confidence"] for part in body["parts"])


async def test_parts_can_be_left_out(client: httpx2.AsyncClient, model: ScriptedModel) -> None:
    answered(model)
    body = (await client.post("/query", json={**ASKED, "exclude": ["parts"]})).json()
    assert "parts" not in body
    assert body["answer"].splitlines() == LINES


async def test_a_request_may_ask_for_a_plan(make_service: Make, model: ScriptedModel) -> None:
    answered(model)
    async with api_client(app_without_docs(make_service)) as client:
        asked = {"question": "What are the amounts of March and April?", "database": "shop", "options": {"plan": True}}
        assert len((await client.post("/query", json=asked)).json()["parts"]) == 2


async def test_the_specifications_interface_is_answered_by_one_query(
    client: httpx2.AsyncClient, model: ScriptedModel
) -> None:
    model.replies(sql=IN_JANUARY)
    model.replies(correct=True, reason="as asked")
    model.replies(text="The total is 110.0.")
    body = (await client.post("/text2sql/generate", json={"connection_id": "shop", "question": WHY})).json()
    assert body["sql"].startswith(IN_JANUARY)


async def test_a_file_of_rows_is_refused_and_markdown_has_them_all(
    client: httpx2.AsyncClient, model: ScriptedModel
) -> None:
    answered(model)
    refused = await client.post("/query", json=ASKED, headers={"accept": "text/csv"})
    assert "2 parts with rows of their own" in problem(refused, 422, "no-rows")["detail"]

    answered(model)
    text = (await client.post("/query", json=ASKED, headers={"accept": "text/markdown"})).text
    assert text.startswith(f"**{WHY}**")
    for said in (f"**\\[1\\] {APRIL}**", "| total |", "| 310.5 |", f"```sql\n{IN_MARCH}", "\nVerified"):
        assert said in text


async def test_a_session_shows_the_parts_and_remembers_the_answer(
    client: httpx2.AsyncClient, model: ScriptedModel
) -> None:
    session_id = (await client.post(f"{CHAT}/start-session", json={"dataset_id": "shop"})).json()["session_id"]
    answered(model)
    said = (await client.post(f"{CHAT}/chat", json={"session_id": session_id, "message": WHY})).json()

    assert said["message"].splitlines() == LINES
    assert said["sql_query"] is None if "sql_query" in said else True
    assert [part["question"] for part in said["parts"]] == [APRIL, MARCH]

    messages = (await client.get(f"{CHAT}/session/{session_id}")).json()["messages"]
    assert messages[1]["content"].splitlines() == LINES

    model.replies(text="What is the total amount of orders in May?")
    model.replies(sql="SELECT SUM(amount) AS total FROM orders WHERE ordered_at LIKE '%-01-%'")
    model.replies(correct=True, reason="as asked")
    model.replies(text="The total is 110.0.")
    following = await client.post(f"{CHAT}/chat", json={"session_id": session_id, "message": "and in May?"})
    assert following.json()["question"] == "What is the total amount of orders in May?"
    assert "110 - 310.5 = -200.5" in model.asked[7].tail, "the follow-up sees what was answered"


async def test_feedback_cannot_call_an_answer_without_one_query_right(
    client: httpx2.AsyncClient, model: ScriptedModel
) -> None:
    answered(model)
    trace_id = (await client.post("/query", json=ASKED)).json()["trace_id"]
    refused = await client.post("/feedback", json={"trace_id": trace_id, "correct": True})
    assert "no query that could be right" in problem(refused, 422, "feedback-invalid")["detail"]
    taken = await client.post("/feedback", json={"trace_id": trace_id, "correct": False, "comment": "April is missing"})
    assert taken.status_code == 200


async def test_a_tool_gets_the_first_records_of_each_part(make_service: Make, model: ScriptedModel) -> None:
    answered(model)
    service = make_service(plan=True, enable_retrieval=False)

    found = await call_tool(service, "ask", ASKED, "somebody")
    await service.close()

    assert [len(part["raw_results"]) for part in found["parts"]] == [2, 2]
    assert found["answer"].splitlines() == LINES


async def test_the_terminal_and_the_transcript_show_the_parts(make_service: Make, model: ScriptedModel) -> None:
    answered(model)
    service = make_service(plan=True, enable_retrieval=False)
    console = Console(width=120, record=True, quiet=False, force_terminal=False)
    printer = StepPrinter(console)
    answer: Answer | None = None
    async for event in service.events(WHY, "shop"):
        printer.show(event)
        answer = getattr(event, "answer", None) if event.event == "done" else answer
    await service.close()

    shown = console.export_text()
    for said in ("2 queries are needed", f"[1] {APRIL}", "part 2", LINES[2], f"✓ [2] {MARCH}"):
        assert said in shown
    assert isinstance(answer, Answer)
    lines = Transcript("shop")
    lines.add(WHY, answer)
    assert f"[2] {MARCH}\n\n```sql\n{IN_MARCH}" in str(lines)


# -- over a connection --------------------------------------------------------------------------------------------


@pytest.fixture
def held() -> HeldModel:
    return HeldModel()


@pytest.fixture
async def wire(settings: Settings, held: HeldModel) -> AsyncIterator[httpx2.AsyncClient]:
    changes = {"enable_retrieval": False, "plan": True}
    app = create_app(lambda: build_service(settings.model_copy(update=changes), model=held))
    async with (
        served(app) as address,
        httpx2.AsyncClient(base_url=f"{address}/api", timeout=PATIENCE, trust_env=False) as client,
    ):
        yield client


async def test_a_stream_tells_each_part_and_ends_with_the_whole(wire: httpx2.AsyncClient, held: HeldModel) -> None:
    answered(held)
    held.released.set()
    async with wire.stream("POST", "/query/stream", json=ASKED) as response:
        told = [event async for event in read_events(response)]

    planned = next(one for one in told if one["node"] == "question_planner")
    assert planned["data"] == {"questions": [APRIL, MARCH], "calculations": ["{1} - {2}"]}
    parts = [one["data"] for one in told if one["node"] == "part_answered"]
    assert [(part["part"], part["answer"]) for part in parts] == [
        (1, "The total is 110."),
        (2, "The total is 310.5."),
    ]
    assert {one["data"]["part"] for one in told if one["event"] == "sql_progress"} <= {1, 2}
    assert [one["data"]["text"].rstrip("\n") for one in told if one["event"] == "answer_delta"] == LINES
    assert told[-1]["event"] == "done"
    assert len(told[-1]["data"]["parts"]) == 2


async def test_hanging_up_in_the_middle_of_a_part_ends_it(
    wire: httpx2.AsyncClient, held: HeldModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered(held)
    held.released.set()
    complete = held.complete
    second_part = asyncio.Event()

    async def hold_after_the_first_part(*args: Any, **more: Any) -> Any:
        if len(held.asked) == 4:
            held.released.clear()
            second_part.set()
        return await complete(*args, **more)

    monkeypatch.setattr(held, "complete", hold_after_the_first_part)
    async with wire.stream("POST", "/query/stream", json=ASKED) as response:
        events = read_events(response)  # kept: when it goes, it hangs up
        await read_until(events, "part_answered")
        await asyncio.wait_for(second_part.wait(), PATIENCE)
    await asyncio.wait_for(held.cancelled.wait(), PATIENCE)
    assert len(held.asked) == 4, "nothing more was asked of the model"
    held._replies.clear()
