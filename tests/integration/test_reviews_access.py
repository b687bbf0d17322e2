"""Access to reviews, with the store down and after a restart."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from api_client import api_client, app_without_docs, problem
from people_shop import ANN, BEN, REX, Client, ask, called, fail, served, succeed
from shop_questions import Make

from agent.core.errors import StateUnavailable
from agent.people.feedback.shelf import CHUNK
from agent.platform.storage.sqlite import SqliteStore
from testbed.scripted_model import ScriptedModel

REJECTED = {"decision": "reject"}
NOBODY: dict[str, str] = {}


@pytest.fixture
async def client(make_service: Make, registry: Path) -> AsyncIterator[Client]:
    async with served(make_service, registry, enable_retrieval=False) as client:
        yield client


async def ids(client: Client, who: dict[str, str], **query: Any) -> list[str]:
    response = await client.get("/reviews", params=query, headers=who)
    assert response.status_code == 200, response.text
    return [review["id"] for review in response.json()["reviews"]]


async def test_reviewers_see_all_of_their_databases_and_others_what_they_asked(
    client: Client, model: ScriptedModel
) -> None:
    anns = (await fail(client, model, ANN))["review_id"]
    bens = (await fail(client, model, BEN))["review_id"]
    assert await ids(client, REX) == [bens, anns], "the newest first"
    assert (await ids(client, ANN), await ids(client, BEN)) == ([anns], [bens])
    assert await ids(client, called("ANN")) == [anns], "case means nothing in a principal's name"
    assert (await client.get(f"/reviews/{anns}", headers=ANN)).status_code == 200
    problem(await client.get(f"/reviews/{anns}", headers=BEN), 404, "unknown-review")


async def test_who_is_no_reviewer_finds_nothing_to_settle(client: Client, model: ScriptedModel) -> None:
    review = (await fail(client, model, ANN))["review_id"]
    for who in (ANN, BEN, NOBODY):
        problem(await client.post(f"/reviews/{review}", json=REJECTED, headers=who), 404, "unknown-review")
    assert await ids(client, NOBODY) == []


async def test_those_without_a_name_are_not_one_person(client: Client, model: ScriptedModel) -> None:
    review = (await fail(client, model, NOBODY))["review_id"]
    assert await ids(client, NOBODY) == []
    assert await ids(client, REX) == [review]


async def test_a_database_that_one_may_not_ask_has_no_reviews(client: Client, model: ScriptedModel) -> None:
    review = (await fail(client, model, REX, database="secret"))["review_id"]
    problem(await client.get(f"/reviews/{review}", headers=ANN), 404, "unknown-review")
    problem(await client.get("/reviews", params={"database": "secret"}, headers=ANN), 404, "unknown-database")
    assert await ids(client, ANN) == []
    assert await ids(client, REX, database="secret") == [review], "their own"
    problem(await client.post(f"/reviews/{review}", json=REJECTED, headers=REX), 404, "unknown-review")


@pytest.mark.parametrize(
    "reviewers, status, why",
    [
        ("", 404, "nobody but those of the registry"),
        ("ben@example.org", 404, "somebody else"),
        ("ben@example.org, Ann@Example.org", 200, "one of several, in other letters"),
        ("*", 200, "everybody"),
    ],
)
async def test_the_settings_name_reviewers_of_every_database(
    make_service: Make, registry: Path, model: ScriptedModel, reviewers: str, status: int, why: str
) -> None:
    async with served(make_service, enable_retrieval=False, reviewers=reviewers) as client:
        review = (await fail(client, model, BEN))["review_id"]
        settled = await client.post(f"/reviews/{review}", json=REJECTED, headers=ANN)
    assert settled.status_code == status, why


async def test_where_nobody_signs_in_whoever_asks_may_settle(make_service: Make, model: ScriptedModel) -> None:
    async with api_client(app_without_docs(make_service)) as client:
        review = (await fail(client, model, NOBODY))["review_id"]
        assert (await client.post(f"/reviews/{review}", json=REJECTED)).status_code == 200


async def test_behind_the_functions_host_callers_are_not_this_machines_user(
    make_service: Make, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FUNCTIONS_WORKER_RUNTIME", "python")
    async with api_client(app_without_docs(make_service)) as client:
        review = (await fail(client, model, NOBODY))["review_id"]
        problem(await client.post(f"/reviews/{review}", json=REJECTED), 404, "unknown-review")


# -- pages -------------------------------------------------------------------------------------------------


async def test_pages_hold_every_review_once_while_new_ones_come(client: Client, model: ScriptedModel) -> None:
    made = [(await fail(client, model))["review_id"] for _ in range(5)]
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        query: dict[str, str | int] = {"limit": 2, "cursor": cursor}
        page = (await client.get("/reviews", params=query, headers=REX)).json()
        seen += [review["id"] for review in page["reviews"]]
        cursor = page["next_cursor"]
        await fail(client, model)
    assert seen == made[::-1]


async def test_a_status_is_found_behind_any_number_of_others(client: Client, model: ScriptedModel) -> None:
    settled = (await fail(client, model))["review_id"]
    await client.post(f"/reviews/{settled}", json=REJECTED, headers=REX)
    for _ in range(3):
        await fail(client, model)
    assert await ids(client, REX, status="rejected", limit=1) == [settled]
    assert len(await ids(client, REX, status="open")) == 3 < CHUNK


@pytest.mark.parametrize("query", [{"status": "closed"}, {"limit": 0}, {"limit": 201}, {"cursor": "x"}])
async def test_a_list_that_cannot_be_given(client: Client, query: dict[str, str]) -> None:
    problem(await client.get("/reviews", params=query, headers=REX), 422, "invalid-field")


@pytest.mark.parametrize("review", ["0" * 30, "f" * 30])
async def test_a_review_that_there_is_not(client: Client, review: str) -> None:
    problem(await client.get(f"/reviews/{review}", headers=REX), 404, "unknown-review")
    problem(await client.post(f"/reviews/{review}", json=REJECTED, headers=REX), 404, "unknown-review")


# -- the store ---------------------------------------------------------------------------------------------


async def test_reviews_outlive_the_process(make_service: Make, registry: Path, model: ScriptedModel) -> None:
    async with served(make_service, registry, enable_retrieval=False) as client:
        review = (await fail(client, model))["review_id"]
    async with served(make_service, enable_retrieval=False) as client:
        assert await ids(client, REX) == [review]
        assert (await client.post(f"/reviews/{review}", json=REJECTED, headers=REX)).status_code == 200


async def test_a_store_that_is_down_costs_no_answer(
    client: Client, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def commit(*_: object) -> list[str]:
        raise StateUnavailable("The folder cannot be written to.")

    monkeypatch.setattr(SqliteStore, "commit", commit)
    failed = await fail(client, model)
    assert (failed["needs_human_review"], failed["review_id"]) == (True, None)
    answered = await succeed(client, model)
    assert answered["verified"] is True
    for answer in (failed, answered):
        assert any("The folder cannot be written to." in warning for warning in answer["warnings"])


async def test_a_store_that_hangs_costs_a_moment(
    make_service: Make, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    from threading import Event

    may_end = Event()
    service = make_service(enable_retrieval=False)
    recorder = service.people.recorder
    monkeypatch.setattr("agent.people.feedback.recorder.WAIT_S", 0.05)
    recorder._shelf.note = lambda _: may_end.wait()  # type: ignore[assignment, method-assign]
    model.replies(sql="SELECT SUM(amount) AS total FROM orders")
    model.replies(correct=True, reason="the sum")
    model.replies(text="It is 460.5.")
    answer = await service.query("What is the total of all orders?", "shop")
    may_end.set()
    await service.close()
    assert answer.verified
    assert "nothing was written within 0.05 s" in answer.warnings[-1]


async def test_an_answer_that_convinced_needs_no_review(client: Client, model: ScriptedModel) -> None:
    assert (await succeed(client, model))["review_id"] is None
    assert await ids(client, REX) == []


async def test_a_clarification_needs_no_review(make_service: Make, model: ScriptedModel) -> None:
    model.replies(clarification="Which total do you mean?")
    async with served(make_service, enable_retrieval=False, profile="small_hosted") as client:
        answer = await ask(client, ANN)
    assert (answer["status"], answer["review_id"]) == ("clarification_needed", None)
