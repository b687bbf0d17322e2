"""`include` and `exclude`: which parts of a response are sent. A job has the first ten records."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from api_client import api_client, app_without_docs, problem
from eventually import eventually

from agent.api.schemas.common import ALWAYS, PARTS
from agent.core.answers import Answer
from agent.pipeline.service import Service
from testbed.scripted_model import ScriptedModel

Client = httpx2.AsyncClient

QUERY = {"question": "What is the total of all orders?", "database": "shop"}
TOTAL = "SELECT SUM(amount) AS total FROM orders"


@pytest.fixture
async def client(make_service: Callable[..., Service]) -> AsyncIterator[Client]:
    async with api_client(app_without_docs(make_service)) as client:
        yield client


def replies(model: ScriptedModel, text: str = "All orders together come to 460.5.") -> None:
    model.replies(sql=TOTAL)
    model.replies(correct=True)
    model.replies(text=text)


async def ask(client: Client, path: str, **more: Any) -> dict[str, Any]:
    """The response to the question, by whichever way it is asked."""
    response = await client.post(path, json=QUERY | more)
    assert response.is_success, response.text
    found: dict[str, Any] = response.json() if "stream" not in path else done(response.text)
    if "async" in path:
        job = f"/jobs/{found['id']}"
        told = await eventually(lambda: client.get(job), lambda told: told.json()["finished_at"] is not None)
        found = told.json()["result"]
    return found


def done(stream: str) -> dict[str, Any]:
    """The response that ends a stream."""
    lines = [line.removeprefix("data: ") for line in stream.splitlines() if line.startswith("data: ")]
    last = json.loads(lines[-1])
    assert last["event"] == "done"
    found: dict[str, Any] = last["data"]
    return found


PATHS = ["/query", "/query?mode=async", "/query/stream", "/query/stream?resumable=true"]


@pytest.mark.parametrize("path", PATHS)
async def test_what_is_excluded_is_not_sent(client: Client, model: ScriptedModel, path: str) -> None:
    replies(model)
    answer = await ask(client, path, exclude=["raw_results", "attempt_history"])

    assert set(answer) == set(Answer.model_fields) - {"raw_results", "attempt_history"}
    assert answer["results"] == [{"total": 460.5}]


@pytest.mark.parametrize("path", PATHS)
async def test_of_all_only_what_is_included_is_left(client: Client, model: ScriptedModel, path: str) -> None:
    replies(model)
    answer = await ask(client, path, exclude=["all"], include=["results", "verified"])

    assert set(answer) == ALWAYS | {"results", "verified"}


@pytest.mark.parametrize("path", PATHS)
async def test_what_comes_on_request_is_included(client: Client, model: ScriptedModel, path: str) -> None:
    replies(model)
    answer = await ask(client, path, include=["candidates"])

    assert [one["sql"] for one in answer["candidates"]] == [TOTAL]


async def test_without_either_everything_is_sent(client: Client, model: ScriptedModel) -> None:
    replies(model)
    answer = await ask(client, "/query")

    assert set(answer) == ALWAYS | set(PARTS) == set(Answer.model_fields)
    assert answer["candidates"] == []
    assert len(answer["raw_results"]) == answer["raw_total"] == 5


@pytest.mark.parametrize("more, said", [
    ({"exclude": ["rows"]}, "There is no such part. Known: "),
    ({"include": ["everything"]}, "There is no such part. Known: "),
    ({"exclude": ["answer"]}, "There is no such part"),  # it is always sent
    ({"include": ["all"]}, "There is no such part"),
    ({"include": ["sql"], "exclude": ["sql"]}, "either in `include` or in `exclude`"),
])  # fmt: skip
async def test_a_part_that_is_none_is_refused(client: Client, more: dict[str, Any], said: str) -> None:
    assert said in problem(await client.post("/query", json=QUERY | more), 422, "invalid-field")["detail"]


async def test_a_job_is_told_with_the_first_ten_records(
    make_service: Callable[..., Service], registry: Path, model: ScriptedModel
) -> None:
    with sqlite3.connect(registry.parent / "shop.sqlite") as connection:
        connection.executemany(
            "INSERT INTO orders (order_id, customer_id, status, amount) VALUES (?, 1, 'C', 1.0)",
            [(number,) for number in range(100, 120)],
        )
    connection.close()
    async with api_client(app_without_docs(make_service)) as client:
        replies(model, "All orders together come to 480.5.")
        job = await ask(client, "/query?mode=async")
        model.replies(correct=True)
        model.replies(text="All orders together come to 480.5.")
        whole = await ask(client, "/query")

    assert (len(job["raw_results"]), job["raw_total"], job["raw_truncated"]) == (10, 25, True)
    assert (len(whole["raw_results"]), whole["raw_total"]) == (25, 25)


# -- in a chat ---------------------------------------------------------------------------------------------

CHAT = "/agents/text-to-sql"
CHAT_PATHS = [f"{CHAT}/chat", f"{CHAT}/chat/stream"]


async def say(client: Client, path: str, **more: Any) -> dict[str, Any]:
    """The answer to the question as a message of a new session."""
    started = await client.post(f"{CHAT}/start-session", json={"database": "shop"})
    body = {"session_id": started.json()["session_id"], "message": QUERY["question"], **more}
    response = await client.post(path, json=body)
    assert response.is_success, response.text
    found: dict[str, Any] = done(response.text) if "stream" in path else response.json()
    return found


@pytest.mark.parametrize("path", CHAT_PATHS)
async def test_a_chat_leaves_out_what_is_excluded(client: Client, model: ScriptedModel, path: str) -> None:
    replies(model)
    whole = await say(client, path)
    model.replies(correct=True)  # the query is known by now
    model.replies(text="All orders together come to 460.5.")
    answer = await say(client, path, exclude=["raw_results", "checks"])

    assert set(answer) == set(whole) - {"raw_results", "checks"}
    assert len(whole["raw_results"]) == 5
    assert answer["results"] == [{"total": 460.5}]


@pytest.mark.parametrize("path", CHAT_PATHS)
async def test_of_all_of_a_chat_only_what_is_included_is_left(client: Client, model: ScriptedModel, path: str) -> None:
    replies(model)
    answer = await say(client, path, exclude=["all"], include=["sql_query", "candidates"])

    assert set(answer) == {"status", "kind", "message", "trace_id", "answer_id", "sql_query", "candidates"}
    assert [one["sql"] for one in answer["candidates"]] == [TOTAL]


@pytest.mark.parametrize("more, says", [
    ({"exclude": ["sql"]}, "There is no such part. Known: all, answer_source, sql_query"),  # it has another name here
    ({"exclude": ["message"]}, "There is no such part"),
    ({"include": ["chart"], "exclude": ["chart"]}, "either in `include` or in `exclude`"),
    ({"options": {"allow_writes": True}}, "options.allow_writes: Unknown field: remove it, or correct its spelling"),
    ({"options": {"time_zone": "Europe/Atlantis"}}, "There is no such time zone. Use an IANA name"),
])  # fmt: skip
@pytest.mark.parametrize("path", CHAT_PATHS)
async def test_what_a_chat_does_not_take_is_refused(client: Client, path: str, more: dict[str, Any], says: str) -> None:
    body = {"session_id": "s", "message": "How many orders are there?", **more}

    assert says in problem(await client.post(path, json=body), 422, "invalid-field")["detail"]


@pytest.mark.parametrize("path", CHAT_PATHS)
async def test_a_message_has_options_of_its_own(client: Client, model: ScriptedModel, path: str) -> None:
    model.replies(sql="SELECT order_id FROM orders ORDER BY order_id")
    answer = await say(client, path, options={"row_limit": 2, "enable_evaluation": False, "enable_answer": False})

    assert (answer["row_count"], answer["truncated"]) == (2, True)
