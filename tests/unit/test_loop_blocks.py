"""The measurement of an event loop's blocks."""

from __future__ import annotations

import asyncio
import time

from bench.loop_blocks import LoopBlocks


async def _busy(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def test_the_longest_step_is_found_and_named() -> None:
    async def work() -> None:
        await asyncio.gather(asyncio.sleep(0), _busy(0.05))

    with LoopBlocks() as blocks:
        asyncio.run(work())
    assert blocks.longest >= 0.05
    assert blocks.longest_by.endswith("_busy")


def test_a_wait_is_no_block() -> None:
    async def work() -> None:
        await asyncio.to_thread(time.sleep, 0.05)

    with LoopBlocks() as blocks:
        asyncio.run(work())
    assert blocks.longest < 0.05


def test_afterwards_nothing_is_measured() -> None:
    run = asyncio.Handle._run
    with LoopBlocks():
        assert asyncio.Handle._run is not run
    assert asyncio.Handle._run is run
