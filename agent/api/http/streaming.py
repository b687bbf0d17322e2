"""A question's events as server-sent events; the work ends when nobody listens any more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import aclosing, asynccontextmanager
from typing import Any, TypeVar

from fastapi.sse import ServerSentEvent
from starlette.requests import ClientDisconnect, Request

from agent.api.http.errors import problem_for
from agent.api.schemas.common import NOTHING, StreamEvent
from agent.core.events import Done, Event, Failed

Result = TypeVar("Result")


@asynccontextmanager
async def open_stream(
    events: AsyncGenerator[Event, None], trace_id: str, encode: Callable[[Event], ServerSentEvent | None]
) -> AsyncIterator[AsyncIterator[ServerSentEvent]]:
    """Events, once the first one has arrived: what is refused before has its own status. `encode` may leave some out.

    An error ends them as an `error` event, since the status is already sent.
    """
    async with aclosing(events):
        every = _end_safely(await anext(events), events, trace_id)
        yield (sent async for event in every if (sent := encode(event)) is not None)


async def _end_safely(last: Event, rest: AsyncIterator[Event], trace_id: str) -> AsyncIterator[Event]:
    yield last
    try:
        async for last in rest:
            yield last
        if not isinstance(last, Done | Failed):
            yield Failed(problem=problem_for(AssertionError("the loop ended without a response"), trace_id))
    except Exception as error:  # noqa: BLE001  the edge: whatever it was, the caller is told that no more will come
        yield Failed(problem=problem_for(error, trace_id))


def as_sse(event: Event, left_out: frozenset[str] = NOTHING) -> ServerSentEvent:
    """One event, named, its data a JSON object. Args: left_out: parts of the response that are not sent."""
    return to_named_event(StreamEvent.of(event, left_out))


def to_named_event(wire: StreamEvent) -> ServerSentEvent:
    """One event under its own name."""
    return ServerSentEvent(event=wire.event, raw_data=wire.model_dump_json())


async def while_listening(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """What `work` returns or raises; a caller who hangs up cancels it. Raises ClientDisconnect, HTTPException."""
    working, leaving = asyncio.create_task(work), asyncio.create_task(_await_disconnect(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            await leaving  # which raises where it is not that nobody listens, but that too much is sent
            raise ClientDisconnect
        return await working
    finally:
        for task in (working, leaving):
            task.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _await_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
