"""Saved queries over HTTP, run again with rows in any format; dashboards, which run them on a schedule."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from agent.api.http.export import VARY, Wanted, build_executed_response, describe_files
from agent.api.http.lazy_service import Lazy
from agent.api.http.streaming import while_listening
from agent.api.http.versions import IfMatch, answers, refusals, tag, version_of
from agent.api.schemas.common import ExecuteResponse
from agent.api.schemas.saved import (
    PUT_EXAMPLE,
    SAVED_EXAMPLE,
    SAVED_ID,
    TILE_EXAMPLE,
    DashboardResponse,
    PutTileRequest,
    PutTileResponse,
    ReplaceSavedRequest,
    RunSavedRequest,
    SavedList,
    SavedResponse,
    SaveRequest,
    TileResponse,
)

router = APIRouter(prefix="/api")

CHANGING_ERRORS = (400, 404, 409, 413, 422, 500, 503)
NO_CHANGES = RunSavedRequest()

SavedId = Annotated[str, Path(pattern=SAVED_ID, description="Id of the saved query.", examples=[SAVED_EXAMPLE["id"]])]

_LISTED = {"saved": [{key: value for key, value in SAVED_EXAMPLE.items() if key != "version"}]}
_ROWS = {
    "columns": ["order_id"], "rows": [[1], [3]], "row_count": 2, "truncated": False, "elapsed_ms": 1.2,
    "sql": "SELECT order_id FROM orders WHERE status = 'C' LIMIT 500",
}  # fmt: skip


_CONFLICT = "The name is taken, the query was changed since it was read, or it is not a SELECT"


@router.post("/saved", operation_id="save_query", summary="Save a query", status_code=201,
             responses=answers(SAVED_EXAMPLE, *CHANGING_ERRORS, conflict=_CONFLICT, status=201))  # fmt: skip
async def save_query(body: SaveRequest, lazy: Lazy, request: Request, response: Response) -> SavedResponse:
    """Saves a query. The guard must accept it; it is not run."""
    service, caller = await lazy.get_for(request)
    stored = await service.people.saved.save(caller, body.query(), answer_id=body.answer_ref)
    tag(response, stored.version)
    return SavedResponse.of(stored.query, stored.version)


@router.get("/saved", operation_id="saved_queries", summary="List saved queries", responses=answers(_LISTED, 500, 503))
async def list_saved_queries(lazy: Lazy, request: Request) -> SavedList:
    """Returns the caller's saved queries, ordered by name, of databases that the caller may ask."""
    service, caller = await lazy.get_for(request)
    return SavedList(saved=await service.people.saved.all(caller))


@router.get("/saved/{id}", operation_id="saved_query", summary="Get a saved query",
            responses=answers(SAVED_EXAMPLE, 404, 422, 500, 503))  # fmt: skip
async def get_saved_query(id: SavedId, lazy: Lazy, request: Request, response: Response) -> SavedResponse:  # noqa: A002
    """Returns a saved query of the caller."""
    service, caller = await lazy.get_for(request)
    stored = await service.people.saved.get(caller, id)
    tag(response, stored.version)
    return SavedResponse.of(stored.query, stored.version)


@router.put("/saved/{id}", operation_id="replace_saved_query", summary="Update a saved query",
            responses=answers(SAVED_EXAMPLE, *CHANGING_ERRORS, conflict=_CONFLICT))  # fmt: skip
async def replace_saved_query(
    id: SavedId,  # noqa: A002
    body: ReplaceSavedRequest,
    lazy: Lazy,
    request: Request,
    response: Response,
    if_match: IfMatch = "",
) -> SavedResponse:
    """Replaces the name, the question or the query of a saved query."""
    service, caller = await lazy.get_for(request)
    stored = await service.people.saved.replace(caller, id, body.query(), version=version_of(if_match))
    tag(response, stored.version)
    return SavedResponse.of(stored.query, stored.version)


@router.delete("/saved/{id}", operation_id="delete_saved_query", summary="Delete a saved query", status_code=204,
               responses=refusals(404, 409, 422, 500, 503, conflict=_CONFLICT))  # fmt: skip
async def delete_saved_query(id: SavedId, lazy: Lazy, request: Request, if_match: IfMatch = "") -> Response:  # noqa: A002
    """Deletes a saved query and its tile."""
    service, caller = await lazy.get_for(request)
    await service.people.saved.delete(caller, id, version=version_of(if_match))
    await service.dashboard.forget(caller, id)
    return Response(status_code=204)


_RUN = describe_files() | refusals(400, 404, 406, 409, 413, 422, 500, 503, 504, conflict="The query is not a SELECT")
_RUN[200]["content"]["application/json"] = {"example": _ROWS}


@router.post("/saved/{id}/run", operation_id="run_saved_query", summary="Run a saved query",
             response_model=ExecuteResponse, responses=_RUN)  # fmt: skip
async def run_saved_query(
    id: SavedId,  # noqa: A002
    lazy: Lazy,
    request: Request,
    response: Response,
    wanted: Wanted,
    body: RunSavedRequest = NO_CHANGES,
) -> ExecuteResponse | Response:
    """Runs a saved query. The same guard and limits apply as to other queries. `Accept` can request a file."""
    service, caller = await lazy.get_for(request)
    work = service.people.saved.run(caller, id, parameters=body.parameters, row_limit=body.row_limit)
    query, done = await while_listening(request, work)
    if wanted is not None:
        return await build_executed_response(request, wanted, done, database=query.database)
    response.headers.update(VARY)
    return ExecuteResponse.of(done)


_TILES = {"tiles": [TILE_EXAMPLE]}


@router.get("/dashboard", operation_id="dashboard", summary="Get the dashboard",
            responses=answers(_TILES, 403, 500, 503))  # fmt: skip
async def dashboard(lazy: Lazy, request: Request) -> DashboardResponse:
    """Returns the caller's tiles with their last runs. No query runs."""
    service, caller = await lazy.get_for(request)
    shown = await service.dashboard.all(caller)
    return DashboardResponse(tiles=[TileResponse.of(one) for one in shown])


@router.put("/dashboard/{id}", operation_id="put_tile", summary="Put a saved query on the dashboard",
            responses=answers(PUT_EXAMPLE, 400, 403, 404, 413, 422, 500, 503))  # fmt: skip
async def put_tile(id: SavedId, body: PutTileRequest, lazy: Lazy, request: Request) -> PutTileResponse:  # noqa: A002
    """Adds a tile, or changes an existing one. The query runs now, and then on its schedule. A failed run is in
    `failed`.
    """
    service, caller = await lazy.get_for(request)
    work = service.dashboard.put(caller, id, minutes=body.minutes, alert=body.alert)
    shown, secret = await while_listening(request, work)
    return PutTileResponse.with_secret(shown, secret)


@router.delete("/dashboard/{id}", operation_id="remove_tile", summary="Remove a tile", status_code=204,
               responses=refusals(403, 404, 422, 500, 503))  # fmt: skip
async def remove_tile(id: SavedId, lazy: Lazy, request: Request) -> Response:  # noqa: A002
    """Removes a tile. Its query stays saved."""
    service, caller = await lazy.get_for(request)
    await service.dashboard.remove(caller, id)
    return Response(status_code=204)
