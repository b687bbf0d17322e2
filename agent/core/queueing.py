"""Queues that report to callers the number of requests ahead and the likely wait."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar

from pydantic import Field

from executors.base import Frozen

FIRST_GUESS_S = 10.0  # duration of a call, before the first has ended
WEIGHT = 0.2  # weight of the latest call in the mean duration


class Standing(Frozen):
    """The state of a queue."""

    length: int = Field(description="Number of requests ahead.")
    wait_s: float = Field(description="Expected wait in seconds, from the duration of recent requests.")


# Called with the state of the queue if a question has to wait. None if there is no listener.
WAITS: ContextVar[Callable[[Standing], None] | None] = ContextVar("waits", default=None)


class Turns:
    """Runs one call at a time. Belongs to one event loop. Args: clock: monotonic clock, in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._lock, self._clock = asyncio.Lock(), clock
        self._mean_s, self._inside = FIRST_GUESS_S, 0
        self._since: float | None = None  # when the call that runs began

    @property
    def standing(self) -> Standing:
        """The queue that another call would join: the number of calls ahead and the expected wait."""
        passed = 0.0 if self._since is None else self._clock() - self._since
        wait_s = self._inside * self._mean_s - min(passed, self._mean_s)
        return Standing(length=self._inside, wait_s=round(max(0.0, wait_s), 1))

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Hold the turn while the block runs. A call that has to wait reports the queue to `WAITS`."""
        tell = WAITS.get()
        if self._inside and tell is not None:
            tell(self.standing)
        self._inside += 1
        try:
            async with self._lock:
                self._since = self._clock()
                try:
                    yield
                    self._mean_s += WEIGHT * (self._clock() - self._since - self._mean_s)  # failed calls do not count
                finally:
                    self._since = None
        finally:
            self._inside -= 1
