"""Before and after the loop: validates a question, adds its history, enforces its deadline, and shares its answer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Hashable
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING, TypedDict, Unpack

from agent.core.answers import Answer, new_answer_id
from agent.core.callers import ANONYMOUS
from agent.core.errors import PlumblineError, QuestionInvalid, StateUnavailable, UnknownSession
from agent.core.events import Done, Event, Queued, Started
from agent.core.models import Exchange, Options, Pending, Question
from agent.core.problems import problem_of
from agent.core.resilience.deadline import RETRY_AFTER_S, Deadline, utc_now
from agent.core.resilience.event_log import EventLog
from agent.core.resilience.tasks import cancel_tasks
from agent.core.usage import Usage
from agent.databases.database import Database, keep_seen_schemas
from agent.people.sessions.sessions import SMALL_TALK, SessionMessage, storable
from agent.pipeline import loop
from agent.pipeline.steps.late_modules import load_first_steps
from agent.pipeline.steps.progress import with_progress
from agent.platform import telemetry
from agent.platform.access.intent import refuse_writes, write_refusal
from agent.platform.config.limits import limits_of
from agent.platform.llm.wrappers.protected import BUDGET, Budget
from agent.platform.telemetry.trace import new_trace_id
from executors.errors import DatabaseUnavailable, ExecutorError
from rag.errors import RetrievalError

if TYPE_CHECKING:
    from agent.databases.registry import Databases
    from agent.people.feedback.recorder import Notes, Recorder
    from agent.people.sessions.sessions import Sessions
    from agent.pipeline.rounds.parts import Parts
    from agent.platform.access.bulkhead import Admission
    from executors.router import Router


def key_of(question: Question) -> Hashable | None:
    """The key that equal questions share; None if the question is answered on its own."""
    if question.session_id is not None or not question.write_refusal:
        return None
    return question.text, question.database, question.principal, question.audience, question.options


class Flights:
    """Single flight: concurrent equal questions are answered once, and each caller gets the events.

    The term is from Go's `singleflight`. Questions are equal if words, principal, database and options are equal, they
    belong to no session, and they may change no rows. Nothing is kept after the end: a later question is answered
    again.
    """

    def __init__(self) -> None:
        self._flights: dict[Hashable, _Flight] = {}

    async def events(self, question: Question, answer: Callable[[], AsyncIterator[Event]]) -> AsyncGenerator[Event]:
        """The events of a question. Closing the iterator cancels the work, unless another caller still waits for it.

        A caller who joins gets all events from the first on, with ids of their own and a usage of zero.
        """
        key = key_of(question)
        flight = self._flights.get(key) if key is not None else None
        joined = flight is not None
        if flight is None:
            flight = _Flight(answer)
            if key is not None:
                self._flights[key] = flight
                flight.task.add_done_callback(lambda _: self._land(key, flight))
        try:
            async with aclosing(flight.follow()) as events:
                async for event in events:
                    yield _readdress(event, question) if joined else event
        finally:
            if not flight.followers:
                self._land(key, flight)  # a new caller must not join a cancelled flight
                await cancel_tasks(flight.task)

    def _land(self, key: Hashable, flight: _Flight) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]


class _Flight:
    """One answer in progress. Args: answer: starts it."""

    def __init__(self, answer: Callable[[], AsyncIterator[Event]]) -> None:
        self.followers = 0
        self._log = EventLog[Event]()
        self.task = asyncio.create_task(self._fly(answer()))
        self.task.add_done_callback(lambda _: self._log.end())

    async def follow(self) -> AsyncGenerator[Event]:
        """Yield the events from the first on, as they happen. Raises what the answer raises."""
        self.followers += 1
        try:
            number = 0
            while events := await self._log.after(number):
                for event in events:
                    yield event
                number += len(events)
            await self.task
        finally:
            self.followers -= 1

    async def _fly(self, events: AsyncIterator[Event]) -> None:
        async for event in events:
            self._log.add(event)


def _readdress(event: Event, question: Question) -> Event:
    """The event for a caller who joined: with their ids, and no usage."""
    own = {"trace_id": question.trace_id, "answer_id": question.answer_id}
    if isinstance(event, Started):
        return event.model_copy(update=own)
    if isinstance(event, Done):
        return Done(answer=event.answer.model_copy(update={**own, "usage": Usage()}))
    return event


NO_OPTIONS = Options()
CLOSED = "The database was closed while the question was being answered. Ask it again."
OUT_OF_TIME = "No answer within {seconds} s. Ask something narrower, or try again."
REPORTED = (PlumblineError, ExecutorError, RetrievalError)  # reported to callers as a problem document

log = logging.getLogger(__name__)


class QuestionTerms(TypedDict, total=False):
    """What a caller may add to a question and its database. `Asking.events` has the defaults.

    session_id: the conversation that the question belongs to.
    trace_id: identifies the request in logs and traces.
    answer_id: a new id for the answer, of `new_answer_id`.
    principal: the caller, whose rights decide what can be read.
    """

    session_id: str | None
    options: Options
    trace_id: str
    answer_id: str
    principal: str


class Asking:
    def __init__(
        self, parts: Parts, router: Router, registered: Databases, sessions: Sessions, recorder: Recorder
    ) -> None:
        self._parts, self._settings, self._recorder = parts, parts.settings, recorder
        self._router, self._registered, self._sessions = router, registered, sessions
        self._flights = Flights()
        self._loaded = False

    async def query(self, text: str, database: str, **terms: Unpack[QuestionTerms]) -> Answer:
        """The response to one question, which is its last event.

        Raises:
            QuestionInvalid, UnknownDatabase, UnknownSession, UnknownWritePlan, WritesNotAllowed, WriteNotMade,
            BudgetSpent, ModelFailed, ModelUnavailable, DatabaseUnavailable, StateUnavailable,
            TooBusy, ShuttingDown, OutOfTime: each with its HTTP status.
        """
        async with aclosing(self.events(text, database, listens=False, **terms)) as events:
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
        answer_id: str = "",
        principal: str = ANONYMOUS,
        deadline_s: float | None = None,
        listens: bool = True,
    ) -> AsyncGenerator[Event, None]:
        """Yield the events of one question as they happen; closing the iterator cancels the work. Raises like `query`.

        The first event comes as soon as the question is accepted: before it waits for its turn in the session, and
        before its database is opened.

        See `QuestionTerms`. `deadline_s`: a time limit that replaces the one in the settings. `listens`: whether the
        caller reads more than the last event; if not, no progress is reported while the query is written.
        """
        # The deadline starts here, so it includes the wait for a turn in the session.
        deadline = self._registered.deadlines.new(OUT_OF_TIME, deadline_s)
        came_at = utc_now()
        trace_id = trace_id or new_trace_id()
        answer_id = answer_id or new_answer_id(trace_id)
        await self._registered.follow(database)
        with telemetry.get().arriving(trace_id):
            self._registered.admit(database, principal)  # first: no other refusal may reveal that it exists
        async with AsyncExitStack() as turn:
            with telemetry.get().arriving(trace_id):
                admission = turn.enter_context(self._registered.admit_question(database, principal))
            async with deadline.enforce():
                with telemetry.get().arriving(trace_id):
                    question = await self._question(text, database, session_id, options, trace_id, principal)
            yield Started(trace_id=trace_id, answer_id=answer_id, question=question.text, database=database)
            if session_id is not None:
                async with deadline.enforce():
                    await turn.enter_async_context(self._sessions.turn(session_id, principal))
            async with deadline.enforce():  # the first question waits for modules and its database
                with telemetry.get().arriving(trace_id):
                    if session_id is not None:  # the previous one may be answered by now
                        question = await self._question(text, database, session_id, options, trace_id, principal)
                    # It came before it waited for its turn.
                    question = question.model_copy(update={"came_at": came_at, "answer_id": answer_id})
                    target = await self._registered.get(database, principal)
                await self._load()
            if target.is_filtered:  # their queries may hold values that others may not see
                question = question.model_copy(update={"audience": principal, "sight": target.sight})
            answering = self._answer(question, target, deadline, admission, listens=listens)
            async with aclosing(answering) as answered:
                async for event in answered:
                    if not isinstance(event, Started):  # the loop's own, which comes once all is open
                        yield event

    async def _load(self) -> None:
        """Load the modules of the first steps in a thread: in the event loop they would block the deadline."""
        if not self._loaded:
            await asyncio.to_thread(load_first_steps)
            self._loaded = True

    async def admit(
        self, text: str, database: str, *, session_id: str | None, options: Options, principal: str
    ) -> None:
        """Refuse at once a question that would not be answered. Raises what `query` raises before it answers."""
        await self._registered.follow(database)
        self._registered.admit(database, principal)
        await self._question(text, database, session_id, options, "", principal)

    async def _answer(
        self, question: Question, target: Database, deadline: Deadline, admission: Admission, *, listens: bool
    ) -> AsyncGenerator[Event, None]:
        notes = self._recorder.notes(question)
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        task = asyncio.create_task(self._run(question, target, deadline, admission, queue, listens))
        task.add_done_callback(lambda _: queue.put_nowait(None))
        try:
            while (event := await queue.get()) is not None:
                notes.see(event)
                if isinstance(event, Done):
                    event = Done(answer=await self._recorder.keep(notes, event.answer))
                    event = await self._remember(question, event)
                yield event
            await self._await_end(task)
        except REPORTED as error:
            await self._store_failure(question, notes, error)
            raise
        finally:
            await cancel_tasks(task)

    async def _await_end(self, task: asyncio.Task[None]) -> None:
        """Raise the error that a question ended with; DatabaseUnavailable if its database was closed meanwhile."""
        try:
            await task
        except asyncio.CancelledError:
            own = asyncio.current_task()
            if own is not None and own.cancelling():
                raise
            raise DatabaseUnavailable(CLOSED, RETRY_AFTER_S) from None

    async def _run(
        self,
        question: Question,
        database: Database,
        deadline: Deadline,
        admission: Admission,
        queue: asyncio.Queue[Event | None],
        listens: bool,
    ) -> None:
        with telemetry.get().trace_question(question, database.dialect) as trace:
            own = False  # whether this question computes the answer, not an equal one

            async def steps() -> AsyncIterator[Event]:
                """Trace each event before the next step begins, so that calls belong to the span of their step."""
                async for event in loop.answer(question, database, self._parts):
                    trace.saw(event)
                    yield event

            async def answer() -> AsyncIterator[Event]:
                nonlocal own
                own = True
                BUDGET.set(Budget.of(self._settings))  # for this task and those it starts
                if (ahead := admission.ahead) is not None:
                    yield Queued.of(ahead, "place")
                async with admission.place(), aclosing(with_progress(steps(), listens=listens)) as events:
                    with keep_seen_schemas():
                        async for event in events:
                            yield event

            async with deadline.enforce(), aclosing(self._flights.events(question, answer)) as events:
                async for event in events:
                    if not own:
                        trace.saw(event)
                    queue.put_nowait(event)

    async def _question(
        self, text: str, database: str, session_id: str | None, options: Options, trace_id: str, principal: str
    ) -> Question:
        text = text.strip()
        limit = self._settings.max_question_chars
        if not text:
            raise QuestionInvalid("The question is empty. Ask something about the data, in a sentence.")
        if len(text) > limit:
            raise QuestionInvalid(f"The question has {len(text)} characters; at most {limit} are allowed. Shorten it.")
        entry = self._router.entry(database)
        limits_of(self._settings, options, entry.limits.row_limit)  # raises if an option exceeds its limit
        refusal = write_refusal(self._settings, entry, principal, options)
        refuse_writes(text, options, refusal)
        history, pending = await self._conversation(session_id, database, principal)
        return Question(
            text=text,
            database=database,
            trace_id=trace_id,
            session_id=session_id,
            history=history,
            pending=pending,
            options=options,
            time_zone=options.time_zone or self._settings.time_zone,
            principal=principal,
            write_refusal=refusal,
            audience=principal if entry.allowed else "",
        )

    async def _conversation(
        self, session_id: str | None, database: str, principal: str
    ) -> tuple[tuple[Exchange, ...], Pending | None]:
        """The last exchanges of a session, and its pending clarification. Raises UnknownSession."""
        if session_id is None:
            return (), None
        session = await asyncio.to_thread(self._sessions.get, session_id, principal)
        if session.database != database:
            raise QuestionInvalid(f"This session is about the database {session.database!r}. Ask there.")
        reach = self._settings.max_conversation_history
        return (session.exchanges[-reach:] if reach else ()), session.pending

    async def _remember(self, question: Question, done: Done) -> Done:
        """Store the exchange in its session. If that fails, the answer is kept and gets a warning."""
        if question.session_id is None:
            return done
        answer = done.answer
        understood = answer.question or question.text
        is_clarification = answer.status == "clarification_needed"
        pending = Pending(question=understood, clarification=answer.answer, choices=tuple(answer.choices))
        waits = question.pending if answer.kind in {"small_talk", "about_data"} else None  # still unanswered
        reply = SessionMessage(
            role="assistant",
            content=answer.answer,
            sql_query=answer.sql,
            status=SMALL_TALK if answer.kind == "small_talk" else answer.status,
            confidence=answer.confidence,
            trace_id=question.trace_id,
            answer_id=question.answer_id,
        )
        try:
            await self._append(question, understood, reply, pending if is_clarification else waits, answer)
        except (UnknownSession, StateUnavailable) as error:
            log.warning("The exchange of %s was not kept: %s", question.trace_id, error)
            warning = f"The session does not remember this answer: {error}"
            return Done(answer=answer.model_copy(update={"warnings": [*answer.warnings, warning]}))
        return done

    async def _store_failure(self, question: Question, notes: Notes, error: Exception) -> None:
        """Store in the session why a question was not answered; a pending clarification stays pending."""
        problem = problem_of(error, question.trace_id)
        if question.session_id is None or problem is None:
            return
        reply = SessionMessage(
            role="assistant",
            content=problem.detail,
            status="error",
            trace_id=question.trace_id,
            answer_id=question.answer_id,
        )
        try:
            await self._append(question, notes.understood, reply, question.pending)
        except (UnknownSession, StateUnavailable) as failure:
            log.warning("The exchange of %s was not kept: %s", question.trace_id, failure)

    async def _append(
        self,
        question: Question,
        understood: str,
        reply: SessionMessage,
        pending: Pending | None,
        answer: Answer | None = None,
    ) -> None:
        """Append a question and its reply to the session. Raises UnknownSession, StateUnavailable."""
        own_message = SessionMessage(
            role="user",
            content=question.text,
            understood=understood if understood != question.text else "",
            timestamp=question.came_at,
            trace_id=question.trace_id,
            answer_id=question.answer_id,
        )
        if question.session_id is not None:
            value = storable(answer) if answer else None
            answers = {question.answer_id: value} if value else {}
            await asyncio.to_thread(
                self._sessions.append,
                question.session_id,
                question.principal,
                (own_message, reply),
                pending,
                answers,
                sight=question.sight,
            )
