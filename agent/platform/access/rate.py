"""Rate limits for each principal: the generic cell rate algorithm, with one number in the state store.

The number is the time at which all requests so far would have been spread out evenly (the theoretical arrival time of
ATM Forum's Traffic Management 4.0, 4.4.2). It is replaced by version, so processes that share the store share the
limit, and no concurrent request is lost.
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Callable
from hashlib import sha256

from agent.core.deadline import lies_ahead
from agent.core.errors import TooManyRequests
from agent.platform.storage.store import Insert, Place, Replace, StateConflict, StateStore
from executors.base import Frozen

PERIODS_S = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}
KIND, KEY = "rate", "spent"
TOLERANCE = 0.01  # of an interval: thousands of them, added to a time since the epoch, are not exact
ATTEMPTS = 20  # each lost one means that another request of the same principal was counted
MAX_REMEMBERED = 1000  # refused principals

_RATE = re.compile(r"([1-9]\d{0,5}) ?/ ?(second|minute|hour|day)")


class Rate(Frozen):
    """So many requests in so many seconds, all of them at once if nothing was asked before."""

    requests: int
    period_s: int

    @classmethod
    def parse(cls, text: str) -> Rate:
        """The rate of a text such as `60/minute`. Raises ValueError, whose text says how to write it."""
        found = _RATE.fullmatch(text.strip())
        if found is None:
            raise ValueError(f"a rate is written as 60/minute, by {', '.join(PERIODS_S)}; at most 999999")
        return cls(requests=int(found[1]), period_s=PERIODS_S[found[2]])


class RateLimiter:
    """Counts what principals ask, in a store that all processes share, made at the first request. Clocks must agree."""

    def __init__(self, rate: Rate, store: Callable[[], StateStore], clock: Callable[[], float] = time.time) -> None:
        self._rate, self._make_store, self._clock = rate, store, clock
        self._lock = threading.Lock()
        self._store: StateStore | None = None
        self._interval_s = rate.period_s / rate.requests
        self._refused: dict[str, float] = {}  # until when; what is spent never grows less, so nobody need be asked

    def take(self, principal: str) -> None:
        """Count one request. It blocks briefly. Raises TooManyRequests: nothing was counted; StateUnavailable."""
        place = Place(kind=KIND, partition=sha256(principal.casefold().encode()).hexdigest())
        self._refuse_before(self._refused.get(place.partition, 0.0))
        with self._lock:
            store = self._store = self._store or self._make_store()
        for _ in range(ATTEMPTS):
            try:
                self._count(store, place)
            except StateConflict:
                continue
            return
        raise self._too_many(self._interval_s)

    def _count(self, store: StateStore, place: Place) -> None:
        """Read, decide, write; where another process wrote in between, nothing. Raises StateConflict."""
        now = self._clock()
        record = store.get(place, KEY)
        before = record.value["until"] if record else now
        before = float(before) if isinstance(before, int | float) else now
        if lies_ahead(before, now, self._rate.period_s):
            before = now
        spent = max(before, now) + self._interval_s
        allowed_from = spent - self._rate.period_s
        if allowed_from - now > self._interval_s * TOLERANCE:
            self._remember(place.partition, allowed_from)
            self._refuse_before(allowed_from)
        value, key = {"until": spent}, KEY
        change = (
            Replace(key=key, value=value, version=record.version, expires_at=spent)
            if record
            else Insert(key=key, value=value, expires_at=spent)
        )
        store.commit(place, [change])

    def _remember(self, partition: str, until: float) -> None:
        now = self._clock()
        if len(self._refused) >= MAX_REMEMBERED:
            self._refused = {name: over for name, over in self._refused.items() if over > now}
        if len(self._refused) < MAX_REMEMBERED:
            self._refused[partition] = until

    def _refuse_before(self, allowed_from: float) -> None:
        now = self._clock()
        wait_s = allowed_from - now
        if wait_s > self._interval_s * TOLERANCE and not lies_ahead(allowed_from, now, self._rate.period_s):
            raise self._too_many(wait_s)

    def _too_many(self, wait_s: float) -> TooManyRequests:
        seconds = max(1, math.ceil(wait_s))
        rate = f"{self._rate.requests} per {self._rate.period_s} s"
        return TooManyRequests(f"Only {rate} may be sent. Try again in {seconds} s.", seconds)
