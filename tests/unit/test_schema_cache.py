"""A schema that is kept: read when it is needed, by one thread, and again when its time is over."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from executors.base import Schema
from executors.engines.common.servers.catalogue import SchemaCache
from executors.errors import DatabaseUnavailable


class Source:
    """Gives a new schema at every reading, and can be made to fail, or to take until it is let go."""

    def __init__(self) -> None:
        self.readings = 0
        self.fails = False
        self.go = threading.Event()
        self.go.set()

    def read(self) -> Schema:
        self.readings += 1
        assert self.go.wait(20)
        if self.fails:
            raise DatabaseUnavailable(f"failure {self.readings}")
        return Schema(database=f"reading {self.readings}", dialect="postgresql", tables=())


def test_it_is_read_when_it_is_first_asked_for_and_then_kept() -> None:
    source = Source()
    kept = SchemaCache(source.read, 600)
    assert source.readings == 0

    assert kept.get() is kept.get() is kept.get_last()
    assert source.readings == 1


def test_it_is_read_again_once_forgotten() -> None:
    kept = SchemaCache(Source().read, 600)
    before = kept.get()
    kept.forget()

    assert kept.get() is not before


def test_it_is_read_again_when_its_time_is_over_but_known_all_the_time() -> None:
    kept = SchemaCache(Source().read, 0)
    before = kept.get()

    assert kept.get_last() is before
    assert kept.get() is not before


def test_a_failure_is_not_kept() -> None:
    source = Source()
    source.fails = True
    kept = SchemaCache(source.read, 600)
    for number in (1, 2):
        with pytest.raises(DatabaseUnavailable, match=f"failure {number}"):
            kept.get()
    source.fails = False

    assert kept.get().database == "reading 3"


@pytest.mark.parametrize("fails, said", [(False, "reading 1"), (True, "failure 1")])
def test_those_who_wait_for_a_reading_share_what_came_of_it(
    fails: bool, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Source()
    source.fails = fails
    source.go.clear()
    kept = SchemaCache(source.read, 600)
    asked = threading.Semaphore(0)

    def clock() -> float:
        asked.release()
        return time.perf_counter()

    monkeypatch.setattr("executors.engines.common.servers.catalogue.time.monotonic", clock)

    def ask(_: int) -> str:
        try:
            return kept.get().database
        except DatabaseUnavailable as error:
            return str(error)

    with ThreadPoolExecutor(6) as pool:
        answers = [pool.submit(ask, i) for i in range(6)]
        for _ in range(len(answers) + 1):  # the one that reads looks at the clock once more
            assert asked.acquire(timeout=20), "every thread has asked before the reading ends"
        source.go.set()

        assert {answer.result() for answer in answers} == {said}
    assert source.readings == 1
