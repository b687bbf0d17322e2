"""`reviews`: from the failed question to the reviewer's query, and each caller's permissions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from api_client import problem
from people_shop import ANN, BEN, BROKEN, QUESTION, REX, VALID, Client, ask, fail, judged, served, succeed
from shop_questions import TOTAL, Make

from agent.people.feedback.records import MAX_SQL
from rag.errors import EmbedderUnavailable
from testbed.embedder import HashingEmbedder
from testbed.scripted_model import ScriptedModel

CORRECTED = {"decision": "correct", "sql": VALID, "comment": "Cancelled orders do not count."}


pytestmark = pytest.mark.usefixtures("service_embedder")


@pytest.fixture
async def client(make_service: Make, registry: Path) -> AsyncIterator[Client]:
    async with served(make_service, registry) as client:
        yield client


async def listed(client: Client, who: dict[str, str], **query: Any) -> list[dict[str, Any]]:
    response = await client.get("/reviews", params=query, headers=who)
    assert response.status_code == 200, response.text
    found: list[dict[str, Any]] = response.json()["reviews"]
    return found


# -- the whole circle --------------------------------------------------------------------------------------


async def test_a_question_that_failed_is_corrected_and_then_answered_by_the_correction(
    client: Client, model: ScriptedModel
) -> None:
    answer = await fail(client, model)
    assert (answer["status"], answer["needs_human_review"], answer["attempts"]) == ("error", True, 3)

    (review,) = await listed(client, REX)
    assert (review["id"], review["status"], review["kind"]) == (answer["review_id"], "open", "attempts")
    assert (review["question"], review["database"], review["principal"]) == (QUESTION, "shop", "ann@example.org")
    path = f"/reviews/{review['id']}"
    whole = (await client.get(path, headers=REX)).json()
    assert [attempt["sql"] for attempt in whole["attempts"]] == [BROKEN] * 3
    assert whole["errors"] == [whole["attempts"][0]["error"]]
    assert (whole["trace_id"], whole["answer"]) == (answer["trace_id"], answer["answer"])

    wrong = await client.post(path, json={"decision": "correct", "sql": "SELECT SUM(amont) FROM orders"}, headers=REX)
    body = problem(wrong, 422, "sql-refused")
    assert (body["kind"], "amount" in body["hint"]) == ("COLUMN_NOT_FOUND", True)
    assert (await listed(client, REX))[0]["status"] == "open"

    settled = await client.post(path, json=CORRECTED, headers=REX)
    assert settled.status_code == 200, settled.text
    assert settled.json()["rows"]["rows"] == [[420.5]]
    settlement = settled.json()["review"]["settlement"]
    assert (settled.json()["review"]["status"], settlement["by"], settlement["sql"]) == (
        "corrected", "rex@example.org", VALID,
    )  # fmt: skip

    (pair,) = (await client.get("/rag/documents", params={"database": "shop"}, headers=BEN)).json()["documents"]
    assert (pair["id"], pair["source"], pair["sql"]) == (settlement["document_id"], "review", VALID)
    again = await judged(client, model, BEN, "It is 420.5.")
    assert (again["reused"], again["verified"], again["results"]) == (True, True, [{"total": 420.5}])


async def test_a_question_that_is_alike_is_shown_the_pair_and_the_review_what_was_shown(
    client: Client, model: ScriptedModel
) -> None:
    first = await fail(client, model)
    await client.post(f"/reviews/{first['review_id']}", json=CORRECTED, headers=REX)
    asked = len(model.asked)

    second = await fail(client, model, question="What is the total amount of all our orders?")

    assert VALID in model.asked[asked].text
    whole = (await client.get(f"/reviews/{second['review_id']}", headers=REX)).json()
    assert [(used["kind"], used["source"]) for used in whole["documents"]] == [("query", "review")]


async def test_an_answer_that_nothing_convinced_of_can_be_approved_all_the_same(
    client: Client, model: ScriptedModel
) -> None:
    for sql in (TOTAL, f"{TOTAL} WHERE amount > 0", f"{TOTAL} WHERE amount >= 0"):
        model.replies(sql=sql)
        model.replies(correct=False, reason="cancelled orders are counted")
    answer = await ask(client, ANN)
    assert (answer["verified"], answer["needs_human_review"]) == (False, True)

    (review,) = await listed(client, REX)
    assert (review["sql"], review["errors"]) == (TOTAL, ["cancelled orders are counted"])
    settled = await client.post(f"/reviews/{review['id']}", json={"decision": "approve"}, headers=REX)

    assert settled.json()["rows"]["rows"] == [[460.5]]
    assert settled.json()["review"]["settlement"]["sql"] == TOTAL, "as it was drafted, without a request's limits"
    assert (await judged(client, model, BEN))["reused"] is True


async def test_a_later_correction_takes_the_place_of_an_earlier_one(client: Client, model: ScriptedModel) -> None:
    for sql in (TOTAL, VALID):
        review = (await fail(client, model, options={"reuse_verified": False}))["review_id"]
        response = await client.post(f"/reviews/{review}", json={"decision": "correct", "sql": sql}, headers=REX)
        assert response.status_code == 200, response.text

    page = (await client.get("/rag/documents", params={"database": "shop"}, headers=REX)).json()
    assert [document["sql"] for document in page["documents"]] == [VALID]


async def test_a_rejection_leaves_nothing_to_later_questions(client: Client, model: ScriptedModel) -> None:
    first = (await fail(client, model))["review_id"]
    await client.post(f"/reviews/{first}", json=CORRECTED, headers=REX)
    second = (await fail(client, model, options={"reuse_verified": False}))["review_id"]

    settled = await client.post(f"/reviews/{second}", json={"decision": "reject", "comment": "unclear"}, headers=REX)

    assert (settled.json()["review"]["status"], settled.json()["rows"]) == ("rejected", None)
    page = (await client.get("/rag/documents", params={"database": "shop"}, headers=REX)).json()
    assert page["documents"] == []
    assert (await succeed(client, model))["reused"] is False


async def test_a_preview_shows_the_rows_and_decides_nothing(client: Client, model: ScriptedModel) -> None:
    review = (await fail(client, model))["review_id"]
    shown = await client.post(f"/reviews/{review}", json={**CORRECTED, "preview": True}, headers=REX)
    assert (shown.json()["rows"]["rows"], shown.json()["review"]["status"]) == ([[420.5]], "open")


# -- what cannot be settled so -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body, status, slug, why",
    [
        ({"decision": "correct", "sql": "SELEC 1"}, 422, "sql-refused", "no SQL"),
        ({"decision": "correct", "sql": "SELECT * FROM nowhere"}, 422, "sql-refused", "no such table"),
        ({"decision": "correct", "sql": "DELETE FROM orders"}, 409, "sql-refused", "it would change rows"),
        ({"decision": "correct"}, 422, "invalid-field", "no query to correct it by"),
        ({"decision": "correct", "sql": "x" * (MAX_SQL + 1)}, 422, "invalid-field", "too long"),
        ({"decision": "approve", "sql": TOTAL}, 422, "invalid-field", "an approval changes nothing"),
        ({"decision": "approve"}, 422, "review-invalid", "no query has given rows"),
        ({"decision": "perhaps"}, 422, "invalid-field", "no such decision"),
    ],
)
async def test_what_cannot_be_settled_leaves_the_review_open(
    client: Client, model: ScriptedModel, body: dict[str, str], status: int, slug: str, why: str
) -> None:
    review = (await fail(client, model))["review_id"]
    problem(await client.post(f"/reviews/{review}", json=body, headers=REX), status, slug)
    assert [one["status"] for one in await listed(client, REX)] == ["open"], why


async def test_a_correction_that_fails_in_the_database_says_why(client: Client, model: ScriptedModel) -> None:
    review = (await fail(client, model))["review_id"]
    sql = "SELECT json_extract(name, '$.a') FROM customers"
    refused = await client.post(f"/reviews/{review}", json={"decision": "correct", "sql": sql}, headers=REX)
    assert (refused.status_code, refused.json()["type"]) == (422, "urn:plumbline:problem:sql-failed")
    assert "malformed JSON" in refused.json()["detail"]
    assert [one["status"] for one in await listed(client, REX)] == ["open"]


async def test_a_review_is_settled_once(client: Client, model: ScriptedModel) -> None:
    path = f"/reviews/{(await fail(client, model))['review_id']}"
    assert (await client.post(path, json={"decision": "reject"}, headers=REX)).status_code == 200
    problem(await client.post(path, json=CORRECTED, headers=REX), 409, "already-settled")


async def test_a_decision_on_an_earlier_version_is_not_made(client: Client, model: ScriptedModel) -> None:
    path = f"/reviews/{(await fail(client, model))['review_id']}"
    etag = (await client.get(path, headers=REX)).headers["etag"]
    stale = await client.post(path, json=CORRECTED, headers=REX | {"if-match": '"another"'})
    problem(stale, 409, "changed-meanwhile")
    assert (await client.post(path, json=CORRECTED, headers=REX | {"if-match": etag})).status_code == 200


async def test_of_two_reviewers_at_once_one_decides(client: Client, model: ScriptedModel) -> None:
    path = f"/reviews/{(await fail(client, model))['review_id']}"
    answers = await asyncio.gather(
        client.post(path, json=CORRECTED, headers=REX),
        client.post(path, json={"decision": "correct", "sql": TOTAL}, headers=REX),
    )
    assert sorted(response.status_code for response in answers) == [200, 409]
    (won,) = (response.json()["review"]["settlement"] for response in answers if response.status_code == 200)
    page = (await client.get("/rag/documents", params={"database": "shop"}, headers=REX)).json()
    assert [document["sql"] for document in page["documents"]] == [won["sql"]], "nothing of the other is left"


async def test_a_decision_that_cannot_be_carried_out_leaves_the_review_open(
    client: Client, model: ScriptedModel, embedder: HashingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/reviews/{(await fail(client, model))['review_id']}"
    with monkeypatch.context() as patched:

        def embed(_: object) -> list[list[float]]:
            raise EmbedderUnavailable("The embedding model answered with status 429.")

        patched.setattr(embedder, "embed", embed)
        problem(await client.post(path, json=CORRECTED, headers=REX), 503, "embedder-unavailable")
    assert (await client.post(path, json=CORRECTED, headers=REX)).status_code == 200
