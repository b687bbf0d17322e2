"""A caller's sessions over HTTP: create and list them, read their answers again, share an answer."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from agent.api.http.lazy_service import Lazy
from agent.api.http.versions import answers, refusals
from agent.api.schemas.chat_sessions import SESSION_ID, NewSessionRequest, SessionList, SessionSummary
from agent.api.schemas.common import ANSWER_EXAMPLE
from agent.api.schemas.reviews import ANSWER_ID
from agent.core.answers import Answer
from agent.people.sessions.shares import Share, Shared

router = APIRouter(prefix="/api")

SessionId = Annotated[str, Path(max_length=200, description="Id of the session.", examples=[SESSION_ID])]
OfAnswer = Annotated[
    str,
    Path(
        pattern=ANSWER_ID,
        description="Id of the answer, from its response or `start` event. A trace id works if only one answer has it.",
        examples=[ANSWER_EXAMPLE["answer_id"]],
    ),
]
Limit = Annotated[int, Query(ge=1, le=200, description="Maximum number of sessions.")]

LINK_ID = "^[0-9a-f]{32}$"
LinkId = Annotated[
    str, Path(pattern=LINK_ID, description="Id of the link.", examples=["9d2f6c0e4b1a4d7f8c3e5a6b7d8e9f01"])
]

_NEW: dict[str, Any] = {
    "session_id": SESSION_ID, "database": "shop", "title": "", "messages": 0,
    "created_at": "2025-03-01T09:30:00Z", "last_activity": "2025-03-01T09:30:00Z",
}  # fmt: skip
_USED = _NEW | {
    "title": "What was our revenue?", "messages": 4, "last_activity": "2025-03-01T09:41:00Z",
}  # fmt: skip


@router.post("/sessions", operation_id="new_session", summary="Create a session", status_code=201,
             responses=answers(_NEW, 400, 404, 413, 422, 500, 503, status=201))  # fmt: skip
async def new_session(body: NewSessionRequest, lazy: Lazy, request: Request) -> SessionSummary:
    """Creates an empty session about one database. Send its id as `session_id` of questions."""
    service, caller = await lazy.get_for(request)
    return SessionSummary.of(await service.start_session(body.database, caller))


@router.get("/sessions", operation_id="sessions", summary="List sessions",
            responses=answers({"sessions": [_USED], "kept_s": 3600.0}, 422, 500, 503))  # fmt: skip
async def sessions(lazy: Lazy, request: Request, limit: Limit = 50) -> SessionList:
    """Returns the caller's sessions that have messages. Empty if callers are anonymous."""
    service, caller = await lazy.get_for(request)
    found = await service.sessions_of(caller, limit)
    return SessionList(sessions=[SessionSummary.of(one) for one in found], kept_s=service.settings.session_timeout_s)


@router.get("/sessions/{session_id}/answers/{answer_id}", operation_id="session_answer",
            summary="Get an earlier answer", responses=answers(ANSWER_EXAMPLE, 404, 422, 500, 503))  # fmt: skip
async def session_answer(session_id: SessionId, answer_id: OfAnswer, lazy: Lazy, request: Request) -> Answer:
    """Returns an earlier answer of a session, with its checks, its chart and its first 200 rows.

    404 also if its database was deleted, or the caller may no longer ask it.
    """
    service, caller = await lazy.get_for(request)
    return await service.get_stored_answer(session_id, answer_id, caller)


_SHARE = {"id": "9d2f6c0e4b1a4d7f8c3e5a6b7d8e9f01", "expires_at": "2025-03-31T09:41:00Z"}
_SHARED = _SHARE | {
    "database": "shop", "question": ANSWER_EXAMPLE["question"], "answer": ANSWER_EXAMPLE,
    "shared_at": "2025-03-01T09:41:00Z",
}  # fmt: skip
_OF_ANSWER = "/sessions/{session_id}/answers/{answer_id}/share"


@router.put(_OF_ANSWER, operation_id="share_answer", summary="Share an answer",
            responses=answers(_SHARE, 404, 422, 500, 503))  # fmt: skip
async def share_answer(session_id: SessionId, answer_id: OfAnswer, lazy: Lazy, request: Request) -> Share:
    """Creates a link to an answer of the caller, or extends an existing link.

    `GET /api/shared/{id}` returns the answer to callers who may ask its database and see the same rows.
    """
    service, caller = await lazy.get_for(request)
    return await service.shares.put(session_id, caller, answer_id)


@router.delete(_OF_ANSWER, operation_id="unshare_answer", summary="Stop sharing an answer", status_code=204,
               responses=refusals(404, 422, 500, 503))  # fmt: skip
async def unshare_answer(session_id: SessionId, answer_id: OfAnswer, lazy: Lazy, request: Request) -> Response:
    """Deletes the link to an answer."""
    service, caller = await lazy.get_for(request)
    await service.shares.remove(session_id, caller, answer_id)
    return Response(status_code=204)


@router.get("/shared/{id}", operation_id="shared_answer", summary="Get a shared answer",
            responses=answers(_SHARED, 403, 404, 422, 500, 503))  # fmt: skip
async def get_shared_answer(id: LinkId, lazy: Lazy, request: Request) -> Shared:  # noqa: A002
    """Returns a shared answer as it was given. No model is called and no query runs."""
    service, caller = await lazy.get_for(request)
    return await service.shares.get(id, caller)
