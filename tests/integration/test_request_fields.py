"""Requests are validated as the OpenAPI description says, and a refusal names the broken rule."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx2
import pytest
from api_client import api_client, app_without_docs, problem
from openapi_document import Document

from agent.core.problems import describe_form
from agent.pipeline.service import Service
from testbed.scripted_model import ScriptedModel

ASKED: dict[str, Any] = {"question": "How many orders?", "database": "shop"}
RUN: dict[str, Any] = {"sql": "SELECT order_id FROM orders", "database": "shop"}
CHAT = "/agents/text-to-sql/"
REVIEW, TRACE_ID = "/reviews/" + "f" * 30, "0" * 32
MAX_BYTES = 10_000

Client = httpx2.AsyncClient


@pytest.fixture
async def client(make_service: Callable[..., Service]) -> AsyncIterator[Client]:
    async with api_client(app_without_docs(make_service, max_request_bytes=MAX_BYTES)) as client:
        yield client


@pytest.mark.parametrize(
    "path, body, field",
    [
        ("/query", ASKED | {"options": {"row_limit": "5"}}, "options.row_limit"),
        ("/query", ASKED | {"options": {"max_attempts": True}}, "options.max_attempts"),
        ("/query", ASKED | {"options": {"clarify": "no"}}, "options.clarify"),
        ("/query", ASKED | {"options": {"allow_writes": 1}}, "options.allow_writes"),
        ("/execute", RUN | {"row_limit": True}, "row_limit"),
        ("/execute", RUN | {"timeout_s": "5"}, "timeout_s"),
        ("/text2sql/generate", {"connection_id": "shop", "question": "?", "max_retries": False}, "max_retries"),
        ("/rag/search", {"database": "shop", "query": "orders", "top_k": "3"}, "top_k"),
        ("/feedback", {"trace_id": TRACE_ID, "correct": "true"}, "correct"),
        (REVIEW, {"decision": "approve", "preview": 1}, "preview"),
    ],
)
async def test_a_text_or_a_truth_value_is_no_number_and_neither_is_a_number_a_truth_value(
    client: Client, path: str, body: dict[str, Any], field: str
) -> None:
    refused = problem(await client.post(path, json=body), 422, "invalid-field")
    assert [error["field"] for error in refused["errors"]] == [field]


@pytest.mark.parametrize("path, body, detail", [
    ("/query", ASKED | {"database": "x" * 201}, "database: Use at most 200 characters"),
    ("/rag/search", {"database": "shop", "query": ""}, "query: Use at least 1 character"),
])  # fmt: skip
async def test_the_length_of_a_text_is_in_characters(
    client: Client, path: str, body: dict[str, Any], detail: str
) -> None:
    assert problem(await client.post(path, json=body), 422, "invalid-field")["detail"] == detail


@pytest.mark.parametrize("path, body, message", [
    ("/query", ASKED | {"database": 5}, "Send a text"),
    ("/query", ASKED | {"options": {"row_limit": 0}}, "Send a number from 1 on"),
    ("/query", ASKED | {"options": {"effort": "most"}}, "Send 'quick', 'balanced' or 'thorough'"),
    ("/query", ASKED | {"options": {"clarify": "no"}}, "Send true or false"),
    ("/query", ASKED | {"options": []}, "Send an object"),
    ("/feedback", {"answer_id": "!", "correct": True},
     "Send the `answer_id` of an answer: 32 characters (0 to 9 and a to f), '-', and 16 more"),
    ("/saved", RUN | {"name": " "}, "Write at least one character that is no white space"),
    ("/databases?name=My%20Data!", {},
     "Use letters, digits, '.', '_' and '-', at most 64 characters, and begin with a letter or a digit"),
])  # fmt: skip
async def test_a_field_that_cannot_be_used_says_what_to_send(
    client: Client, path: str, body: dict[str, Any], message: str
) -> None:
    refused = problem(await client.post(path, json=body), 422, "invalid-field")
    assert message in [error["message"] for error in refused["errors"]]


async def test_every_pattern_of_the_contract_is_told_in_words(client: Client) -> None:
    found = {it.removesuffix("|^$") for it in _patterns((await client.get("/openapi.json")).json())}
    only_in_rules = {r"^[ \t\r\n]*$", '^".+"$'}  # between fields, and of a response's header
    assert len(found) > 5
    assert [it for it in found - only_in_rules if "pattern" in describe_form(it)] == []


def _patterns(described: object) -> Iterator[str]:
    if isinstance(described, dict):
        found = described.get("pattern")
        yield from [found] if isinstance(found, str) else []
    if isinstance(described, dict | list):
        for value in described.values() if isinstance(described, dict) else described:
            yield from _patterns(value)


_NO_VALUES = "parameters: Send a list of values for `?`, or an object of values for `:name`."


@pytest.mark.parametrize("path, body", [("/execute", RUN), ("/saved", RUN | {"name": "all"})])
@pytest.mark.parametrize("values", ["C", [["C"]], {"status": {"is": "C"}}])
async def test_values_of_placeholders_have_one_rule(
    client: Client, path: str, body: dict[str, Any], values: object
) -> None:
    refused = problem(await client.post(path, json=body | {"parameters": values}), 422, "invalid-field")
    assert refused["detail"].startswith(_NO_VALUES)
    assert [error["field"] for error in refused["errors"]] == ["parameters"]


async def test_only_so_many_values_are_saved(client: Client) -> None:
    refused = await client.post("/saved", json=RUN | {"name": "all", "parameters": [1] * 101})
    assert problem(refused, 422, "invalid-field")["detail"] == "parameters: Send at most 100 values."


async def test_a_whole_number_may_be_written_with_a_point(client: Client) -> None:
    response = await client.post("/execute", json=RUN | {"row_limit": 2.0, "timeout_s": 5})
    assert response.json()["row_count"] == 2


@pytest.mark.parametrize(
    "path, body, said",
    [
        (CHAT + "start-session", {"database": "shop", "dataset_id": "other"}, "Name one database"),
        (REVIEW, {"decision": "approve", "sql": "SELECT 1"}, "`sql` goes with the decision `correct`"),
        ("/feedback", {"trace_id": TRACE_ID, "correct": True, "corrected_sql": "SELECT 1"}, "say `correct: false`"),
        ("/feedback", {"correct": True}, "Send the `answer_id`"),
        ("/saved", {"name": "all", "database": "shop"}, "Send the query as `sql`."),
    ],
)
async def test_a_rule_between_two_fields_is_told(client: Client, path: str, body: dict[str, Any], said: str) -> None:
    refused = problem(await client.post(path, json=body), 422, "invalid-field")
    assert said in refused["detail"]


async def test_a_body_that_is_no_object_is_told_so(client: Client) -> None:
    refused = problem(await client.post("/query", json=["How many orders?"]), 422, "invalid-field")
    assert "Send a JSON object" in refused["detail"]


@pytest.mark.parametrize(
    "schema, field, limits",
    [
        ("Options", "row_limit", {"minimum": 1, "maximum": 10_000}),
        ("ExecuteRequest", "timeout_s", {"exclusiveMinimum": 0}),
        ("GenerateRequest", "max_retries", {"minimum": 0, "maximum": 9}),
        ("SearchRequest", "top_k", {"minimum": 1, "maximum": 100}),
        ("FeedbackRequest", "answer_id", {"pattern": "^[0-9a-f]{32}(-[0-9a-f]{16})?$|^$"}),
        ("QueryRequest", "database", {"maxLength": 200}),
        ("SaveRequest", "name", {"minLength": 1, "maxLength": 100, "pattern": r"[^\s\u001c-\u001f\u0085]"}),
    ],
)
async def test_the_description_has_the_limits_that_hold(
    client: Client, schema: str, field: str, limits: dict[str, Any]
) -> None:
    described = (await client.get("/openapi.json")).json()["components"]["schemas"][schema]["properties"][field]
    described = described.get("anyOf", [described])[0]
    assert {name: described[name] for name in limits} == limits


@pytest.mark.parametrize(
    "schema, body, fits",
    [
        ("StartSessionRequest", {"database": "shop"}, True),
        ("StartSessionRequest", {"database": ""}, False),
        ("SettleRequest", {"decision": "correct", "sql": "SELECT 1"}, True),
        ("SettleRequest", {"decision": "correct", "sql": " "}, False),
        ("SettleRequest", {"decision": "reject", "sql": "SELECT 1"}, False),
        ("FeedbackRequest", {"trace_id": TRACE_ID, "correct": True, "corrected_sql": "SELECT 1"}, False),
        ("FeedbackRequest", {"trace_id": TRACE_ID, "correct": True}, True),
        ("FeedbackRequest", {"answer_id": f"{TRACE_ID}-{'1' * 16}", "correct": True}, True),
        ("FeedbackRequest", {"correct": True}, False),
        ("NewDocument", {"kind": "column", "text": "C: completed", "table": "orders", "column": "status"}, True),
        ("NewDocument", {"kind": "column", "text": "C: completed", "table": "orders"}, False),
        ("NewDocument", {"kind": "rule", "text": "Guests have no account.", "sql": "SELECT 1"}, False),
        ("SaveRequest", {"name": "all", "database": "shop", "trace_id": TRACE_ID}, True),
        ("SaveRequest", {"name": "all", "database": "shop", "answer_id": TRACE_ID}, True),
        ("SaveRequest", {"name": "all", "database": "shop"}, False),
        ("ReplaceSavedRequest", {"name": "all", "database": "shop"}, False),
    ],
)
async def test_the_description_has_the_rules_between_fields(
    client: Client, schema: str, body: dict[str, Any], fits: bool
) -> None:
    document = Document((await client.get("/openapi.json")).json())
    assert (document.errors({"$ref": f"#/components/schemas/{schema}"}, body) == []) is fits


@pytest.mark.parametrize(
    "path, methods",
    [("/saved/" + "0" * 32, "DELETE, GET, HEAD, PUT"), ("/rag/documents", "GET, HEAD, POST"), ("/query", "POST")],
)
async def test_a_refused_method_is_told_all_that_the_path_takes(client: Client, path: str, methods: str) -> None:
    response = await client.request("PATCH", path)
    problem(response, 405, "method-not-allowed")
    assert response.headers.get_list("allow") == [methods]


async def test_a_body_that_nobody_asked_for_is_refused_where_it_is_too_large(
    client: Client, model: ScriptedModel
) -> None:
    response = await client.request("GET", "/health/ready", content=b"x" * (MAX_BYTES + 1))
    problem(response, 413, "request-too-large")
