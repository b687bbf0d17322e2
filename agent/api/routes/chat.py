"""Chat sessions over HTTP: start, send messages, read and end. The schemas are those of the specification."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request, Response
from fastapi.responses import JSONResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent

from agent import __version__
from agent.api.http.context import TraceId
from agent.api.http.errors import describe_errors
from agent.api.http.lazy_service import Lazy
from agent.api.http.streaming import open_stream, to_named_event, while_listening
from agent.api.schemas.chat import (
    CHAT_EXAMPLE,
    CLARIFICATION_EXAMPLE,
    ERROR_EXAMPLE,
    ChatHealth,
    ChatRequest,
    ChatResponse,
    chat_event,
)
from agent.api.schemas.chat_sessions import (
    SESSION_EXAMPLE,
    SESSION_ID,
    SessionEnded,
    SessionResponse,
    StartSessionRequest,
    StartSessionResponse,
)
from agent.core.events import Event
from agent.pipeline.service import Service
from agent.understanding.messages.overview import Overview, overview

router = APIRouter(prefix="/api/agents/text-to-sql")

START_ERRORS = describe_errors(400, 404, 413, 422, 500, 503)
CHAT_ERRORS = describe_errors(400, 404, 409, 413, 422, 500, 502, 503, 504)
SESSION_ERRORS = describe_errors(404, 422, 500, 503)
_ANSWERS = {
    "success": {"value": CHAT_EXAMPLE},
    "clarification_needed": {"value": CLARIFICATION_EXAMPLE},
    "error": {"value": ERROR_EXAMPLE},
}
ANSWERED: dict[int | str, dict[str, Any]] = {200: {"content": {"application/json": {"examples": _ANSWERS}}}}
SHOWN: dict[int | str, dict[str, Any]] = {200: {"content": {"application/json": {"example": SESSION_EXAMPLE}}}}

SessionId = Annotated[str, Path(max_length=200, description="Id of the session.", examples=[SESSION_ID])]


@router.post("/start-session", operation_id="start_session", summary="Start a chat", responses=START_ERRORS)
async def start_session(body: StartSessionRequest, lazy: Lazy, request: Request) -> StartSessionResponse:
    """Starts a session about one database, and returns its schema and sample questions. No model is called.

    The schema is that of the main table: the one with the most links to others, or the largest. If there are several
    tables, `schema.tables` has all of them.
    """
    service, caller = await lazy.get_for(request)
    found = await while_listening(request, _overview(service, body.name, caller))
    return StartSessionResponse.of(await service.start_session(body.name, caller), found)


async def _next_turn(body: ChatRequest, lazy: Lazy, request: Request, trace_id: str) -> tuple[Service, dict[str, Any]]:
    """The service, and its arguments for the next message of a session that the caller may use."""
    service, caller = await lazy.get_for(request)
    session = await service.session(body.session_id, caller)
    return service, {
        "text": body.message,
        "database": session.database,
        "session_id": session.id,
        "options": body.request_options,
        "trace_id": trace_id,
        "principal": caller,
    }


@router.post("/chat", operation_id="chat", summary="Send a chat message", response_model=ChatResponse,
             responses=ANSWERED | CHAT_ERRORS)  # fmt: skip
async def chat(body: ChatRequest, lazy: Lazy, request: Request, trace_id: TraceId) -> ChatResponse | Response:
    """Answers the next message of a session. A follow-up is completed from earlier messages first.

    Messages of one session are answered one at a time.
    """
    service, arguments = await _next_turn(body, lazy, request, trace_id)
    work = service.query(**arguments)
    answer = ChatResponse.of(await while_listening(request, work))
    return JSONResponse(answer.wire(body.omitted_parts)) if body.omitted_parts else answer


async def _open_stream(
    body: ChatRequest, lazy: Lazy, request: Request, trace_id: TraceId
) -> AsyncIterator[AsyncIterator[ServerSentEvent]]:
    service, arguments = await _next_turn(body, lazy, request, trace_id)

    def encode(event: Event) -> ServerSentEvent:
        return to_named_event(chat_event(event, body.omitted_parts))

    async with open_stream(service.events(**arguments), trace_id, encode) as stream:
        yield stream


Stream = Annotated[AsyncIterator[ServerSentEvent], Depends(_open_stream)]


@router.post("/chat/stream", operation_id="chat_stream", summary="Send a chat message and stream the steps",
             response_class=EventSourceResponse, responses=CHAT_ERRORS)  # fmt: skip
async def chat_stream(stream: Stream) -> AsyncIterator[ServerSentEvent]:
    """Answers the next message as server-sent events, the same as those of `POST /api/query/stream`.

    For `done`, `data` is the response of `POST /api/agents/text-to-sql/chat`.
    """
    async for event in stream:
        yield event


@router.get("/session/{session_id}", operation_id="session", summary="Get a chat", responses=SHOWN | SESSION_ERRORS)
async def session(session_id: SessionId, lazy: Lazy, request: Request) -> SessionResponse:
    """Returns a session with all its messages and the schema of its database."""
    service, caller = await lazy.get_for(request)
    found = await service.session(session_id, caller, whole=True)
    return SessionResponse.of(found, await while_listening(request, _overview(service, found.database, caller)))


async def _overview(service: Service, name: str, principal: str) -> Overview:
    database = await service.databases.get(name, principal)
    return await overview(database, (await service.looks.of(database)).questions)


@router.delete("/session/{session_id}", operation_id="end_session", summary="Delete a chat", responses=SESSION_ERRORS)
async def end_session(session_id: SessionId, lazy: Lazy, request: Request) -> SessionEnded:
    """Deletes a session with all its messages."""
    service, caller = await lazy.get_for(request)
    await service.end_session(session_id, caller)
    return SessionEnded(message=f"Session {session_id} ended successfully")


@router.get("/health", operation_id="chat_health", summary="Check the chat service",
            responses=describe_errors(500, 503))  # fmt: skip
async def health(lazy: Lazy) -> ChatHealth:
    """Checks that sessions can be read, and counts them."""
    service = await lazy.get()
    return ChatHealth(version=__version__, active_sessions=await service.active_sessions())
