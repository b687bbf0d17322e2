"""A question's events as server-sent events; the work ends when the client disconnects."""

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
from agent.core.resilience.tasks import cancel_tasks

Result = TypeVar("Result")


@asynccontextmanager
async def open_stream(
    events: AsyncGenerator[Event, None], trace_id: str, encode: Callable[[Event], ServerSentEvent | None]
) -> AsyncIterator[AsyncIterator[ServerSentEvent]]:
    """The events, once the first has arrived; earlier refusals have their own status. `encode` may omit events.

    A later error becomes an `error` event, because the status is already sent.
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
    except Exception as error:  # noqa: BLE001  the edge: on any error, the caller gets a last event
        yield Failed(problem=problem_for(error, trace_id))


def as_sse(event: Event, left_out: frozenset[str] = NOTHING) -> ServerSentEvent:
    """One event, named, its data a JSON object. Args: left_out: omitted parts of the response."""
    return to_named_event(StreamEvent.of(event, left_out))


def to_named_event(wire: StreamEvent) -> ServerSentEvent:
    """One event, with its own name."""
    return ServerSentEvent(event=wire.event, raw_data=wire.model_dump_json())


async def while_listening(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """The result of `work`, which is cancelled if the caller disconnects. Raises ClientDisconnect, HTTPException."""
    working, leaving = asyncio.create_task(work), asyncio.create_task(_await_disconnect(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            await leaving  # raises if the body is too large, not a disconnect
            raise ClientDisconnect
        return await working
    finally:
        await cancel_tasks(working, leaving)


async def _await_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
