"""Reviews: list, read and settle them. Approved queries become past queries of their questions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from agent.core.callers import ANONYMOUS, LOCAL, is_listed
from agent.core.errors import AlreadySettled, ChangedMeanwhile, ReviewInvalid, UnknownDocument, UnknownReview
from agent.core.resilience.deadline import utc_at
from agent.people.feedback.records import DECIDED, Decision, Review, Settlement, Status
from agent.people.feedback.shelf import StoredReview
from agent.platform.storage.store import StateConflict
from executors.errors import UnknownDatabase
from rag.docs.documents import Document
from rag.docs.past_queries import fold_question

if TYPE_CHECKING:
    from agent.databases.knowledge.documents import AddedDocuments, Documents
    from agent.databases.knowledge.verified_queries import VerifiedQueries
    from agent.databases.registry import Databases, Executed
    from agent.people.feedback.records import AnswerRef
    from agent.people.feedback.shelf import Shelf
    from executors.router import Router


class Reviewers:
    """Decides who may see and settle the reviews of a database.

    `everywhere`: reviewers of all databases, separated by commas. `nobody_is_known`: callers are the local user.
    """

    def __init__(self, router: Router, registered: Databases, *, everywhere: str, nobody_is_known: bool) -> None:
        self._router, self._registered, self._nobody_is_known = router, registered, nobody_is_known
        self._everywhere = tuple(name.strip() for name in everywhere.split(",") if name.strip())

    def admit(self, database: str, principal: str) -> None:
        """Check that a principal may query a database. Raises UnknownDatabase."""
        self._registered.admit(database, principal)

    def databases(self, principal: str) -> tuple[str, ...]:
        """The databases that a principal may query."""
        hidden = self._registered.find_hidden_databases(principal)
        return tuple(name for name in self._router.names() if name not in hidden)

    def may_ask(self, database: str, principal: str) -> bool:
        """Whether a principal may query a database, which must still be in the registry."""
        try:
            self.admit(database, principal)
        except UnknownDatabase:
            return False
        return True

    def may_settle(self, database: str, principal: str) -> bool:
        """Whether a principal may settle the reviews of a database: a reviewer who sees every row of it."""
        if not self.may_ask(database, principal) or not self._registered.sees_all(database, principal):
            return False
        if principal == LOCAL or (principal == ANONYMOUS and self._nobody_is_known):
            return True
        return is_listed(principal, (*self._everywhere, *self._router.entry(database).reviewers))

    def is_somebody(self, principal: str) -> bool:
        """Whether a principal stands for one person. Callers without a name may be many, if others have names."""
        return principal != ANONYMOUS or self._nobody_is_known

    def may_see(self, answer_ref: AnswerRef, principal: str) -> bool:
        """Whether a principal may see an answer: reviewers see all answers, others their own."""
        if self.may_settle(answer_ref.database, principal):
            return True
        return principal != ANONYMOUS and owns(answer_ref, principal) and self.may_ask(answer_ref.database, principal)


def owns(answer_ref: AnswerRef, principal: str) -> bool:
    """Whether an answer is a principal's own. Case is ignored, as in e-mail addresses."""
    return answer_ref.principal.casefold() == principal.casefold()


SOURCE = "review"  # source of approved past queries
SHOWN_ROWS = 50  # rows shown of a query before its approval


class PastPairs:
    """Stores and removes the past queries that result from reviews."""

    def __init__(
        self, registered: Databases, documents: Documents, added: AddedDocuments, verified: VerifiedQueries
    ) -> None:
        self._registered, self._documents, self._added, self._verified = registered, documents, added, verified

    async def run(self, database: str, sql: str, principal: str) -> Executed:
        """The first rows of a query as a principal sees them. Raises as `Databases.execute`."""
        return await self._registered.execute(database, sql, row_limit=SHOWN_ROWS, principal=principal)

    async def publish(self, answer_ref: AnswerRef, sql: str, principal: str) -> str:
        """Store a question's query, replacing those added at run time. Returns the document's id.

        Raises DocumentsInvalid, RetrievalError, DatabaseUnavailable, StateUnavailable.
        """
        new = Document(id="", kind="query", text=answer_ref.question, sql=sql, source=SOURCE)
        (document,) = await self._documents.add(answer_ref.database, [new], principal)
        await self.forget(answer_ref)
        for other in await self._same_question(answer_ref):
            if other.id != document.id:
                await self._remove(answer_ref.database, other.id)
        return document.id

    async def withdraw(self, answer_ref: AnswerRef) -> None:
        """Remove the question's queries, except those of docs files. Raises as `publish`."""
        await self.forget(answer_ref)
        for document in await self._same_question(answer_ref):
            if document.source == SOURCE:
                await self._remove(answer_ref.database, document.id)

    async def forget(self, answer_ref: AnswerRef) -> None:
        """Stop reusing the answer's query. Raises StateUnavailable."""
        await asyncio.to_thread(self._verified.forget, answer_ref.key)

    async def _same_question(self, answer_ref: AnswerRef) -> list[Document]:
        """The past queries added at run time for the same question."""
        documents = await asyncio.to_thread(self._added.of, answer_ref.database)
        wanted = fold_question(answer_ref.question)
        return [
            document for document in documents if document.kind == "query" and fold_question(document.text) == wanted
        ]

    async def _remove(self, database: str, document_id: str) -> None:
        with suppress(UnknownDocument):  # already removed
            await self._documents.remove(database, document_id)


CLAIM_S = 300.0  # time limit of a decision; afterwards the review is open again

_CLAIMED = "Another reviewer is settling this review. Read it again to see the result."
_NO_QUERY = "No query of this answer has given rows, so there is none to approve. Send `correct` with the right SQL."
_FOLLOWS = (
    "This question went on with a chat and says nothing without it, so it can be no past query. Reject the review, or "
    "add the pair with a self-contained question by POST rag/documents."
)


class ReviewDecision(NamedTuple):
    """A reviewer's decision. `sql`: the corrected query."""

    decision: Decision
    sql: str = ""
    comment: str = ""


class SettledReview(NamedTuple):
    """A review after a decision, or unchanged for a preview. `shown`: the first rows of its query, if any."""

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
        """Reviews that a principal may see, newest first, and the next page's cursor. Raises UnknownDatabase."""
        if database:
            self._reviewers.admit(database, principal)
        databases = [database] if database else self._reviewers.databases(principal)

        def is_wanted(review: Review) -> bool:
            return (status is None or review.status == status) and self._reviewers.may_see(review, principal)

        return await asyncio.to_thread(self._shelf.reviews, databases, is_wanted, start=cursor, limit=limit)

    async def get(self, principal: str, review_id: str) -> StoredReview:
        """A review and its version. Raises UnknownReview if it does not exist or the principal may not see it."""
        stored = await asyncio.to_thread(self._shelf.review, review_id)
        if stored is None or not self._reviewers.may_see(stored.review, principal):
            raise UnknownReview(f"There is no review {review_id}. GET /api/reviews lists all reviews.")
        return stored

    async def settle(
        self, principal: str, review_id: str, verdict: ReviewDecision, *, version: str = "", preview: bool = False
    ) -> SettledReview:
        """Decide on an open review. With `preview`, only run the query. An empty `version` matches any.

        Raises UnknownReview; AlreadySettled, ChangedMeanwhile: another reviewer was first; ReviewInvalid,
        DocumentsInvalid, SqlError: the query cannot be stored; RetrievalError, DatabaseUnavailable, OutOfTime: a part
        is unavailable.
        """
        stored = await self.get(principal, review_id)
        review = stored.review
        if not self._reviewers.may_settle(review.database, principal):
            raise UnknownReview(f"There is no review {review_id} that you may settle.")
        if review.status != "open":
            raise AlreadySettled(f"This review was {review.status} already. Nothing was changed.")
        if review.claimed_until > self._shelf.clock():
            raise ChangedMeanwhile(_CLAIMED)
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
            document_id = await self._pairs.publish(claimed.review, sql, principal) if sql else ""
            if not sql:
                await self._pairs.withdraw(claimed.review)
            released = False
        finally:
            if released:  # after any error, so that the next decision need not wait
                await self._replace(claimed, claimed_until=0.0)
        settlement = Settlement(
            by=principal,
            at=utc_at(self._shelf.clock()),
            decision=verdict.decision,
            comment=verdict.comment,
            sql=sql,
            document_id=document_id,
        )
        status = DECIDED[verdict.decision]
        return await self._replace(claimed, status=status, settlement=settlement, claimed_until=0.0)

    async def _replace(self, stored: StoredReview, **changes: object) -> StoredReview:
        review = stored.review.model_copy(update=changes)
        try:
            return await asyncio.to_thread(self._shelf.replace, review, stored.version)
        except StateConflict:
            raise ChangedMeanwhile(_CLAIMED) from None


def _query(review: Review, verdict: ReviewDecision) -> str:
    """The query that a decision stores for the question; empty for a rejection. Raises ReviewInvalid."""
    if verdict.decision == "reject":
        return ""
    if review.follows:
        raise ReviewInvalid(_FOLLOWS)
    sql = (verdict.sql if verdict.decision == "correct" else review.proposed_sql).strip()
    if not sql:
        raise ReviewInvalid(_NO_QUERY)
    return sql
