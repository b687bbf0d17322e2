"""Deadlines: one point in time, shared by all work on a request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

from agent.core.errors import OutOfTime, ShuttingDown

SKEW_S = 60.0  # how far the clocks of two machines may differ


def lies_ahead(moment: float, now: float, most_s: float) -> bool:
    """Whether a moment stored at most `most_s` ago lies too far in the future: the clock was set back since."""
    return moment > now + most_s + SKEW_S


def utc_now() -> datetime:
    """The current time in UTC. Questions read the clock only here."""
    return datetime.now(UTC)


def utc_at(seconds: float) -> datetime:
    """A time in UTC. Args: seconds: since the epoch."""
    return datetime.fromtimestamp(seconds, UTC)


_ARRIVED: ContextVar[float | None] = ContextVar("arrived", default=None)  # by the event loop's clock


@contextmanager
def arriving() -> Iterator[None]:
    """Mark the arrival of a request: its deadlines count from now, including any wait before it is answered."""
    token = _ARRIVED.set(asyncio.get_running_loop().time())
    try:
        yield
    finally:
        _ARRIVED.reset(token)


def get_arrival_time() -> float:
    """When the current request arrived, by the event loop's clock; the current time if there is no request."""
    arrived = _ARRIVED.get()
    return asyncio.get_running_loop().time() if arrived is None else arrived


STOPPED = "This process is being stopped. Ask again in {seconds} s; another one answers, or the same after its restart."
RETRY_AFTER_S = 5


class Deadlines:
    """The deadlines of all requests in progress. Belongs to one event loop. Args: seconds: time limit of a request."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._running: set[asyncio.Timeout] = set()
        self._stopped = False

    def new(self, advice: str, seconds: float | None = None) -> Deadline:
        """A deadline that counts from the request's arrival or, if `seconds` is given, from now: no caller waits.

        `advice` is the message on a timeout; `{seconds}` in it is replaced by the time limit.
        """
        began_at = asyncio.get_running_loop().time() if seconds else get_arrival_time()
        seconds = seconds or self.seconds
        return Deadline(self, began_at + seconds, advice.format(seconds=f"{seconds:g}"))

    def stop(self) -> None:
        """Expire all deadlines now: every request in progress ends with ShuttingDown."""
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
                raise  # another timeout, which should have been converted where it occurred
            raise shutting_down() if self._stopped else OutOfTime(message) from error


class Deadline:
    """A moment of the event loop's monotonic clock, and the message of the error raised then."""

    def __init__(self, all_: Deadlines, ends_at: float, message: str) -> None:
        self._all, self._ends_at, self._message = all_, ends_at, message

    def enforce(self) -> AbstractAsyncContextManager[None]:
        """A block that is cancelled at the deadline. Raises OutOfTime, ShuttingDown."""
        return self._all.enforce(self._ends_at, self._message)


def shutting_down() -> ShuttingDown:
    """The error for requests that arrive or wait while this process shuts down."""
    return ShuttingDown(STOPPED.format(seconds=RETRY_AFTER_S), RETRY_AFTER_S)
