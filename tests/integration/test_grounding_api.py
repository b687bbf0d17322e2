"""A sentence that the rows do not support leaves the service by no door."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

import httpx2
import pytest
from api_client import api_client, app_without_docs
from shop_questions import TOTAL

from agent.pipeline.service import Service
from testbed.scripted_model import ScriptedModel

QUESTION = "What is the total of all orders?"
FALSE = "All orders together come to 999.5, twice as much as last year."
TRUE = "All orders together come to 460.5."
COMPOSED = "Total: 460.5."


@pytest.fixture
async def client(make_service: Callable[..., Service]) -> AsyncIterator[httpx2.AsyncClient]:
    async with api_client(app_without_docs(make_service)) as client:
        yield client


def scripted(model: ScriptedModel, *sentences: str) -> None:
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="the sum over all orders")
    for sentence in sentences:
        model.replies(text=sentence)


async def _query(client: httpx2.AsyncClient) -> Any:
    return (await client.post("/query", json={"question": QUESTION, "database": "shop"})).json()


async def _chat(client: httpx2.AsyncClient) -> Any:
    started = (await client.post("/agents/text-to-sql/start-session", json={"dataset_id": "shop"})).json()
    said = {"session_id": started["session_id"], "message": QUESTION}
    body = (await client.post("/agents/text-to-sql/chat", json=said)).json()
    return {**body, "answer": body["message"]}


async def _generate(client: httpx2.AsyncClient) -> Any:
    body = (await client.post("/text2sql/generate", json={"connection_id": "shop", "question": QUESTION})).json()
    return {**body, "answer": body["answer_summary"]}


DOORS = pytest.mark.parametrize("ask", [_query, _chat, _generate], ids=["query", "chat", "generate"])


@DOORS
async def test_what_is_said_falsely_is_composed(client: httpx2.AsyncClient, model: ScriptedModel, ask: Any) -> None:
    scripted(model, FALSE)
    body = await ask(client)
    assert (body["answer"], body["answer_source"], body["verified"]) == (COMPOSED, "composed", True)
    assert FALSE not in json.dumps(body)


@DOORS
async def test_what_a_hosted_model_puts_right_at_the_second_try_is_its_own(
    make_service: Callable[..., Service], model: ScriptedModel, ask: Any
) -> None:
    scripted(model, FALSE, TRUE)
    hosted = partial(make_service, profile="small_hosted", speculative_answer=False)
    async with api_client(app_without_docs(hosted)) as client:
        body = await ask(client)
    assert (body["answer"], body["answer_source"], body["verified"]) == (TRUE, "model", True)


async def test_what_is_recomputed_over_all_records_is_shown(client: httpx2.AsyncClient, model: ScriptedModel) -> None:
    text = "The 5 orders come to 460.5 in total, with an average amount of 92.1."
    scripted(model, text)
    body = await _query(client)
    assert (body["answer"], body["answer_source"], body["verified"]) == (text, "model", True)


async def test_the_value_of_a_single_record_is_not(client: httpx2.AsyncClient, model: ScriptedModel) -> None:
    text = "All orders together come to 460.5, with an average amount of 250.5."
    scripted(model, text)
    body = await _query(client)
    assert 250.5 in [record["amount"] for record in body["raw_results"]]
    assert (body["answer"], body["answer_source"]) == (COMPOSED, "composed")


@pytest.mark.parametrize("path", ["/query/stream", "/text2sql/generate/stream"])
async def test_no_event_of_a_stream_carries_it(client: httpx2.AsyncClient, model: ScriptedModel, path: str) -> None:
    scripted(model, FALSE)
    body = (
        {"question": QUESTION, "database": "shop"}
        if path == "/query/stream"
        else {"connection_id": "shop", "question": QUESTION}
    )
    told = (await client.post(path, json=body)).text
    assert COMPOSED in told
    assert FALSE not in told
    assert "twice as much as last year" not in told


async def test_a_draft_written_while_the_judge_reads_is_checked_as_well(
    make_service: Callable[..., Service], model: ScriptedModel
) -> None:
    service = make_service(speculative_answer=True, enable_retrieval=False, enable_evaluation=True, second_draft=False)
    model.replies(sql=TOTAL)
    for _ in range(2):  # the judge and the first draft read side by side: what one of them reads is no sentence
        model.replies(text=FALSE)
    answer = await service.query(QUESTION, "shop")
    await service.close()
    assert answer.answer == COMPOSED


async def test_a_condition_that_alone_is_missing_is_added(client: httpx2.AsyncClient, model: ScriptedModel) -> None:
    model.replies(sql="SELECT SUM(amount) AS total FROM orders WHERE ordered_at LIKE '2024-%'")
    model.replies(correct=True, reason="the orders of 2024")
    model.replies(text="All orders together come to 450.5.")
    asked = {"question": "What is the total of all orders in 2024?", "database": "shop"}
    body = (await client.post("/query", json=asked)).json()
    assert (body["answer"], body["answer_source"]) == ("All orders together come to 450.5 (2024).", "model")


@pytest.mark.parametrize("reply", [
    "| n |\n|---|\n| 5 |", "<b>5 orders</b>", "```\n5 orders\n```", '{"n": 5}', "five orders " * 5_000, "",
], ids=["table", "HTML", "code", "JSON", "10,000 words", "nothing"])  # fmt: skip
async def test_what_is_no_sentence_is_composed(client: httpx2.AsyncClient, model: ScriptedModel, reply: str) -> None:
    scripted(model, reply)
    body = await _query(client)
    assert (body["answer"], body["answer_source"]) == (COMPOSED, "composed")


async def test_of_an_unknown_language_it_is_said_what_was_checked(
    client: httpx2.AsyncClient, model: ScriptedModel
) -> None:
    model.replies(sql="SELECT COUNT(*) AS n FROM orders")
    model.replies(correct=True, reason="the orders")
    model.replies(text="Jest 5 zamówień.")
    body = (await client.post("/query", json={"question": "Ile jest zamówień?", "database": "shop"})).json()
    details = {it["name"]: it["detail"] for it in body["checks"]}
    assert (body["answer"], body["answer_source"]) == ("Jest 5 zamówień.", "model")
    assert "only numbers and names are checked" in details["grounding"]


async def test_numbers_are_written_in_the_language_of_the_question(
    client: httpx2.AsyncClient, model: ScriptedModel
) -> None:
    model.replies(sql="SELECT SUM(amount) * 100 AS umsatz FROM orders")
    model.replies(correct=True, reason="the sum of all orders")
    model.replies(text="Der Umsatz beträgt 46050.")
    body = (await client.post("/query", json={"question": "Wie hoch ist der Umsatz?", "database": "shop"})).json()
    assert (body["answer"], body["language"]) == ("Der Umsatz beträgt 46.050.", "de")


@pytest.mark.parametrize("sql, orders, total", [
    ("SELECT strftime('%Y-%m', ordered_at) AS month, SUM(amount) AS n FROM orders GROUP BY 1 ORDER BY 2 DESC LIMIT 1",
     [3, 4], 2),
    ("SELECT status, COUNT(*) AS n FROM orders GROUP BY status HAVING COUNT(*) = 1", [2, 4], 2),
    ("SELECT (SELECT COUNT(*) FROM orders) - (SELECT COUNT(*) FROM customers) AS more", [], None),
], ids=["LIMIT", "HAVING", "no aggregate of one set"])  # fmt: skip
async def test_records_are_those_of_the_groups_that_are_shown(
    client: httpx2.AsyncClient, model: ScriptedModel, sql: str, orders: list[int], total: int | None
) -> None:
    model.replies(sql=sql)
    options = {"enable_answer": False, "enable_evaluation": False}
    asked = {"question": QUESTION, "database": "shop", "options": options}
    found = (await client.post("/query", json=asked)).json()
    assert [it["order_id"] for it in found["raw_results"]] == orders
    assert found["raw_total"] == total
    assert all(list(record)[1] == "order_id" for record in found["raw_results"])  # after the key of the group
