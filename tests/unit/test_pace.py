"""Rate limits from an endpoint's headers, and the order of calls under them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from agent.core.errors import ModelBusy, StateUnavailable
from agent.core.queueing import WAITS, Standing
from agent.platform.llm.pace import Allowance, Limits, Pace, limits_in, seconds_of
from agent.platform.storage.sqlite import MemoryStore
from agent.platform.storage.store import Place, Record

ENOUGH = {"x-ratelimit-limit-tokens": "1000", "x-ratelimit-remaining-tokens": "900", "x-ratelimit-reset-tokens": "50s"}
LITTLE = ENOUGH | {"x-ratelimit-remaining-tokens": "100", "x-ratelimit-reset-tokens": "40s"}  # a window, no bucket


START = 4_000_000_000.0  # later than now, so that nothing in the store has expired


class Time:
    """Seconds that pass while somebody sleeps."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    clock = Time()
    monkeypatch.setattr("agent.platform.llm.pace.time.time", clock)
    return clock


def pace_of(time: Time, state: MemoryStore | None = None, longest_s: float = 220) -> Pace:
    return Pace(state or MemoryStore(), "endpoint", longest_s=longest_s, clock=time, sleep=time.sleep)


async def call(
    pace: Pace, tokens: int, headers: Mapping[str, str], *, spent: int | None = None, status: int = 200
) -> None:
    async with pace.turn(tokens) as it:
        it.record(status, headers)
        it.spent = spent


@pytest.mark.parametrize(
    "text, seconds",
    [("1s", 1), ("6m0s", 360), ("20ms", 0.02), ("1m30.5s", 90.5), ("2h", 7200), ("12", 12), ("0.5", 0.5),
     ("1d2h", 93_600), ("", None), ("soon", None), ("1 s", None), ("-1s", None), ("5x", None)],
)  # fmt: skip
def test_durations_as_endpoints_write_them(text: str, seconds: float | None) -> None:
    assert seconds_of(text) == seconds


def test_what_headers_say() -> None:
    heard = limits_in(200, ENOUGH | {"x-ratelimit-remaining-requests": "3"}, 10.0)
    assert heard.tokens == Allowance(limit=1000, left=900, at=10, until=60, span_s=50)
    assert heard.requests == Allowance(limit=None, left=3, at=10, until=70, span_s=60)
    assert limits_in(200, {"x-ratelimit-remaining-tokens": "many"}, 10.0) == Limits()
    assert limits_in(500, {}, 10.0) == Limits()
    refused = limits_in(429, {"retry-after": "7"}, 10.0).requests
    assert refused is not None
    assert (refused.left, refused.until) == (0, 17)


def test_a_bucket_that_fills_all_the_time_is_told_from_a_window() -> None:
    full_again_s = 60 * 0.9
    bucket = limits_in(200, LITTLE | {"x-ratelimit-reset-tokens": f"{full_again_s}s"}, 0.0).tokens
    window = limits_in(200, LITTLE | {"x-ratelimit-reset-tokens": "20s"}, 0.0).tokens
    assert bucket is not None
    assert window is not None
    assert bucket.wait_s(400) == pytest.approx(300 / (1000 / 60))
    assert window.wait_s(400) == 20


async def test_an_endpoint_that_says_nothing_is_never_waited_for(time: Time) -> None:
    state = MemoryStore()
    pace = pace_of(time, state)
    for _ in range(3):
        await call(pace, 10_000, {})
    assert time.now == START
    assert len(state.everywhere("rate_limit")) == 0


async def test_a_call_waits_until_there_is_enough_for_it_and_says_so(time: Time) -> None:
    pace, told = pace_of(time), list[Standing]()
    WAITS.set(told.append)
    await call(pace, 500, LITTLE, spent=500)
    assert told == []
    await call(pace, 500, ENOUGH, spent=500)
    assert time.now == START + 40
    assert told == [Standing(length=0, wait_s=40)]


async def test_what_one_process_has_taken_is_not_there_for_another(time: Time) -> None:
    state = MemoryStore()
    one, other = pace_of(time, state), pace_of(time, state)
    await call(one, 100, ENOUGH, spent=100)
    async with one.turn(600):
        await call(other, 300, {})
        assert time.now == START
        await call(other, 300, {})
    assert time.now == START + 50


async def test_what_a_call_did_not_need_is_given_back(time: Time) -> None:
    pace = pace_of(time)
    await call(pace, 100, ENOUGH, spent=100)
    await call(pace, 900, {}, spent=50)
    await call(pace, 850, {}, spent=850)
    assert time.now == START
    await call(pace, 10, {})
    assert time.now == START + 50


async def test_a_refusal_holds_all_others_back_and_takes_no_tokens(time: Time) -> None:
    state = MemoryStore()
    one, other = pace_of(time, state), pace_of(time, state)
    await call(one, 100, {"retry-after": "9"}, status=429)
    await call(other, 100, {})
    assert time.now == START + 9


async def test_a_call_larger_than_the_limit_has_its_turn_when_all_is_left(time: Time) -> None:
    pace = pace_of(time)
    await call(pace, 100, ENOUGH, spent=100)
    await call(pace, 5000, ENOUGH)
    assert time.now == START + 50


async def test_the_next_window_begins_with_what_the_endpoint_says(time: Time) -> None:
    pace = pace_of(time)
    await call(pace, 100, LITTLE | {"x-ratelimit-reset-tokens": "2s"}, spent=100)
    async with pace.turn(100) as late:
        late.record(200, ENOUGH)  # of a window that began before ours was over
    await call(pace, 800, {})
    assert time.now == START


async def test_what_would_take_too_long_is_refused_with_when_to_try_again(time: Time) -> None:
    pace = pace_of(time, longest_s=30)
    await call(pace, 500, LITTLE, spent=500)
    with pytest.raises(ModelBusy, match="Try again in 40 s") as caught:
        await call(pace, 500, {})
    assert caught.value.retry_after_s == 40


async def test_who_gives_up_waiting_leaves_the_turn_to_the_next(time: Time) -> None:
    pace = pace_of(time)
    await call(pace, 500, LITTLE, spent=500)
    asleep = asyncio.Event()

    async def sleep(_: float) -> None:
        asleep.set()
        await asyncio.Event().wait()

    pace._sleep = sleep
    first = asyncio.create_task(call(pace, 500, {}))
    await asleep.wait()
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    pace._sleep = time.sleep
    await call(pace, 500, {})
    assert time.now == START + 40


async def test_a_store_that_cannot_be_used_costs_the_pace_and_not_the_call(
    time: Time, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(MemoryStore):
        def get(self, place: Place, key: str) -> Record | None:
            raise StateUnavailable("The disk is full.")

    await call(pace_of(time, Broken()), 500, LITTLE)
    assert "rate limit is not kept: The disk is full." in caplog.text
