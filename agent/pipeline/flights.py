"""Single flight: equal questions at the same time are answered once, and each caller gets the events.

The term is from Go's `singleflight`. Questions are equal if words, principal, database and options are equal, they are
outside of a session, and they order no change of rows. Nothing is stored beyond the end: a later question is answered
anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Hashable
from contextlib import aclosing

from agent.core.events import Done, Event, Started
from agent.core.models import Question
from agent.core.usage import Usage


def key_of(question: Question) -> Hashable | None:
    """What two questions share that are the same; None for one that is answered by itself."""
    if question.session_id is not None or not question.write_refusal:
        return None
    return question.text, question.database, question.principal, question.audience, question.options


class Flights:
    """What is being answered for everybody who asks for it. It belongs to one event loop."""

    def __init__(self) -> None:
        self._flights: dict[Hashable, _Flight] = {}

    async def events(self, question: Question, answer: Callable[[], AsyncIterator[Event]]) -> AsyncGenerator[Event]:
        """The events of a question; closing the iterator cancels what runs, unless somebody else waits for it, too.

        Who comes second gets them from the first on, with a trace id of their own, and has used no tokens.
        """
        key = key_of(question)
        flight = self._flights.get(key) if key is not None else None
        joined = flight is not None
        if flight is None:
            flight = _Flight(answer)
            if key is not None:
                self._flights[key] = flight
                flight.task.add_done_callback(lambda _: self._land(key, flight))
        try:
            async with aclosing(flight.follow()) as events:
                async for event in events:
                    yield _readdress(event, question) if joined else event
        finally:
            if not flight.followers:
                self._land(key, flight)  # who comes now must not join what is being cancelled
                await flight.cancel()

    def _land(self, key: Hashable, flight: _Flight) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]


class _Flight:
    """One answer on its way. Args: answer: begins it."""

    def __init__(self, answer: Callable[[], AsyncIterator[Event]]) -> None:
        self.followers = 0
        self._events: list[Event] = []
        self._news = asyncio.Event()
        self.task = asyncio.create_task(self._fly(answer()))
        self.task.add_done_callback(lambda _: self._tell())

    async def follow(self) -> AsyncGenerator[Event]:
        """The events from the first on, as they happen. Raises what the answer raises."""
        self.followers += 1
        try:
            at = 0
            while True:
                news = self._news
                while at < len(self._events):
                    at += 1
                    yield self._events[at - 1]
                if self.task.done():
                    await self.task
                    return
                await news.wait()
        finally:
            self.followers -= 1

    async def cancel(self) -> None:
        """End it, and wait until it has ended."""
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)

    async def _fly(self, events: AsyncIterator[Event]) -> None:
        async for event in events:
            self._events.append(event)
            self._tell()

    def _tell(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


def _readdress(event: Event, question: Question) -> Event:
    """An event as it is of somebody else's question."""
    if isinstance(event, Started):
        return event.model_copy(update={"trace_id": question.trace_id})
    if isinstance(event, Done):
        answer = event.answer.model_copy(update={"trace_id": question.trace_id, "usage": Usage()})
        return Done(answer=answer)
    return event
