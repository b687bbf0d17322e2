"""Deadlines: one moment, shared by all who work on a request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime

from agent.core.errors import OutOfTime, ShuttingDown

SKEW_S = 60.0  # by which the clocks of two machines may differ


def lies_ahead(moment: float, now: float, most_s: float) -> bool:
    """Whether a kept moment is further ahead than anybody can have put it: the clock was set back meanwhile.

    Args:
        moment, now: seconds since the epoch.
        most_s: seconds, from the time at which it was kept.
    """
    return moment > now + most_s + SKEW_S


def utc_now() -> datetime:
    """Now, in UTC; the one place where a question looks at the clock."""
    return datetime.now(UTC)


STOPPED = "This process is being stopped. Ask again in {seconds} s; another one answers, or the same after its restart."
RETRY_AFTER_S = 5


class Deadlines:
    """Those of everything that is being answered. It belongs to one event loop. Args: seconds: that each is away."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._running: set[asyncio.Timeout] = set()
        self._stopped = False

    def new(self, advice: str, seconds: float | None = None) -> Deadline:
        """One that begins now.

        Args:
            advice: for the caller on a timeout; `{seconds}` in it is how long they waited.
            seconds: where it is not as far away as the others.
        """
        seconds = seconds or self.seconds
        return Deadline(self, seconds, advice.format(seconds=f"{seconds:g}"))

    def stop(self) -> None:
        """Have them all come now: everything that is being answered ends with ShuttingDown."""
        self._stopped = True
        for timeout in self._running:
            timeout.reschedule(asyncio.get_running_loop().time())

    @asynccontextmanager
    async def met(self, ends_at: float, message: str) -> AsyncIterator[None]:
        """See `Deadline.met`."""
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
    """A moment of the running event loop's monotonic clock.

    Args:
        all_: that it is one of.
        seconds: from now on.
        message: of the error on a timeout.
    """

    def __init__(self, all_: Deadlines, seconds: float, message: str) -> None:
        self._all, self._message = all_, message
        self._ends_at = asyncio.get_running_loop().time() + seconds

    def met(self) -> AbstractAsyncContextManager[None]:
        """A block that is cancelled when the moment comes. Raises OutOfTime, ShuttingDown."""
        return self._all.met(self._ends_at, self._message)


def shutting_down() -> ShuttingDown:
    """The error for callers who ask, or wait, while this process ends."""
    return ShuttingDown(STOPPED.format(seconds=RETRY_AFTER_S), RETRY_AFTER_S)
