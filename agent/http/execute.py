"""`POST /api/execute`: rows of one query, for other deployments and for tools that write their own SQL."""

from __future__ import annotations

from fastapi import Request, Response

from agent.http.context import principal_of
from agent.http.export import VARY, Wanted, rows_response
from agent.http.lazy_service import Lazy
from agent.http.streaming import while_listening
from agent.http.wire import ExecuteRequest, ExecuteResponse


async def execute(
    body: ExecuteRequest, lazy: Lazy, request: Request, response: Response, wanted: Wanted
) -> ExecuteResponse | Response:
    """Runs one SELECT on a database of the registry, guarded and capped like every other query.

    Hanging up stops the query in the database. An error of the query is a problem document with its `kind` and `hint`.
    With `Accept: text/csv`, `application/vnd.apache.parquet` or `application/vnd.apache.arrow.stream` the rows come as
    a file, streamed.
    """
    service = await lazy.get(body.database)
    caller = principal_of(request, service.settings)
    service.registered.admit(body.database, caller)
    work = service.registered.execute(
        body.database,
        body.sql,
        row_limit=body.row_limit,
        timeout_s=body.timeout_s,
        parameters=body.parameters,
        principal=caller,
    )
    done = await while_listening(request, work)
    if wanted is not None:
        return await rows_response(request, wanted, done.result, database=body.database, sql=done.query.sql)
    response.headers.update(VARY)
    return ExecuteResponse.of(done)
