"""Turns: the messages of one session are answered one at a time, by any process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

import pytest
from manual_clock import Clock

from agent.core.errors import SessionBusy, StateUnavailable, UnknownSession
from agent.core.problems import problem_of
from agent.people.sessions.sessions import Sessions
from agent.platform.storage.sqlite import MemoryStore
from agent.platform.storage.store import Change, Place

ADA = "ada"


@pytest.fixture
def store(clock: Clock) -> MemoryStore:
    return MemoryStore(clock)


def process(store: MemoryStore, clock: Clock, *, wait_s: float = 60, lease_s: float = 15) -> Sessions:
    """Sessions as another process has them, which shares the store and nothing else."""
    return Sessions(store, timeout_s=3600, wait_s=wait_s, lease_s=lease_s, clock=clock)


@pytest.mark.parametrize("processes", [1, 3])
async def test_turns_do_not_overlap(store: MemoryStore, clock: Clock, processes: int) -> None:
    several = [process(store, clock) for _ in range(processes)]
    session = several[0].start("shop", ADA)
    inside, seen = 0, []

    async def take(number: int) -> None:
        nonlocal inside
        async with several[number % processes].turn(session.id, ADA):
            inside += 1
            seen.append(inside)
            await asyncio.to_thread(several[0].get, session.id, ADA)
            inside -= 1

    await asyncio.gather(*(take(number) for number in range(9)))

    assert seen == [1] * 9


async def test_in_one_process_turns_come_in_the_order_of_the_messages(store: MemoryStore, clock: Clock) -> None:
    sessions = process(store, clock)
    session = sessions.start("shop", ADA)
    order: list[int] = []

    async def take(number: int) -> None:
        async with sessions.turn(session.id, ADA):
            order.append(number)

    await asyncio.gather(*(take(number) for number in range(8)))

    assert order == list(range(8))


async def test_sessions_do_not_wait_for_each_other(store: MemoryStore, clock: Clock) -> None:
    sessions = process(store, clock, wait_s=5)
    one, other = sessions.start("shop", ADA), sessions.start("shop", ADA)
    async with sessions.turn(one.id, ADA), sessions.turn(other.id, ADA):
        assert sessions.active() == 2


@pytest.mark.parametrize("same_process", [True, False])
async def test_who_waits_too_long_is_told(store: MemoryStore, clock: Clock, same_process: bool) -> None:
    sessions = process(store, clock, wait_s=0.05)
    session = sessions.start("shop", ADA)
    waiting = sessions if same_process else process(store, clock, wait_s=0.05)
    async with sessions.turn(session.id, ADA):
        with pytest.raises(SessionBusy, match="send this message again") as caught:
            async with waiting.turn(session.id, ADA):
                pytest.fail("two turns at once")

    problem = problem_of(caught.value)
    assert problem is not None
    assert problem.status == 409
    async with waiting.turn(session.id, ADA):
        assert sessions.active() == 1


async def test_the_turn_of_a_killed_process_lapses(store: MemoryStore, clock: Clock) -> None:
    killed = process(store, clock, lease_s=15)
    session = killed.start("shop", ADA)
    turn = killed.turn(session.id, ADA)
    await turn.__aenter__()  # and nothing more is heard of it
    clock.now += 15
    with pytest.raises(SessionBusy):
        async with process(store, clock, wait_s=0.05).turn(session.id, ADA):
            pytest.fail("two turns at once")

    clock.now += 1

    other = process(store, clock)
    async with other.turn(session.id, ADA):
        await turn.__aexit__(None, None, None)  # it lived after all: it must not end the other's turn
        with pytest.raises(SessionBusy):
            async with process(store, clock, wait_s=0.05).turn(session.id, ADA):
                pytest.fail("two turns at once")


async def test_a_long_turn_is_renewed(store: MemoryStore, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = process(store, clock, lease_s=0.03)
    session = sessions.start("shop", ADA)
    loop, renewed, commit = asyncio.get_running_loop(), asyncio.Event(), store.commit

    def told(place: Place, changes: Sequence[Change]) -> list[str]:
        made = commit(place, changes)
        loop.call_soon_threadsafe(renewed.set)
        return made

    async with sessions.turn(session.id, ADA):
        monkeypatch.setattr(store, "commit", told)
        clock.now += 1000  # far past the lease
        await renewed.wait()
        with pytest.raises(SessionBusy):
            async with process(store, clock, wait_s=0.01, lease_s=60).turn(session.id, ADA):
                pytest.fail("two turns at once")

    clock.now += 3000
    assert sessions.get(session.id, ADA).id == session.id, "the renewal put off the expiry"


async def test_a_cancelled_turn_is_given_back(store: MemoryStore, clock: Clock) -> None:
    sessions = process(store, clock)
    session = sessions.start("shop", ADA)
    inside = asyncio.Event()

    async def take() -> None:
        async with sessions.turn(session.id, ADA):
            inside.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(take())
    await inside.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    async with process(store, clock, wait_s=5).turn(session.id, ADA):
        assert sessions.active() == 1


async def test_a_turn_that_fails_is_given_back(store: MemoryStore, clock: Clock) -> None:
    sessions = process(store, clock)
    session = sessions.start("shop", ADA)
    with pytest.raises(KeyError):
        async with sessions.turn(session.id, ADA):
            raise KeyError

    async with process(store, clock, wait_s=5).turn(session.id, ADA):
        assert sessions.active() == 1


async def test_who_cancels_a_turn_that_is_just_taken_leaves_none_behind(store: MemoryStore, clock: Clock) -> None:
    sessions = process(store, clock)
    session = sessions.start("shop", ADA)
    for steps in range(12):
        task = asyncio.create_task(_enter(sessions, session.id))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async with process(store, clock, wait_s=5).turn(session.id, ADA):
        assert sessions.active() == 1


async def _enter(sessions: Sessions, session_id: str) -> None:
    async with sessions.turn(session_id, ADA):
        await asyncio.Event().wait()


async def test_an_unknown_session_has_no_turns(store: MemoryStore, clock: Clock) -> None:
    sessions = process(store, clock)
    session = sessions.start("shop", ADA)
    async with sessions.turn(session.id, ADA):
        for session_id, principal in (("none", ADA), (session.id, "bo")):
            with pytest.raises(UnknownSession):
                async with sessions.turn(session_id, principal):
                    pytest.fail("a turn in no session")


async def test_a_session_may_end_in_its_turn(store: MemoryStore, clock: Clock) -> None:
    sessions = process(store, clock)
    session = sessions.start("shop", ADA)
    async with sessions.turn(session.id, ADA):
        sessions.end(session.id, ADA)
    assert len(store.everywhere("session")) == 0


async def test_an_answer_is_not_lost_where_its_turn_cannot_be_given_back(
    store: MemoryStore, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sessions = process(store, clock)
    session = sessions.start("shop", ADA)

    def fail(*_: object) -> None:
        raise StateUnavailable("the disk is full")

    with caplog.at_level(logging.WARNING, logger="agent.people.sessions.turns"):
        async with sessions.turn(session.id, ADA):
            monkeypatch.setattr(store, "commit", fail)

    assert "the disk is full" in caplog.text
