"""A log of events that several tasks follow while it grows."""

from __future__ import annotations

import asyncio
from typing import Generic, TypeVar

T = TypeVar("T")


class EventLog(Generic[T]):
    """Events in the order in which they happened. Belongs to one event loop."""

    def __init__(self) -> None:
        self.events: list[T] = []
        self._has_ended = False
        self._news = asyncio.Event()  # replaced by each event, so that every follower wakes once

    def add(self, event: T) -> None:
        """Append an event."""
        self.events.append(event)
        self._wake()

    def end(self) -> None:
        """Let followers know that no more events will come."""
        self._has_ended = True
        self._wake()

    async def after(self, number: int) -> list[T]:
        """The events after event `number`, as soon as there is one. Empty if the log has ended without one."""
        while len(self.events) <= number and not self._has_ended:
            await self._news.wait()
        return self.events[number:]

    def _wake(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()
