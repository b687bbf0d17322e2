"""The HTTP interface over the real service with a scripted model."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx2
import pytest
from api_client import api_client, app_without_docs, problem
from fastapi import FastAPI
from shop_questions import TOTAL

from agent.core.errors import ModelFailed, ModelUnavailable, OutOfTime
from agent.pipeline.service import Service
from testbed.scripted_model import ScriptedModel

ASKED = {"question": "What is the total of all orders?", "database": "shop"}
TRACE_ID = "0af7651916cd43dd8448eb211c80319c"

Client = httpx2.AsyncClient


@pytest.fixture
def app(make_service: Callable[..., Service]) -> FastAPI:
    return app_without_docs(make_service, max_request_bytes=2000)


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[Client]:
    async with api_client(app) as client:
        yield client


def answers(model: ScriptedModel) -> None:
    """A right query, judged right, and its sentence."""
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="the sum over all orders")
    model.replies(text="All orders together come to 460.5.")


# ------------------------------------------------------------------------------------------------- questions


async def test_a_question_is_answered_with_its_sql_rows_and_checks(client: Client, model: ScriptedModel) -> None:
    answers(model)
    response = await client.post("/query", json=ASKED)
    body = response.json()
    assert response.status_code == 200
    assert body["answer"] == "All orders together come to 460.5."
    assert body["results"] == [{"total": 460.5}]
    assert body["verified"] is True
    assert body["trace_id"] == response.headers["x-trace-id"]


async def test_options_change_one_request_only(client: Client, model: ScriptedModel) -> None:
    model.replies(sql=TOTAL)
    model.replies(text="All orders together come to 460.5.")
    response = await client.post("/query", json={**ASKED, "options": {"enable_evaluation": False}})
    assert response.json()["usage"]["model_calls"] == 2, "nobody judged"


async def test_an_earlier_session_is_known(client: Client, model: ScriptedModel, app: FastAPI) -> None:
    session = await (await app.state.service.get()).start_session("shop")
    answers(model)
    await client.post("/query", json={**ASKED, "session_id": session.id})
    model.replies(text="What is the total of all cancelled orders?")
    answers(model)
    body = {**ASKED, "question": "And of the cancelled ones?", "session_id": session.id}
    response = await client.post("/query", json=body)
    assert response.json()["session_id"] == session.id
    assert response.json()["question"] == "What is the total of all cancelled orders?"
    assert "All orders together come to 460.5." in model.asked[3].text


@pytest.mark.parametrize(
    "traceparent, kept, why",
    [
        (f"00-{TRACE_ID}-b7ad6b7169203331-01", True, "valid"),
        (f"cc-{TRACE_ID}-b7ad6b7169203331-01-more", True, "a later version may say more"),
        (f"ff-{TRACE_ID}-b7ad6b7169203331-01", False, "there is no version ff"),
        (f"00-{'0' * 32}-b7ad6b7169203331-01", False, "no trace"),
        (f"00-{TRACE_ID}-{'0' * 16}-01", False, "no parent"),
        (f"00-{TRACE_ID.upper()}-b7ad6b7169203331-01", False, "capitals"),
        (f"00-{TRACE_ID}", False, "cut off"),
        (f"00-{TRACE_ID}-b7ad6b7169203331-01x", False, "too long"),
    ],
)
async def test_the_callers_trace_goes_on(client: Client, traceparent: str, kept: bool, why: str) -> None:
    response = await client.get("/health/live", headers={"traceparent": traceparent})
    assert (response.headers["x-trace-id"] == TRACE_ID) is kept, why


@pytest.mark.parametrize("path", ["/health/live", "/health/ready", "/databases", "/nothing"])
async def test_head_has_the_status_and_headers_of_get_and_no_body(client: Client, path: str) -> None:
    got, asked = await client.get(path), await client.head(path)

    assert (asked.status_code, asked.content) == (got.status_code, b"")
    assert asked.headers["content-type"] == got.headers["content-type"]


async def test_head_is_refused_where_get_is(client: Client) -> None:
    response = await client.head("/query")
    assert (response.status_code, response.headers["allow"]) == (405, "POST")


# -------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    "body, why",
    [
        (b"{", "cut off"),
        (b"what is the total?", "a sentence"),
        (b'{"question": "\xff", "database": "shop"}', "not UTF-8"),
        (b"[" * 1900, "nested too deep"),
    ],
)
async def test_what_is_not_json_is_malformed(client: Client, body: bytes, why: str) -> None:
    response = await client.post("/query", content=body, headers={"content-type": "application/json"})
    problem(response, 400, "malformed-request")


@pytest.mark.parametrize(
    "changes, field, why",
    [
        ({"question": 5}, "question", "not a text"),
        ({"question": None}, "question", "nothing"),
        ({"question": "\ud800"}, "question", "half a character"),
        ({"database": ["shop"]}, "database", "not a name"),
        ({"database": "x" * 201}, "database", "too long for a name"),
        ({"databse": "shop"}, "databse", "a field that there is not"),
        ({"sql": "DROP TABLE orders"}, "sql", "queries are not taken"),
        ({"options": {"row_limit": 10_001}}, "options.row_limit", "over the cap"),
        ({"options": {"row_limit": 0}}, "options.row_limit", "under the least"),
        ({"options": {"write_row_limit": 9}}, "options.write_row_limit", "not for callers to say"),
        ({"options": {"confirm": "' OR 1"}}, "options.confirm", "no token looks like that"),
    ],
)
async def test_a_field_that_cannot_be_used_is_named(
    client: Client, changes: dict[str, Any], field: str, why: str
) -> None:
    response = await client.post("/query", content=json.dumps({**ASKED, **changes}))
    body = problem(response, 422, "invalid-field")
    assert [error["field"] for error in body["errors"]] == [field], why
    assert field in body["detail"]


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b'"text"'])
async def test_a_body_that_is_no_object_is_refused(client: Client, body: bytes) -> None:
    response = await client.post("/query", content=body, headers={"content-type": "application/json"})
    assert problem(response, 422, "invalid-field")["errors"][0]["field"] == "body"


async def test_a_form_is_told_to_be_json(client: Client) -> None:
    response = await client.post("/query", data={"question": "What?", "database": "shop"})
    assert "application/json" in problem(response, 422, "invalid-field")["detail"]


@pytest.mark.parametrize("question, detail", [("   ", "empty"), ("x" * 4001, "at most 4000")])
async def test_a_question_that_cannot_be_taken_says_why(
    make_service: Callable[..., Service], question: str, detail: str
) -> None:
    async with api_client(app_without_docs(make_service)) as client:
        response = await client.post("/query", json={**ASKED, "question": question})
    assert detail in problem(response, 422, "question-invalid")["detail"]


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_body_over_the_limit_is_refused(client: Client, chunked: bool) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(30):
            yield b" " * 100

    response = await client.post("/query", content=pieces() if chunked else b" " * 3000)
    problem(response, 413, "request-too-large")


@pytest.mark.parametrize(
    "name",
    ["nowhere", "../shop.sqlite", "/etc/passwd", "sqlite:///shop.sqlite", "postgresql://user:pw@host/db", "shop;", ""],
)
@pytest.mark.parametrize("route", ["/query", "/query/stream"])
async def test_only_the_registry_leads_to_a_database(client: Client, route: str, name: str) -> None:
    response = await client.post(route, json={**ASKED, "database": name})
    assert "shop" in problem(response, 404, "unknown-database")["detail"], "the names that there are"


async def test_an_unknown_session_is_not_found(client: Client) -> None:
    response = await client.post("/query", json={**ASKED, "session_id": "gone"})
    problem(response, 404, "unknown-session")


@pytest.mark.parametrize(
    "error, status, slug",
    [
        (ModelFailed("The model answered with nothing usable."), 502, "model-failed"),
        (ModelUnavailable("The model cannot be reached."), 503, "model-unavailable"),
        (OutOfTime("No answer within 220 s."), 504, "out-of-time"),
    ],
)
async def test_what_no_attempt_can_repair_has_its_status(
    client: Client, model: ScriptedModel, error: Exception, status: int, slug: str
) -> None:
    model.replies(raises=error)
    response = await client.post("/query", json=ASKED)
    assert problem(response, status, slug)["detail"] == str(error)


async def test_a_wish_to_change_the_data_is_a_conflict(client: Client, model: ScriptedModel) -> None:
    response = await client.post("/query", json={**ASKED, "question": "Drop all tables"})  # no model is asked
    problem(response, 409, "writes-not-allowed")

    model.replies(sql="DROP TABLE orders")
    response = await client.post("/query", json={**ASKED, "question": "I want the orders gone"})
    problem(response, 409, "writes-not-allowed")


async def test_what_should_not_happen_is_logged_and_tells_nothing(
    client: Client, model: ScriptedModel, caplog: pytest.LogCaptureFixture
) -> None:
    model.replies(raises=RuntimeError("password=hunter2 in /home/me/secret.py"))
    with caplog.at_level(logging.ERROR):
        response = await client.post("/query", json=ASKED)
    body = problem(response, 500, "unexpected")
    assert "hunter2" not in response.text
    assert body["trace_id"] in caplog.text
    assert "RuntimeError" in caplog.text, "whoever reads the log can find out"
    assert "secret.py" in caplog.text


async def test_a_route_that_there_is_not(client: Client) -> None:
    problem(await client.get("/nothing"), 404, "unknown-route")
    problem(await client.post("/query/"), 404, "unknown-route")


async def test_a_method_that_the_route_does_not_take(client: Client) -> None:
    response = await client.delete("/query")
    problem(response, 405, "method-not-allowed")
    assert response.headers["allow"] == "POST"
