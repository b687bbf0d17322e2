"""`POST /api/records`: the records behind a query that aggregates, or behind one row of its result."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from pydantic import ConfigDict, Field

from agent.api.http.context import principal_of
from agent.api.http.errors import describe_errors
from agent.api.http.lazy_service import Lazy
from agent.api.http.levels import FUNCTION
from agent.api.http.streaming import while_listening
from agent.api.schemas.common import ROW_LIMIT, Name, RowLimit, Text
from agent.databases.registry import Supporting
from executors.base import Frozen, JsonValue

router = APIRouter(prefix="/api")


class RecordsRequest(Frozen):
    """A query, and optionally the row of its result to get the records of. Unknown fields are refused."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"database": "shop", "sql": "SELECT status, COUNT(*) AS n FROM orders GROUP BY status",
                 "row": {"status": "C", "n": 2}}
            ]
        }
    )  # fmt: skip

    database: Name = Field(description="Name of the database, from `GET /api/databases`.")
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
    def of(cls, found: Supporting) -> RecordsResponse:
        """The wire's shape of what was found."""
        if found.result is None:
            return cls(reason=found.reason)
        return cls(
            columns=found.result.columns,
            rows=found.result.rows,
            row_count=found.result.row_count,
            truncated=found.result.truncated,
            total=found.total,
            sql=found.sql,
        )


@router.post(
    "/records",
    operation_id="records",
    summary="Get the records behind a result",
    responses=describe_errors(400, 404, 409, 413, 422, 500, 503, 504),
    openapi_extra=FUNCTION,
)
async def records(body: RecordsRequest, lazy: Lazy, request: Request) -> RecordsResponse:
    """Returns the records behind an aggregated result.

    Plumbline derives their query from the syntax tree of the given one. The same guard and limits apply as to generated
    queries. With a row of the result, the records are those of its group. If the tree does not prove which records are
    behind the result, the response has no rows and a `reason`.
    """
    service = await lazy.get(body.database)
    caller = principal_of(request, service.settings)
    service.registered.admit(body.database, caller)
    work = service.registered.records(body.database, body.sql, row=body.row, row_limit=body.row_limit, principal=caller)
    return RecordsResponse.of(await while_listening(request, work))
