"""Equal concurrent questions are answered once, for all callers who may see the answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest
from eventually import eventually

from agent.core.answers import Answer
from agent.core.errors import ModelUnavailable
from agent.core.models import Options
from agent.pipeline.service import Service
from testbed.scripted_model import ScriptedModel

QUESTION = "How many customers are there?"
SQL = "SELECT COUNT(*) AS customers FROM customers"


class Gate:
    """Holds a model's first call until it is opened."""

    def __init__(self, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reached, self._open, self.cancelled = asyncio.Event(), asyncio.Event(), False
        complete = model.complete

        async def held(*args: object, **kwargs: object) -> object:
            self.reached.set()
            try:
                await self._open.wait()
            except asyncio.CancelledError:
                self.cancelled = True
                raise
            return await complete(*args, **kwargs)  # type: ignore[arg-type]

        monkeypatch.setattr(model, "complete", held)

    def open(self) -> None:
        self._open.set()


@pytest.fixture
async def gate(model: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Gate]:
    gate = Gate(model, monkeypatch)
    yield gate
    gate.open()


def script(model: ScriptedModel, times: int = 1) -> None:
    for _ in range(times):
        model.replies(sql=SQL)
        model.replies(correct=True, reason="It counts them.")
        model.replies(text="There are 3 customers.")


def ask(service: Service, gate: Gate, **more: object) -> asyncio.Task[Answer]:
    return asyncio.create_task(service.query(QUESTION, "shop", **more))  # type: ignore[arg-type]


async def until_asked(service: Service, gate: Gate, callers: int) -> None:
    """Wait until the model is asked, and so many callers wait for what comes of it."""

    async def waiting() -> int:
        return sum(flight.followers for flight in service.asking._flights._flights.values())

    await gate.reached.wait()
    await eventually(waiting, lambda number: number == callers)


async def test_it_is_answered_once_and_each_caller_has_an_answer_of_its_own(
    service: Service, model: ScriptedModel, gate: Gate
) -> None:
    script(model)
    callers = [ask(service, gate, trace_id=f"{number}" * 32) for number in range(1, 6)]
    await until_asked(service, gate, 5)
    gate.open()
    answers = await asyncio.gather(*callers)
    model.assert_done()
    assert [answer.trace_id for answer in answers] == [f"{number}" * 32 for number in range(1, 6)]
    assert len({answer.answer_id for answer in answers}) == 5
    assert {answer.sql for answer in answers} == {answers[0].sql}
    assert all(answer.verified for answer in answers)
    assert sorted(answer.usage.model_calls for answer in answers) == [0, 0, 0, 0, 3]


async def test_every_caller_sees_all_events(service: Service, model: ScriptedModel, gate: Gate) -> None:
    script(model)

    async def events() -> list[str]:
        async with aclosing(service.events(QUESTION, "shop")) as happened:
            return [type(event).__name__ async for event in happened]

    first = asyncio.create_task(events())
    await until_asked(service, gate, 1)
    second = asyncio.create_task(events())
    await until_asked(service, gate, 2)
    gate.open()
    seen = await first
    assert await second == seen
    assert (seen[0], seen[-1]) == ("Started", "Done")


@pytest.mark.parametrize(
    "other",
    [{"principal": "somebody"}, {"options": Options(row_limit=1)}],
    ids=["another principal", "other options"],
)
async def test_what_is_not_the_same_is_answered_by_itself(
    other: dict[str, object], service: Service, model: ScriptedModel, gate: Gate
) -> None:
    script(model, times=2)
    one, two = ask(service, gate), ask(service, gate, **other)
    await until_asked(service, gate, 2)
    gate.open()
    await asyncio.gather(one, two, return_exceptions=True)  # which of them gets which reply is nobody's promise
    assert sum(call.schema_name == "sql" for call in model.asked) >= 2


async def test_who_asked_first_may_hang_up(service: Service, model: ScriptedModel, gate: Gate) -> None:
    script(model)
    first, second = ask(service, gate), ask(service, gate)
    await until_asked(service, gate, 2)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    gate.open()
    answer = await second
    assert answer.verified
    assert not gate.cancelled


async def test_when_nobody_listens_any_more_it_is_cancelled(service: Service, gate: Gate) -> None:
    callers = [ask(service, gate), ask(service, gate)]
    await until_asked(service, gate, 2)
    for caller in callers:
        caller.cancel()
    await asyncio.gather(*callers, return_exceptions=True)
    assert gate.cancelled


async def test_an_error_is_everybodys(service: Service, model: ScriptedModel, gate: Gate) -> None:
    model.replies(raises=ModelUnavailable("The model cannot be reached."))
    callers = [ask(service, gate), ask(service, gate)]
    await until_asked(service, gate, 2)
    gate.open()
    errors = await asyncio.gather(*callers, return_exceptions=True)
    assert [type(error) for error in errors] == [ModelUnavailable, ModelUnavailable]
    model.assert_done()


async def test_a_later_question_is_answered_anew(service: Service, model: ScriptedModel) -> None:
    script(model, times=2)
    no_reuse = Options(reuse_verified=False)
    for _ in range(2):
        answer = await service.query(QUESTION, "shop", options=no_reuse)
        assert answer.usage.model_calls == 3
    model.assert_done()


async def test_a_session_has_its_questions_for_itself(service: Service, model: ScriptedModel) -> None:
    sessions = [await service.start_session("shop") for _ in range(2)]
    script(model, times=2)
    asked = [
        service.query(QUESTION, "shop", session_id=it.id, options=Options(reuse_verified=False)) for it in sessions
    ]
    for one in asked:
        assert (await one).usage.model_calls == 3
    model.assert_done()
