"""Feedback of a caller on an answer."""

from __future__ import annotations

import asyncio

from agent.core.answers import take_only
from agent.core.errors import ChangedMeanwhile, FeedbackInvalid
from agent.core.resilience.deadline import utc_at
from agent.databases.registry import Executed
from agent.people.feedback.records import Feedback, Review
from agent.people.feedback.reviews import PastPairs, ReviewDecision, Reviewers, Reviews, owns
from agent.people.feedback.shelf import Shelf, StoredAnswer
from agent.platform.storage.store import StateConflict

TRIES = 5  # if others give feedback on the same answer at the same time


class FeedbackBox:
    """Accepts feedback on recent answers."""

    def __init__(self, shelf: Shelf, reviewers: Reviewers, pairs: PastPairs, reviews: Reviews) -> None:
        self._shelf, self._reviewers, self._pairs, self._reviews = shelf, reviewers, pairs, reviews

    async def give(
        self, principal: str, answer_id: str, *, correct: bool, corrected_sql: str = "", comment: str = ""
    ) -> tuple[Review, Executed | None]:
        """Store feedback on an answer. It waits for a reviewer, unless a reviewer confirms the answer.

        Returns the review with the feedback, and the first rows of the corrected query, if there is one. If the answer
        is reported as wrong, its query is no longer reused. Later feedback replaces earlier feedback until it is
        settled. A trace id stands for its answer, if it has one. Raises UnknownAnswer if the answer does not exist, is
        another principal's or is too old; FeedbackInvalid if it has no query that could be right; StateUnavailable; for
        the corrected query as `PastPairs.run`; for a reviewer's approval as `Reviews.settle`.
        """
        found = await self._answer(principal, answer_id)
        answer = found.answer
        if correct and not answer.sql:
            raise FeedbackInvalid(
                "This answer has no query that could be right. Say `correct: false`, with the right SQL if you know it."
            )
        sql = corrected_sql.strip()
        shown = await self._pairs.run(answer.database, sql, principal) if sql else None
        if not correct:
            await self._pairs.forget(answer)
        at = utc_at(self._shelf.clock())
        feedback = Feedback(by=principal, at=at, correct=correct, corrected_sql=sql, comment=comment)
        review = await asyncio.to_thread(self._file, found, feedback)
        if correct and not review.follows and self._reviewers.may_settle(review.database, principal):
            approval = ReviewDecision("approve", comment=comment)
            review = (await self._reviews.settle(principal, review.id, approval)).review
        return review, shown

    async def _answer(self, principal: str, answer_id: str) -> StoredAnswer:
        """The principal's own answer with an id, or any answer for reviewers. Raises UnknownAnswer."""
        answers = await asyncio.to_thread(self._shelf.answers, answer_id)
        may_see = [
            stored
            for stored in answers
            if (owns(stored.answer, principal) and self._reviewers.may_ask(stored.answer.database, principal))
            or self._reviewers.may_settle(stored.answer.database, principal)
        ]
        own = [stored for stored in may_see if owns(stored.answer, principal)]
        return take_only(
            own or may_see,
            answer_id,
            f"You were given no answer with the id {answer_id}, it needed no query, or it was too long ago for "
            "feedback.",
        )

    def _file(self, found: StoredAnswer, feedback: Feedback) -> Review:
        """Add feedback to the answer's open review, or to a new one."""
        for _ in range(TRIES):
            try:
                stored = self._shelf.review(found.answer.review_id) if found.answer.review_id else None
                if stored and stored.review.status == "open" and stored.review.claimed_until <= self._shelf.clock():
                    review = stored.review.model_copy(update={"feedback": feedback})
                    return self._shelf.replace(review, stored.version).review
                return self._open(found, feedback)
            except StateConflict:
                answers = self._shelf.answers(found.answer.answer_id)
                found = next((one for one in answers if owns(one.answer, found.answer.principal)), found)
        raise ChangedMeanwhile("Others are giving feedback on this answer. Try again.")

    def _open(self, found: StoredAnswer, feedback: Feedback) -> Review:
        review = Review.of(found.answer, self._shelf.clock(), feedback)
        self._shelf.add(review)
        try:
            self._shelf.link(found, review.id)
        except StateConflict:
            self._shelf.remove(review)
            raise
        return review
