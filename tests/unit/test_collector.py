"""A full garbage collection waits for a pause between questions."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator

import pytest

from agent.pipeline.collector import OVERDUE, WANTED, Collector


@pytest.fixture(autouse=True)
def own_rounds() -> Iterator[None]:
    """No full collection but those that are asked for, and a count of them that begins anew."""
    before = gc.get_threshold()
    gc.set_threshold(before[0], before[1], 1_000_000)
    gc.collect()
    yield
    gc.set_threshold(*before)


def make_it_time() -> None:
    for _ in range(WANTED):
        gc.collect(1)


async def pause() -> None:
    """Let everything pass that was to be called by now."""
    passed = asyncio.Event()
    asyncio.get_running_loop().call_later(0, passed.set)
    await passed.wait()


def was_made() -> bool:
    return gc.get_count()[2] < WANTED


async def test_after_the_last_question_there_is_one() -> None:
    collector = Collector(pause_s=0)
    with collector.held_back():
        make_it_time()
        with collector.held_back():
            pass
        await pause()
        assert not was_made()
    assert not was_made()
    await pause()
    assert was_made()


async def test_a_question_that_comes_meanwhile_is_answered_first() -> None:
    collector = Collector(pause_s=0)
    with collector.held_back():
        make_it_time()
    with collector.held_back():
        await pause()
        assert not was_made()


async def test_where_little_was_left_there_is_none() -> None:
    collector = Collector(pause_s=0)
    gc.collect(1)
    with collector.held_back():
        pass
    await pause()
    assert gc.get_count()[2] > 0


def test_where_questions_never_pause_it_is_only_put_off() -> None:
    try:
        Collector().keep_all()
        assert gc.get_threshold()[2] == OVERDUE
    finally:
        gc.unfreeze()
