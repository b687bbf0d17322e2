"""A caller's sessions: begun, listed, and their answers shown again as they were given."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from api_client import api_client, app_without_docs, problem
from people_shop import ANN, BEN, Client, called, served
from shop_questions import Make

from agent.core.answers import Answer, AnswerPart
from agent.people.sessions import sessions
from testbed.scripted_model import ScriptedModel

NOBODY: dict[str, str] = {}
BY_STATUS = "SELECT status, COUNT(*) AS orders FROM orders GROUP BY status ORDER BY orders DESC, status"


@pytest.fixture
async def client(make_service: Make, registry: Path) -> AsyncIterator[Client]:
    async with served(make_service, registry, enable_retrieval=False) as client:
        yield client


async def begin(client: Client, who: dict[str, str]) -> str:
    begun = await client.post("/sessions", json={"database": "shop"}, headers=who)
    assert begun.status_code == 201, begun.text
    return str(begun.json()["session_id"])


async def ask(client: Client, model: ScriptedModel, who: dict[str, str], session_id: str, question: str) -> Any:
    model.replies(sql=BY_STATUS)
    model.replies(correct=True, reason="one row for each status")
    asked = {"question": question, "database": "shop", "session_id": session_id}
    answered = await client.post("/query", json=asked, headers=who)
    assert answered.status_code == 200, answered.text
    return answered.json()


async def listed(client: Client, who: dict[str, str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await client.get("/sessions", headers=who)).json()["sessions"]
    return found


async def test_sessions_are_listed_by_their_first_questions_the_latest_first(
    client: Client, model: ScriptedModel
) -> None:
    first, second = await begin(client, ANN), await begin(client, ANN)
    assert await listed(client, ANN) == [], "nothing was asked in them"
    await ask(client, model, ANN, first, "How many orders are there by status?")
    await ask(client, model, ANN, second, "How many orders has each status?")

    assert [(one["session_id"], one["title"], one["messages"]) for one in await listed(client, ANN)] == [
        (second, "How many orders has each status?", 2),
        (first, "How many orders are there by status?", 2),
    ]
    latest = (await client.get("/sessions?limit=1", headers=ANN)).json()
    assert (len(latest["sessions"]), latest["kept_s"]) == (1, 30 * 86_400)


async def test_nobody_sees_the_sessions_of_others(client: Client, model: ScriptedModel) -> None:
    session_id = await begin(client, ANN)
    answer = await ask(client, model, ANN, session_id, "How many orders are there by status?")
    path = f"/sessions/{session_id}/answers/{answer['trace_id']}"
    assert await listed(client, BEN) == await listed(client, NOBODY) == []
    assert [one["session_id"] for one in await listed(client, called("ANN"))] == [session_id]
    problem(await client.get(path, headers=BEN), 404, "unknown-session")


async def test_those_without_a_name_are_not_one_person(client: Client, model: ScriptedModel) -> None:
    await ask(client, model, NOBODY, await begin(client, NOBODY), "How many orders are there by status?")
    assert await listed(client, NOBODY) == []


async def test_where_nobody_signs_in_the_sessions_are_this_machines(make_service: Make, model: ScriptedModel) -> None:
    async with api_client(app_without_docs(make_service)) as client:
        session_id = await begin(client, NOBODY)
        await ask(client, model, NOBODY, session_id, "How many orders are there by status?")
        assert [one["session_id"] for one in await listed(client, NOBODY)] == [session_id]


async def test_an_earlier_answer_is_whole(client: Client, model: ScriptedModel) -> None:
    session_id = await begin(client, ANN)
    answer = await ask(client, model, ANN, session_id, "How many orders are there by status?")
    again = await client.get(f"/sessions/{session_id}/answers/{answer['trace_id']}", headers=ANN)
    assert again.json() == answer
    assert answer["results"][0] == {"status": "C", "orders": 3}
    assert answer["checks"]
    assert answer["chart"]


async def test_small_talk_is_a_success_in_its_session(client: Client) -> None:
    session_id = await begin(client, ANN)
    asked = {"question": "Hello", "database": "shop", "session_id": session_id}
    assert (await client.post("/query", json=asked, headers=ANN)).json()["status"] == "success"

    session = (await client.get(f"/agents/text-to-sql/session/{session_id}", headers=ANN)).json()

    assert [message["status"] for message in session["messages"]] == [None, "success"]


async def test_an_ended_session_leaves_no_answer(client: Client, model: ScriptedModel) -> None:
    session_id = await begin(client, ANN)
    answer = await ask(client, model, ANN, session_id, "How many orders are there by status?")
    path = f"/sessions/{session_id}/answers/{answer['trace_id']}"
    problem(await client.get(f"/sessions/{session_id}/answers/{'0' * 32}", headers=ANN), 404, "unknown-answer")
    await client.delete(f"/agents/text-to-sql/session/{session_id}", headers=ANN)
    problem(await client.get(path, headers=ANN), 404, "unknown-session")
    assert await listed(client, ANN) == []


async def test_a_session_begins_about_a_database_that_one_may_ask(client: Client) -> None:
    problem(await client.post("/sessions", json={"database": "x"}, headers=ANN), 404, "unknown-database")


@pytest.mark.parametrize("size, rows", [(10, 200), (10_000, 50), (1_000_000, 0)])
def test_of_many_or_large_rows_the_first_ones_are_kept(size: int, rows: int) -> None:
    records = [{"text": "x" * size} for _ in range(300 if size < 1_000_000 else 1)]
    answer = Answer(status="success", answer="So many.", results=records, row_count=len(records))
    value = sessions.storable(answer)
    assert value is not None
    assert len(value["results"]) == rows
    assert value["row_count"] == len(records)


def test_of_each_query_of_several_the_first_rows_are_kept() -> None:
    records = [{"text": "x"} for _ in range(300)]
    part = AnswerPart(number=1, question="?", status="success", answer="", results=records, raw_results=records)
    value = sessions.storable(Answer(status="success", answer="So many. [1]", parts=[part]))
    assert value is not None
    assert [len(kept) for kept in (value["parts"][0]["results"], value["parts"][0]["raw_results"])] == [200, 200]


def test_what_is_too_large_without_its_rows_is_not_kept() -> None:
    assert sessions.storable(Answer(status="success", answer="x" * sessions.MAX_STORED_BYTES)) is None
