"""Chat sessions over HTTP: the specification's example requests, answered in its shapes, one test for each."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from api_client import api_client, app_without_docs, problem
from sse import read_events

from agent.api.app import create_app
from agent.pipeline.service import Service
from testbed.scripted_model import ScriptedModel

Client = httpx2.AsyncClient
ROOT = "/agents/text-to-sql"
TOP = "SELECT status AS category, SUM(amount) AS total_sales FROM orders GROUP BY status ORDER BY 2 DESC LIMIT 5"
SUCCESS = {"status", "message", "sql_query", "results", "columns", "row_count"}


@pytest.fixture
async def client(make_service: Callable[..., Service]) -> AsyncIterator[Client]:
    async with api_client(app_without_docs(make_service)) as client:
        yield client


@pytest.fixture
async def session_id(client: Client) -> str:
    started = await client.post(f"{ROOT}/start-session", json={"dataset_id": "shop"})
    return str(started.json()["session_id"])


def answers(model: ScriptedModel, sql: str, text: str = "") -> None:
    """One question's replies; without a text where there are several rows, and the answer is composed."""
    model.replies(sql=sql)
    model.replies(correct=True, reason="yes")
    if text:
        model.replies(text=text)


async def say(client: Client, session_id: str, message: str) -> dict[str, Any]:
    response = await client.post(f"{ROOT}/chat", json={"session_id": session_id, "message": message})
    assert response.status_code == 200, response.text
    body: dict[str, Any] = response.json()
    return body


# -- start-session -----------------------------------------------------------------------------------------


async def test_a_session_starts_with_the_schema_and_questions_that_can_be_asked(client: Client) -> None:
    body = (await client.post(f"{ROOT}/start-session", json={"dataset_id": "shop"})).json()

    assert {"session_id", "schema", "sample_questions"} <= set(body)
    schema = body["schema"]
    assert {"table_name", "columns", "row_count"} <= set(schema)
    assert (schema["table_name"], schema["row_count"]) == ("orders", 5), "linked as customers are, and bigger"
    columns = {column["name"]: column for column in schema["columns"]}
    assert columns["order_id"] == {"name": "order_id", "type": "INTEGER", "sample_values": None}
    assert columns["status"] == {"name": "status", "type": "TEXT", "sample_values": ["C", "S", "X"]}
    assert [table["table_name"] for table in schema["tables"]] == ["orders", "customers"]
    assert "How many orders are there?" in body["sample_questions"]


async def test_of_one_table_the_schema_is_the_specifications_own(
    client: Client, registry: Path, tmp_path: Path
) -> None:
    (tmp_path / "sales.csv").write_text(
        "category,amount\nElectronics,1\nFood,2\nFood,3\nFood,4\nElectronics,5\n", encoding="utf-8"
    )
    registry.write_text("sales: sales.csv\n", encoding="utf-8")
    body = (await client.post(f"{ROOT}/start-session", json={"database": "sales"})).json()
    assert body["schema"] == {
        "table_name": "sales",
        "columns": [
            {"name": "category", "type": "VARCHAR", "sample_values": ["Food", "Electronics"]},
            {"name": "amount", "type": "BIGINT", "sample_values": None},
        ],
        "row_count": 5,
    }
    assert "What is the total amount of sales for each category?" in body["sample_questions"]


@pytest.mark.parametrize(
    "body, status, slug, why",
    [
        ({"dataset_id": "nowhere"}, 404, "unknown-database", "no such dataset"),
        ({}, 422, "invalid-field", "none named"),
        ({"dataset_id": "shop", "database": "other"}, 422, "invalid-field", "two named"),
        ({"dataset_id": "shop", "path": "x"}, 422, "invalid-field", "a field that is not known"),
    ],
)
async def test_a_session_that_cannot_start(
    client: Client, body: dict[str, str], status: int, slug: str, why: str
) -> None:
    assert problem(await client.post(f"{ROOT}/start-session", json=body), status, slug), why


# -- chat --------------------------------------------------------------------------------------------------


async def test_a_message_is_answered_with_its_query_and_its_rows(
    client: Client, model: ScriptedModel, session_id: str
) -> None:
    answers(model, TOP)
    response = await client.post(
        f"{ROOT}/chat", json={"session_id": session_id, "message": "What are the top 5 categories by total sales?"}
    )
    body = response.json()
    assert set(body) >= SUCCESS
    assert "error_details" not in body, "as in the specification's example"
    assert (body["status"], body["row_count"]) == ("success", 3)
    assert body["columns"] == ["category", "total_sales"]
    assert body["results"][0] == {"category": "C", "total_sales": 360.5}
    assert "SUM(amount)" in body["sql_query"]
    assert body["message"].startswith("Total sales by category: C: 360.5; S: 60.0; X: 40.0.")
    assert (body["verified"], body["trace_id"]) == (True, response.headers["x-trace-id"])


@pytest.mark.parametrize(
    "message, sql, rows",
    [
        ("How many products are in the dataset?", "SELECT COUNT(*) AS product_count FROM orders", 1),
        ("Show me total sales by category, sorted by highest first", TOP, 3),
        ("Find all orders from California with amount greater than 500", "SELECT * FROM orders WHERE amount > 50", 3),
    ],
)
async def test_the_specifications_examples_are_answered(
    make_service: Callable[..., Service], model: ScriptedModel, message: str, sql: str, rows: int
) -> None:
    app = app_without_docs(lambda **changes: make_service(clarify=False, **changes))
    async with api_client(app) as client:
        started = (await client.post(f"{ROOT}/start-session", json={"dataset_id": "shop"})).json()
        answers(model, sql, "There are 5." if rows == 1 else "")
        body = await say(client, started["session_id"], message)
    assert (body["status"], body["row_count"]) == ("success", rows)
    assert set(body) >= SUCCESS


async def test_an_ambiguous_message_is_asked_back_about_and_the_reply_goes_on_with_it(
    make_service: Callable[..., Service], model: ScriptedModel
) -> None:
    async with api_client(create_app(make_service)) as client:
        session_id = (await client.post(f"{ROOT}/start-session", json={"dataset_id": "shop"})).json()["session_id"]
        asked_back = await say(client, session_id, "Show me recent orders")
        answers(model, "SELECT * FROM orders WHERE ordered_at >= '2024-12-03'", "One order.")
        body = await say(client, session_id, "the last 30 days")

    assert asked_back["status"] == "clarification_needed"
    assert "2024-01-05 to 2025-01-01" in asked_back["message"], "the data's real range"
    assert not set(asked_back) & (SUCCESS - {"status", "message"} | {"error_details"}), "as in the example"
    labels = [choice["label"].split(" (")[0] for choice in asked_back["choices"]]
    assert labels == ["the last 30 days", "the last 90 days"]
    assert (body["status"], body["row_count"]) == ("success", 1)
    assert body["question"].startswith("Show me orders from 2024-12-03")


async def test_a_query_that_never_runs_is_an_error_with_its_details(
    client: Client, model: ScriptedModel, session_id: str
) -> None:
    for name in ("invalid", "wrong", "worse"):
        model.replies(sql=f"SELECT {name}_column FROM orders")
    body = await say(client, session_id, "How many orders are there?")
    assert set(body) >= {"status", "message", "sql_query", "error_details"}
    assert (body["status"], body["sql_query"]) == ("error", "SELECT worse_column FROM orders")
    assert "worse_column" in body["error_details"]
    assert not set(body) & {"results", "columns", "row_count"}, "as in the specification's example"


async def test_an_error_is_recovered_from(client: Client, model: ScriptedModel, session_id: str) -> None:
    model.replies(sql="SELECT AVG(price) AS average FROM orders")
    answers(model, "SELECT AVG(amount) AS average FROM orders", "The average is 92.1.")
    body = await say(client, session_id, "What's the average of the amount column?")
    assert (body["status"], body["results"]) == ("success", [{"average": 92.1}])


async def test_events_come_as_of_a_question_and_the_last_one_is_the_response_of_chat(
    client: Client, model: ScriptedModel, session_id: str
) -> None:
    answers(model, TOP)
    request = {"session_id": session_id, "message": "What are the top 5 categories by total sales?"}
    async with client.stream("POST", f"{ROOT}/chat/stream", json=request) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        told = [event async for event in read_events(response)]

    assert [told[0]["event"], told[-1]["event"]] == ["start", "done"]
    assert {"entry", "sql_generator", "answer_formatter"} <= {event["node"] for event in told}
    done = told[-1]["data"]
    assert set(done) >= SUCCESS
    assert "".join(e["data"]["text"] for e in told if e["event"] == "answer_delta") == done["message"]
    shown = (await client.get(f"{ROOT}/session/{session_id}")).json()
    assert [message["role"] for message in shown["messages"]] == ["user", "assistant"], "it is remembered"


async def test_what_is_not_known_is_said_and_not_left_out(
    client: Client, model: ScriptedModel, session_id: str
) -> None:
    for reply in ("no verdict", "no verdict either"):
        model.replies(sql="SELECT COUNT(*) AS n FROM orders")
        model.replies(text=reply)
        model.replies(text="There are 5.")
    request = {"session_id": session_id, "message": "How many orders are there?"}
    body = await say(client, session_id, request["message"])
    async with client.stream("POST", f"{ROOT}/chat/stream", json=request) as response:
        done = [event async for event in read_events(response)][-1]["data"]

    for told in (body, done):
        assert {check["name"]: check["passed"] for check in told["checks"]}["judge"] is None
        assert "error_details" not in told


# -- the session -------------------------------------------------------------------------------------------


async def test_a_session_shows_its_whole_history(client: Client, model: ScriptedModel, session_id: str) -> None:
    for number in range(7):  # more than the prompt's reach
        answers(model, f"SELECT COUNT(*) + {number} AS n FROM orders", f"There are {5 + number}.")
        await say(client, session_id, f"How many orders are there plus {number}?")

    body = (await client.get(f"{ROOT}/session/{session_id}")).json()
    assert set(body) >= {"session_id", "dataset_id", "schema", "messages", "created_at", "last_activity"}
    assert (body["session_id"], body["dataset_id"], body["schema"]["table_name"]) == (session_id, "shop", "orders")
    assert len(body["messages"]) == 14
    asked, said = body["messages"][:2]
    assert set(asked) >= {"role", "content", "sql_query", "timestamp"}
    assert (asked["role"], asked["content"], asked["sql_query"]) == ("user", "How many orders are there plus 0?", None)
    assert (said["role"], said["content"]) == ("assistant", "There are 5.")
    assert said["sql_query"].startswith("SELECT COUNT(*)")
    assert body["created_at"] <= body["last_activity"]


async def test_a_follow_up_is_shown_as_it_was_asked_and_as_it_was_understood(
    client: Client, model: ScriptedModel, session_id: str
) -> None:
    answers(model, "SELECT COUNT(*) AS n FROM customers WHERE country = 'DE'", "There are 2.")
    await say(client, session_id, "How many customers are in DE?")
    model.replies(text="How many customers are in FR?")
    answers(model, "SELECT COUNT(*) AS n FROM customers WHERE country = 'FR'", "There is 1.")
    body = await say(client, session_id, "and in FR?")
    assert (body["question"], body["results"]) == ("How many customers are in FR?", [{"n": 1}])

    asked = (await client.get(f"{ROOT}/session/{session_id}")).json()["messages"][2]
    assert (asked["content"], asked["question"]) == ("and in FR?", "How many customers are in FR?")


async def test_a_session_that_is_ended_is_gone(client: Client, session_id: str) -> None:
    response = await client.delete(f"{ROOT}/session/{session_id}")
    assert response.json() == {"status": "success", "message": f"Session {session_id} ended successfully"}
    problem(await client.get(f"{ROOT}/session/{session_id}"), 404, "unknown-session")
    problem(await client.delete(f"{ROOT}/session/{session_id}"), 404, "unknown-session")


@pytest.mark.parametrize("route", ["chat", "chat/stream"])
async def test_an_unknown_session_is_not_found(client: Client, route: str) -> None:
    request = {"session_id": "none", "message": "How many orders are there?"}
    problem(await client.post(f"{ROOT}/{route}", json=request), 404, "unknown-session")


async def test_an_expired_session_is_not_found(make_service: Callable[..., Service]) -> None:
    app = app_without_docs(make_service)
    async with api_client(app) as client:
        started = (await client.post(f"{ROOT}/start-session", json={"dataset_id": "shop"})).json()
        service = await app.state.service.get()
        kept_s = service.settings.session_timeout_s
        service.sessions.clock = lambda: time.time() + kept_s + 1
        problem(await client.get(f"{ROOT}/session/{started['session_id']}"), 404, "unknown-session")
        assert (await client.get(f"{ROOT}/health")).json()["active_sessions"] == 0


async def test_somebody_elses_session_is_not_found(make_service: Callable[..., Service], model: ScriptedModel) -> None:
    app = app_without_docs(lambda **changes: make_service(trust_principal_header=True, **changes))
    ada, bo = ({"x-ms-client-principal-name": name} for name in ("ada@example.org", "bo@example.org"))
    async with api_client(app) as client:
        started = await client.post(f"{ROOT}/start-session", json={"dataset_id": "shop"}, headers=ada)
        path = f"{ROOT}/session/{started.json()['session_id']}"
        assert (await client.get(path, headers=ada)).status_code == 200
        problem(await client.get(path, headers=bo), 404, "unknown-session")
        problem(await client.delete(path, headers=bo), 404, "unknown-session")
        request = {"session_id": started.json()["session_id"], "message": "How many orders are there?"}
        problem(await client.post(f"{ROOT}/chat", json=request, headers=bo), 404, "unknown-session")


async def test_health_counts_the_sessions(client: Client, session_id: str) -> None:
    body = (await client.get(f"{ROOT}/health")).json()
    version = body.pop("version")
    assert version
    assert body == {"status": "healthy", "service": "text_to_sql_agent", "active_sessions": 1}
    await client.delete(f"{ROOT}/session/{session_id}")
    assert (await client.get(f"{ROOT}/health")).json()["active_sessions"] == 0


async def test_a_session_goes_on_after_a_restart(make_service: Callable[..., Service], model: ScriptedModel) -> None:
    async with api_client(app_without_docs(make_service)) as before:
        started = (await before.post(f"{ROOT}/start-session", json={"dataset_id": "shop"})).json()
        answers(model, "SELECT COUNT(*) AS n FROM customers WHERE country = 'DE'", "There are 2.")
        await say(before, started["session_id"], "How many customers are in DE?")
    async with api_client(app_without_docs(make_service)) as after:
        model.replies(text="How many customers are in FR?")
        answers(model, "SELECT COUNT(*) AS n FROM customers WHERE country = 'FR'", "There is 1.")
        assert (await say(after, started["session_id"], "and in FR?"))["results"] == [{"n": 1}]


async def test_two_messages_at_once_are_answered_one_after_the_other(
    client: Client, model: ScriptedModel, session_id: str
) -> None:
    for number in (1, 2):
        answers(model, f"SELECT COUNT(*) + {number} AS n FROM orders", f"It is {5 + number}.")
    messages = [f"How many orders are there plus {number}?" for number in (1, 2)]
    said = await asyncio.gather(*(say(client, session_id, message) for message in messages))
    assert sorted(body["results"][0]["n"] for body in said) == [6, 7]

    shown = (await client.get(f"{ROOT}/session/{session_id}")).json()["messages"]
    assert [message["role"] for message in shown] == ["user", "assistant"] * 2, "no answer stands between the two"
    assert sorted(message["content"] for message in shown if message["role"] == "user") == messages
