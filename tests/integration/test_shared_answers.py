"""Shared answers: a link shows the answer that was given, to those who may ask the database and see the same rows."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from api_client import problem
from people_shop import ANN, BEN, REX, Client, called, served
from row_filter_shop import TABLES
from shop_questions import Make

from agent.core.answers import Answer
from agent.people.sessions.sessions import Sessions
from agent.people.sessions.shares import Shares
from agent.platform.storage.sqlite import MemoryStore
from agent.platform.storage.store import Place, Replace
from testbed.scripted_model import ScriptedModel

REGISTRY = """
shop: {url: shop.sqlite, allowed: [ann@example.org, ben@example.org]}
sales:
  url: sales.sqlite
  row_filter: {orders: "region = :region"}
  principals:
    ann@example.org: {region: EU}
    eva@example.org: {region: EU}
    ben@example.org: {region: US}
    rex@example.org: all
"""
EVA = called("eva")
QUESTION, BY_STATUS = "How many orders are there by status?", "SELECT status, COUNT(*) AS n FROM orders GROUP BY status"


@pytest.fixture
async def client(make_service: Make, registry: Path, tmp_path: Path) -> AsyncIterator[Client]:
    connection = sqlite3.connect(tmp_path / "sales.sqlite")
    connection.executescript(TABLES)
    connection.close()
    registry.write_text(REGISTRY, encoding="utf-8")
    async with served(make_service, enable_retrieval=False) as client:
        yield client


async def answered(
    client: Client,
    model: ScriptedModel,
    who: dict[str, str],
    *,
    database: str = "shop",
    sql: str = BY_STATUS,
    text: str = "",
) -> tuple[str, dict[str, Any]]:
    """The path that shares an answer, and the answer."""
    session = (await client.post("/sessions", json={"database": database}, headers=who)).json()["session_id"]
    model.replies(sql=sql)
    model.replies(correct=True, reason="one row for each")
    if text:  # where there is one row, the model writes the sentence
        model.replies(text=text)
    asked = {"question": QUESTION, "database": database, "session_id": session}
    response = await client.post("/query", json=asked, headers=who)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return f"/sessions/{session}/answers/{answer['trace_id']}/share", answer


async def shared(client: Client, path: str, who: dict[str, str]) -> str:
    response = await client.put(path, headers=who)
    assert response.status_code == 200, response.text
    return f"/shared/{response.json()['id']}"


async def test_a_link_shows_the_answer_that_was_given_and_asks_no_model(client: Client, model: ScriptedModel) -> None:
    path, answer = await answered(client, model, ANN)
    link = await shared(client, path, ANN)
    asked = len(model.asked)
    for who in (ANN, BEN):
        found = (await client.get(link, headers=who)).json()
        assert found["answer"] == answer | {"session_id": None}, "it is the same, but for whose conversation it was"
        assert (found["database"], found["question"]) == ("shop", QUESTION)
        assert found["shared_at"] < found["expires_at"]
    assert len(model.asked) == asked
    assert answer["results"]
    assert answer["chart"]


async def test_who_may_not_ask_the_database_finds_nothing(client: Client, model: ScriptedModel) -> None:
    path, _ = await answered(client, model, ANN)
    link = await shared(client, path, ANN)
    problem(await client.get(link, headers=REX), 404, "unknown-share")
    problem(await client.get(link), 404, "unknown-share")
    problem(await client.get(f"/shared/{'0' * 32}", headers=ANN), 404, "unknown-share")
    cut = (await client.get(f"/shared/{'0' * 31}", headers=ANN)).json()
    assert (cut["status"], cut["detail"]) == (422, "id: It should be an id of 32 characters, 0 to 9 and a to f")


async def test_nobody_shares_the_answers_of_others(client: Client, model: ScriptedModel) -> None:
    path, _ = await answered(client, model, ANN)
    problem(await client.put(path, headers=BEN), 404, "unknown-session")
    link = await shared(client, path, ANN)
    problem(await client.delete(path, headers=BEN), 404, "unknown-session")
    assert (await client.get(link, headers=BEN)).status_code == 200
    session = path.split("/answers/")[0]
    problem(await client.put(f"{session}/answers/{'0' * 32}/share", headers=ANN), 404, "unknown-answer")


async def test_who_sees_other_rows_does_not_see_the_answer(client: Client, model: ScriptedModel) -> None:
    sql = "SELECT region, COUNT(*) AS n FROM orders GROUP BY region"
    path, answer = await answered(client, model, ANN, database="sales", sql=sql, text="EU has 4 orders.")
    assert [row["region"] for row in answer["results"]] == ["EU"]
    link = await shared(client, path, ANN)
    refused = problem(await client.get(link, headers=BEN), 403, "not-permitted")
    assert "other rows" in refused["detail"]
    for who in (EVA, REX):  # who sees the same rows, and who sees all of them
        assert (await client.get(link, headers=who)).json()["answer"]["results"] == answer["results"]
    path, _ = await answered(client, model, REX, database="sales", sql=sql)
    problem(await client.get(await shared(client, path, REX), headers=ANN), 403, "not-permitted")


async def test_a_link_ends_when_it_is_taken_back_and_with_its_conversation(
    client: Client, model: ScriptedModel
) -> None:
    path, _ = await answered(client, model, ANN)
    link = await shared(client, path, ANN)
    assert await shared(client, path, ANN) == link, "an answer has one link"
    assert (await client.delete(path, headers=ANN)).status_code == 204
    problem(await client.get(link, headers=BEN), 404, "unknown-share")
    again = await shared(client, path, ANN)
    assert again != link, "a link that was taken back stays so"
    session = path.split("/")[2]
    await client.delete(f"/agents/text-to-sql/session/{session}", headers=ANN)
    problem(await client.get(again, headers=BEN), 404, "unknown-share")


async def test_what_only_who_asked_can_use_is_left_out(client: Client, model: ScriptedModel) -> None:
    session = (await client.post("/sessions", json={"database": "shop"}, headers=ANN)).json()["session_id"]
    model.replies(sql="SELECT order_id FROM orders")
    model.replies(correct=True, reason="the orders")
    asked = {"question": "Which orders are there?", "database": "shop", "session_id": session}
    answer = (await client.post("/query", json=asked | {"options": {"row_limit": 2}}, headers=ANN)).json()
    assert answer["cursor"]
    link = await shared(client, f"/sessions/{session}/answers/{answer['trace_id']}/share", ANN)
    found = (await client.get(link, headers=BEN)).json()["answer"]
    assert [found[name] for name in ("cursor", "session_id", "review_id", "write")] == [None] * 4


class Everybody:
    """Databases that everybody may ask."""

    async def follow(self, name: str = "") -> None: ...
    def admit(self, name: str, principal: str) -> None: ...
    def sight(self, name: str, principal: str) -> str:
        return ""


async def test_a_link_from_before_answers_had_ids_leads_to_its_answer() -> None:
    store = MemoryStore()
    sessions = Sessions(store, timeout_s=100)
    session = sessions.start("shop", "ann")
    answer = Answer(status="success", answer="5.", question="How many?", trace_id="t").model_dump(mode="json")
    del answer["answer_id"]
    sessions.append(session.id, "ann", (), answers={"t": answer})
    shares = Shares(store, sessions, Everybody())  # type: ignore[arg-type]
    link = await shares.put(session.id, "ann", "t")
    place = Place(kind="share", partition=link.id)
    (record,) = store.records(place)
    value = {"trace_id" if name == "answer_id" else name: one for name, one in record.value.items()}
    store.commit(place, [Replace(key=record.key, value=value)])
    assert (await shares.get(link.id, "ben")).answer.answer_id == "t"


async def test_a_link_lasts_as_long_as_a_session_and_keeps_it() -> None:
    now = 1_000_000.0
    store = MemoryStore(clock=lambda: now)
    sessions = Sessions(store, timeout_s=100, clock=lambda: now)
    shares = Shares(store, sessions, Everybody(), clock=lambda: now)  # type: ignore[arg-type]
    session = sessions.start("shop", "ann")
    answer = Answer(status="success", answer="5.", question="How many?").model_dump(mode="json")
    sessions.append(session.id, "ann", (), answers={"t": answer})
    now += 90
    link = await shares.put(session.id, "ann", "t")
    assert link.expires_at.timestamp() == now + 100
    now += 90
    assert sessions.cleanup() == 0, "sharing put off the end of the session"
    assert (await shares.get(link.id, "ben")).answer.answer == "5."
    now += 20
    with pytest.raises(Exception, match="it has ended"):
        await shares.get(link.id, "ben")
    assert sessions.cleanup() == 1
    store.purge()
    assert not [one for kind in ("session", "share") for one in store.everywhere(kind)], "nothing of it is left"
