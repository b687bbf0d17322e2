"""Questions of one trace share its id; the id of an answer names that answer alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from api_client import problem
from people_shop import ANN, BEN, REX, Client, served
from shop_questions import Make
from sse import read_events

from testbed.scripted_model import ScriptedModel

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
TRACE = {"traceparent": f"00-{TRACE_ID}-b7ad6b7169203331-01"}
ORDERS = ("How many orders are there?", "SELECT COUNT(*) AS orders FROM orders")
TOTAL = ("What is the total of all orders?", "SELECT SUM(amount) AS total FROM orders")


@pytest.fixture
async def client(make_service: Make, registry: Path) -> AsyncIterator[Client]:
    async with served(make_service, registry, enable_retrieval=False) as client:
        yield client


@pytest.fixture
async def session(client: Client) -> str:
    return str((await client.post("/sessions", json={"database": "shop"}, headers=ANN)).json()["session_id"])


async def ask(
    client: Client, model: ScriptedModel, asked: tuple[str, str], path: str = "/query", **more: Any
) -> httpx2.Response:
    """The response to a question of the trace."""
    model.replies(sql=asked[1])
    model.replies(correct=True, reason="as asked")
    model.replies(text="There it is.")
    body = {"question": asked[0], "database": "shop", **more.pop("body", {})}
    response = await client.post(path, json=body, headers=ANN | TRACE | more)
    assert response.is_success, response.text
    return response


async def answered(client: Client, model: ScriptedModel, session: str) -> list[dict[str, Any]]:
    """The answers to both questions, which belong to the session."""
    within = {"session_id": session}
    answers = [(await ask(client, model, one, body=within)).json() for one in (ORDERS, TOTAL)]
    assert [answer["trace_id"] for answer in answers] == [TRACE_ID] * 2
    assert len({answer["answer_id"] for answer in answers}) == 2
    return answers


async def test_feedback_is_about_the_answer_that_it_names(client: Client, model: ScriptedModel, session: str) -> None:
    for answer in await answered(client, model, session):
        body = {"answer_id": answer["answer_id"], "correct": False}
        said = (await client.post("/feedback", json=body, headers=ANN)).json()
        assert (said["answer_id"], said["trace_id"]) == (answer["answer_id"], TRACE_ID)
        review = (await client.get(f"/reviews/{said['review_id']}", headers=REX)).json()
        assert (review["answer_id"], review["question"]) == (answer["answer_id"], answer["question"])
    assert len((await client.get("/reviews", headers=REX)).json()["reviews"]) == 2


async def test_a_stored_answer_is_the_one_that_is_named(client: Client, model: ScriptedModel, session: str) -> None:
    answers = await answered(client, model, session)
    for answer in answers:
        path = f"/sessions/{session}/answers/{answer['answer_id']}"
        assert (await client.get(path, headers=ANN)).json() == answer
    found = (await client.get(f"/agents/text-to-sql/session/{session}", headers=ANN)).json()
    ids = [answer["answer_id"] for answer in answers for _ in ("question", "reply")]
    assert [message["answer_id"] for message in found["messages"]] == ids


async def test_a_link_leads_to_the_answer_that_was_shared(client: Client, model: ScriptedModel, session: str) -> None:
    answers = await answered(client, model, session)
    paths = [f"/sessions/{session}/answers/{answer['answer_id']}/share" for answer in answers]
    links = [(await client.put(path, headers=ANN)).json()["id"] for path in paths]
    for link, answer in zip(links, answers, strict=True):
        shared = (await client.get(f"/shared/{link}", headers=BEN)).json()
        assert (shared["question"], shared["answer"]["results"]) == (answer["question"], answer["results"])
    await client.delete(paths[0], headers=ANN)
    problem(await client.get(f"/shared/{links[0]}", headers=BEN), 404, "unknown-share")
    assert (await client.get(f"/shared/{links[1]}", headers=BEN)).is_success


async def test_a_stream_is_resumed_where_it_was_left(client: Client, model: ScriptedModel) -> None:
    told = [
        [event async for event in read_events(await ask(client, model, one, "/query/stream?resumable=true"))]
        for one in (ORDERS, TOTAL)
    ]
    for events in told:
        start, done = events[0]["data"], events[-1]["data"]
        assert (start["answer_id"], start["trace_id"]) == (done["answer_id"], TRACE_ID)
        path = f"/query/stream/{start['answer_id']}"
        rest = await client.get(path, headers=ANN | {"last-event-id": "3"})
        assert [event async for event in read_events(rest)] == events[3:]
    problem(await client.get(f"/query/stream/{TRACE_ID}", headers=ANN), 404, "unknown-answer")
    assert (await client.delete(f"/query/stream/{told[0][0]['data']['answer_id']}", headers=ANN)).status_code == 204
    left = await client.get(f"/query/stream/{TRACE_ID}", headers=ANN)
    assert [event async for event in read_events(left)] == told[1], "the only one that is left of the trace"


async def test_a_query_is_saved_from_the_answer_that_is_named(
    client: Client, model: ScriptedModel, session: str
) -> None:
    for number, answer in enumerate(await answered(client, model, session)):
        body = {"name": f"Query {number}", "database": "shop", "answer_id": answer["answer_id"]}
        assert (await client.post("/saved", json=body, headers=ANN)).json()["question"] == answer["question"]
    body = {"name": "Either", "database": "shop", "trace_id": TRACE_ID}
    refused = problem(await client.post("/saved", json=body, headers=ANN), 422, "saved-query-invalid")
    assert "`answer_id`" in refused["detail"]


async def test_a_trace_id_stands_for_its_only_answer(client: Client, model: ScriptedModel, session: str) -> None:
    first = (await ask(client, model, ORDERS, body={"session_id": session})).json()
    stored, said = f"/sessions/{session}/answers/{TRACE_ID}", {"trace_id": TRACE_ID, "correct": False}
    assert (await client.get(stored, headers=ANN)).json() == first
    assert (await client.put(f"{stored}/share", headers=ANN)).is_success
    assert (await client.post("/feedback", json=said, headers=ANN)).json()["answer_id"] == first["answer_id"]

    await ask(client, model, TOTAL, body={"session_id": session})
    for refused in (
        await client.get(stored, headers=ANN),
        await client.put(f"{stored}/share", headers=ANN),
        await client.delete(f"{stored}/share", headers=ANN),
        await client.post("/feedback", json=said, headers=ANN),
    ):
        assert "Send the `answer_id`" in problem(refused, 404, "unknown-answer")["detail"]


@pytest.mark.parametrize("path", ["/feedback", "/saved"])
async def test_an_answer_and_another_trace_are_not_both_named(
    client: Client, model: ScriptedModel, session: str, path: str
) -> None:
    answer = (await ask(client, model, ORDERS, body={"session_id": session})).json()
    about = {"correct": False} if path == "/feedback" else {"name": "Orders", "database": "shop"}
    body = {"answer_id": answer["answer_id"], "trace_id": TRACE_ID, **about}
    other = await client.post(path, json=body | {"trace_id": "1" * 32}, headers=ANN)
    assert "`answer_id` alone" in problem(other, 422, "invalid-field")["errors"][0]["message"]
    assert (await client.post(path, json=body, headers=ANN)).is_success


async def test_every_interface_says_the_id(client: Client, model: ScriptedModel, session: str) -> None:
    file = await ask(client, model, ORDERS, accept="text/csv")
    ids = [file.headers["x-plumbline-answer-id"]]
    chat = {"session_id": session, "message": TOTAL[0]}
    model.replies(sql=TOTAL[1])
    model.replies(correct=True, reason="as asked")
    model.replies(text="It is 460.5.")
    ids.append((await client.post("/agents/text-to-sql/chat", json=chat, headers=ANN | TRACE)).json()["answer_id"])
    generate = {"connection_id": "shop", "question": ORDERS[0]}
    model.replies(correct=True, reason="as asked")
    model.replies(text="There are 5.")
    ids.append((await client.post("/text2sql/generate", json=generate, headers=ANN | TRACE)).json()["answer_id"])
    assert len(set(ids)) == 3
    for answer_id in ids:
        said = await client.post("/feedback", json={"answer_id": answer_id, "correct": False}, headers=ANN)
        assert said.json()["answer_id"] == answer_id
