"""A question's way into the loop and its answer's way out: validated, with its session's history, and in time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from agent import loop
from agent.callers import ANONYMOUS
from agent.database import Database
from agent.errors import OutOfTime, QuestionInvalid, SessionStoreUnavailable, UnknownSession
from agent.intent import refuse_writes, write_refusal
from agent.models import Answer, Done, Event, Exchange, Options, Question
from agent.trace_ids import new_trace_id

if TYPE_CHECKING:
    from agent.databases import Databases
    from agent.parts import Parts
    from agent.sessions import SessionStore
    from executors.router import Router

NO_OPTIONS = Options()

log = logging.getLogger(__name__)


class Asking:
    """Takes questions about the databases of one registry.

    Args:
        parts: that the loop works with.
        router: whose entries say who may do what.
        registered: the databases.
        sessions: that questions may belong to.
    """

    def __init__(self, parts: Parts, router: Router, registered: Databases, sessions: SessionStore) -> None:
        self._parts, self._settings = parts, parts.settings
        self._router, self._registered, self._sessions = router, registered, sessions

    async def query(
        self,
        text: str,
        database: str,
        *,
        session_id: str | None = None,
        options: Options = NO_OPTIONS,
        trace_id: str = "",
        principal: str = ANONYMOUS,
    ) -> Answer:
        """The response to one question: the last of its events.

        Raises:
            QuestionInvalid, UnknownDatabase, UnknownSession, UnknownWritePlan, WritesNotAllowed, WriteNotMade,
            ModelFailed, ModelUnavailable, DatabaseUnavailable, SessionStoreUnavailable, WritePlansUnavailable,
            OutOfTime: see `problems.STATUS`.
        """
        asked = self.events(
            text, database, session_id=session_id, options=options, trace_id=trace_id, principal=principal
        )
        async with aclosing(asked) as events:
            async for event in events:
                if isinstance(event, Done):
                    return event.answer
        raise AssertionError("the loop ended without a response")

    async def events(
        self,
        text: str,
        database: str,
        *,
        session_id: str | None = None,
        options: Options = NO_OPTIONS,
        trace_id: str = "",
        principal: str = ANONYMOUS,
    ) -> AsyncGenerator[Event, None]:
        """The events of one question, as they happen; closing the iterator cancels what runs. Raises like `query`."""
        question = await self._question(text, database, session_id, options, trace_id or new_trace_id(), principal)
        self._registered.admit(database, principal)
        target = await self._registered.get(database)
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        task = asyncio.create_task(self._run(question, target, queue))
        task.add_done_callback(lambda _: queue.put_nowait(None))
        try:
            while (event := await queue.get()) is not None:
                yield await self._remembered(question, event) if isinstance(event, Done) else event
            await task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _run(self, question: Question, database: Database, queue: asyncio.Queue[Event | None]) -> None:
        deadline = asyncio.timeout(self._settings.request_deadline_s)
        try:
            async with deadline:
                async for event in loop.answer(question, database, self._parts):
                    queue.put_nowait(event)
        except TimeoutError as error:
            if not deadline.expired():
                raise  # of something else, which should have said what it is
            raise OutOfTime(
                f"No answer within {self._settings.request_deadline_s:g} s. Ask something narrower, or try again."
            ) from error

    async def _question(
        self, text: str, database: str, session_id: str | None, options: Options, trace_id: str, principal: str
    ) -> Question:
        text = text.strip()
        limit = self._settings.max_question_chars
        if not text:
            raise QuestionInvalid("The question is empty. Ask something about the data, in a sentence.")
        if len(text) > limit:
            raise QuestionInvalid(f"The question has {len(text)} characters; at most {limit} are taken. Shorten it.")
        entry = self._router.entry(database)
        refusal = write_refusal(self._settings, entry, principal, options)
        refuse_writes(text, options, refusal)
        history: tuple[Exchange, ...] = ()
        if session_id is not None:
            session = await asyncio.to_thread(self._sessions.get, session_id)
            if session.database != database:
                raise QuestionInvalid(f"This session is about the database {session.database!r}. Ask there.")
            history = session.exchanges[-self._settings.max_conversation_history :]
            history = history if self._settings.max_conversation_history else ()
        return Question(
            text=text,
            database=database,
            trace_id=trace_id,
            session_id=session_id,
            history=history,
            options=options,
            principal=principal,
            write_refusal=refusal,
            audience=principal if entry.allowed else "",
        )

    async def _remembered(self, question: Question, done: Done) -> Done:
        """Keep the exchange in its session. An answer is not lost where that fails: it gets a warning."""
        if question.session_id is None:
            return done
        answer = done.answer
        exchange = Exchange(question=question.text, answer=answer.answer, sql=answer.sql)
        try:
            await asyncio.to_thread(self._sessions.add, question.session_id, exchange)
        except (UnknownSession, SessionStoreUnavailable) as error:
            log.warning("The exchange of %s was not kept: %s", question.trace_id, error)
            warning = f"The session does not remember this answer: {error}"
            return Done(answer=answer.model_copy(update={"warnings": [*answer.warnings, warning]}))
        return done
