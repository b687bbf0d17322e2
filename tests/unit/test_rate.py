"""The rate limit of a principal: a burst, then a refill over time, shared by all processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from manual_clock import Clock

from agent.core.errors import TooManyRequests
from agent.platform.access.policy import ATTEMPTS, Rate, RateLimiter
from agent.platform.storage.sqlite import MemoryStore, SqliteStore
from agent.platform.storage.store import Change, Place, StateConflict

ROOT = Path(__file__).parents[2]
NOON = 1_800_000_000.0


@pytest.fixture
def clock() -> Clock:
    return Clock(NOON)


def limiter(text: str, clock: Clock, store: MemoryStore | None = None) -> RateLimiter:
    store = store or MemoryStore(clock)
    return RateLimiter(Rate.parse(text), lambda: store, clock)


def accepted(limiter: RateLimiter, principal: str, times: int) -> int:
    """How many of so many requests are taken."""
    taken = 0
    for _ in range(times):
        try:
            limiter.take(principal)
        except TooManyRequests:
            continue
        taken += 1
    return taken


@pytest.mark.parametrize(
    "text, requests, period_s",
    [("60/minute", 60, 60), ("1/second", 1, 1), ("5 / hour", 5, 3600), (" 10/day ", 10, 86_400)],
)
def test_a_rate_is_read(text: str, requests: int, period_s: int) -> None:
    assert Rate.parse(text) == Rate(requests=requests, period_s=period_s)


@pytest.mark.parametrize("text", ["", "60", "0/minute", "-1/minute", "60/week", "1.5/minute", "9999999/day"])
def test_what_is_no_rate_says_how_to_write_one(text: str) -> None:
    with pytest.raises(ValueError, match="60/minute"):
        Rate.parse(text)


@pytest.mark.parametrize("text", ["3/second", "7/minute", "60/minute", "1/hour", "1000/day"])
def test_the_whole_rate_may_come_at_once_and_no_more(text: str, clock: Clock) -> None:
    rate = Rate.parse(text)
    assert accepted(limiter(text, clock), "ann", rate.requests + 5) == rate.requests


def test_retry_after_is_true_to_the_second(clock: Clock) -> None:
    limit = limiter("6/minute", clock)
    assert accepted(limit, "ann", 6) == 6
    clock.now += 2.5
    with pytest.raises(TooManyRequests, match="Try again in 8 s") as raised:
        limit.take("ann")
    assert raised.value.retry_after_s == 8, "ten seconds a request, and two and a half have passed"

    clock.now += 7
    with pytest.raises(TooManyRequests):
        limit.take("ann")
    clock.now += 1
    limit.take("ann")
    with pytest.raises(TooManyRequests):
        limit.take("ann")


def test_what_was_not_asked_for_is_given_back_up_to_the_rate(clock: Clock) -> None:
    limit = limiter("6/minute", clock)
    accepted(limit, "ann", 6)
    clock.now += 30
    assert accepted(limit, "ann", 9) == 3
    clock.now += 86_400
    assert accepted(limit, "ann", 9) == 6


def test_a_refused_request_costs_nothing(clock: Clock) -> None:
    limit = limiter("1/minute", clock)
    assert accepted(limit, "ann", 50) == 1
    clock.now += 60
    assert accepted(limit, "ann", 1) == 1


def test_each_principal_has_a_rate_of_their_own_however_it_is_written(clock: Clock) -> None:
    limit = limiter("2/minute", clock)
    assert [accepted(limit, name, 3) for name in ("ann", "bo", "ANN")] == [2, 2, 0]
    assert accepted(limit, "ü" * 5000, 3) == 2, "a name of any length"


def test_the_store_holds_no_name_and_forgets_what_is_over(clock: Clock) -> None:
    store = MemoryStore(clock)
    accepted(limiter("2/minute", clock, store), "ann@example.com", 2)
    assert "ann" not in str(store.everywhere("rate"))
    clock.now += 61
    assert store.everywhere("rate") == []


def test_who_was_refused_is_refused_without_asking_the_store(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore(clock)
    limit = limiter("1/minute", clock, store)
    assert accepted(limit, "ann", 2) == 1
    asked: list[str] = []
    monkeypatch.setattr(store, "get", lambda _place, key: asked.append(key))
    assert accepted(limit, "ann", 100) == 0
    assert asked == []


class Contested(MemoryStore):
    """A store in which another writer wins a number of times."""

    def __init__(self, clock: Clock, times: int) -> None:
        super().__init__(clock)
        self.times = times

    def commit(self, place: Place, changes: Sequence[Change]) -> list[str]:
        if self.times:
            self.times -= 1
            raise StateConflict("spent")
        return super().commit(place, changes)


@pytest.mark.parametrize("times, taken", [(0, 1), (1, 1), (ATTEMPTS - 1, 1), (ATTEMPTS, 0)])
def test_a_lost_race_is_run_again_and_a_hopeless_one_is_refused(times: int, taken: int, clock: Clock) -> None:
    assert accepted(limiter("60/minute", clock, Contested(clock, times)), "ann", 1) == taken


def test_threads_share_one_count(tmp_path: Path, clock: Clock) -> None:
    store = SqliteStore(tmp_path / "state.sqlite", clock)
    limit = RateLimiter(Rate.parse("10/hour"), lambda: store, clock)
    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(lambda _: accepted(limit, "ann", 6), range(4))) == 10


COUNT = """
import sys
from pathlib import Path
from agent.platform.access.policy import Rate, RateLimiter
from agent.core.errors import TooManyRequests
from agent.platform.storage.sqlite import SqliteStore

clock = lambda: 1_800_000_000.0
limiter = RateLimiter(Rate.parse("10/hour"), lambda: SqliteStore(Path(sys.argv[1]), clock), clock)
print("ready", flush=True)
sys.stdin.readline()
taken = 0
for _ in range(10):
    try:
        limiter.take("ann")
        taken += 1
    except TooManyRequests:
        pass
print(taken)
"""


def test_two_processes_share_one_count(tmp_path: Path) -> None:
    both = [
        subprocess.Popen(
            [sys.executable, "-c", COUNT, str(tmp_path / "state.sqlite")],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    said = []
    for process in both:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in both:
        said.append(int(process.communicate()[0]))
    assert sum(said) == 10, said
