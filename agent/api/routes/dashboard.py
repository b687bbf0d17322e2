"""Dashboards over HTTP: saved queries as tiles that run on a schedule, and their alerts."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from agent.api.http.context import principal_of
from agent.api.http.lazy_service import Lazy
from agent.api.http.levels import FUNCTION
from agent.api.http.streaming import while_listening
from agent.api.http.versions import answers, refusals
from agent.api.routes.saved import SavedId
from agent.api.schemas.dashboard import (
    PUT_EXAMPLE,
    TILE_EXAMPLE,
    DashboardResponse,
    PutTileRequest,
    PutTileResponse,
    TileResponse,
)

router = APIRouter(prefix="/api")

_LISTED = {"tiles": [TILE_EXAMPLE]}


@router.get("/dashboard", operation_id="dashboard", summary="Get the dashboard", openapi_extra=FUNCTION,
            responses=answers(_LISTED, 403, 500, 503))  # fmt: skip
async def dashboard(lazy: Lazy, request: Request) -> DashboardResponse:
    """Returns the caller's tiles with their last runs. No query runs."""
    service = await lazy.get()
    shown = await service.dashboard.all(principal_of(request, service.settings))
    return DashboardResponse(tiles=[TileResponse.of(one) for one in shown])


@router.put("/dashboard/{id}", operation_id="put_tile", summary="Put a saved query on the dashboard",
            openapi_extra=FUNCTION, responses=answers(PUT_EXAMPLE, 400, 403, 404, 413, 422, 500, 503))  # fmt: skip
async def put_tile(id: SavedId, body: PutTileRequest, lazy: Lazy, request: Request) -> PutTileResponse:  # noqa: A002
    """Adds a tile, or changes an existing one. The query runs now, and then on its schedule. A failed run is in
    `failed`.
    """
    service = await lazy.get()
    caller = principal_of(request, service.settings)
    work = service.dashboard.put(caller, id, minutes=body.minutes, alert=body.alert)
    put = await while_listening(request, work)
    return PutTileResponse.with_secret(put.shown, put.secret)


@router.delete("/dashboard/{id}", operation_id="remove_tile", summary="Remove a tile", status_code=204,
               openapi_extra=FUNCTION, responses=refusals(403, 404, 422, 500, 503))  # fmt: skip
async def remove_tile(id: SavedId, lazy: Lazy, request: Request) -> Response:  # noqa: A002
    """Removes a tile. Its query stays saved."""
    service = await lazy.get()
    await service.dashboard.remove(principal_of(request, service.settings), id)
    return Response(status_code=204)
