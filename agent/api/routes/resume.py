"""`GET` and `DELETE /api/query/stream/{trace_id}`: resume or cancel a stream whose connection was lost."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent

from agent.api.http.lazy_service import Lazy
from agent.api.http.replay import Replays
from agent.api.http.versions import refusals
from agent.api.schemas.reviews import TRACE_ID

router = APIRouter(prefix="/api")

EXAMPLE_ID = "0af7651916cd43dd8448eb211c80319c"
Resumable = Annotated[
    bool,
    Query(
        description="Whether the stream can be resumed for a minute after the connection is lost. Events then have ids."
    ),
]
OfTrace = Annotated[
    str, Path(pattern=TRACE_ID, description="The stream's trace id, from its `start` event.", examples=[EXAMPLE_ID])
]
LastEventId = Annotated[
    str,
    Header(pattern="^[0-9]{0,9}$", description="Id of the last event received. Default: send all events."),
]


def replays_of(request: Request) -> Replays:
    """The resumable questions of this process."""
    replays: Replays = request.app.state.replays
    return replays


Known = Annotated[Replays, Depends(replays_of)]


async def _resume(
    trace_id: OfTrace, lazy: Lazy, request: Request, replays: Known, last_event_id: LastEventId = ""
) -> AsyncIterator[ServerSentEvent]:
    _, caller = await lazy.get_for(request)
    return replays.listen(replays.get(trace_id, caller), caller, int(last_event_id or 0))


@router.get(
    "/query/stream/{trace_id}",
    operation_id="resume_stream",
    summary="Resume a stream",
    response_class=EventSourceResponse,
    responses=refusals(404, 422, 500, 503),
)
async def resume_stream(
    stream: Annotated[AsyncIterator[ServerSentEvent], Depends(_resume)],
) -> AsyncIterator[ServerSentEvent]:
    """Continues a stream that was opened with `resumable=true`, from the event after `Last-Event-ID`.

    Only the process that answers the question has its events. Another process returns 404, and so does a question that
    ended more than a minute ago. The answer is then in its session.
    """
    async for event in stream:
        yield event


@router.delete(
    "/query/stream/{trace_id}",
    operation_id="end_stream",
    summary="Cancel a question",
    status_code=204,
    responses=refusals(404, 422, 500, 503),
)
async def end_stream(trace_id: OfTrace, lazy: Lazy, request: Request, replays: Known) -> Response:
    """Cancels a question that was asked with `resumable=true`, at once."""
    _, caller = await lazy.get_for(request)
    await replays.end(trace_id, caller)
    return Response(status_code=204)
