"""When something must be over: one moment, that whoever works on it shares."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from agent.errors import OutOfTime


class Deadline:
    """A moment of the running event loop's clock, which nobody sets.

    Args:
        seconds: from now on.
        advice: a sentence for who asked in vain; `{seconds}` in it is how long they waited.
    """

    def __init__(self, seconds: float, advice: str) -> None:
        self._ends_at = asyncio.get_running_loop().time() + seconds
        self._said = advice.format(seconds=f"{seconds:g}")

    @asynccontextmanager
    async def met(self) -> AsyncIterator[None]:
        """A block that is cancelled when the moment comes. Raises OutOfTime."""
        timeout = asyncio.timeout_at(self._ends_at)
        try:
            async with timeout:
                yield
        except TimeoutError as error:
            if not timeout.expired():
                raise  # of something else, which should have said what it is
            raise OutOfTime(self._said) from error
