"""Questions of a session: their deadline, and what is kept without an answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from shop_questions import Make

from agent.core.callers import ANONYMOUS
from agent.core.errors import ModelFailed, OutOfTime, SessionBusy
from agent.core.models import Exchange, Pending
from agent.people.sessions.sessions import SessionMessage
from agent.pipeline.service import Service
from testbed.scripted_model import ScriptedModel

QUESTION = "How many customers are there?"


async def test_the_wait_for_a_turn_counts_towards_the_deadline(
    service: Service, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await service.start_session("shop")
    running = asyncio.get_running_loop()
    waited, time = 0.0, running.time

    @asynccontextmanager
    async def long_turn(*_: object) -> AsyncIterator[None]:
        nonlocal waited
        waited = service.settings.request_deadline_s
        yield

    async def never(*_: object, **__: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(running, "time", lambda: time() + waited)
    monkeypatch.setattr(service.sessions, "turn", long_turn)
    monkeypatch.setattr(model, "complete", never)
    with pytest.raises(OutOfTime):
        await service.query(QUESTION, "shop", session_id=session.id)


async def test_a_turn_is_not_waited_for_until_no_time_is_left(make_service: Make) -> None:
    service = make_service(request_deadline_s=2)  # a turn is waited for half of it
    session = await service.start_session("shop")

    async with service.sessions.turn(session.id, ANONYMOUS):
        with pytest.raises(SessionBusy):
            await service.query(QUESTION, "shop", session_id=session.id)
    await service.close()


# -- questions without an answer ---------------------------------------------------------------------------


async def test_a_question_that_failed_is_in_its_session_and_the_next_one_may_lean_on_it(
    service: Service, model: ScriptedModel
) -> None:
    session = await service.start_session("shop")
    model.replies(raises=ModelFailed("The model failed."))
    with pytest.raises(ModelFailed):
        await service.query(QUESTION, "shop", session_id=session.id)

    kept = await service.session(session.id)
    assert [(one.role, one.status, one.sql_query) for one in kept.messages] == [
        ("user", None, None),
        ("assistant", "error", None),
    ]
    assert kept.exchanges == (Exchange(question=QUESTION, answer="The model failed."),)

    model.replies(text="How many customers are there in Germany?")
    model.replies(sql="SELECT COUNT(*) AS n FROM customers WHERE country = 'DE'")
    model.replies(correct=True, reason="yes")
    model.replies(text="There are 2.")
    answer = await service.query("and in Germany?", "shop", session_id=session.id)
    assert (answer.question, answer.results) == ("How many customers are there in Germany?", [{"n": 2}])


async def test_a_follow_up_that_failed_is_kept_as_it_was_understood(service: Service, model: ScriptedModel) -> None:
    session = await service.start_session("shop")
    said = (SessionMessage(role="user", content=QUESTION), SessionMessage(role="assistant", content="There are 3."))
    service.sessions.append(session.id, ANONYMOUS, said)
    model.replies(text="How many customers are there in Germany?")
    model.replies(raises=ModelFailed("The model failed."))
    with pytest.raises(ModelFailed):
        await service.query("and in Germany?", "shop", session_id=session.id)

    asked = (await service.session(session.id)).messages[2]
    assert (asked.content, asked.understood) == ("and in Germany?", "How many customers are there in Germany?")


async def test_what_was_asked_back_still_waits_where_its_reply_got_no_answer(
    service: Service, model: ScriptedModel
) -> None:
    session = await service.start_session("shop")
    pending = Pending(question="How many recent orders?", clarification="Since when?")
    said = (
        SessionMessage(role="user", content=pending.question),
        SessionMessage(role="assistant", content=pending.clarification, status="clarification_needed"),
    )
    service.sessions.append(session.id, ANONYMOUS, said, pending)
    model.replies(raises=ModelFailed("The model failed."))  # to make it whole, without which it goes on
    model.replies(raises=ModelFailed("The model failed."))
    with pytest.raises(ModelFailed):
        await service.query("since March", "shop", session_id=session.id)

    kept = await service.session(session.id)
    assert kept.pending == pending
    assert kept.messages[-1].status == "error"


# -- when what was said ------------------------------------------------------------------------------------


async def test_each_message_has_the_time_at_which_it_came(
    service: Service, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await service.start_session("shop")
    seen: list[datetime] = []
    complete = model.complete

    async def completes(*args: Any, **options: Any) -> Any:
        seen.append(datetime.now(UTC))
        return await complete(*args, **options)

    monkeypatch.setattr(model, "complete", completes)
    model.replies(sql="SELECT COUNT(*) AS n FROM customers")
    model.replies(correct=True, reason="yes")
    model.replies(text="There are 3.")
    await service.query(QUESTION, "shop", session_id=session.id)

    asked, said = (await service.session(session.id)).messages
    assert session.created_at <= asked.timestamp < seen[0]
    assert said.timestamp > seen[-1]


async def test_a_question_that_failed_has_the_time_at_which_it_came(
    service: Service, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await service.start_session("shop")
    failed: list[datetime] = []

    async def fails(*_: Any, **__: Any) -> None:
        failed.append(datetime.now(UTC))
        raise ModelFailed("The model failed.")

    monkeypatch.setattr(model, "complete", fails)
    with pytest.raises(ModelFailed):
        await service.query(QUESTION, "shop", session_id=session.id)

    asked, said = (await service.session(session.id)).messages
    assert asked.timestamp < failed[0] < said.timestamp
