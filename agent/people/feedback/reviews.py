"""Reviews: listed, shown, and settled by an approval, a correction or a rejection."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from agent.core.errors import AlreadySettled, ChangedMeanwhile, ReviewInvalid, UnknownReview
from agent.people.feedback.records import DECIDED, Decision, Review, Settlement, Status, moment
from agent.people.feedback.shelf import StoredReview
from agent.platform.storage.store import StateConflict

if TYPE_CHECKING:
    from agent.databases.registry import Executed
    from agent.people.feedback.pairs import PastPairs
    from agent.people.feedback.reviewers import Reviewers
    from agent.people.feedback.shelf import Shelf

CLAIM_S = 300.0  # in which a decision that was begun must be through; then the review is open again

_NO_QUERY = "No query of this answer has given rows, so there is none to approve. Send `correct` with the right SQL."
_FOLLOWS = (
    "This question went on with a chat and says nothing without it, so it can be no past query. Reject the review, or "
    "add the pair with a self-contained question by POST rag/documents."
)


class ReviewDecision(NamedTuple):
    """What a reviewer says. `sql`: of a correction."""

    decision: Decision
    sql: str = ""
    comment: str = ""


class SettledReview(NamedTuple):
    """The review after a decision, or as it would have been; `shown`: the first rows of its query, if it has one."""

    review: Review
    version: str
    shown: Executed | None


class Reviews:
    """The reviews of all databases that a principal may see. Every method raises StateUnavailable."""

    def __init__(self, shelf: Shelf, reviewers: Reviewers, pairs: PastPairs) -> None:
        self._shelf, self._reviewers, self._pairs = shelf, reviewers, pairs

    async def page(
        self, principal: str, *, status: Status | None = None, database: str = "", limit: int = 50, cursor: str = ""
    ) -> tuple[Sequence[Review], str]:
        """Reviews that a principal may see, newest first, and the cursor of the next page; empty at the end.

        Reviewers see all of their databases, others their own. Raises UnknownDatabase.
        """
        if database:
            self._reviewers.admit(database, principal)
        databases = [database] if database else self._reviewers.databases(principal)

        def is_wanted(review: Review) -> bool:
            return (status is None or review.status == status) and self._reviewers.may_see(review, principal)

        return await asyncio.to_thread(self._shelf.reviews, databases, is_wanted, start=cursor, limit=limit)

    async def get(self, principal: str, review_id: str) -> StoredReview:
        """A review and its version. Raises UnknownReview where there is none, or it is another principal's."""
        stored = await asyncio.to_thread(self._shelf.review, review_id)
        if stored is None or not self._reviewers.may_see(stored.review, principal):
            raise UnknownReview(f"There is no review {review_id}. GET /api/reviews lists all reviews.")
        return stored

    async def settle(
        self, principal: str, review_id: str, verdict: ReviewDecision, *, version: str = "", preview: bool = False
    ) -> SettledReview:
        """Decide on an open review; with `preview`, run the query and decide nothing.

        An approved or corrected query is run first, then becomes the past query of its question. Two decisions at once
        do not mix: one is made, the other is told. An empty `version` means whichever the review has. Raises
        UnknownReview: there is none, or it is not theirs to settle; AlreadySettled, ChangedMeanwhile: another reviewer
        was first; ReviewInvalid, DocumentsInvalid, SqlRefused, SqlFailed: the query cannot be a past query, and the
        review stays open; RetrievalError, UnknownDatabase, DatabaseUnavailable, OutOfTime: it cannot be settled now.
        """
        stored = await self.get(principal, review_id)
        review = stored.review
        if not self._reviewers.may_settle(review.database, principal):
            raise UnknownReview(f"There is no review {review_id} that you may settle.")
        if review.status != "open":
            raise AlreadySettled(f"This review was {review.status} already. Nothing was changed.")
        if review.claimed_until > self._shelf.clock():
            raise ChangedMeanwhile("Another reviewer is settling this review. Read it again to see the result.")
        if version and version != stored.version:
            raise ChangedMeanwhile("The review has changed since you read it. Read it again, then decide.")
        sql = _query(review, verdict)
        shown = await self._pairs.run(review.database, sql, principal) if sql else None
        if preview:
            return SettledReview(review, stored.version, shown)
        done = await self._decide(stored, principal, verdict, sql)
        return SettledReview(done.review, done.version, shown)

    async def _decide(self, stored: StoredReview, principal: str, verdict: ReviewDecision, sql: str) -> StoredReview:
        claimed = await self._replace(stored, claimed_until=self._shelf.clock() + CLAIM_S)
        released = True
        try:
            document_id = await self._act(claimed.review, sql, principal)
            released = False
        finally:
            if released:  # whatever stopped it: the next decision need not wait
                await self._replace(claimed, claimed_until=0.0)
        settlement = Settlement(
            by=principal,
            at=moment(self._shelf.clock()),
            decision=verdict.decision,
            comment=verdict.comment,
            sql=sql,
            document_id=document_id,
        )
        status = DECIDED[verdict.decision]
        return await self._replace(claimed, status=status, settlement=settlement, claimed_until=0.0)

    async def _act(self, review: Review, sql: str, principal: str) -> str:
        """Do what the decision means for later questions. Returns the id of the past query, if it is one."""
        if sql:
            return await self._pairs.publish(review, sql, principal)
        await self._pairs.withdraw(review)
        return ""

    async def _replace(self, stored: StoredReview, **changes: object) -> StoredReview:
        review = stored.review.model_copy(update=changes)
        try:
            return await asyncio.to_thread(self._shelf.replace, review, stored.version)
        except StateConflict:
            raise ChangedMeanwhile(
                "Another reviewer is settling this review. Read it again to see the result."
            ) from None


def _query(review: Review, verdict: ReviewDecision) -> str:
    """The query that a decision makes the question's; empty for a rejection. Raises ReviewInvalid."""
    if verdict.decision == "reject":
        return ""
    if review.follows:
        raise ReviewInvalid(_FOLLOWS)
    sql = (verdict.sql if verdict.decision == "correct" else review.proposed_sql).strip()
    if not sql:
        raise ReviewInvalid(_NO_QUERY)
    return sql
