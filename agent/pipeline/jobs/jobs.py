"""Jobs: questions that need no open connection.

The process that takes a job works on it and renews its lease, which is stored with the job. If the lease has expired,
the process is gone, and the next one that reads the job starts it again, which is safe because a question changes
nothing. A job that has lost `MAX_STARTS` processes is not started again, because it may be what ends them.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type

from agent.core.answers import Answer
from agent.core.errors import QuestionInvalid, StateUnavailable, TooBusy, UnknownJob
from agent.core.events import Done, Event, NodeComplete
from agent.core.problems import build_unexpected_problem, detail_to_log, problem_of
from agent.core.resilience.deadline import utc_at
from agent.core.resilience.off_loop import run_to_its_end
from agent.core.resilience.tasks import cancel_tasks
from agent.people.sessions.turns import Lease
from agent.pipeline.jobs.shelf import Job, JobRequest, JobShelf, NodeDone, build_interrupted_problem
from agent.platform.telemetry.trace import traceparent_for, working_for
from executors.errors import SqlError

if TYPE_CHECKING:
    from agent.core.problems import Problem
    from agent.pipeline.asking import Asking

LEASE_S = 15.0
PROGRESS_S = 1.0  # between two writes of the progress


class Superseded(Exception):
    """The job does not, or no longer, belong to this run. Args: job: its current state."""

    def __init__(self, job: Job) -> None:
        super().__init__(job.id)
        self.job = job


class JobRun:
    """Works on a job. The lease expires after `LEASE_S` seconds unless it is renewed."""

    def __init__(self, shelf: JobShelf) -> None:
        self._shelf = shelf
        self._owner = uuid.uuid4().hex
        self._id = self._trace_id = ""
        self._progress: list[NodeDone] = []
        self._news = asyncio.Event()
        self._has_begun = False

    def lease(self) -> Lease:
        """A lease for this run that starts now."""
        return Lease(owner=self._owner, until=self._shelf.clock() + LEASE_S)

    async def work(
        self, job: Job, places: asyncio.Semaphore, events: Callable[[], AsyncGenerator[Event, None]]
    ) -> None:
        """Answer the question of a job that this run has the lease of, and store the outcome.

        If cancelled, the run releases the job for other processes. Raises StateUnavailable: the outcome cannot be
        stored; the lease expires, and the job starts again.
        """
        self._id, self._trace_id = job.id, job.trace_id
        working = asyncio.create_task(self._answer(places, events))
        keeping = asyncio.create_task(self._keep_lease())
        try:
            await asyncio.wait({working, keeping}, return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                await cancel_tasks(keeping)
                await self._change(await working)
            else:
                await keeping  # raises the error that ended it
        except asyncio.CancelledError:
            await cancel_tasks(working, keeping)
            await self._give_back()
            raise
        except Superseded:
            log.info("The job %s is not worked on here any more.", self._id)
        finally:
            await cancel_tasks(working, keeping)

    async def _answer(
        self, places: asyncio.Semaphore, events: Callable[[], AsyncGenerator[Event, None]]
    ) -> dict[str, Any]:
        """Answer the question. Returns the changes of the job's head."""
        async with places:
            self._has_begun = True
            self._news.set()
            try:
                # A job can wait, however many questions are ahead of it.
                tries = AsyncRetrying(retry=retry_if_exception_type(TooBusy), wait=_as_event)
                return await self._succeed(await tries(self._last_event, events))
            except Exception as error:  # noqa: BLE001  the outermost handler: any error is reported as a failed job
                return {"status": "failed", "problem": self._problem(error)}

    async def _last_event(self, events: Callable[[], AsyncGenerator[Event, None]]) -> Done:
        """The last event; the others are recorded as progress. Raises TooBusy before the first one."""
        async with aclosing(events()) as event_data:
            async for event in event_data:
                if isinstance(event, Done):
                    return event
                if isinstance(event, NodeComplete):
                    done = NodeDone(node=event.node, attempt=event.attempt, elapsed_ms=event.elapsed_ms)
                    self._progress.append(done)
                    self._news.set()
        raise AssertionError("the loop ended without a response")

    def _problem(self, error: Exception) -> Problem:
        known = problem_of(error, self._trace_id)
        if known is None:
            log.error("Unexpected error, trace_id=%s", self._trace_id, exc_info=error)
        elif known.status >= 500 and not isinstance(error, SqlError):
            log.warning("The job %s failed: %s", self._id, detail_to_log(error))
        return known or build_unexpected_problem(self._trace_id)

    async def _succeed(self, done: Done) -> dict[str, Any]:
        text = done.answer.model_dump_json()
        parts = await asyncio.to_thread(self._shelf.put_result, self._id, self._owner, text)
        return {"status": "succeeded", "result_run": self._owner, "result_parts": parts}

    async def _keep_lease(self) -> None:
        """Renew the lease and store the progress, until cancelled or until the job no longer belongs to this run."""
        while True:
            with suppress(TimeoutError):  # nothing new, but the lease must be renewed
                await asyncio.wait_for(self._news.wait(), LEASE_S / 3)
            self._news.clear()
            try:
                await self._change({})
            except StateUnavailable as error:
                log.warning("The lease of the job %s could not be renewed: %s", self._id, error)
            await asyncio.sleep(min(PROGRESS_S, LEASE_S / 3))

    async def _change(self, update: dict[str, Any]) -> None:
        """Store the progress, with a new lease unless the job has ended. Raises Superseded, StateUnavailable."""
        ended = {"lease": None, "finished_at": utc_at(self._shelf.clock())} if "status" in update else {}
        status = "running" if self._has_begun else "queued"
        changes = {"status": status, "progress": tuple(self._progress), "lease": self.lease(), **ended, **update}
        await self._replace(changes)

    async def _give_back(self) -> None:
        """Release the job so that another process can continue at once, unless it is cancelled or taken already."""
        try:
            await self._replace({"status": "queued", "progress": (), "lease": None}, unbegun=True)
        except Superseded:
            return
        except StateUnavailable as error:
            log.warning("The job %s could not be given back; its lease lapses: %s", self._id, error)

    async def _replace(self, changes: dict[str, Any], *, unbegun: bool = False) -> None:
        def to(job: Job) -> Job:
            if job.has_ended or job.lease is None or job.lease.owner != self._owner:
                raise Superseded(job)
            starts = {"starts": job.starts - 1} if unbegun else {}
            return job.model_copy(update=changes | starts)

        await run_to_its_end(partial(self._shelf.change, self._id, to))  # so that no write happens later


def _as_event(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    return error.retry_after_s if isinstance(error, TooBusy) else 0


MAX_STARTS = 2
WAITING = 10  # jobs that may wait, per running job
RETRY_AFTER_S = 5

log = logging.getLogger(__name__)


class StoredJob(NamedTuple):
    """A job, and the response if it has succeeded."""

    job: Job
    answer: Answer | None


class Jobs:
    """The jobs of this process, `at_once` at a time, and access to the jobs of other processes."""

    def __init__(self, asking: Asking, shelf: JobShelf, *, at_once: int, deadline_s: float) -> None:
        self._asking, self._shelf, self._deadline_s = asking, shelf, deadline_s
        self._most, self._places = at_once * (1 + WAITING), asyncio.Semaphore(at_once)
        self._running: dict[str, asyncio.Task[None]] = {}

    @property
    def running(self) -> int:
        """The number of jobs that are running or waiting in this process."""
        return len(self._running)

    async def submit(self, request: JobRequest, *, principal: str, trace_id: str) -> Job:
        """Accept a question to answer in the background. Raises as `Asking.admit`; TooBusy, StateUnavailable."""
        if request.options.allow_writes or request.options.confirm:
            raise QuestionInvalid("A change of rows is shown and confirmed step by step: send it without mode=async.")
        await self._asking.admit(
            request.question,
            request.database,
            session_id=request.session_id,
            options=request.options,
            principal=principal,
        )
        if self.running >= self._most:
            raise TooBusy(f"The service has all the jobs it can take. Try again in {RETRY_AFTER_S} s.", RETRY_AFTER_S)
        run = JobRun(self._shelf)
        job = Job(
            id=uuid.uuid4().hex,
            principal=principal,
            request=request,
            trace_id=trace_id,
            created_at=utc_at(self._shelf.clock()),
            starts=1,
            lease=run.lease(),
        )
        await asyncio.to_thread(self._shelf.add, job)
        self._start(job, run)
        return job

    async def get(self, job_id: str, principal: str) -> StoredJob:
        """The current state of a job. Continues it here if its process is gone. Raises UnknownJob, StateUnavailable."""
        job = await self._take_over(await self._own(job_id, principal))
        if job.status != "succeeded":
            return StoredJob(job, None)
        text = await asyncio.to_thread(self._shelf.result, job)
        return StoredJob(job, Answer.model_validate_json(text))

    async def delete(self, job_id: str, principal: str) -> None:
        """Cancel a job, in whichever process it runs; delete one that has ended. Raises as `get`."""
        job = await self._own(job_id, principal)
        if job.has_ended:
            await asyncio.to_thread(self._shelf.remove, job)
            return
        await asyncio.to_thread(self._shelf.change, job_id, self._cancel)
        if (task := self._running.get(job_id)) is not None:
            await cancel_tasks(task)

    async def take_over(self) -> None:
        """Continue every job whose process is gone. Raises StateUnavailable."""
        for job in await asyncio.to_thread(self._shelf.list_unfinished):
            with suppress(UnknownJob):  # it expired in the meantime
                await self._take_over(job)

    async def close(self) -> None:
        """Stop, and release unfinished jobs so that other processes can continue them at once."""
        await cancel_tasks(*self._running.values())

    async def _own(self, job_id: str, principal: str) -> Job:
        job = await asyncio.to_thread(self._shelf.get, job_id)
        if job is None or job.principal.casefold() != principal.casefold():
            raise UnknownJob("There is no such job, or it has expired. Ask the question again.")
        return job

    async def _take_over(self, job: Job) -> Job:
        if not self._is_lapsed(job) or job.id in self._running:
            return job
        run = JobRun(self._shelf)

        def take(found: Job) -> Job:
            if not self._is_lapsed(found):
                raise Superseded(found)
            if found.starts >= MAX_STARTS:
                ended = {"status": "failed", "problem": build_interrupted_problem(found.trace_id), "lease": None}
                return found.model_copy(update={**ended, "finished_at": utc_at(self._shelf.clock())})
            again = {"status": "queued", "progress": (), "lease": run.lease(), "starts": found.starts + 1}
            return found.model_copy(update=again)

        try:
            taken = await asyncio.to_thread(self._shelf.change, job.id, take)
        except Superseded as other:
            return other.job
        if taken is None:
            raise UnknownJob("The job has expired. Ask the question again.")
        if not taken.has_ended:
            log.warning("The job %s continues here: its process is gone.", job.id)
            self._start(taken, run)
        return taken

    def _is_lapsed(self, job: Job) -> bool:
        return not job.has_ended and (job.lease is None or job.lease.until < self._shelf.clock())

    def _cancel(self, job: Job) -> Job:
        if job.has_ended:
            return job
        ended = {"status": "cancelled", "lease": None, "finished_at": utc_at(self._shelf.clock())}
        return job.model_copy(update=ended)

    def _start(self, job: Job, run: JobRun) -> None:
        with working_for(traceparent_for(job.trace_id)):
            task = asyncio.create_task(run.work(job, self._places, lambda: self._events(job)))
        self._running[job.id] = task
        task.add_done_callback(lambda _: self._forget(job.id, task))

    def _forget(self, job_id: str, task: asyncio.Task[None]) -> None:
        if self._running.get(job_id) is task:
            del self._running[job_id]
        if not task.cancelled() and isinstance(error := task.exception(), StateUnavailable):
            log.warning("The end of the job %s was not kept; it is begun again: %s", job_id, error)

    def _events(self, job: Job) -> AsyncGenerator[Event, None]:
        wanted = job.request
        return self._asking.events(
            wanted.question,
            wanted.database,
            session_id=wanted.session_id,
            options=wanted.options,
            trace_id=job.trace_id,
            principal=job.principal,
            deadline_s=self._deadline_s,
            listens=False,
        )
