"""The bodies of the routes for reviews and feedback."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from agent.api.schemas.common import BLANK, FILLED, ExecuteResponse, Text, one_of, with_example
from agent.core.answers import trace_of
from agent.core.events import UsedDocument
from agent.core.fields import Flag
from agent.core.models import take_fields
from agent.databases.registry import Executed
from agent.people.feedback.records import (
    MAX_COMMENT,
    MAX_SQL,
    Decision,
    Feedback,
    Review,
    ReviewedAttempt,
    Settlement,
    Status,
)
from agent.people.feedback.reviews import ReviewDecision, SettledReview
from executors.base import Frozen

TRACE_ID, REVIEW_ID = "^[0-9a-f]{32}$", "^[0-9a-f]{30}$"
ANSWER_ID = "^[0-9a-f]{32}(-[0-9a-f]{16})?$"

Sql = Annotated[Text, Field(max_length=MAX_SQL)]
Comment = Annotated[Text, Field(max_length=MAX_COMMENT, description="Comment for reviewers.")]


class ReviewSummary(Frozen):
    """An answer that a person should check, or has checked.

    id: Id of the review.
    trace_id: The trace id of the answer.
    answer_id: Id of the answer.
    kind: Why the review exists. `attempts`: no attempt was accepted. `feedback`: a caller gave feedback.
    status: `open`, or the decision.
    database: The database that was asked.
    question: The question.
    principal: Who asked.
    created_at: When the review was created, in UTC.
    sql: The query that an approval accepts: the one that the feedback proposes, otherwise the answer's. Empty if there
        is none.
    errors: Why attempts were not accepted.
    """

    id: str
    trace_id: str
    answer_id: str
    kind: str
    status: Status
    database: str
    question: str
    principal: str
    created_at: datetime
    sql: str
    errors: tuple[str, ...] = ()

    @classmethod
    def of(cls, review: Review) -> ReviewSummary:
        """Build the summary of a review."""
        return cls.model_validate(_fields(review, ReviewSummary))


class ReviewDetail(ReviewSummary):
    """A review, with everything that is known about its answer.

    answer: The answer that was given.
    attempts: All attempts, in order.
    documents: Documents that retrieval found. `GET /api/rag/documents` lists them by the same ids.
    follows: Whether the question was a follow-up. Its query then cannot be approved for the question alone.
    feedback: The caller's feedback. Null if there is none.
    settlement: The decision. Null while the review is open.
    may_settle: Whether the caller may decide.
    version: Version of the review. Send it as `If-Match` to refuse a decision on a changed review. Also the ETag.
    """

    answer: str
    attempts: tuple[ReviewedAttempt, ...] = ()
    documents: tuple[UsedDocument, ...] = ()
    follows: bool = False
    feedback: Feedback | None = None
    settlement: Settlement | None = None
    may_settle: bool
    version: str

    @classmethod
    def whole(cls, review: Review, version: str, *, may_settle: bool) -> ReviewDetail:
        """Build the response for a review."""
        return cls.model_validate(_fields(review, ReviewDetail) | {"version": version, "may_settle": may_settle})


def _fields(review: Review, wanted: type[ReviewSummary]) -> dict[str, Any]:
    return take_fields(review, wanted) | {"sql": review.proposed_sql}


class ReviewPage(Frozen):
    """A page of reviews.

    reviews: The reviews, the newest first.
    next_cursor: `cursor` of the next page. Null on the last page.
    """

    reviews: list[ReviewSummary]
    next_cursor: str | None = None

    @classmethod
    def of(cls, reviews: list[Review], cursor: str) -> ReviewPage:
        """Build the response for a page."""
        return cls(reviews=[ReviewSummary.of(review) for review in reviews], next_cursor=cursor or None)


class SettleRequest(Frozen):
    """A decision on a review. Unknown fields are refused."""

    model_config = with_example(
        {"decision": "correct", "sql": "SELECT SUM(amount) AS total FROM orders WHERE status <> 'X'",
         "comment": "Cancelled orders do not count."},
        one_of([
            {"required": ["sql"], "properties": {"decision": {"const": "correct"}, "sql": FILLED}},
            {"properties": {"decision": {"enum": ["approve", "reject"]}, "sql": BLANK}},
        ]),
    )  # fmt: skip

    decision: Decision = Field(description="`approve` the review's `sql`, `correct` it, or `reject` the answer.")
    sql: Sql = Field("", description="For a correction: one SELECT in the database's SQL dialect.")
    comment: Comment = ""
    preview: Flag = Field(False, description="Whether to run the query and return its rows without a decision.")

    @model_validator(mode="after")
    def _is_complete(self) -> SettleRequest:
        if (self.decision == "correct") != bool(self.sql.strip()):
            raise ValueError("`sql` goes with the decision `correct`, and with no other.")
        return self

    def verdict(self) -> ReviewDecision:
        """The decision."""
        return ReviewDecision(self.decision, sql=self.sql, comment=self.comment)


class SettleResponse(Frozen):
    """The review after the decision.

    review: The review.
    rows: The first rows of its query. Null if there is none.
    """

    review: ReviewDetail
    rows: ExecuteResponse | None = None

    @classmethod
    def of(cls, settled: SettledReview) -> SettleResponse:
        """Build the response for a settled review."""
        rows = ExecuteResponse.of(settled.shown) if settled.shown else None
        return cls(review=ReviewDetail.whole(settled.review, settled.version, may_settle=True), rows=rows)


class AnswerRequest(Frozen):
    """A request about an answer."""

    answer_id: Annotated[str, Field(pattern=f"{ANSWER_ID}|^$")] = Field("", description="Id of the answer.")
    trace_id: Annotated[str, Field(pattern=f"{TRACE_ID}|^$")] = Field(
        "",
        description="In place of `answer_id`: the trace id of the answer, if only one of the caller's has it. "
        "Beside it: the trace id of the same answer.",
    )

    @property
    def answer_ref(self) -> str:
        """The id by which the request names the answer. Empty if it names none."""
        return self.answer_id or self.trace_id

    @model_validator(mode="after")
    def _names_one_answer(self) -> Self:
        if self.answer_id and self.trace_id and trace_of(self.answer_id) != self.trace_id:
            raise ValueError("`answer_id` and `trace_id` name different answers. Send the `answer_id` alone.")
        return self


WITH_ANSWER: list[dict[str, Any]] = [
    {"required": [name], "properties": {name: {"type": "string", "pattern": pattern}}}
    for name, pattern in (("answer_id", ANSWER_ID), ("trace_id", TRACE_ID))
]


class FeedbackRequest(AnswerRequest):
    """Feedback on an answer. Unknown fields are refused."""

    model_config = with_example(
        {"answer_id": "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331", "correct": False,
         "corrected_sql": "SELECT SUM(amount) AS total FROM orders WHERE status <> 'X'",
         "comment": "Cancelled orders do not count."},
        {"if": {}, "then": {"anyOf": WITH_ANSWER, "oneOf": [
            {"properties": {"correct": {"const": False}}},
            {"properties": {"correct": {"const": True}, "corrected_sql": BLANK}},
        ]}},
    )  # fmt: skip

    correct: Flag = Field(description="Whether the answer is right.")
    corrected_sql: Sql = Field("", description="For a wrong answer: the right SELECT, if known.")
    comment: Comment = ""

    @model_validator(mode="after")
    def _is_consistent(self) -> FeedbackRequest:
        if not self.answer_ref:
            raise ValueError("Send the `answer_id` of the answer.")
        if self.correct and self.corrected_sql.strip():
            raise ValueError("An answer that is right has no `corrected_sql`; say `correct: false`.")
        return self


class FeedbackResponse(Frozen):
    """The review that holds the feedback.

    trace_id: The trace id of the answer.
    answer_id: Id of the answer.
    review_id: Id of the review.
    status: `open` until a reviewer decides. `approved` at once if a reviewer says that the answer is right.
    rows: The first rows of the corrected query. Null if there is none.
    """

    trace_id: str
    answer_id: str
    review_id: str
    status: Status
    rows: ExecuteResponse | None = None

    @classmethod
    def of(cls, review: Review, shown: Executed | None) -> FeedbackResponse:
        """Build the response for a review with feedback and the rows of its query."""
        rows = ExecuteResponse.of(shown) if shown else None
        return cls(**take_fields(review, cls), review_id=review.id, rows=rows)
