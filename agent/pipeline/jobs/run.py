"""One run of a job in this process: reports progress, renews its lease, stores its result."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type

from agent.core.errors import StateUnavailable, TooBusy
from agent.core.events import Done, Event, NodeComplete
from agent.core.problems import build_unexpected_problem, problem_of
from agent.people.sessions.turns import Lease
from agent.pipeline.jobs.records import Job, NodeDone, moment

if TYPE_CHECKING:
    from agent.core.problems import Problem
    from agent.pipeline.jobs.shelf import JobShelf

LEASE_S = 15.0
PROGRESS_S = 1.0  # between two writes of the progress

log = logging.getLogger(__name__)


class Superseded(Exception):
    """The job is not ours, or not ours any more. Args: job: as it is now."""

    def __init__(self, job: Job) -> None:
        super().__init__(job.id)
        self.job = job


class JobRun:
    """Works on a job. Its lease lapses after `lease_s` seconds unless it is renewed."""

    def __init__(self, shelf: JobShelf, lease_s: float) -> None:
        self._shelf, self._lease_s = shelf, lease_s
        self._owner = uuid.uuid4().hex
        self._id = self._trace_id = ""
        self._progress: list[NodeDone] = []
        self._news = asyncio.Event()
        self._has_begun = False

    def lease(self) -> Lease:
        """A lease for this run, from now on."""
        return Lease(owner=self._owner, until=self._shelf.clock() + self._lease_s)

    async def work(
        self, job: Job, places: asyncio.Semaphore, events: Callable[[], AsyncGenerator[Event, None]]
    ) -> None:
        """Answer the question of a job whose lease is ours, and keep what comes of it.

        Cancelled, it gives the job back for others to go on. Raises StateUnavailable: the end cannot be kept; the job's
        lease lapses, and it is begun again.
        """
        self._id, self._trace_id = job.id, job.trace_id
        working = asyncio.create_task(self._answer(places, events))
        keeping = asyncio.create_task(self._keep_lease())
        try:
            await asyncio.wait({working, keeping}, return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                await _end(keeping)
                await self._change(await working)
            else:
                await keeping  # which raises why it has ended
        except asyncio.CancelledError:
            await _end(working, keeping)
            await self._give_back()
            raise
        except Superseded:
            log.info("The job %s is not worked on here any more.", self._id)
        finally:
            await _end(working, keeping)

    async def _answer(
        self, places: asyncio.Semaphore, events: Callable[[], AsyncGenerator[Event, None]]
    ) -> dict[str, Any]:
        """How the job ends, as changes of its head."""
        async with places:
            self._has_begun = True
            self._news.set()
            try:
                # However many questions are before it: a job has the time.
                tries = AsyncRetrying(retry=retry_if_exception_type(TooBusy), wait=_as_event)
                return await self._succeed(await tries(self._last_event, events))
            except Exception as error:  # noqa: BLE001  the edge: whatever it was, the caller is told that it has failed
                return {"status": "failed", "problem": self._problem(error)}

    async def _last_event(self, events: Callable[[], AsyncGenerator[Event, None]]) -> Done:
        """The last of the events; the others are progress. Raises TooBusy before the first one."""
        async with aclosing(events()) as event_data:
            async for event in event_data:
                if isinstance(event, Done):
                    return event
                self._saw(event)
        raise AssertionError("the loop ended without a response")

    def _problem(self, error: Exception) -> Problem:
        known = problem_of(error, self._trace_id)
        if known is None:
            log.error("Unexpected error, trace_id=%s", self._trace_id, exc_info=error)
        return known or build_unexpected_problem(self._trace_id)

    async def _succeed(self, done: Done) -> dict[str, Any]:
        text = done.answer.model_dump_json()
        parts = await asyncio.to_thread(self._shelf.put_result, self._id, self._owner, text)
        return {"status": "succeeded", "result_run": self._owner, "result_parts": parts}

    def _saw(self, event: Event) -> None:
        if isinstance(event, NodeComplete):
            done = NodeDone(node=event.node, attempt=event.attempt, elapsed_ms=event.elapsed_ms)
            self._progress.append(done)
            self._news.set()

    async def _keep_lease(self) -> None:
        """Renew the lease, with the progress so far, until cancelled, or until the job is not ours any more."""
        while True:
            with suppress(TimeoutError):  # nothing new, but the lease must be renewed
                await asyncio.wait_for(self._news.wait(), self._lease_s / 3)
            self._news.clear()
            try:
                await self._change({})
            except StateUnavailable as error:
                log.warning("The lease of the job %s could not be renewed: %s", self._id, error)
            await asyncio.sleep(min(PROGRESS_S, self._lease_s / 3))

    async def _change(self, update: dict[str, Any]) -> None:
        """Write what has happened, with a new lease unless the job has ended. Raises Superseded, StateUnavailable."""
        ended = {"lease": None, "finished_at": moment(self._shelf.clock())} if "status" in update else {}
        status = "running" if self._has_begun else "queued"
        changes = {"status": status, "progress": tuple(self._progress), "lease": self.lease(), **ended, **update}
        await self._replace(changes)

    async def _give_back(self) -> None:
        """Let another process go on at once, where it is not cancelled or taken already."""
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

        writing = asyncio.ensure_future(asyncio.to_thread(self._shelf.change, self._id, to))
        try:
            await asyncio.shield(writing)
        except asyncio.CancelledError:
            await asyncio.gather(writing, return_exceptions=True)  # then nothing follows that nobody knows of
            raise


def _as_event(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    return error.retry_after_s if isinstance(error, TooBusy) else 0


async def _end(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
