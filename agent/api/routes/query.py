"""`/api/query`, `/api/query/stream`, `/api/execute` and `/api/records`: questions and queries."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.responses import JSONResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import Field

from agent.api.http.context import TraceId
from agent.api.http.errors import describe_errors
from agent.api.http.export import VARY, Wanted, answer_response, build_executed_response, describe_files, refuse_changes
from agent.api.http.lazy_service import Lazy
from agent.api.http.replay import Replays
from agent.api.http.streaming import as_sse, open_stream, while_listening
from agent.api.http.versions import refusals
from agent.api.routes.jobs import TAKEN, Mode, begin
from agent.api.routes.sessions import OfAnswer
from agent.api.schemas.common import (
    ANSWER_EXAMPLE,
    ROW_LIMIT,
    ExecuteRequest,
    ExecuteResponse,
    Name,
    QueryRequest,
    RowLimit,
    Text,
    with_example,
)
from agent.core.answers import Answer, new_answer_id
from agent.core.models import take_fields
from agent.databases.registry import Executed
from agent.databases.supporting_rows import RawRecords
from agent.pipeline.asking import QuestionTerms
from agent.pipeline.service import Service
from executors.base import Frozen, JsonValue

router = APIRouter(prefix="/api")

ASKING_ERRORS = describe_errors(400, 404, 409, 413, 422, 500, 502, 503, 504)
ANSWERED = describe_files(ANSWER_EXAMPLE) | describe_errors(406)
EXECUTED = describe_files() | describe_errors(400, 404, 406, 409, 413, 422, 500, 503, 504)
Resumable = Annotated[
    bool,
    Query(
        description="Whether the stream can be resumed for a minute after the connection is lost. Events then have ids."
    ),
]
LastEventId = Annotated[
    str,
    Header(pattern="^[0-9]{0,9}$", description="Id of the last event received. Default: send all events."),
]


def replays_of(request: Request) -> Replays:
    """The resumable questions of this process."""
    replays: Replays = request.app.state.replays
    return replays


Known = Annotated[Replays, Depends(replays_of)]


@router.post(
    "/query",
    operation_id="query",
    summary="Ask a question",
    response_model=Answer,
    responses=ANSWERED | TAKEN | ASKING_ERRORS,
)
async def query(
    body: QueryRequest,
    lazy: Lazy,
    request: Request,
    response: Response,
    trace_id: TraceId,
    wanted: Wanted,
    mode: Mode = "sync",
) -> Answer | Response:
    """Answers a question with the SQL, the rows and the checks that the answer passed.

    With `options.allow_writes`, a question can plan a change of data, if the settings and the registry allow it.
    `write` then has a token. Send it as `options.confirm` of a second request to commit the change.

    With `Accept: text/csv`, `application/vnd.apache.parquet`, `application/vnd.apache.arrow.stream` or the media type
    of .xlsx, the rows are streamed as a file; the status and the SQL are in headers. With `text/markdown` the answer is
    Markdown.

    With `mode=async` a job answers the question in the background.
    """
    refuse_changes(body.options, wanted)
    service, caller = await lazy.get_for(request)
    if mode == "async":
        return await begin(body, service, wanted, principal=caller, trace_id=trace_id)
    answering = service.query(body.question, body.database, **_terms(body, trace_id, caller))
    answer = await while_listening(request, answering)
    if wanted is not None:
        return await answer_response(request, wanted, answer, database=body.database)
    if body.omitted_parts:
        return JSONResponse(answer.model_dump(mode="json", exclude=set(body.omitted_parts)), headers=VARY)
    response.headers.update(VARY)
    return answer


def _terms(body: QueryRequest, trace_id: str, caller: str) -> QuestionTerms:
    return {
        "session_id": body.session_id,
        "options": body.request_options,
        "trace_id": trace_id,
        "answer_id": new_answer_id(trace_id),
        "principal": caller,
    }


async def _open_stream(
    body: QueryRequest,
    lazy: Lazy,
    request: Request,
    trace_id: TraceId,
    replays: Known,
    *,
    resumable: Resumable = False,
) -> AsyncIterator[AsyncIterator[ServerSentEvent]]:
    service, caller = await lazy.get_for(request)
    terms = _terms(body, trace_id, caller)
    events = service.events(body.question, body.database, **terms)
    if resumable:
        yield replays.listen(await replays.begin(events, terms["answer_id"], caller, body.omitted_parts), caller, 0)
        return
    async with open_stream(events, trace_id, partial(as_sse, left_out=body.omitted_parts)) as stream:
        yield stream


@router.post(
    "/query/stream",
    operation_id="query_stream",
    summary="Ask a question and stream the steps",
    response_class=EventSourceResponse,
    responses=ASKING_ERRORS,
)
async def query_stream(
    stream: Annotated[AsyncIterator[ServerSentEvent], Depends(_open_stream)],
) -> AsyncIterator[ServerSentEvent]:
    """Answers a question as server-sent events.

    The events are `queued` while the question waits, `start`, `node_complete` for each step, `sql_progress` while a
    query is being written, `answer_delta`, then `done` or `error`. The data of each event is an object with `event`,
    `node`, `attempt`, `elapsed_ms` and `data`. For `done`, `data` is the response of `POST /api/query`; for `error`, a
    problem document.

    Closing the connection cancels the question. With `resumable=true` it is cancelled after a minute; until then, `GET
    /api/query/stream/{answer_id}` resumes the stream.
    """
    async for event in stream:
        yield event


@router.post(
    "/execute",
    operation_id="execute",
    summary="Run a query",
    response_model=ExecuteResponse,
    responses=EXECUTED,
)
async def execute(
    body: ExecuteRequest, lazy: Lazy, request: Request, response: Response, wanted: Wanted
) -> ExecuteResponse | Response:
    """Runs one SELECT on a database, under the same guard and limits as generated queries.

    If there are more rows, send `cursor` in place of `sql` to get the next ones.

    Closing the connection cancels the query in the database. An error of the query is a problem document with `kind`
    and `hint`. With `Accept: text/csv`, `application/vnd.apache.parquet`, `application/vnd.apache.arrow.stream`,
    `text/markdown` or the media type of .xlsx, the rows are streamed as a file.
    """
    service, caller = await lazy.get_for(request, body.database)
    done = await while_listening(request, _execute_or_page(service, body, caller))
    if wanted is not None:
        return await build_executed_response(request, wanted, done, database=body.database)
    response.headers.update(VARY)
    return ExecuteResponse.of(done)


async def _execute_or_page(service: Service, body: ExecuteRequest, caller: str) -> Executed:
    """Run a query, or get a cursor's next rows. Raises as `Databases.execute` and `next_page`."""
    wanted: dict[str, Any] = {"row_limit": body.row_limit, "timeout_s": body.timeout_s, "principal": caller}
    if body.cursor is not None:
        return await service.databases.next_page(body.database, body.cursor, **wanted)
    return await service.databases.execute(body.database, body.sql or "", parameters=body.parameters, **wanted)


class RecordsRequest(Frozen):
    """A query, and optionally the row of its result to get the records of. Unknown fields are refused."""

    model_config = with_example(
        {"database": "shop", "sql": "SELECT status, COUNT(*) AS n FROM orders GROUP BY status",
         "row": {"status": "C", "n": 2}}
    )  # fmt: skip

    database: Name = Field(description="Name of the database, as the list of databases has it.")
    sql: Text = Field(description="The query: `sql` of an answer, or any other SELECT.")
    row: dict[Name, Any] | None = Field(
        None,
        description="A row of the result, with at least the columns that it is grouped by. Default: the records behind "
        "all rows.",
    )
    row_limit: RowLimit | None = Field(None, description=ROW_LIMIT)


class RecordsResponse(Frozen):
    """The records behind a result.

    columns: Column names.
    rows: The records, each an array of JSON values.
    row_count: Number of records in `rows`.
    truncated: Whether there are more records.
    total: Number of records. Null if there are none or they could not be counted.
    sql: The query of the records, with its row limit. Null if there is none.
    reason: Why there are no records. Empty if there are some.
    """

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[JsonValue, ...], ...] = ()
    row_count: int = 0
    truncated: bool = False
    total: int | None = None
    sql: str | None = None
    reason: str = ""

    @classmethod
    def of(cls, found: RawRecords) -> RecordsResponse:
        """Build the response for records."""
        if found.result is None:
            return cls(reason=found.reason)
        shared = take_fields(found.result, cls)
        return cls(**shared, row_count=found.result.row_count, total=found.total, sql=found.sql)


@router.post(
    "/records",
    operation_id="records",
    summary="Get the records behind a result",
    responses=describe_errors(400, 404, 409, 413, 422, 500, 503, 504),
)
async def records(body: RecordsRequest, lazy: Lazy, request: Request) -> RecordsResponse:
    """Returns the records behind an aggregated result.

    Plumbline derives their query from the syntax tree of the given one. The same guard and limits apply as to generated
    queries. With a row of the result, the records are those of its group. If the tree does not prove which records are
    behind the result, the response has no rows and a `reason`.
    """
    service, caller = await lazy.get_for(request, body.database)
    work = service.databases.records(body.database, body.sql, row=body.row, row_limit=body.row_limit, principal=caller)
    return RecordsResponse.of(await while_listening(request, work))


async def _resume(
    answer_id: OfAnswer, lazy: Lazy, request: Request, replays: Known, last_event_id: LastEventId = ""
) -> AsyncIterator[ServerSentEvent]:
    _, caller = await lazy.get_for(request)
    return replays.listen(replays.get(answer_id, caller), caller, int(last_event_id or 0))


@router.get(
    "/query/stream/{answer_id}",
    operation_id="resume_stream",
    summary="Resume a stream",
    response_class=EventSourceResponse,
    responses=refusals(404, 422, 500, 503),
)
async def resume_stream(
    stream: Annotated[AsyncIterator[ServerSentEvent], Depends(_resume)],
) -> AsyncIterator[ServerSentEvent]:
    """Continues a stream that was opened with `resumable=true`, from the event after `Last-Event-ID`.

    Only the process that answers the question has its events. Another process returns 404, and so does a question that
    ended more than a minute ago. The answer is then in its session.
    """
    async for event in stream:
        yield event


@router.delete(
    "/query/stream/{answer_id}",
    operation_id="end_stream",
    summary="Cancel a question",
    status_code=204,
    responses=refusals(404, 422, 500, 503),
)
async def end_stream(answer_id: OfAnswer, lazy: Lazy, request: Request, replays: Known) -> Response:
    """Cancels a question that was asked with `resumable=true`, at once."""
    _, caller = await lazy.get_for(request)
    await replays.end(answer_id, caller)
    return Response(status_code=204)
