"""Records each answer while it is produced, so that users can give feedback on it later."""

from __future__ import annotations

import asyncio
import logging

from agent.core.answers import Answer, AttemptRecord
from agent.core.errors import StateUnavailable
from agent.core.events import Entered, Event, SchemaSelected, SqlGenerated, UsedDocument
from agent.core.models import Question
from agent.people.feedback.records import (
    MAX_ATTEMPT_SQL,
    MAX_ATTEMPTS,
    MAX_DOCUMENTS,
    MAX_REASON,
    MAX_SQL,
    MAX_TEXT,
    AnswerRecord,
    Review,
    ReviewedAttempt,
    cut,
)
from agent.people.feedback.shelf import Shelf

WAIT_S = 10.0  # maximum time that an answer waits for the store

log = logging.getLogger(__name__)


class Recorder:
    """Stores a record of every answer, and a review if it needs one."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self.enabled = True  # False: nothing is stored, for example during an evaluation

    def notes(self, question: Question) -> Notes:
        """Empty notes for one question."""
        return Notes(question)

    async def keep(self, notes: Notes, answer: Answer) -> Answer:
        """Store an answer. Returns it with the id of its review, or a warning that it could not be stored."""
        if not self.enabled or answer.kind != "query":
            return answer
        record = notes.record(answer)
        review = Review.of(record, self._shelf.clock()) if answer.needs_human_review else None
        try:
            async with asyncio.timeout(WAIT_S):
                await asyncio.to_thread(self._write, record, review)
        except (StateUnavailable, TimeoutError) as error:
            why = str(error) or f"nothing was written within {WAIT_S:g} s."
            log.warning("Nothing was kept of %s: %s", record.trace_id, why)
            warning = f"This answer cannot get feedback because it could not be stored: {why}"
            return answer.model_copy(update={"warnings": [*answer.warnings, warning]})
        return answer.model_copy(update={"review_id": review.id}) if review else answer

    def _write(self, record: AnswerRecord, review: Review | None) -> None:
        if review is not None:
            self._shelf.add(review)
            record = record.model_copy(update={"review_id": review.id})
        self._shelf.note(record)


class Notes:
    """Facts from a question's events that are not in its answer: docs that were found, drafts of queries."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._documents: tuple[UsedDocument, ...] = ()
        self._drafts: dict[int, str] = {}  # by number of the attempt, from 1
        self._leans = bool(question.history)
        self.understood = question.text  # the self-contained question, once it is known

    def see(self, event: Event) -> None:
        """Note an event."""
        if isinstance(event, Entered):
            self._leans, self.understood = event.leans, event.question
        elif isinstance(event, SchemaSelected):
            self._documents = tuple(dict.fromkeys((*self._documents, *event.sources)))
        elif isinstance(event, SqlGenerated) and event.sql is not None and not event.part:  # parts have their own count
            self._drafts[event.attempt] = event.sql

    def record(self, answer: Answer) -> AnswerRecord:
        """The record of an answer, with texts cut to a size that every store accepts."""
        question = self._question
        text = answer.question or question.text  # for a follow-up, the self-contained question
        sql = self._draft_of(answer)
        return AnswerRecord(
            trace_id=question.trace_id,
            answer_id=question.answer_id,
            question=cut(text, MAX_TEXT),
            database=question.database,
            principal=question.principal,
            audience=question.audience,
            sql=sql if len(sql) <= MAX_SQL and len(text) <= MAX_TEXT else "",
            answer=cut(answer.answer, MAX_TEXT),
            verified=answer.verified,
            follows=self._leans,
            documents=self._documents[:MAX_DOCUMENTS],
            attempts=tuple(self._attempt(at, one) for at, one in enumerate(answer.attempt_history, 1))[-MAX_ATTEMPTS:],
        )

    def _draft_of(self, answer: Answer) -> str:
        """The draft of the answer's query. The guard's version contains the limits of this request."""
        if answer.status != "success" or not answer.sql:
            return ""  # no query returned rows, so none can be approved
        tried = enumerate(answer.attempt_history, 1)
        return next((self._drafts.get(at, "") for at, one in tried if one.sql == answer.sql), "") or answer.sql

    def _attempt(self, at: int, one: AttemptRecord) -> ReviewedAttempt:
        return ReviewedAttempt(
            sql=cut(self._drafts.get(at) or one.sql, MAX_ATTEMPT_SQL),
            error=cut(one.error, MAX_REASON),
            error_type=one.error_type or "",
            reason=cut(one.verdict.reason if one.verdict else "", MAX_REASON),
            correct=one.verdict.correct if one.verdict else None,
            row_count=one.row_count,
        )
