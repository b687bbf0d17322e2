"""The bodies of the job routes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from agent.api.schemas.common import ANSWER_EXAMPLE, with_first_records
from agent.core.answers import Answer
from agent.core.models import take_fields
from agent.core.problems import Problem
from agent.pipeline.jobs.jobs import StoredJob
from agent.pipeline.jobs.shelf import NodeDone, Status
from executors.base import Frozen

JOB_ID = "^[0-9a-f]{32}$"


class JobResponse(Frozen):
    """A question that is answered in the background.

    id: Id of the job.
    database: The database that is asked.
    question: The question.
    created_at: When the job was created, in UTC.
    finished_at: When the job ended, in UTC. Null before that.
    trace_id: Identifies the request in logs and traces.
    """

    id: str
    status: Status = Field(description="Status of the job. `succeeded`, `failed` and `cancelled` are final.")
    database: str
    question: str
    created_at: datetime
    finished_at: datetime | None = None
    progress: list[NodeDone] = Field([], description="Finished steps, in order.")
    result: Answer | None = Field(
        None,
        description="The response of `POST /api/query`, with the first ten records behind the result. Use `POST "
        "/api/records` for more. Null unless the job succeeded.",
    )
    problem: Problem | None = Field(None, description="The error. Null unless the job failed.")
    trace_id: str

    @classmethod
    def of(cls, stored: StoredJob) -> JobResponse:
        """Build the response for a job."""
        job = stored.job
        return cls(
            **take_fields(job, cls),
            database=job.request.database,
            question=job.request.question,
            result=None if stored.answer is None else with_first_records(stored.answer),
        )


_TAKEN = JobResponse(
    id="8e6f1a0b3c5d7e9f3f1c0d5e8a7b4c2d",
    status="queued",
    database="shop",
    question="What was our highest revenue month?",
    created_at=datetime.fromisoformat("2025-03-01T09:30:00+00:00"),
    trace_id="0af7651916cd43dd8448eb211c80319c",
)
_STEPS = [
    NodeDone(node="schema_selector", elapsed_ms=84.2),
    NodeDone(node="sql_generator", attempt=1, elapsed_ms=812.4),
]
TAKEN_EXAMPLE: dict[str, Any] = _TAKEN.model_dump(mode="json")
JOB_EXAMPLE: dict[str, Any] = _TAKEN.model_copy(
    update={
        "status": "succeeded",
        "finished_at": datetime.fromisoformat("2025-03-01T09:34:10+00:00"),
        "progress": _STEPS,
        "result": Answer.model_validate(ANSWER_EXAMPLE),
    }
).model_dump(mode="json")
