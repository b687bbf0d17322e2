"""Places, the queue before them, and compartments, of which none takes everything."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from agent.core.errors import TooBusy
from agent.platform.access.bulkhead import Bulkhead


class Ship:
    """Questions by name, each of which stays until it is told to leave. Args: bulkhead: that they go through."""

    def __init__(self, bulkhead: Bulkhead) -> None:
        self.bulkhead = bulkhead
        self.answering: list[str] = []
        self._leave: dict[str, asyncio.Event] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def ask(self, name: str, *compartments: str) -> None:
        """Let a question in, and see where it gets. Raises TooBusy."""
        self._leave[name] = asyncio.Event()
        task = self._tasks[name] = asyncio.create_task(self._question(name, compartments))
        await settled()
        if task.done():
            await task

    async def answered(self, name: str) -> None:
        """Let one of those that are answered go."""
        self._leave[name].set()
        await self._tasks.pop(name)
        await settled()

    async def hangs_up(self, name: str) -> None:
        task = self._tasks.pop(name)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async def sink(self) -> None:
        for name in tuple(self._tasks):
            await self.hangs_up(name)

    async def _question(self, name: str, compartments: tuple[str, ...]) -> None:
        with self.bulkhead.admit(*compartments) as admission:
            async with admission.place():
                self.answering.append(name)
                try:
                    await self._leave[name].wait()
                finally:
                    self.answering.remove(name)


async def settled() -> None:
    """Let everything that can go on do so."""
    for _ in range(5):
        await asyncio.sleep(0)


@asynccontextmanager
async def ship(places: int, queue: int | None = None, clock: list[float] | None = None) -> AsyncIterator[Ship]:
    now = clock or [0.0]
    afloat = Ship(Bulkhead(places, queue, lambda: now[0]))
    try:
        yield afloat
    finally:
        await afloat.sink()


async def test_a_question_waits_for_a_place_and_one_too_many_is_told_to_come_back() -> None:
    async with ship(1, queue=1) as afloat:
        await afloat.ask("first")
        await afloat.ask("second")
        assert afloat.answering == ["first"]
        assert afloat.bulkhead.waiting == 1
        with pytest.raises(TooBusy) as raised:
            await afloat.ask("third")
        assert raised.value.retry_after_s > 0

        await afloat.answered("first")
        assert afloat.answering == ["second"]
        await afloat.ask("third")
        await afloat.answered("second")
        assert afloat.answering == ["third"]


async def test_who_hangs_up_in_the_queue_leaves_it() -> None:
    async with ship(1, queue=1) as afloat:
        await afloat.ask("first")
        await afloat.ask("second")
        await afloat.hangs_up("second")
        await afloat.ask("third")
        await afloat.answered("first")
        assert afloat.answering == ["third"]


async def test_who_hangs_up_as_a_place_is_given_gives_it_on() -> None:
    async with ship(1, queue=2) as afloat:
        await afloat.ask("first")
        await afloat.ask("second")
        await afloat.ask("third")
        afloat._leave["first"].set()
        await afloat._tasks["first"]  # the place is the second's, which has not heard of it yet
        await afloat.hangs_up("second")
        await settled()
        assert afloat.answering == ["third"]


async def test_who_waits_for_a_compartment_hears_of_the_queue() -> None:
    bulkhead = Bulkhead(2, queue=2)
    with bulkhead.admit("tea") as first, bulkhead.admit("tea") as second, bulkhead.admit("jam") as other:
        assert first.ahead is None
        async with first.place():
            assert second.ahead is not None, "its database has no further place"
            assert other.ahead is None, "another has one"


async def test_who_comes_behind_is_not_ahead() -> None:
    bulkhead = Bulkhead(1, queue=9)
    with bulkhead.admit() as first, bulkhead.admit() as second, bulkhead.admit(), bulkhead.admit():
        async with first.place():
            ahead = second.ahead
    assert ahead is not None
    assert ahead.length == 1


async def test_one_compartment_leaves_a_quarter_to_the_others() -> None:
    async with ship(4, queue=4) as afloat:
        for number in range(6):
            await afloat.ask(f"slow {number}", "database slow")
        assert afloat.answering == ["slow 0", "slow 1", "slow 2"]
        with pytest.raises(TooBusy):
            await afloat.ask("slow 6", "database slow")
        await afloat.ask("quick", "database quick")
        assert afloat.answering[-1] == "quick", "it waits for nobody"


async def test_a_place_goes_to_the_caller_who_has_least() -> None:
    async with ship(2, queue=6) as afloat:
        await afloat.ask("ann 1", "principal ann")
        await afloat.ask("bob 1", "principal bob")
        await afloat.ask("ann 2", "principal ann")
        await afloat.ask("ann 3", "principal ann")
        await afloat.ask("cy 1", "principal cy")
        await afloat.answered("bob 1")
        assert afloat.answering == ["ann 1", "cy 1"], "Ann's others came before, but she has a place already"
        await afloat.answered("ann 1")
        assert afloat.answering == ["cy 1", "ann 2"]


async def test_retry_after_follows_the_pace() -> None:
    clock = [0.0]
    async with ship(1, queue=0, clock=clock) as afloat:
        said = []
        for took_s in [30.0] * 40 + [0.5] * 60:
            await afloat.ask("one")
            with pytest.raises(TooBusy) as raised:
                await afloat.ask("another")
            said.append(raised.value.retry_after_s)
            clock[0] += took_s
            await afloat.answered("one")
    assert said[0] == 5, "nothing is known yet"
    assert said[39] in (29, 30)
    assert said[-1] == 1


async def test_nothing_is_kept_of_who_has_left() -> None:
    async with ship(2, queue=2) as afloat:
        for number in range(3):
            await afloat.ask(str(number), f"principal {number}")
        await afloat.hangs_up("2")
        await afloat.answered("0")
        await afloat.answered("1")
        assert not afloat.bulkhead._inside_of
        assert not afloat.bulkhead._running_of
        assert not afloat.bulkhead._waiting


async def test_who_is_gone_is_inside_as_long_as_his_place_is_taken() -> None:
    bulkhead = Bulkhead(1, queue=0)
    with bulkhead.admit("principal ann") as admission:
        place = admission.place()
        await place.__aenter__()
    with pytest.raises(TooBusy), bulkhead.admit():
        raise AssertionError("others wait for what was begun")
    await place.__aexit__(None, None, None)
    with bulkhead.admit():
        assert bulkhead.waiting == 1
    assert not bulkhead._inside_of
