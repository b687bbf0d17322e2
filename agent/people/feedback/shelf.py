"""Reviews and answers in the state store. Methods block and raise as `StateStore` does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from heapq import merge
from itertools import islice
from typing import NamedTuple

from agent.core.answers import trace_of
from agent.people.feedback.records import AnswerRecord, Review
from agent.platform.storage.store import Insert, Place, Record, Remove, Replace, StateStore, key_of

DAY_S = 86_400
REVIEW, ANSWER = "review", "answer"  # kinds
CHUNK = 50  # records read at once


class StoredReview(NamedTuple):
    """A review and the version of its record."""

    review: Review
    version: str


class StoredAnswer(NamedTuple):
    """An answer and the version of its record."""

    answer: AnswerRecord
    version: str


class Shelf:
    """Reviews by database, newest first; answers by trace. Both are kept for a number of days."""

    def __init__(
        self, state: StateStore, *, review_days: float, feedback_days: float, clock: Callable[[], float] = time.time
    ) -> None:
        self._state, self.clock = state, clock
        self._review_days, self._feedback_days = review_days, feedback_days

    def add(self, review: Review) -> None:
        """Store a new review."""
        change = Insert(key=review.id, value=review.model_dump(mode="json"), expires_at=self._review_end())
        self._state.commit(_reviews_of(review.database), [change])

    def replace(self, review: Review, version: str) -> StoredReview:
        """Store a new state of a review. Raises StateConflict if it was changed meanwhile."""
        value = review.model_dump(mode="json")
        change = Replace(key=review.id, value=value, version=version, expires_at=self._review_end())
        (new,) = self._state.commit(_reviews_of(review.database), [change])
        return StoredReview(review, new)

    def remove(self, review: Review) -> None:
        """Delete a review."""
        self._state.commit(_reviews_of(review.database), [Remove(key=review.id)])

    def review(self, review_id: str) -> StoredReview | None:
        """The review with an id; None if there is none."""
        found = self._state.everywhere(REVIEW, key=review_id, limit=1)
        return _parse_record(found[0]) if found else None

    def reviews(
        self, databases: Sequence[str], wanted: Callable[[Review], bool], *, start: str = "", limit: int
    ) -> tuple[list[Review], str]:
        """Reviews of the databases, newest first, and the id at which the next page starts; empty at the end."""
        every = merge(*(self._newest(database, start) for database in databases), key=lambda review: review.id)
        found = list(islice(filter(wanted, every), limit + 1))
        return found[:limit], found[limit].id if len(found) > limit else ""

    def _newest(self, database: str, start: str) -> Iterator[Review]:
        while True:
            records = self._state.records(_reviews_of(database), start=start, limit=CHUNK)
            yield from (_parse_record(record).review for record in records)
            if len(records) < CHUNK:
                return
            start = records[-1].key + "0"

    def _review_end(self) -> float:
        return self.clock() + self._review_days * DAY_S

    def note(self, answer: AnswerRecord) -> None:
        """Store an answer's record."""
        self._put(answer, "")

    def link(self, stored: StoredAnswer, review_id: str) -> None:
        """Link an answer to its review. Raises StateConflict if the answer's record was changed meanwhile."""
        self._put(stored.answer.model_copy(update={"review_id": review_id}), stored.version)

    def answers(self, answer_id: str) -> list[StoredAnswer]:
        """The answers with an id: one, or for a trace id all of the trace."""
        records = self._state.records(_answers_of(answer_id))
        every = [StoredAnswer(AnswerRecord.model_validate(record.value), record.version) for record in records]
        return [one for one in every if answer_id in (one.answer.answer_id, one.answer.trace_id)]

    def _put(self, answer: AnswerRecord, version: str) -> None:
        end = self.clock() + self._feedback_days * DAY_S
        value = answer.model_dump(mode="json")
        suffix = answer.answer_id.removeprefix(answer.trace_id)
        change = Replace(key=key_of(answer.principal) + suffix, value=value, version=version, expires_at=end)
        self._state.commit(_answers_of(answer.answer_id), [change])


def _reviews_of(database: str) -> Place:
    return Place(kind=REVIEW, partition=database)


def _answers_of(answer_id: str) -> Place:
    return Place(kind=ANSWER, partition=trace_of(answer_id))


def _parse_record(record: Record) -> StoredReview:
    return StoredReview(Review.model_validate(record.value), record.version)
