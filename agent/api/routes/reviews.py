"""Reviews and feedback over HTTP: what users report about answers, and how reviewers settle it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from agent.api.http.lazy_service import Lazy
from agent.api.http.streaming import while_listening
from agent.api.http.versions import IfMatch, answers, tag, version_of
from agent.api.schemas.common import Name
from agent.api.schemas.reviews import (
    REVIEW_ID,
    FeedbackRequest,
    FeedbackResponse,
    ReviewDetail,
    ReviewPage,
    SettleRequest,
    SettleResponse,
)
from agent.people.feedback.records import Status

router = APIRouter(prefix="/api")

EXAMPLE_ID = "f9b1c9a2d3e4f5a6b7c8d9e0f1a2b3"
CHANGING_ERRORS = (400, 404, 409, 413, 422, 500, 503, 504)

ReviewId = Annotated[
    str, Path(pattern=REVIEW_ID, description="Id of the review: `review_id` of an answer.", examples=[EXAMPLE_ID])
]
OfStatus = Annotated[Status | None, Query(description="Return only reviews with this status. Default: all.")]
OfDatabase = Annotated[Name, Query(description="Return only reviews of this database. Default: all.")]
Limit = Annotated[int, Query(ge=1, le=200, description="Maximum number of reviews.")]
Cursor = Annotated[
    str, Query(pattern=f"{REVIEW_ID}|^$", description="`next_cursor` of the previous page. Default: the first page.")
]

_SUMMARY = {
    "id": EXAMPLE_ID,
    "trace_id": "0af7651916cd43dd8448eb211c80319c",
    "answer_id": "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
    "kind": "attempts",
    "status": "open",
    "database": "shop",
    "question": "What was our revenue?",
    "principal": "ada@example.org",
    "created_at": "2025-03-01T09:30:00Z",
    "sql": "SELECT SUM(amount) AS total FROM orders",
    "errors": ["Cancelled orders are counted."],
}
_ATTEMPT = {
    "sql": "SELECT SUM(amount) AS total FROM orders", "error": "", "error_type": "",
    "reason": "Cancelled orders are counted.", "correct": False, "row_count": 1,
}  # fmt: skip
_DETAIL = _SUMMARY | {
    "answer": "Revenue was 460.5.", "attempts": [_ATTEMPT], "follows": False, "feedback": None, "settlement": None,
    "documents": [{"id": "5f2c1e", "kind": "rule", "source": "shop.md"}], "may_settle": True, "version": "8d1f",
}  # fmt: skip
_ROWS = {
    "columns": ["total"], "rows": [[420.5]], "row_count": 1, "truncated": False, "elapsed_ms": 1.2,
    "sql": "SELECT SUM(amount) AS total FROM orders WHERE status <> 'X' LIMIT 50",
}  # fmt: skip
_SETTLED = _DETAIL | {
    "status": "corrected",
    "settlement": {
        "by": "bo@example.org", "at": "2025-03-01T10:00:00Z", "decision": "correct",
        "comment": "Cancelled orders do not count.", "document_id": "91ab",
        "sql": "SELECT SUM(amount) AS total FROM orders WHERE status <> 'X'",
    },
}  # fmt: skip
_CONFLICT = "Already settled, changed since it was read, or not a SELECT"
_FEEDBACK = {
    "trace_id": _SUMMARY["trace_id"], "answer_id": _SUMMARY["answer_id"], "review_id": _SUMMARY["id"],
    "status": "open", "rows": None,
}  # fmt: skip


@router.get("/reviews", operation_id="reviews", summary="List reviews",
            responses=answers({"reviews": [_SUMMARY], "next_cursor": None}, 404, 422, 500, 503))  # fmt: skip
async def reviews(
    lazy: Lazy,
    request: Request,
    status: OfStatus = None,
    database: OfDatabase = "",
    limit: Limit = 50,
    cursor: Cursor = "",
) -> ReviewPage:
    """Returns answers to review, the newest first. Reviewers see all reviews of their databases, others their own."""
    service, caller = await lazy.get_for(request)
    found, following = await service.people.reviews.page(
        caller, status=status, database=database, limit=limit, cursor=cursor
    )
    return ReviewPage.of(list(found), following)


@router.get("/reviews/{id}", operation_id="review", summary="Get a review",
            responses=answers(_DETAIL, 404, 422, 500, 503))  # fmt: skip
async def review(id: ReviewId, lazy: Lazy, request: Request, response: Response) -> ReviewDetail:  # noqa: A002
    """Returns a review: the question, the attempts, why they were not accepted, and the decision."""
    service, caller = await lazy.get_for(request)
    stored = await service.people.reviews.get(caller, id)
    tag(response, stored.version)
    may_settle = service.people.reviewers.may_settle(stored.review.database, caller)
    return ReviewDetail.whole(stored.review, stored.version, may_settle=may_settle)


@router.post("/reviews/{id}", operation_id="settle_review", summary="Settle a review",
             responses=answers({"review": _SETTLED, "rows": _ROWS}, *CHANGING_ERRORS, conflict=_CONFLICT))  # fmt: skip
async def settle_review(
    id: ReviewId,  # noqa: A002
    body: SettleRequest,
    lazy: Lazy,
    request: Request,
    response: Response,
    if_match: IfMatch = "",
) -> SettleResponse:
    """Approves, corrects or rejects. An approved or corrected query is run and then stored for its question.

    The stored query answers the same question again and helps with similar ones. If the query is refused or fails, the
    problem document says why, with a hint, and the review stays open.
    """
    service, caller = await lazy.get_for(request)
    work = service.people.reviews.settle(caller, id, body.verdict(), version=version_of(if_match), preview=body.preview)
    settled = await while_listening(request, work)
    tag(response, settled.version)
    return SettleResponse.of(settled)


@router.post("/feedback", operation_id="feedback", summary="Give feedback on an answer",
             responses=answers(_FEEDBACK, *CHANGING_ERRORS, conflict=_CONFLICT))  # fmt: skip
async def feedback(body: FeedbackRequest, lazy: Lazy, request: Request) -> FeedbackResponse:
    """Stores feedback on an answer of the last days. Later feedback replaces earlier feedback.

    The query of a wrong answer is not reused. An answer marked as right waits for a reviewer, unless the caller is one.
    """
    service, caller = await lazy.get_for(request)
    work = service.people.feedback.give(
        caller, body.answer_ref, correct=body.correct, corrected_sql=body.corrected_sql, comment=body.comment
    )
    return FeedbackResponse.of(*await while_listening(request, work))
