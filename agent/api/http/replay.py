"""Streams that outlive their connection: a reconnecting client gets the missed events, then the live ones.

This process keeps a question's events while it runs and for `LINGER_S` afterwards. Other processes cannot resume it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from fastapi.sse import ServerSentEvent

from agent.api.http.errors import http_problem, problem_for
from agent.api.http.streaming import as_sse
from agent.api.schemas.common import NOTHING
from agent.core.answers import take_only, trace_of
from agent.core.events import Done, Event, Failed
from agent.core.problems import TYPE_PREFIX, Problem
from agent.core.resilience.deadline import shutting_down
from agent.core.resilience.event_log import EventLog
from agent.core.resilience.tasks import cancel_tasks

ENDED = {
    "type": f"{TYPE_PREFIX}question-ended",
    "title": "The question was ended",
    "detail": "This question ended before it had an answer. Ask it again.",
}
LINGER_S = 60.0  # how long a question continues without a listener, and its events are kept after its end


class Replay:
    """One question's events, numbered from 1. They are drained even without a listener."""

    def __init__(self, events: AsyncGenerator[Event, None], answer_id: str, left_out: frozenset[str] = NOTHING) -> None:
        self.answer_id, self.trace_id, self.left_out = answer_id, trace_of(answer_id), left_out
        self.listeners = 0
        self._log = EventLog[Event]()
        self._error: Exception | None = None
        self._stopped = http_problem(409, self.trace_id, **ENDED)  # sent to listeners if the task is cancelled
        self._task = asyncio.create_task(self._drain(events))
        self._task.add_done_callback(lambda _: self._log.end())

    async def wait_until_begun(self) -> None:
        """Wait for the first event. Raises the error if the question was refused before it."""
        if not await self._log.after(0) and self._error is not None:
            raise self._error

    async def after(self, number: int) -> AsyncIterator[tuple[int, Event]]:
        """The events after event `number`, up to the last one."""
        while events := await self._log.after(number):
            for event in events:
                number += 1
                yield number, event

    async def stop(self, problem: Problem | None = None) -> None:
        """End the question. Listeners get the problem, or by default `ENDED`, as the last event."""
        self._stopped = problem or self._stopped
        await cancel_tasks(self._task)

    async def _drain(self, events: AsyncGenerator[Event, None]) -> None:
        try:
            async with aclosing(events):
                async for event in events:
                    self._log.add(event)
            if not self._is_complete:
                self._fail(AssertionError("the loop ended without a response"))
        except Exception as error:  # noqa: BLE001  the edge: the caller gets the error, now or as the last event
            self._fail(error)
        except asyncio.CancelledError:
            if not self._is_complete:
                self._log.add(Failed(problem=self._stopped))
            raise

    @property
    def _is_complete(self) -> bool:
        return bool(self._log.events) and isinstance(self._log.events[-1], Done | Failed)

    def _fail(self, error: Exception) -> None:
        self._error = error
        if self._log.events and not self._is_complete:
            self._log.add(Failed(problem=problem_for(error, self.trace_id)))


class Replays:
    """The resumable questions of this process. Args: linger_s: see `LINGER_S`."""

    def __init__(self, linger_s: float = LINGER_S) -> None:
        self._linger_s = linger_s
        self._known: dict[tuple[str, str], Replay] = {}
        self._leaving: dict[tuple[str, str], asyncio.Task[None]] = {}

    async def begin(
        self, events: AsyncGenerator[Event, None], answer_id: str, principal: str, left_out: frozenset[str] = NOTHING
    ) -> Replay:
        """Register a question and wait for its first event. Raises the error if it was refused."""
        replay = Replay(events, answer_id, left_out)
        await replay.wait_until_begun()
        key = answer_id, principal
        self._known[key] = replay
        self._leave(key, replay)  # the caller may already have disconnected
        return replay

    def get(self, answer_id: str, principal: str) -> Replay:
        """A principal's own question, by the id of its answer, or by a trace id that no other one has.

        Raises UnknownAnswer.
        """
        mine = (replay for (_, owner), replay in self._known.items() if owner == principal)
        found = [replay for replay in mine if answer_id in (replay.answer_id, replay.trace_id)]
        missing = "No question with this id is in progress here. Its answer may be in its session."
        return take_only(found, answer_id, missing)

    async def listen(self, replay: Replay, principal: str, after: int) -> AsyncIterator[ServerSentEvent]:
        """The numbered events for one listener. After the last one leaves, the question continues for `linger_s`."""
        key = replay.answer_id, principal
        replay.listeners += 1
        if leaving := self._leaving.pop(key, None):
            leaving.cancel()
        try:
            async for number, event in replay.after(after):
                sent = as_sse(event, replay.left_out)
                yield sent.model_copy(update={"id": str(number)})
        finally:
            replay.listeners -= 1
            if not replay.listeners and self._known.get(key) is replay:
                self._leave(key, replay)

    async def end(self, answer_id: str, principal: str) -> None:
        """End a principal's own question. Raises as `get`."""
        replay = self.get(answer_id, principal)
        self._drop((replay.answer_id, principal), replay)
        await replay.stop()

    async def close(self) -> None:
        """End all questions."""
        leaving, self._leaving = list(self._leaving.values()), {}
        known, self._known = list(self._known.values()), {}
        await cancel_tasks(*leaving)
        await asyncio.gather(*(it.stop(problem_for(shutting_down(), it.trace_id)) for it in known))

    def _leave(self, key: tuple[str, str], replay: Replay) -> None:
        if before := self._leaving.pop(key, None):
            before.cancel()
        self._leaving[key] = asyncio.create_task(self._forget(key, replay))

    async def _forget(self, key: tuple[str, str], replay: Replay) -> None:
        await asyncio.sleep(self._linger_s)
        self._drop(key, replay)
        await replay.stop()

    def _drop(self, key: tuple[str, str], replay: Replay) -> None:
        if self._known.get(key) is replay:
            del self._known[key]
            leaving = self._leaving.pop(key, None)
            if leaving is not None and leaving is not asyncio.current_task():
                leaving.cancel()
