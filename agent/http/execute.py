"""`POST /api/execute`: rows of one query, for other deployments and for tools that write their own SQL."""

from __future__ import annotations

from fastapi import Request

from agent.http.context import principal_of
from agent.http.lazy_service import Lazy
from agent.http.streaming import while_listening
from agent.http.wire import ExecuteRequest, ExecuteResponse


async def execute(body: ExecuteRequest, lazy: Lazy, request: Request) -> ExecuteResponse:
    """Runs one SELECT on a database of the registry, guarded and capped like every other query.

    Hanging up stops the query in the database. An error of the query is a problem document with its `kind` and `hint`.
    """
    service = await lazy.get()
    service.registered.admit(body.database, principal_of(request, trusted=service.settings.trust_principal_header))
    work = service.registered.execute(
        body.database, body.sql, row_limit=body.row_limit, timeout_s=body.timeout_s, parameters=body.parameters
    )
    return ExecuteResponse.of(await while_listening(request, work))
