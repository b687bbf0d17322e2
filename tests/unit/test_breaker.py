"""Circuit breakers: closed, open, half open, and their errors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

import pytest
from manual_clock import Clock

from agent.core.errors import ModelFailed, ModelUnavailable
from agent.core.resilience.breaker import Breaker

DOWN = ModelUnavailable("The endpoint does not answer.")


@pytest.fixture
def breaker(clock: Clock) -> Breaker:
    return Breaker("The model", failures=3, pause_s=10, error=ModelUnavailable, clock=clock)


def call(breaker: Breaker, error: BaseException | None = None, *, proves: bool = True) -> None:
    with breaker.watching(proves=proves):
        if error is not None:
            raise error


def fail(breaker: Breaker, times: int) -> None:
    for _ in range(times):
        with suppress(ModelUnavailable):
            call(breaker, DOWN)


def state_of(breaker: Breaker) -> str:
    """Its state, of which a type checker does not think that it stays the same."""
    return breaker.state


def refusal(attempt: Callable[[], None]) -> ModelUnavailable:
    with pytest.raises(ModelUnavailable) as raised:
        attempt()
    assert raised.value is not DOWN
    return raised.value


def test_it_opens_after_so_many_failures_in_a_row_and_says_when_to_come_back(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 2)
    call(breaker)
    fail(breaker, 2)
    assert state_of(breaker) == "closed", "they were not in a row"
    fail(breaker, 1)
    assert state_of(breaker) == "open"
    clock.now += 2.5
    error = refusal(lambda: call(breaker))
    assert error.retry_after_s == 8
    assert str(error) == (
        "The model has failed 3 times in a row and is not called for 8 s. Last error: The endpoint does not answer."
    )
    assert refusal(breaker.refuse_while_open).retry_after_s == 8


def test_after_the_pause_one_call_finds_out(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 3)
    clock.now += 10
    assert state_of(breaker) == "half_open"
    breaker.refuse_while_open()
    with breaker.watching():
        assert refusal(lambda: call(breaker)).retry_after_s == 1, "another one is finding out"
    assert state_of(breaker) == "closed"
    call(breaker)


def test_a_probe_that_fails_begins_another_pause(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 3)
    clock.now += 10
    fail(breaker, 1)
    assert state_of(breaker) == "open"
    assert refusal(lambda: call(breaker)).retry_after_s == 10


@pytest.mark.parametrize("left", [asyncio.CancelledError(), GeneratorExit()], ids=["cancelled", "closed"])
def test_a_probe_that_nobody_waited_for_says_nothing(breaker: Breaker, clock: Clock, left: BaseException) -> None:
    fail(breaker, 3)
    clock.now += 10
    with pytest.raises(type(left)):
        call(breaker, left)
    assert state_of(breaker) == "half_open"
    call(breaker)
    assert state_of(breaker) == "closed"


def test_an_answer_that_is_no_use_is_an_answer(breaker: Breaker) -> None:
    fail(breaker, 2)
    with pytest.raises(ModelFailed):
        call(breaker, ModelFailed("It declined."))
    fail(breaker, 2)
    assert state_of(breaker) == "closed"


def test_what_was_kept_from_before_proves_nothing(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 2)
    call(breaker, proves=False)
    fail(breaker, 1)
    assert state_of(breaker) == "open"
    clock.now += 10
    call(breaker, proves=False)
    assert state_of(breaker) == "half_open"
