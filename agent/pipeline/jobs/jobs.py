"""Jobs: questions that need no open connection.

The process that takes a job works on it and renews its lease, which is stored with the job. If the lease has expired,
the process is gone, and the next one that reads the job starts it again, because a question changes nothing. A job that
has lost `MAX_STARTS` processes is not started again, because it may be what ends them.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from agent.core.answers import Answer
from agent.core.errors import QuestionInvalid, StateUnavailable, TooBusy, UnknownJob
from agent.pipeline.jobs.records import Job, JobRequest, build_interrupted_problem, moment
from agent.pipeline.jobs.run import LEASE_S, JobRun, Superseded
from agent.platform.telemetry.trace import traceparent_for, working_for

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from agent.core.events import Event
    from agent.pipeline.asking import Asking
    from agent.pipeline.jobs.shelf import JobShelf

MAX_STARTS = 2
WAITING = 10  # jobs that may wait for each one that is worked on
RETRY_AFTER_S = 5

log = logging.getLogger(__name__)


class StoredJob(NamedTuple):
    """A job, and the response where it has succeeded."""

    job: Job
    answer: Answer | None


class Jobs:
    """The jobs of this process, `at_once` at a time, and those of others that callers name.

    The lease of a process that ended lapses after `lease_s` seconds.
    """

    def __init__(
        self, asking: Asking, shelf: JobShelf, *, at_once: int, deadline_s: float, lease_s: float = LEASE_S
    ) -> None:
        self._asking, self._shelf, self._deadline_s, self._lease_s = asking, shelf, deadline_s, lease_s
        self._most, self._places = at_once * (1 + WAITING), asyncio.Semaphore(at_once)
        self._running: dict[str, asyncio.Task[None]] = {}

    @property
    def running(self) -> int:
        """How many jobs this process works on, or has waiting."""
        return len(self._running)

    async def submit(self, request: JobRequest, *, principal: str, trace_id: str) -> Job:
        """Take a question to be answered in the background.

        Raises what `Asking.admit` raises; TooBusy: as many jobs wait here as may; StateUnavailable: it cannot be kept.
        """
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
        run = JobRun(self._shelf, self._lease_s)
        job = Job(
            id=uuid.uuid4().hex,
            principal=principal,
            request=request,
            trace_id=trace_id,
            created_at=moment(self._shelf.clock()),
            starts=1,
            lease=run.lease(),
        )
        await asyncio.to_thread(self._shelf.add, job)
        self._start(job, run)
        return job

    async def get(self, job_id: str, principal: str) -> StoredJob:
        """A job as it is now; a job whose process is gone continues here. Raises UnknownJob, StateUnavailable."""
        job = await self._take_over(await self._own(job_id, principal))
        if job.status != "succeeded":
            return StoredJob(job, None)
        text = await asyncio.to_thread(self._shelf.result, job)
        return StoredJob(job, Answer.model_validate_json(text))

    async def delete(self, job_id: str, principal: str) -> None:
        """Cancel a job, wherever it runs; forget one that has ended. Raises as `get`."""
        job = await self._own(job_id, principal)
        if job.has_ended:
            await asyncio.to_thread(self._shelf.remove, job)
            return
        await asyncio.to_thread(self._shelf.change, job_id, self._cancel)
        if (task := self._running.get(job_id)) is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def take_over(self) -> None:
        """Go on with every job whose process is gone. Raises StateUnavailable."""
        for job in await asyncio.to_thread(self._shelf.list_unfinished):
            with suppress(UnknownJob):  # its time has ended meanwhile
                await self._take_over(job)

    async def close(self) -> None:
        """Stop, and let other processes go on at once with what was not finished."""
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # -- inside -------------------------------------------------------------------------------------------

    async def _own(self, job_id: str, principal: str) -> Job:
        job = await asyncio.to_thread(self._shelf.get, job_id)
        if job is None or job.principal.casefold() != principal.casefold():
            raise UnknownJob("There is no such job, or it has expired. Ask the question again.")
        return job

    async def _take_over(self, job: Job) -> Job:
        if not self._is_lapsed(job) or job.id in self._running:
            return job
        run = JobRun(self._shelf, self._lease_s)

        def take(found: Job) -> Job:
            if not self._is_lapsed(found):
                raise Superseded(found)
            if found.starts >= MAX_STARTS:
                ended = {"status": "failed", "problem": build_interrupted_problem(found.trace_id), "lease": None}
                return found.model_copy(update={**ended, "finished_at": moment(self._shelf.clock())})
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
        ended = {"status": "cancelled", "lease": None, "finished_at": moment(self._shelf.clock())}
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
