"""`POST feedback`: feedback on an answer, and its effect on the query."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from api_client import problem
from people_shop import ANN, BEN, QUESTION, REX, VALID, Client, fail, judged, served, succeed
from shop_questions import TOTAL, Make

from testbed.scripted_model import ScriptedModel

WRONG: dict[str, Any] = {"correct": False, "corrected_sql": VALID, "comment": "Cancelled orders do not count."}


pytestmark = pytest.mark.usefixtures("service_embedder")


@pytest.fixture
async def client(make_service: Make, registry: Path) -> AsyncIterator[Client]:
    async with served(make_service, registry) as client:
        yield client


async def say(client: Client, answer: dict[str, Any], who: dict[str, str] = ANN, **said: Any) -> httpx2.Response:
    return await client.post("/feedback", json={"trace_id": answer["trace_id"], **said}, headers=who)


async def taken(client: Client, answer: dict[str, Any], who: dict[str, str] = ANN, **said: Any) -> dict[str, Any]:
    response = await say(client, answer, who, **said)
    assert response.status_code == 200, response.text
    body: dict[str, Any] = response.json()
    return body


async def review(client: Client, review_id: str) -> dict[str, Any]:
    found: dict[str, Any] = (await client.get(f"/reviews/{review_id}", headers=REX)).json()
    return found


async def test_a_wrong_answer_is_not_reused_and_its_correction_is_once_it_is_approved(
    client: Client, model: ScriptedModel
) -> None:
    answer = await succeed(client, model)
    assert (await judged(client, model, BEN))["reused"] is True

    said = await taken(client, answer, **WRONG)
    assert (said["status"], said["rows"]["rows"], said["trace_id"]) == ("open", [[420.5]], answer["trace_id"])
    assert (await succeed(client, model, BEN))["reused"] is False, "forgotten at once, and nothing is approved yet"

    waiting = await review(client, said["review_id"])
    assert (waiting["kind"], waiting["sql"], waiting["feedback"]["by"]) == ("feedback", VALID, "ann@example.org")
    settled = await client.post(f"/reviews/{said['review_id']}", json={"decision": "approve"}, headers=REX)
    assert settled.json()["review"]["settlement"]["sql"] == VALID
    again = await judged(client, model, BEN, "It is 420.5.")
    assert (again["reused"], again["results"]) == (True, [{"total": 420.5}])


async def test_a_right_answer_waits_for_a_reviewer(client: Client, model: ScriptedModel) -> None:
    said = await taken(client, await succeed(client, model), correct=True)
    assert said["status"] == "open"
    await client.post(f"/reviews/{said['review_id']}", json={"decision": "approve"}, headers=REX)
    (pair,) = (await client.get("/rag/documents", params={"database": "shop"}, headers=REX)).json()["documents"]
    assert (pair["text"], pair["sql"], pair["source"]) == (QUESTION, TOTAL, "review")


async def test_what_a_reviewer_calls_right_is_approved_at_once(client: Client, model: ScriptedModel) -> None:
    said = await taken(client, await succeed(client, model, ANN), REX, correct=True, comment="Checked.")
    assert said["status"] == "approved"
    assert (await review(client, said["review_id"]))["settlement"]["comment"] == "Checked."
    assert (await judged(client, model, BEN))["reused"] is True


async def test_a_second_word_takes_the_place_of_the_first_while_that_is_open(
    client: Client, model: ScriptedModel
) -> None:
    answer = await succeed(client, model)
    first = await taken(client, answer, correct=True)
    second = await taken(client, answer, **WRONG)
    assert second["review_id"] == first["review_id"]
    assert (await review(client, first["review_id"]))["feedback"]["correct"] is False

    await client.post(f"/reviews/{first['review_id']}", json={"decision": "reject"}, headers=REX)
    third = await taken(client, answer, correct=True)
    assert third["review_id"] != first["review_id"], "what is settled stays as it is"


async def test_two_words_at_once_make_one_review(client: Client, model: ScriptedModel) -> None:
    answer = await succeed(client, model)
    said = await asyncio.gather(*(taken(client, answer, correct=correct) for correct in (True, False, True)))
    assert len({one["review_id"] for one in said}) == 1
    assert len((await client.get("/reviews", headers=REX)).json()["reviews"]) == 1


async def test_a_failed_answer_has_one_review_to_which_feedback_is_added(client: Client, model: ScriptedModel) -> None:
    answer = await fail(client, model)
    said = await taken(client, answer, **WRONG)
    assert said["review_id"] == answer["review_id"]
    assert len((await review(client, said["review_id"]))["attempts"]) == 3


async def test_what_has_no_query_cannot_be_right(client: Client, model: ScriptedModel) -> None:
    problem(await say(client, await fail(client, model), correct=True), 422, "feedback-invalid")


@pytest.mark.parametrize(
    "said, status, slug, why",
    [
        ({"correct": False, "corrected_sql": "SELECT SUM(amont) FROM orders"}, 422, "sql-refused", "no such column"),
        ({"correct": False, "corrected_sql": "DROP TABLE orders"}, 409, "sql-refused", "no SELECT"),
        ({"correct": True, "corrected_sql": VALID}, 422, "invalid-field", "it is right, or it is not"),
        ({}, 422, "invalid-field", "nothing said"),
        ({"correct": False, "comment": "x" * 2001}, 422, "invalid-field", "too much said"),
    ],
)
async def test_what_cannot_be_taken_changes_nothing(
    client: Client, model: ScriptedModel, said: dict[str, Any], status: int, slug: str, why: str
) -> None:
    answer = await succeed(client, model)
    problem(await say(client, answer, **said), status, slug)
    assert (await client.get("/reviews", headers=REX)).json()["reviews"] == [], why
    assert (await judged(client, model))["reused"] is True


async def test_only_who_asked_and_reviewers_know_the_answer(client: Client, model: ScriptedModel) -> None:
    answer = await succeed(client, model, ANN)
    for who in (BEN, {}):
        problem(await say(client, answer, who, correct=False), 404, "unknown-answer")
    assert (await judged(client, model, BEN))["reused"] is True, "nobody's word was taken"
    secret = await succeed(client, model, REX, database="secret")
    problem(await say(client, secret, ANN, correct=False), 404, "unknown-answer")


async def test_another_callers_trace_does_not_hide_the_answer(client: Client, model: ScriptedModel) -> None:
    answer = await succeed(client, model, ANN)
    parent = {"traceparent": f"00-{answer['trace_id']}-b7ad6b7169203331-01"}
    assert (await judged(client, model, BEN | parent))["trace_id"] == answer["trace_id"]
    said = await taken(client, answer, ANN, correct=False)
    assert (await review(client, said["review_id"]))["principal"] == "ann@example.org"


async def test_an_answer_that_nobody_gave(client: Client) -> None:
    problem(await say(client, {"trace_id": "0" * 32}, correct=True), 404, "unknown-answer")
    problem(await say(client, {"trace_id": "x"}, correct=True), 422, "invalid-field")
