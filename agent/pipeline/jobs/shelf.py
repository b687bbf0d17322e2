"""Jobs in the state store: each has a partition with its head and the parts of its result.

Methods block, and raise what those of `agent.platform.storage.store.StateStore` raise.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from typing import Literal

from pydantic import ConfigDict

from agent.core.models import Options
from agent.core.problems import TYPE_PREFIX, Problem
from agent.people.sessions.turns import Lease
from agent.platform.storage.parts import join_parts, put_parts, split_into_parts
from agent.platform.storage.store import (
    Insert,
    Place,
    Record,
    Remove,
    Replace,
    StateStore,
    remove_all,
    until_no_conflict,
)
from executors.base import Frozen

Status = Literal["queued", "running", "succeeded", "failed", "cancelled"]


class JobRequest(Frozen):
    """The question of a job, as `Asking.events` takes it. left_out: parts of the response that are not sent."""

    question: str
    database: str
    session_id: str | None = None
    options: Options = Options()
    left_out: tuple[str, ...] = ()


class NodeDone(Frozen):
    """A finished step.

    node: The step.
    attempt: Number of the attempt, counted from 1. 0 outside an attempt.
    elapsed_ms: Milliseconds that the step took.
    """

    node: str
    attempt: int = 0
    elapsed_ms: float = 0.0


class Job(Frozen):
    """A job.

    principal: the owner; no other caller sees it.
    starts: how many times a process has started it.
    lease: held by the process that works on it; if it has expired, that process is gone.
    result_run, result_parts: the run whose keys hold the result, and the number of its parts.
    """

    model_config = ConfigDict(extra="ignore")  # fields of newer versions

    id: str
    principal: str
    request: JobRequest
    trace_id: str
    status: Status = "queued"
    created_at: datetime
    finished_at: datetime | None = None
    progress: tuple[NodeDone, ...] = ()
    problem: Problem | None = None
    starts: int = 0
    lease: Lease | None = None
    result_run: str = ""
    result_parts: int = 0

    @property
    def has_ended(self) -> bool:
        """Whether the job has reached a final status."""
        return self.status in ("succeeded", "failed", "cancelled")


def build_interrupted_problem(trace_id: str) -> Problem:
    """The problem of a job whose processes all ended before it was answered."""
    return Problem(
        type=f"{TYPE_PREFIX}job-interrupted",
        title="The job was interrupted",
        status=503,
        detail="The processes that worked on this question ended before it was answered. Ask it again.",
        trace_id=trace_id,
    )


KIND, HEAD, RESULT = "job", "head", "result"
MISSING = "Part of the job's result is missing. Ask the question again."


class JobShelf:
    """Jobs by their ids, each kept for `ttl_s` seconds after its last change."""

    def __init__(self, state: StateStore, *, ttl_s: float, clock: Callable[[], float] = time.time) -> None:
        self._state, self._ttl_s, self.clock = state, ttl_s, clock

    def add(self, job: Job) -> None:
        """Store a new job."""
        change = Insert(key=HEAD, value=job.model_dump(mode="json"), expires_at=self._end())
        self._state.commit(_place(job.id), [change])

    def get(self, job_id: str) -> Job | None:
        """The job with an id; None if there is none, or it has expired."""
        record = self._state.get(_place(job_id), HEAD)
        return _job(record) if record else None

    def list_unfinished(self) -> list[Job]:
        """Every job that has not ended."""
        return [job for job in map(_job, self._state.everywhere(KIND, key=HEAD)) if not job.has_ended]

    def change(self, job_id: str, to: Callable[[Job], Job]) -> Job | None:
        """Replace a job by `to(job)` and extend its expiry. Returns None if it is gone. Raises the errors of `to`."""

        def replace() -> Job | None:
            record = self._state.get(_place(job_id), HEAD)
            if record is None:
                return None
            job = to(_job(record))
            value = job.model_dump(mode="json")
            change = Replace(key=HEAD, value=value, version=record.version, expires_at=self._end())
            self._state.commit(_place(job_id), [change])
            return job

        return until_no_conflict(replace, "job")

    def put_result(self, job_id: str, run: str, result: str) -> int:
        """Store the result of one run of a job, invisible until the head names it. Returns the number of parts."""
        parts = split_into_parts(result.encode())
        put_parts(self._state, _place(job_id), f"{RESULT}/{run}", parts, self._end())
        return len(parts)

    def result(self, job: Job) -> str:
        """The result that `put_result` stored for the run that the job names."""
        prefix = f"{RESULT}/{job.result_run}"
        return join_parts(self._state, _place(job.id), prefix, job.result_parts, MISSING).decode()

    def remove(self, job: Job) -> None:
        """Delete a job and its result, the head first, so that no reader looks for the rest."""
        place = _place(job.id)
        self._state.commit(place, [Remove(key=HEAD)])
        remove_all(self._state, place, [record.key for record in self._state.records(place)])

    def _end(self) -> float:
        return self.clock() + self._ttl_s


def _place(job_id: str) -> Place:
    return Place(kind=KIND, partition=job_id)


def _job(record: Record) -> Job:
    return Job.model_validate(record.value)
