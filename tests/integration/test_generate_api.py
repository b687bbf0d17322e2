"""The generate interface: the specification's example requests, answered in its shapes, one test for each."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx2
import pytest
from api_client import api_client, app_without_docs, problem

from agent.api.app import create_app
from agent.api.schemas.generate import NODES, GenerateRequest, dialect_name
from agent.pipeline.service import Service
from testbed.scripted_model import ScriptedModel

Client = httpx2.AsyncClient
LATEST = "SELECT * FROM orders ORDER BY ordered_at DESC LIMIT 10"
QUESTION = "최근 주문 10건을 보여줘"
ASKED = {"connection_id": "shop", "question": QUESTION, "max_retries": 2}
SUMMARY = "Order id, customer id, ordered at, status별 amount: 5, 3, 2025-01-01, C: 10.0; "
FIELDS = {
    "success", "sql", "reasoning", "answer_summary", "dialect", "execution_result", "trace_id", "needs_human_review",
}  # fmt: skip


@pytest.fixture
async def client(make_service: Callable[..., Service]) -> AsyncIterator[Client]:
    app = app_without_docs(lambda **changes: make_service(clarify=False, **changes))
    async with api_client(app) as client:
        yield client


def answers(model: ScriptedModel, sql: str = LATEST) -> None:
    """One question's replies; the answer of several rows is composed."""
    model.replies(sql=sql)
    model.replies(correct=True, reason="yes")


async def told(client: Client, body: dict[str, Any]) -> list[dict[str, Any]]:
    """The events as they stand on the wire: one line of data each, and nothing else."""
    async with client.stream("POST", "/text2sql/generate/stream", json=body) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        lines = [line async for line in response.aiter_lines() if line and not line.startswith(":")]
    assert all(line.startswith("data: {") for line in lines)
    return [json.loads(line.removeprefix("data: ")) for line in lines]


@pytest.mark.parametrize(
    "body",
    [ASKED, {"connection_id": "shop", "question": QUESTION}],
    ids=["with max_retries", "without, as in the example for curl"],
)
async def test_a_question_becomes_sql_rows_and_a_summary_in_its_language(
    client: Client, model: ScriptedModel, body: dict[str, Any]
) -> None:
    answers(model)
    response = await client.post("/text2sql/generate", json=body)
    said = response.json()
    assert set(said) >= FIELDS
    assert (said["success"], said["needs_human_review"], said["verified"]) == (True, False, True)
    assert said["sql"] == LATEST
    assert said["reasoning"]
    assert said["answer_summary"].startswith(SUMMARY)
    assert said["dialect"] == "sqlite"
    assert [row["order_id"] for row in said["execution_result"]] == [5, 4, 3, 2, 1]
    assert said["trace_id"] == response.headers["x-trace-id"]
    assert "error" not in said


async def test_a_failed_attempt_is_repaired(client: Client, model: ScriptedModel) -> None:
    model.replies(sql="SELECT * FROM purchases")
    answers(model)
    said = (await client.post("/text2sql/generate", json=ASKED)).json()
    assert (said["success"], said["attempts"]) == (True, 2)


async def test_without_retries_the_first_failure_is_the_last_and_a_person_must_look(
    client: Client, model: ScriptedModel
) -> None:
    model.replies(sql="SELECT * FROM purchases")
    said = (await client.post("/text2sql/generate", json={**ASKED, "max_retries": 0})).json()
    assert set(said) >= FIELDS
    assert (said["success"], said["needs_human_review"], said["execution_result"]) == (False, True, [])
    assert (said["error_type"], said["attempts"]) == ("TABLE_NOT_FOUND", 1)
    assert "purchases" in said["error"]


async def test_what_must_be_said_first_is_no_success(make_service: Callable[..., Service]) -> None:
    async with api_client(create_app(make_service)) as client:
        body = {"connection_id": "shop", "question": "Show me recent orders"}
        said = (await client.post("/text2sql/generate", json=body)).json()
    assert (said["success"], said["error_type"], said["sql"]) == (False, "CLARIFICATION_NEEDED", None)
    assert said["answer_summary"] == said["clarification"]
    assert said["choices"]


async def test_each_node_is_told_of_in_order(client: Client, model: ScriptedModel) -> None:
    answers(model)
    events = await told(client, ASKED)
    assert set(events[0]) == {"event", "data"}
    assert (events[0]["event"], len(events[0]["data"]["trace_id"])) == ("start", 32)
    steps = events[1:-1]
    assert all(set(event) == {"event", "node", "data"} and event["event"] == "node_complete" for event in steps)
    nodes = [event["node"] for event in steps]
    assert nodes == [
        "entry", "dialect_resolver", "schema_selector", "sql_generator", "planner", "sql_executor", "answer_formatter",
    ]  # fmt: skip
    assert events[-1]["event"] == "done"
    assert set(events[-1]["data"]) >= FIELDS
    assert events[-1]["data"]["answer_summary"].startswith(SUMMARY)


async def test_repair_and_review_are_told_of(client: Client, model: ScriptedModel) -> None:
    for sql in ("SELECT * FROM purchases", "SELECT * FROM buys"):
        model.replies(sql=sql)
    events = await told(client, {**ASKED, "max_retries": 1})
    nodes = {event["node"] for event in events if "node" in event}
    assert {"sql_repair", "human_review"} <= nodes <= set(NODES)
    assert events[-1]["data"]["success"] is False


def test_the_specifications_nine_nodes_are_those_that_are_told_of() -> None:
    assert len(NODES) == 9


async def test_an_error_ends_the_events(client: Client, model: ScriptedModel) -> None:
    model.replies(raises=RuntimeError("a bug"))
    events = await told(client, ASKED)
    assert (events[-1]["event"], events[-1]["data"]["status"]) == ("error", 500)
    assert "a bug" not in json.dumps(events[-1])


@pytest.mark.parametrize("route", ["generate", "generate/stream"])
@pytest.mark.parametrize(
    "body, status, slug",
    [
        ({**ASKED, "connection_id": "conn-abc123"}, 404, "unknown-database"),
        ({**ASKED, "question": " "}, 422, "question-invalid"),
        ({**ASKED, "max_retries": 10}, 422, "invalid-field"),
        ({"question": QUESTION}, 422, "invalid-field"),
    ],
)
async def test_what_is_refused_has_a_status_of_its_own(
    client: Client, route: str, body: dict[str, Any], status: int, slug: str
) -> None:
    problem(await client.post(f"/text2sql/{route}", json=body), status, slug)


async def test_health_answers_in_the_specifications_words(client: Client) -> None:
    assert (await client.get("/text2sql/health")).json() == {"status": "ok", "service": "text2sql"}


@pytest.mark.parametrize(
    "ours, theirs", [("postgresql", "postgres"), ("mysql", "mysql"), ("oracle", "oracle"), (None, None)]
)
def test_a_dialect_has_the_specifications_name(ours: str | None, theirs: str | None) -> None:
    assert dialect_name(ours) == theirs


@pytest.mark.parametrize("retries, attempts", [(None, None), (0, 1), (2, 3)])
def test_retries_are_attempts_after_the_first(retries: int | None, attempts: int | None) -> None:
    assert GenerateRequest(connection_id="shop", question="?", max_retries=retries).options.max_attempts == attempts
