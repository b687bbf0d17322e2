"""Deadlines: one point in time that all work on a request shares."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

from agent.core.errors import OutOfTime, ShuttingDown

SKEW_S = 60.0  # by which the clocks of two machines may differ


def lies_ahead(moment: float, now: float, most_s: float) -> bool:
    """Whether a moment kept `most_s` ago or less is further ahead than it can be: the clock was set back since."""
    return moment > now + most_s + SKEW_S


def utc_now() -> datetime:
    """Now, in UTC; the one place where a question looks at the clock."""
    return datetime.now(UTC)


_ARRIVED: ContextVar[float | None] = ContextVar("arrived", default=None)  # by the event loop's clock


@contextmanager
def arriving() -> Iterator[None]:
    """A request has arrived: its deadlines count from now, whatever it has to wait for before it can be answered."""
    token = _ARRIVED.set(asyncio.get_running_loop().time())
    try:
        yield
    finally:
        _ARRIVED.reset(token)


def get_arrival_time() -> float:
    """When the request that is answered here arrived, by the event loop's clock; now, where there is none."""
    arrived = _ARRIVED.get()
    return asyncio.get_running_loop().time() if arrived is None else arrived


STOPPED = "This process is being stopped. Ask again in {seconds} s; another one answers, or the same after its restart."
RETRY_AFTER_S = 5


class Deadlines:
    """Those of everything that is being answered. It belongs to one event loop. Args: seconds: that each is away."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._running: set[asyncio.Timeout] = set()
        self._stopped = False

    def new(self, advice: str, seconds: float | None = None) -> Deadline:
        """One that began when its request arrived, or, where `seconds` are given, begins now: nobody waits for it.

        `advice` is for the caller on a timeout; `{seconds}` in it is how long they waited.
        """
        began_at = asyncio.get_running_loop().time() if seconds else get_arrival_time()
        seconds = seconds or self.seconds
        return Deadline(self, began_at + seconds, advice.format(seconds=f"{seconds:g}"))

    def stop(self) -> None:
        """Have them all come now: everything that is being answered ends with ShuttingDown."""
        self._stopped = True
        for timeout in self._running:
            timeout.reschedule(asyncio.get_running_loop().time())

    @asynccontextmanager
    async def enforce(self, ends_at: float, message: str) -> AsyncIterator[None]:
        timeout = asyncio.timeout_at(ends_at)
        try:
            async with timeout:
                self._running.add(timeout)
                try:
                    yield
                finally:
                    self._running.discard(timeout)
        except TimeoutError as error:
            if not timeout.expired():
                raise  # of something else, which should have said what it is
            raise shutting_down() if self._stopped else OutOfTime(message) from error


class Deadline:
    """A moment of the running event loop's monotonic clock, and the message of the error when it comes."""

    def __init__(self, all_: Deadlines, ends_at: float, message: str) -> None:
        self._all, self._ends_at, self._message = all_, ends_at, message

    def enforce(self) -> AbstractAsyncContextManager[None]:
        """A block that is cancelled when the moment comes. Raises OutOfTime, ShuttingDown."""
        return self._all.enforce(self._ends_at, self._message)


def shutting_down() -> ShuttingDown:
    """The error for callers who ask, or wait, while this process ends."""
    return ShuttingDown(STOPPED.format(seconds=RETRY_AFTER_S), RETRY_AFTER_S)
