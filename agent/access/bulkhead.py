"""How many questions this process answers at once: what is over that waits, and what is over the queue is refused.

A bulkhead in the sense of Nygard's "Release It!": a flood of questions ends at this wall, and the process goes on
answering the ones behind it, and its health.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from agent.errors import TooBusy

RETRY_AFTER_S = 5


class Bulkhead:
    """Places for questions, and a queue before them.

    Args:
        places: questions at once.
        queue: questions that may wait; as many as are answered, where it is not said.
    """

    def __init__(self, places: int, queue: int | None = None) -> None:
        self._places = asyncio.Semaphore(places)
        self._most = places + (places if queue is None else queue)
        self._inside = 0

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """A place, for as long as the block runs. Raises TooBusy: even the queue is full."""
        if self._inside >= self._most:
            raise TooBusy(f"The service is answering all it can. Try again in {RETRY_AFTER_S} s.", RETRY_AFTER_S)
        self._inside += 1
        try:
            async with self._places:
                yield
        finally:
            self._inside -= 1
