"""The HTTP interface: its route table and the app that serves it. The routes are in `agent.api.routes`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.routing import APIRoute

from agent import __version__
from agent.api.http.auth import add_guards
from agent.api.http.context import ANONYMOUS, FUNCTION, HeadRequests, RequestContext, with_head
from agent.api.http.errors import add_handlers
from agent.api.http.idempotent import IdempotentRequests
from agent.api.http.lazy_service import LazyService
from agent.api.http.replay import Replays
from agent.api.routes import (
    chat,
    databases,
    generate,
    health,
    jobs,
    page,
    query,
    rag,
    reviews,
    saved,
    sessions,
    uploads,
)
from agent.api.routes.docs_page import CONTENT_SECURITY_POLICY, docs_page
from agent.api.server.limits import Draining, DrainingRequests, RequestLimits
from agent.core.errors import ConfigurationInvalid
from agent.pipeline.service import Service, build_service
from agent.platform import telemetry
from agent.platform.access.policy import Access, build_access, build_closed_access
from agent.platform.config.settings import MB
from agent.platform.configuration import examine
from agent.platform.telemetry.logs import configure_logs
from executors.base import Frozen

router = APIRouter(prefix="/api")  # for the contract's routes; the others have their own prefixes
_PARTS = (query, jobs, databases, uploads, chat, sessions, generate, rag, reviews, saved, health, page)
for _route in (route for part in _PARTS for route in part.router.routes if isinstance(route, APIRoute)):
    _route.openapi_extra = FUNCTION | (_route.openapi_extra or {})  # routes are closed by default
    router.routes.append(_route)  # not by include_router: the route table is built from the routes themselves

LOG = logging.getLogger(__name__)


class ApiRoute(Frozen):
    """A row of the route table. path: with `/api` and `{parameters}`; auth: authorization level in Azure's terms."""

    name: str
    path: str
    methods: tuple[str, ...]
    auth: str


@router.get("/openapi.json", operation_id="openapi", include_in_schema=False, openapi_extra=ANONYMOUS)
async def openapi(request: Request) -> JSONResponse:
    """This interface as OpenAPI."""
    return JSONResponse(_contract(request.app))


@router.get("/docs", operation_id="docs", include_in_schema=False, openapi_extra=ANONYMOUS)
async def docs(request: Request) -> HTMLResponse:
    """This interface for people."""
    page = docs_page(_contract(request.app))
    return HTMLResponse(page, headers={"content-security-policy": CONTENT_SECURITY_POLICY})


def contract() -> dict[str, Any]:
    """The OpenAPI description of the interface without authentication. No service is built for it."""
    return _contract(create_app(partial(_never, AssertionError("to describe the interface takes no service"))))


def _contract(app: FastAPI) -> dict[str, Any]:
    from agent.api.contract.complete import complete  # slow to import, as it builds all examples

    access: Access | None = app.state.access
    return complete(app.openapi(), access.mode if access else "none")


def api_routes() -> tuple[ApiRoute, ...]:
    """The route table, in order of registration."""
    return tuple(
        ApiRoute(
            name=route.operation_id or route.name,
            path=route.path,
            methods=tuple(sorted(with_head(route.methods or ()))),
            auth=(route.openapi_extra or FUNCTION)["x-auth-level"],
        )
        for route in router.routes
        if isinstance(route, APIRoute)
    )


def create_app(
    service_factory: Callable[[], Service],
    *,
    max_request_bytes: int = 1_000_000,
    upload_bytes: int = 0,
    receive_timeout_s: float = 10,
    request_deadline_s: float = 220,
    access: Access | None = None,
    has_timers: bool = False,
    dashboard_check_s: float = 300,
) -> FastAPI:
    """Build the ASGI app, for both uvicorn and the Functions worker.

    Args:
        service_factory: builds the service when the first request needs it.
        max_request_bytes, upload_bytes: larger bodies are refused with 413.
        receive_timeout_s, request_deadline_s: time limits for receiving a body and for building the service.
        access: access checks; None: every caller is accepted.
        has_timers: whether the host has timers; else the app checks for due tiles every `dashboard_check_s` seconds.
    """
    lazy = LazyService(service_factory, has_timers=has_timers, deadline_s=request_deadline_s)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        lazy.refresh_dashboards(dashboard_check_s)
        yield
        await app.state.replays.close()
        await lazy.close()
        await asyncio.to_thread(telemetry.shutdown)

    app = FastAPI(
        title="Plumbline",
        version=__version__,
        description="Answers questions about data in plain language and verifies the answers.",
        openapi_url=None,  # served by routes of the table, so that every host serves it
        redirect_slashes=False,
        strict_content_type=False,  # a body without a content type is read as JSON
        lifespan=lifespan,
        telemetry=telemetry.get().fastapi(),
    )
    app.state.service, app.state.access, app.state.routes = lazy, access, tuple(router.routes)
    app.state.replays = Replays()
    app.state.draining = Draining()
    open_paths = frozenset(route.path for route in api_routes() if route.auth == "ANONYMOUS")
    app.add_middleware(HeadRequests)
    app.add_middleware(IdempotentRequests, lazy=lazy, routes=app.state.routes)  # behind the door: needs the caller
    add_guards(app, access, open_paths | page.asset_paths())
    app.add_middleware(DrainingRequests, draining=app.state.draining)
    app.add_middleware(RequestLimits, receive_timeout_s=receive_timeout_s)
    app.add_middleware(RequestContext, max_request_bytes=max_request_bytes, upload_bytes=upload_bytes)
    app.include_router(router)
    add_handlers(app)
    return app


def create_default_app(*, in_functions: bool = False, sources: Sequence[str] = ()) -> FastAPI:
    """Build the app from this process's settings. Raises ConfigurationInvalid.

    Under Functions, invalid settings give an app with closed routes: an app that fails to load has no health route.
    """
    found = examine(in_functions=in_functions, registry=not sources)
    settings = found.settings
    if settings is not None:
        configure_logs(settings, in_functions=in_functions)
    for warning in found.warnings:
        LOG.warning("%s", warning)
    if found.every_problem:
        LOG.error("%s", found.report())
    if settings is None or found.problems:
        unusable = ConfigurationInvalid(found.report())
        if not in_functions:
            raise unusable
        return create_app(partial(_never, unusable), access=build_closed_access())
    telemetry.setup(settings)
    access = build_access(settings, in_functions=in_functions)
    return create_app(
        partial(build_service, settings, sources=sources),
        max_request_bytes=settings.max_request_bytes,
        upload_bytes=settings.upload_mb * MB + MB,  # its route refuses larger ones and states the limit
        receive_timeout_s=settings.receive_timeout_s,
        request_deadline_s=settings.request_deadline_s,
        access=access,
        has_timers=in_functions,
        dashboard_check_s=settings.dashboard_check_s,
    )


def _never(error: Exception) -> Service:
    raise error
