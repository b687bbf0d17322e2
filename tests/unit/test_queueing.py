"""The queue of a model that answers one call at a time, and its events."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack

import pytest

from agent.core.errors import TooBusy
from agent.core.problems import problem_of
from agent.core.queueing import FIRST_GUESS_S, WAITS, WEIGHT, Standing, Turns
from agent.platform.access.bulkhead import Bulkhead
from agent.platform.llm.chat import WrappedModel
from testbed.scripted_model import ScriptedModel


class Clock:
    """Seconds that pass where the test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_who_comes_next_waits_for_those_inside_by_the_mean_of_the_latest_calls() -> None:
    clock = Clock()
    turns = Turns(clock)
    assert turns.standing == Standing(length=0, wait_s=0.0)
    async with turns.turn():
        clock.now += 4.0
        assert turns.standing == Standing(length=1, wait_s=FIRST_GUESS_S - 4)
        clock.now += 16.0
        assert turns.standing == Standing(length=1, wait_s=0.0), "it takes longer than the mean, and nobody knows more"
    mean = FIRST_GUESS_S + WEIGHT * (20 - FIRST_GUESS_S)
    assert turns.standing == Standing(length=0, wait_s=0.0)
    async with turns.turn():
        assert turns.standing == Standing(length=1, wait_s=mean)


async def test_a_call_that_has_to_wait_says_so_and_one_that_need_not_does_not() -> None:
    turns, told = Turns(Clock()), list[Standing]()
    WAITS.set(told.append)
    entered, leave = asyncio.Event(), asyncio.Event()

    async def call() -> None:
        async with turns.turn():
            entered.set()
            await leave.wait()

    first = asyncio.create_task(call())
    await entered.wait()
    assert told == []
    second = asyncio.create_task(call())
    third = asyncio.create_task(call())
    await asyncio.sleep(0)  # each runs to where it waits
    assert [it.length for it in told] == [1, 2]
    assert [it.wait_s for it in told] == [FIRST_GUESS_S, 2 * FIRST_GUESS_S]
    third.cancel()
    await asyncio.gather(third, return_exceptions=True)
    assert turns.standing.length == 2, "who gives up waits for nobody"
    leave.set()
    await asyncio.gather(first, second)
    assert turns.standing.length == 0


async def test_a_call_that_fails_is_no_measure() -> None:
    clock = Clock()
    turns = Turns(clock)

    async def fail() -> None:
        async with turns.turn():
            clock.now += 1000
            raise OSError("broken")

    with pytest.raises(OSError, match="broken"):
        await fail()
    async with turns.turn():
        assert turns.standing.wait_s == FIRST_GUESS_S


def test_a_wrapper_has_the_queue_of_the_model_that_it_wraps() -> None:
    model = ScriptedModel()
    assert WrappedModel(model).queue is None
    model.queue = Turns()  # type: ignore[attr-defined]
    assert WrappedModel(WrappedModel(model)).queue is model.queue  # type: ignore[attr-defined]


async def test_a_refusal_tells_the_queue_and_waits_for_the_model_behind_it() -> None:
    bulkhead = Bulkhead(1, 2, Clock())
    bulkhead.behind = Turns(Clock())
    with ExitStack() as inside:
        for _ in range(3):
            inside.enter_context(bulkhead.admit())
        async with bulkhead.behind.turn():
            waiting = [asyncio.create_task(_turn(bulkhead.behind)) for _ in range(6)]
            await asyncio.sleep(0)  # each runs to where it waits
            with pytest.raises(TooBusy) as caught, bulkhead.admit():
                raise AssertionError("there was room")
        await asyncio.gather(*waiting)
    problem = problem_of(caught.value, "t")
    assert caught.value.retry_after_s == 7 * FIRST_GUESS_S
    assert problem is not None
    assert problem.model_dump(mode="json")["queue"] == {"length": 3, "wait_s": 7 * FIRST_GUESS_S}
    assert "3 questions wait" in problem.detail


def test_other_problems_say_nothing_of_a_queue() -> None:
    problem = problem_of(TooBusy("The service has all the jobs it can take.", 5))
    assert problem is not None
    assert "queue" not in problem.model_dump(mode="json")


async def _turn(turns: Turns) -> None:
    async with turns.turn():
        pass
