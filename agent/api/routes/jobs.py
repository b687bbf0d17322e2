"""Jobs over HTTP: `POST /api/query?mode=async` starts one; these routes report on it and cancel it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import JSONResponse

from agent.api.http.lazy_service import Lazy
from agent.api.http.versions import answers, refusals
from agent.api.schemas.common import QueryRequest
from agent.api.schemas.jobs import JOB_EXAMPLE, JOB_ID, TAKEN_EXAMPLE, JobResponse
from agent.core.errors import NotAcceptable
from agent.pipeline.jobs.jobs import StoredJob
from agent.pipeline.jobs.shelf import JobRequest
from agent.pipeline.service import Service
from agent.present.export.formats import Format

router = APIRouter(prefix="/api")

LOOK_AGAIN_S = 2  # `Retry-After` while a job is not finished

Mode = Annotated[
    Literal["sync", "async"],
    Query(description="`async` answers in the background: the response is 202, and `Location` is the job's address."),
]
JobId = Annotated[str, Path(pattern=JOB_ID, description="Id of the job.", examples=[TAKEN_EXAMPLE["id"]])]

_AGAIN: dict[str, Any] = {
    "description": "Seconds to wait before asking again. Absent if the job has ended.",
    "schema": {"type": "integer", "minimum": 0},
    "example": LOOK_AGAIN_S,
}
_LOCATION: dict[str, Any] = {
    "description": "Address of the job.",
    "schema": {"type": "string"},
    "example": f"/api/jobs/{TAKEN_EXAMPLE['id']}",
}
TAKEN: dict[int | str, dict[str, Any]] = {
    202: {
        "model": JobResponse,
        "description": "The job was created, with `mode=async`",
        "headers": {"Location": _LOCATION, "Retry-After": _AGAIN},
    }
}
_ANSWERS = answers(JOB_EXAMPLE, 404, 422, 500, 503)
_ANSWERS[200]["headers"] = {"Retry-After": _AGAIN}


async def begin(
    body: QueryRequest, service: Service, wanted: Format | None, *, principal: str, trace_id: str
) -> Response:
    """Submit a question as a job. Raises NotAcceptable if a file is requested; else as `Jobs.submit`."""
    if wanted is not None:
        raise NotAcceptable("A job is available as application/json only. Set Accept to it.")
    job_request = JobRequest(
        question=body.question,
        database=body.database,
        session_id=body.session_id,
        options=body.request_options,
        left_out=tuple(sorted(body.omitted_parts)),
    )
    job = await service.jobs.submit(job_request, principal=principal, trace_id=trace_id)
    headers = {"location": f"/api/jobs/{job.id}", "retry-after": str(LOOK_AGAIN_S)}
    return JSONResponse(JobResponse.of(StoredJob(job, None)).model_dump(mode="json"), 202, headers)


@router.get("/jobs/{id}", operation_id="job", summary="Get a job", response_model=JobResponse, responses=_ANSWERS)
async def job(id: JobId, lazy: Lazy, request: Request, response: Response) -> JobResponse | Response:  # noqa: A002
    """Returns the progress of a question that was asked with `mode=async`, and its response once there is one.

    The result is kept for an hour. If the process that answers it ends, another process starts the question again,
    once.
    """
    service, caller = await lazy.get_for(request)
    stored = await service.jobs.get(id, caller)
    if not stored.job.has_ended:
        response.headers["retry-after"] = str(LOOK_AGAIN_S)
    job = JobResponse.of(stored)
    if (left_out := stored.job.request.left_out) and job.result is not None:
        return JSONResponse(job.model_dump(mode="json", exclude={"result": set(left_out)}))
    return job


@router.delete("/jobs/{id}", operation_id="cancel_job", summary="Cancel a job", status_code=204,
               responses=refusals(404, 422, 500, 503))  # fmt: skip
async def cancel_job(id: JobId, lazy: Lazy, request: Request) -> Response:  # noqa: A002
    """Cancels a job that is running. Deletes a job that has ended, with its result."""
    service, caller = await lazy.get_for(request)
    await service.jobs.delete(id, caller)
    return Response(status_code=204)
