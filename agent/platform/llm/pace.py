"""A hosted endpoint's rate limits, shared by all processes: a call waits for its turn instead of being refused.

Responses report the rest of the limits (OpenAI, "Rate limits"), which is stored in the state store. A call reserves
what it may need and returns what it did not use.
"""

from __future__ import annotations

import asyncio
import logging
import math
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar

from agent.core.errors import ModelBusy, StateUnavailable
from agent.core.queueing import WAITS, Standing
from agent.platform.storage.store import Place, StateStore, put_after, until_no_conflict
from executors.base import Frozen

KIND, KEY = "rate_limit", "left"
SPAN_S = 60.0  # until a limit is full again, if not reported; limits are per minute
LOOK_S = 1.0  # maximum interval at which a waiting call checks what other processes returned
KEPT_S = 3600.0  # lifetime of a record after its last change
FAILED, TOO_MANY = 400, 429  # lowest status of a failed response; status of too many requests

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)?")
_UNITS = {"ms": 0.001, "s": 1.0, "": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}

log = logging.getLogger(__name__)


class Allowance(Frozen):
    """The rest of one limit. Times are seconds since the epoch.

    limit: the full limit; None if the endpoint does not report it.
    left: the rest at the time `at`.
    until: when it is full again. span_s: seconds from that time to the next one.
    refill: amount restored per second before that; 0 if it is restored all at once.
    """

    limit: float | None
    left: float
    at: float
    until: float
    span_s: float = SPAN_S
    refill: float = 0.0

    def now(self, now: float) -> Allowance:
        """The allowance at the time `now`."""
        if now >= self.until:
            return self.model_copy(update={"left": self.limit or 0.0, "at": now, "until": now + self.span_s})
        back = self.left + self.refill * (now - self.at)
        return self.model_copy(update={"left": back if self.limit is None else min(back, self.limit), "at": now})

    def wait_s(self, need: float) -> float:
        """Seconds until `need` is available. If it exceeds the limit, until the limit is full."""
        need = need if self.limit is None else min(need, self.limit)
        if need <= self.left:
            return 0.0
        return (need - self.left) / self.refill if self.refill else self.until - self.at

    def take(self, amount: float) -> Allowance:
        """The allowance reduced by `amount`. A negative amount is returned to it."""
        left = self.left - amount
        return self.model_copy(update={"left": left if self.limit is None else min(left, self.limit)})


class Limits(Frozen):
    """The rest of an endpoint's two limits; None for a limit that it does not report."""

    requests: Allowance | None = None
    tokens: Allowance | None = None

    def now(self, now: float) -> Limits:
        """The limits at the time `now`."""
        return Limits(requests=_now(self.requests, now), tokens=_now(self.tokens, now))

    def wait_s(self, tokens: float) -> float:
        """Seconds until one request of that many tokens may be sent."""
        return max(
            self.requests.wait_s(1) if self.requests else 0.0,
            self.tokens.wait_s(tokens) if self.tokens else 0.0,
        )

    def take(self, requests: float, tokens: float) -> Limits:
        """The limits reduced by requests and tokens."""
        return Limits(
            requests=self.requests.take(requests) if self.requests else None,
            tokens=self.tokens.take(tokens) if self.tokens else None,
        )

    def least(self, other: Limits) -> Limits:
        """The limits after a response reported `other`. Never more than reported, since others may use the endpoint."""
        return Limits(requests=_least(self.requests, other.requests), tokens=_least(self.tokens, other.tokens))


def limits_in(status: int, headers: Mapping[str, str], now: float) -> Limits:
    """The limits that a response reports in `x-ratelimit-` headers and `retry-after`. After 429, nothing is left."""
    found = {name: _allowance(name, headers, now) for name in ("requests", "tokens")}
    if status == TOO_MANY and not any(found.values()):
        refused_s = seconds_of(headers.get("retry-after", ""))
        wait_s = LOOK_S if refused_s is None else refused_s
        return Limits(requests=Allowance(limit=None, left=0, at=now, until=now + wait_s))
    return Limits(**found)


def seconds_of(text: str) -> float | None:
    """Parse a duration in the forms that endpoints use: `1s`, `6m0s`, `20ms`, `12`; None for anything else."""
    text = text.strip().lower()
    parts = list(_DURATION.finditer(text))
    if not parts or "".join(part[0] for part in parts) != text:
        return None
    return sum(float(part[1]) * _UNITS[part[2] or ""] for part in parts)


def _allowance(name: str, headers: Mapping[str, str], now: float) -> Allowance | None:
    left, limit = _number(headers, f"x-ratelimit-remaining-{name}"), _number(headers, f"x-ratelimit-limit-{name}")
    if left is None:
        return None
    reset_s = seconds_of(headers.get(f"x-ratelimit-reset-{name}", ""))
    until_s = SPAN_S if reset_s is None else reset_s
    refill = 0.0
    if limit and left < limit and reset_s:
        # A continuously refilled bucket is full sooner if more is left. A window ends at a fixed time.
        used, expected_s = limit - left, SPAN_S * (limit - left) / limit
        refill = used / reset_s if abs(expected_s - reset_s) <= max(0.1 * expected_s, 0.05) else 0.0
    span_s = SPAN_S if refill else max(until_s, LOOK_S)
    return Allowance(limit=limit, left=left, at=now, until=now + until_s, span_s=span_s, refill=refill)


def _now(known: Allowance | None, now: float) -> Allowance | None:
    """The allowance at the time `now`; None if it was restored to an unknown limit."""
    if known is None or (known.limit is None and now >= known.until):
        return None
    return known.now(now)


def _number(headers: Mapping[str, str], name: str) -> float | None:
    try:
        value = float(headers.get(name, ""))
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _least(known: Allowance | None, other: Allowance | None) -> Allowance | None:
    if known is None or other is None:
        return other or known
    if not other.refill and other.until - known.until > max(1.0, known.span_s / 10):
        return other  # a report about the next window
    span_s = max(known.span_s, other.span_s) if other.limit == known.limit else other.span_s
    return other.model_copy(update={"left": min(known.left, other.left), "span_s": span_s})


class Call:
    """A request in progress. Args: tokens: number of tokens that it may need."""

    def __init__(self, tokens: int) -> None:
        self.tokens = tokens
        self.spent: int | None = None  # tokens counted by the endpoint; None: unknown
        self.limits: Limits | None = None
        self.paid = False  # whether `tokens` were reserved

    def record(self, status: int, headers: Mapping[str, str]) -> None:
        """Record the limits that a response reports."""
        limits = limits_in(status, headers, time.time())
        if limits != Limits():
            self.limits = limits
        if status >= FAILED:
            self.spent = 0


CALL: ContextVar[Call | None] = ContextVar("call", default=None)


class Pace:
    """Turns for one endpoint's model, shared by all processes of a state store. No call waits over `longest_s`."""

    def __init__(
        self,
        state: StateStore,
        endpoint: str,
        *,
        longest_s: float,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._state, self._place, self._longest_s = state, Place(kind=KIND, partition=endpoint), longest_s
        self._clock, self._sleep = clock, sleep
        self._first = asyncio.Lock()  # the longest-waiting call comes first
        self._waiting = 0
        self._limited: bool | None = None  # whether the endpoint has limits; None: not yet known

    @asynccontextmanager
    async def turn(self, tokens: int) -> AsyncIterator[Call]:
        """Wait for a turn, and record the spent tokens at its end. `tokens`: including the reply. Raises ModelBusy."""
        call = Call(tokens)
        if self._limited is not False:
            await self._wait(call)
        token = CALL.set(call)
        try:
            yield call
        finally:
            CALL.reset(token)
            if call.limits is not None or call.paid:
                await self._change(lambda limits: self._settle(limits, call))

    async def _wait(self, call: Call) -> None:
        began, is_reported = self._clock(), False
        self._waiting += 1
        try:
            async with self._first:
                while wait_s := await self._take(call):
                    waited_s = self._clock() - began
                    if waited_s + wait_s > self._longest_s:
                        raise build_busy(wait_s)
                    tell = WAITS.get()
                    if tell is not None and not is_reported:
                        tell(Standing(length=self._waiting - 1, wait_s=round(wait_s, 1)))
                        is_reported = True
                    await self._sleep(min(wait_s, LOOK_S))
        finally:
            self._waiting -= 1

    async def _take(self, call: Call) -> float:
        """Reserve what the call may need. Returns 0, or the seconds to wait if nothing was reserved."""
        wait_s = 0.0

        def take(limits: Limits) -> Limits | None:
            nonlocal wait_s
            self._limited = limits != Limits()
            wait_s = limits.wait_s(call.tokens)
            return limits.take(1, call.tokens) if self._limited and wait_s <= 0 else None

        call.paid = await self._change(take)
        return wait_s

    def _settle(self, limits: Limits, call: Call) -> Limits:
        if call.paid and call.spent is not None:
            limits = limits.take(0, call.spent - call.tokens)
        self._limited = True
        return limits.least(call.limits) if call.limits is not None else limits

    async def _change(self, change: Callable[[Limits], Limits | None]) -> bool:
        """Change the current limits. Returns whether they changed. If the store fails, calls are not paced."""

        def once() -> bool:
            record, now = self._state.get(self._place, KEY), self._clock()
            known = Limits.model_validate(record.value) if record else Limits()
            limits = change(known.now(now))
            if limits is None:
                return False
            self._state.commit(self._place, [put_after(record, KEY, limits.model_dump(mode="json"), now + KEPT_S)])
            return True

        try:
            return await asyncio.to_thread(until_no_conflict, once, "rate limit")
        except StateUnavailable as error:
            log.warning("The model's rate limit is not kept: %s", error)
            return False


def build_busy(wait_s: float) -> ModelBusy:
    """The error for a rate limit that lasts longer than a question may wait."""
    seconds = max(1, math.ceil(wait_s))
    return ModelBusy(f"The rate limit of the model's endpoint is used up. Try again in {seconds} s.", seconds)
