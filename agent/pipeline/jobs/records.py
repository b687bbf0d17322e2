"""The records of a job: one with its state, and as many as its result needs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from pydantic import ConfigDict

from agent.core.models import Options
from agent.core.problems import TYPE_PREFIX, Problem
from agent.people.sessions.turns import Lease
from executors.base import Frozen

Status = Literal["queued", "running", "succeeded", "failed", "cancelled"]


class JobRequest(Frozen):
    """The question that a job answers, as `Asking.events` takes it. left_out: parts of the response not to be sent."""

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
    starts: how often a process has begun it.
    lease: of the process that works on it; where it has lapsed, that process is gone.
    result_run, result_parts: under which keys the result is found, and how many they are.
    """

    model_config = ConfigDict(extra="ignore")  # what a newer version adds

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
        """Whether nothing more will happen."""
        return self.status in ("succeeded", "failed", "cancelled")


def moment(now: float) -> datetime:
    """A time in UTC. Args: now: seconds since the epoch."""
    return datetime.fromtimestamp(now, UTC)


def build_interrupted_problem(trace_id: str) -> Problem:
    """The problem of a job whose processes ended before it did."""
    return Problem(
        type=f"{TYPE_PREFIX}job-interrupted",
        title="The job was interrupted",
        status=503,
        detail="The processes that worked on this question ended before it was answered. Ask it again.",
        trace_id=trace_id,
    )
