"""The records of reviews, and of the answers that they are about."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Literal

from pydantic import ConfigDict, Field

from agent.core.events import UsedDocument
from agent.core.models import take_trace_id
from agent.core.resilience.deadline import utc_at
from agent.databases.knowledge.verified_queries import Key
from executors.base import Frozen
from rag.docs.past_queries import fold_question

# Limits of the texts in a record, so that the largest record fits any store in any encoding.
MAX_SQL = 10_000  # a longer query is omitted, not cut
MAX_ATTEMPT_SQL = 5_000
MAX_REASON = 1_000
MAX_TEXT = 5_000
MAX_COMMENT = 2_000
MAX_ATTEMPTS = 11
MAX_DOCUMENTS = 20

_LAST = 16**14 - 1  # microseconds

Status = Literal["open", "approved", "corrected", "rejected"]
Decision = Literal["approve", "correct", "reject"]
DECIDED: dict[Decision, Status] = {"approve": "approved", "correct": "corrected", "reject": "rejected"}


def cut(text: str | None, limit: int) -> str:
    """A text of at most `limit` characters, with an ellipsis if it was cut."""
    text = text or ""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def new_id(now: float) -> str:
    """A new id that sorts before earlier ones, so that records are read newest first."""
    return f"{_LAST - int(now * 1_000_000):014x}{secrets.token_hex(8)}"


class ReviewedAttempt(Frozen):
    """One attempt to answer a question.

    sql: The query of the attempt.
    error: Error message. Empty if the query ran.
    error_type: Class of the error. Empty if the query ran.
    reason: Why the result was accepted or not. Empty if it was not judged.
    correct: Whether the result was accepted. Null if it was not judged.
    row_count: Number of rows. Null if the query did not run.
    """

    sql: str
    error: str = ""
    error_type: str = ""
    reason: str = ""
    correct: bool | None = None
    row_count: int | None = None


class Feedback(Frozen):
    """A caller's feedback on an answer.

    by: The caller.
    at: When the feedback was given, in UTC.
    correct: Whether the caller says that the answer is right.
    corrected_sql: The query that the caller proposes. Empty if there is none.
    comment: The caller's comment. Empty if there is none.
    """

    by: str
    at: datetime
    correct: bool
    corrected_sql: str = ""
    comment: str = ""


class Settlement(Frozen):
    """The decision on a review.

    by: Who decided.
    at: When the review was decided, in UTC.
    decision: The decision.
    comment: The reviewer's comment. Empty if there is none.
    sql: The query that was stored for the question. Empty if none was.
    document_id: Id of the stored query's document. Empty if none was stored.
    """

    by: str
    at: datetime
    decision: Decision
    comment: str = ""
    sql: str = ""
    document_id: str = ""


class AnswerRef(Frozen):
    """Identifies an answer: its ids, its question and its caller. audience: see `Question.audience`.

    sql: the draft; empty if there is none, or it is too long for a past query.
    """

    model_config = ConfigDict(extra="ignore")  # accept records of later versions

    trace_id: str
    answer_id: str = Field(default_factory=take_trace_id)
    question: str
    database: str
    principal: str
    audience: str = ""
    sql: str = ""
    answer: str = ""

    @property
    def key(self) -> Key:
        """The key of its verified query."""
        return Key(self.database, self.audience, fold_question(self.question))


class AnswerRecord(AnswerRef):
    """The record of an answer. follows: see `Review`; review_id: id of its review; empty without one."""

    verified: bool = False
    follows: bool = False
    documents: tuple[UsedDocument, ...] = ()
    attempts: tuple[ReviewedAttempt, ...] = ()
    review_id: str = ""


class Review(AnswerRef):
    """An answer that a person should check. kind: the reason: `attempts` ran out, or `feedback` was given.

    follows: it depends on earlier messages of its chat. errors: why attempts were not
    accepted. claimed_until: seconds since the epoch until which a reviewer is settling it.
    """

    id: str
    kind: Literal["attempts", "feedback"]
    created_at: datetime
    status: Status = "open"
    follows: bool = False
    attempts: tuple[ReviewedAttempt, ...] = ()
    errors: tuple[str, ...] = ()
    documents: tuple[UsedDocument, ...] = ()
    feedback: Feedback | None = None
    settlement: Settlement | None = None
    claimed_until: float = 0

    @property
    def proposed_sql(self) -> str:
        """The query to approve: the feedback's, else the answer's; empty if there is none."""
        return (self.feedback.corrected_sql if self.feedback else "") or self.sql

    @classmethod
    def of(cls, answer: AnswerRecord, now: float, feedback: Feedback | None = None) -> Review:
        """A new review of an answer. Args: now: seconds since the epoch."""
        reasons = (attempt.error or attempt.reason for attempt in answer.attempts if attempt.correct is not True)
        return cls(
            **answer.model_dump(exclude={"review_id", "verified"}),
            id=new_id(now),
            kind="feedback" if feedback else "attempts",
            created_at=utc_at(now),
            errors=tuple(dict.fromkeys(reason for reason in reasons if reason)),
            feedback=feedback,
        )
