"""Twenty concurrent clients on four engines: answers are right, no message is lost, and no resource leaks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import httpx2
import pytest

from bench.load import leaks, settled, table_of
from bench.load_clients import Counts, talk
from bench.load_world import DATABASES, Held, World, running

CLIENTS = 20
QUESTIONS = 6  # of each client


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """A service with few places and a short queue: some of twenty clients get Retry-After."""
    with running(delay_s=0.05, max_concurrent_questions=6, queue_length=4) as world:
        yield world


@pytest.fixture(scope="module")
def counts(world: World) -> tuple[Counts, Held, Held]:
    """The clients' results, and the service's resources before and after."""
    asyncio.run(talk(world.url, CLIENTS, DATABASES, lambda asked: asked < QUESTIONS))
    before = settled(world)
    seen = asyncio.run(talk(world.url, CLIENTS, DATABASES, lambda asked: asked < QUESTIONS))
    asyncio.run(hang_up_during_a_call(world))
    return seen, before, settled(world, before)


async def hang_up_during_a_call(world: World) -> None:
    """Ask, and hang up during a call of the model, until it has seen that. Clients that leave at random may miss it."""
    question = "What is the amount of order number 7?"
    body = {"database": "shop", "question": question, "options": {"reuse_verified": False}}
    async with httpx2.AsyncClient() as http:
        while not world.calls()["left"]:
            asking = asyncio.create_task(http.post(f"{world.url}/query", json=body))
            while not (asking.done() or world.calls()["open"]):
                await asyncio.wait({asking}, timeout=0.01)
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)


def test_every_answer_is_that_of_its_question(counts: tuple[Counts, Held, Held]) -> None:
    seen = counts[0]

    assert not seen.errors
    assert not seen.crossed
    assert seen.answered >= CLIENTS * QUESTIONS / 2
    assert seen.hung_up > 0


def test_sessions_have_every_message_once_and_no_other(counts: tuple[Counts, Held, Held]) -> None:
    seen = counts[0]

    assert seen.sessions >= CLIENTS / 3
    assert seen.messages > seen.sessions
    assert not seen.lost


def test_who_is_one_too_many_is_told_when_to_come_again(counts: tuple[Counts, Held, Held]) -> None:
    seen = counts[0]

    assert seen.busy > 0
    assert not seen.busy_without


def test_what_callers_left_behind_is_ended_and_given_back(world: World, counts: tuple[Counts, Held, Held]) -> None:
    _, before, after = counts

    assert world.calls()["left"] > 0, "somebody hung up while the model was asked"
    assert after.busy == after.calls == 0
    assert not leaks(before, after)


def test_a_figure_over_its_target_is_missed(counts: tuple[Counts, Held, Held]) -> None:
    seen, before, _ = counts
    missed = {
        row.what
        for row in table_of(Counts(errors=["x"], lost=1, crossed=2), before, before, (100.0, 106.0), 2.0)
        if not row.met
    }

    assert {"errors", "messages lost", "answers and messages crossed", "sessions read back, messages"} <= missed
    assert "memory in MB, first half, second" in missed
    assert all(row.met for row in table_of(seen, before, before, (100.0, 104.0), 2.0))
