"""Feedback: what somebody says of an answer that they were given."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from agent.core.errors import ChangedMeanwhile, FeedbackInvalid, UnknownAnswer
from agent.feedback.records import Feedback, Review, moment
from agent.feedback.reviewers import owns
from agent.feedback.reviews import Verdict
from agent.feedback.shelf import KeptAnswer
from agent.storage.store import StateConflict

if TYPE_CHECKING:
    from agent.databases.registry import Executed
    from agent.feedback.pairs import PastPairs
    from agent.feedback.reviewers import Reviewers
    from agent.feedback.reviews import Reviews
    from agent.feedback.shelf import Shelf

TRIES = 5  # where somebody else says something about the same answer at the same moment


class Said(NamedTuple):
    """What somebody says of an answer."""

    correct: bool
    corrected_sql: str = ""
    comment: str = ""


class Taken(NamedTuple):
    """The review that the feedback is in, which a reviewer's may have settled.

    shown: the first rows of the corrected query, if there is one.
    """

    review: Review
    shown: Executed | None


class FeedbackBox:
    """Takes feedback on answers of the last days.

    Args:
        shelf: where answers and reviews are kept.
        reviewers: who may see what.
        pairs: what is known of earlier answers.
        reviews: where approvals are made.
    """

    def __init__(self, shelf: Shelf, reviewers: Reviewers, pairs: PastPairs, reviews: Reviews) -> None:
        self._shelf, self._reviewers, self._pairs, self._reviews = shelf, reviewers, pairs, reviews

    async def give(self, principal: str, trace_id: str, said: Said) -> Taken:
        """Take somebody's word on an answer; it waits for a reviewer, unless a reviewer calls the answer right.

        The query of an answer that is called wrong is not reused from now on. A second word takes the place of the
        first while nobody has settled that.

        Args:
            principal: who was answered, or a reviewer of the database.
            trace_id: of the answer; where several questions were asked in one trace, the last one is meant.
            said: what they say.

        Raises:
            UnknownAnswer: nothing was answered so, or it was somebody else, or too long ago.
            FeedbackInvalid: the answer has no query that could be right.
            SqlRefused, SqlFailed, UnknownDatabase, DatabaseUnavailable, OutOfTime: of the corrected query.
            StateUnavailable: it cannot be kept now.
            RetrievalError, DocumentsInvalid, AlreadySettled, ChangedMeanwhile: of a reviewer's approval.
        """
        found = await self._answer(principal, trace_id)
        answer = found.answer
        if said.correct and not answer.sql:
            raise FeedbackInvalid(
                "This answer has no query that could be right. Say `correct: false`, with the right SQL if you know it."
            )
        sql = said.corrected_sql.strip()
        shown = await self._pairs.run(answer.database, sql, principal) if sql else None
        if not said.correct:
            await self._pairs.forget(answer)
        feedback = Feedback(
            by=principal,
            at=moment(self._shelf.clock()),
            correct=said.correct,
            corrected_sql=sql,
            comment=said.comment,
        )
        review = await asyncio.to_thread(self._file, found, feedback)
        if said.correct and not review.follows and self._reviewers.may_settle(review.database, principal):
            review = (await self._reviews.settle(principal, review.id, Verdict("approve", comment=said.comment))).review
        return Taken(review, shown)

    async def _answer(self, principal: str, trace_id: str) -> KeptAnswer:
        """Their own answer of a trace; for reviewers anybody's. Raises UnknownAnswer."""
        answers = await asyncio.to_thread(self._shelf.answers, trace_id)
        may_see = [
            kept
            for kept in answers
            if (owns(kept.answer, principal) and self._reviewers.may_ask(kept.answer.database, principal))
            or self._reviewers.may_settle(kept.answer.database, principal)
        ]
        if not may_see:
            raise UnknownAnswer(
                f"You were given no answer with the trace_id {trace_id}, or it was too long ago for feedback."
            )
        return max(may_see, key=lambda kept: owns(kept.answer, principal))

    def _file(self, found: KeptAnswer, feedback: Feedback) -> Review:
        """Put feedback into the answer's open review, or into a new one."""
        for _ in range(TRIES):
            try:
                return self._added_to_open(found, feedback) or self._opened(found, feedback)
            except StateConflict:
                answers = self._shelf.answers(found.answer.trace_id)
                found = next((one for one in answers if owns(one.answer, found.answer.principal)), found)
        raise ChangedMeanwhile("Others say something about this answer at the same moment. Try again.")

    def _added_to_open(self, found: KeptAnswer, feedback: Feedback) -> Review | None:
        kept = self._shelf.review(found.answer.review_id) if found.answer.review_id else None
        if kept is None or kept.review.status != "open" or kept.review.claimed_until > self._shelf.clock():
            return None
        return self._shelf.replace(kept.review.model_copy(update={"feedback": feedback}), kept.version).review

    def _opened(self, found: KeptAnswer, feedback: Feedback) -> Review:
        review = Review.of(found.answer, self._shelf.clock(), feedback)
        self._shelf.add(review)
        try:
            self._shelf.link(found, review.id)
        except StateConflict:
            self._shelf.remove(review)
            raise
        return review
