"""The generate interface: a question to SQL, rows and a summary, in the specification's own format."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent

from agent.api.http.context import ANONYMOUS, TraceId
from agent.api.http.errors import describe_errors
from agent.api.http.lazy_service import Lazy
from agent.api.http.streaming import open_stream, while_listening
from agent.api.schemas.generate import (
    GENERATE_EXAMPLE,
    GenerateHealth,
    GenerateRequest,
    GenerateResponse,
    generate_event,
)
from agent.core.events import Event

router = APIRouter(prefix="/api/text2sql")

ERRORS = describe_errors(400, 404, 409, 413, 422, 500, 502, 503, 504)
ANSWERED: dict[int | str, dict[str, Any]] = {200: {"content": {"application/json": {"example": GENERATE_EXAMPLE}}}}


@router.post("/generate", operation_id="generate", summary="Generate SQL", responses=ANSWERED | ERRORS)
async def generate(body: GenerateRequest, lazy: Lazy, request: Request, trace_id: TraceId) -> GenerateResponse:
    """Writes a query for a question, runs it, and summarizes the result in the question's language."""
    service, caller = await lazy.get_for(request)
    answering = service.query(
        body.question, body.connection_id, options=body.options, trace_id=trace_id, principal=caller
    )
    return GenerateResponse.of(await while_listening(request, answering))


async def _open_stream(
    body: GenerateRequest, lazy: Lazy, request: Request, trace_id: TraceId
) -> AsyncIterator[AsyncIterator[ServerSentEvent]]:
    service, caller = await lazy.get_for(request)
    events = service.events(
        body.question,
        body.connection_id,
        options=body.options,
        trace_id=trace_id,
        principal=caller,
        listens=False,  # this interface has no event for the unfinished query
    )
    async with open_stream(events, trace_id, to_unnamed_event) as stream:
        yield stream


@router.post("/generate/stream", operation_id="generate_stream", summary="Generate SQL and stream the steps",
             response_class=EventSourceResponse, responses=ERRORS)  # fmt: skip
async def generate_stream(
    stream: Annotated[AsyncIterator[ServerSentEvent], Depends(_open_stream)],
) -> AsyncIterator[ServerSentEvent]:
    """Answers as server-sent events without names: `start`, `node_complete` for each step, then `done` or `error`.

    The data of each event is an object with `event`, `node` for a step, and `data`. The nodes are entry,
    dialect_resolver, schema_selector, planner, sql_generator, sql_executor, sql_repair, answer_formatter and
    human_review. For `done`, `data` is the response of `POST /api/text2sql/generate`.
    """
    async for event in stream:
        yield event


@router.get("/health", operation_id="generate_health", summary="Check liveness", openapi_extra=ANONYMOUS)
async def health() -> GenerateHealth:
    """Checks that the process responds. It uses no model and no database."""
    return GenerateHealth()


def to_unnamed_event(event: Event) -> ServerSentEvent | None:
    """One event in this interface's form; None if it is not sent."""
    wire = generate_event(event)
    return None if wire is None else ServerSentEvent(raw_data=json.dumps(wire, ensure_ascii=False))
