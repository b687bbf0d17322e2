"""The HTTP interface: routes, and what of the service each one asks. Errors are told by `http_errors`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.routing import APIRoute
from fastapi.sse import EventSourceResponse, ServerSentEvent

from agent import __version__
from agent.health import PartHealth
from agent.http.context import RequestContext, principal_of, trace_id_of
from agent.http.docs_page import CONTENT_SECURITY_POLICY, docs_page
from agent.http.errors import add_handlers, documented, http_problem
from agent.http.execute import execute
from agent.http.lazy_service import Lazy, LazyService
from agent.http.rag import router as rag
from agent.http.streaming import OpenStream, while_listening
from agent.http.wire import (
    ANSWER_EXAMPLE,
    STREAM_EXAMPLE,
    DatabaseList,
    DatabaseSchema,
    Health,
    IndexReport,
    Live,
    QueryRequest,
)
from agent.models import Answer, Problem
from agent.service import Service
from agent.settings import get_settings
from executors.base import Frozen
from executors.errors import RegistryInvalid

router = APIRouter(prefix="/api")


class ApiRoute(Frozen):
    """One row of the route table, for hosts that route by themselves.

    name: the operation id. path: with its prefix and `{parameters}`. auth: who may call it, by Azure's levels.
    """

    name: str
    path: str
    methods: tuple[str, ...]
    auth: str


def _auth(level: str) -> dict[str, Any]:
    """The level of authorization that an Azure function of this route asks for: `FUNCTION` or `ANONYMOUS`."""
    return {"x-auth-level": level}


FUNCTION, ANONYMOUS = _auth("FUNCTION"), _auth("ANONYMOUS")


TraceId = Annotated[str, Depends(trace_id_of)]

ASKING_ERRORS = documented(400, 404, 409, 413, 422, 500, 502, 503, 504)
ANSWERED: dict[int | str, dict[str, Any]] = {200: {"content": {"application/json": {"example": ANSWER_EXAMPLE}}}}
STREAMED: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {"example": STREAM_EXAMPLE}}}}
DATABASE_ERRORS = documented(404, 422, 500, 503)
EXECUTE_ERRORS = documented(400, 404, 409, 413, 422, 500, 503, 504)


# ------------------------------------------------------------------------------------------------- questions


@router.post("/query", operation_id="query", summary="Ask", responses=ANSWERED | ASKING_ERRORS, openapi_extra=FUNCTION)
async def query(body: QueryRequest, lazy: Lazy, request: Request, trace_id: TraceId) -> Answer:
    """Answers a question, with the SQL, the rows and the checks that the answer passed.

    An order to change rows is planned, with `options.allow_writes`, and where settings and registry allow it: `write`
    has a token, which makes the change as `options.confirm` of a second request.
    """
    service = await lazy.get()
    asked = service.query(
        body.question,
        body.database,
        session_id=body.session_id,
        options=body.options,
        trace_id=trace_id,
        principal=principal_of(request, trusted=service.settings.trust_principal_header),
    )
    return await while_listening(request, asked)


async def _open_stream(
    body: QueryRequest, lazy: Lazy, request: Request, trace_id: TraceId
) -> AsyncIterator[OpenStream]:
    service = await lazy.get()
    events = service.events(
        body.question,
        body.database,
        session_id=body.session_id,
        options=body.options,
        trace_id=trace_id,
        principal=principal_of(request, trusted=service.settings.trust_principal_header),
    )
    async with aclosing(events):
        yield OpenStream(await anext(events), events, trace_id)


@router.post(
    "/query/stream",
    operation_id="query_stream",
    summary="Ask, and watch",
    response_class=EventSourceResponse,
    responses=STREAMED | ASKING_ERRORS,
    openapi_extra=FUNCTION,
)
async def query_stream(stream: Annotated[OpenStream, Depends(_open_stream)]) -> AsyncIterator[ServerSentEvent]:
    """The same as server-sent events: `start`, `node_complete`, `answer_delta`, then `done` or `error`.

    Each event's data is an object with `event`, `node`, `attempt`, `elapsed_ms` and `data`; that of `done` is the
    response of `POST /api/query`, that of `error` a problem document. Hanging up cancels the question.
    """
    async for event in stream:
        yield event


router.add_api_route(
    "/execute",
    execute,
    methods=["POST"],
    operation_id="execute",
    summary="Run a query",
    responses=EXECUTE_ERRORS,
    openapi_extra=FUNCTION,
)


# ------------------------------------------------------------------------------------------------- databases

Refresh = Annotated[bool, Query(description="Read it from the database again, whatever is known.")]
Enriched = Annotated[bool, Query(description="False leaves out what needs the docs: `enriched` is empty then.")]


@router.get(
    "/databases",
    operation_id="databases",
    summary="What can be asked",
    responses=documented(500, 503),
    openapi_extra=FUNCTION,
)
async def databases(lazy: Lazy, request: Request) -> DatabaseList:
    """Every database that the caller may ask, with whether it can be opened."""
    service = await lazy.get()
    caller = principal_of(request, trusted=service.settings.trust_principal_header)
    return DatabaseList(databases=await service.databases(caller))


@router.get(
    "/databases/{name}/schema",
    operation_id="database_schema",
    summary="A database's schema",
    responses=DATABASE_ERRORS,
    openapi_extra=FUNCTION,
)
async def database_schema(
    name: str, lazy: Lazy, request: Request, *, refresh: Refresh = False, enriched: Enriched = True
) -> DatabaseSchema:
    """Tables with their columns and keys, and the enriched schema as the model reads it."""
    service = await lazy.get()
    service.registered.admit(name, principal_of(request, trusted=service.settings.trust_principal_header))
    schema, warnings = await service.raw_schema(name, refresh=refresh)
    text = (await service.schema(name))[1] if enriched else ""
    return DatabaseSchema.of(schema, text, warnings)


@router.post(
    "/databases/{name}/index",
    operation_id="index_database",
    summary="Index a database's docs",
    responses=DATABASE_ERRORS,
    openapi_extra=FUNCTION,
)
async def index_database(name: str, lazy: Lazy, request: Request) -> IndexReport:
    """Reads schema and docs anew; only what has changed is embedded."""
    service = await lazy.get()
    service.registered.admit(name, principal_of(request, trusted=service.settings.trust_principal_header))
    indexed = await service.index(name)
    return IndexReport(database=name, problems=indexed.problems, **indexed.report.model_dump())


router.routes.extend(rag.routes)  # not included: the route table is read from the routes themselves


# ---------------------------------------------------------------------------------------------------- health


@router.get("/health/live", operation_id="health_live", summary="Alive?", openapi_extra=ANONYMOUS)
async def health_live() -> Live:
    """Answers at once and touches nothing."""
    return Live()


@router.get(
    "/health/ready",
    operation_id="health_ready",
    summary="Ready?",
    responses={503: {"model": Health, "description": "A part is not ready"}},
    openapi_extra=FUNCTION,
)
async def health_ready(lazy: Lazy, request: Request, response: Response) -> Health:
    """Each part with its name, what is wrong with it, and how long it took to say so."""
    try:
        service = await lazy.get()
        parts = await while_listening(request, service.health())
    except RegistryInvalid:
        parts = [PartHealth(name="registry", ready=False, detail=http_problem(503).detail)]
    ready = all(part.ready for part in parts)
    response.status_code = 200 if ready else 503
    return Health(ready=ready, parts=parts)


# ------------------------------------------------------------------------------------------------ the contract


@router.get("/openapi.json", operation_id="openapi", include_in_schema=False, openapi_extra=ANONYMOUS)
async def openapi(request: Request) -> JSONResponse:
    """This interface as OpenAPI."""
    return JSONResponse(_contract(request.app))


@router.get("/docs", operation_id="docs", include_in_schema=False, openapi_extra=ANONYMOUS)
async def docs(request: Request) -> HTMLResponse:
    """This interface for people."""
    page = docs_page(_contract(request.app))
    return HTMLResponse(page, headers={"content-security-policy": CONTENT_SECURITY_POLICY})


def _contract(app: FastAPI) -> dict[str, Any]:
    described = app.openapi()
    described["components"]["schemas"]["Problem"] = Problem.model_json_schema()  # which only `documented` refers to
    return described


# ------------------------------------------------------------------------------------------------------- apps


def api_routes() -> tuple[ApiRoute, ...]:
    """The route table, in the order of this file."""
    return tuple(
        ApiRoute(
            name=route.operation_id or route.name,
            path=route.path,
            methods=tuple(sorted(route.methods or ())),
            auth=(route.openapi_extra or FUNCTION)["x-auth-level"],
        )
        for route in router.routes
        if isinstance(route, APIRoute)
    )


def create_app(service_factory: Callable[[], Service], *, max_request_bytes: int = 1_000_000) -> FastAPI:
    """The ASGI app; the same one for uvicorn and for the Functions worker.

    Args:
        service_factory: makes the service when the first request needs it.
        max_request_bytes: larger bodies are refused with 413.
    """
    lazy = LazyService(service_factory)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        await lazy.close()

    app = FastAPI(
        title="Plumbline",
        version=__version__,
        description="Answers questions about data in plain language, and proves its answers.",
        openapi_url=None,  # served by routes of the table, so that every host has them
        redirect_slashes=False,
        strict_content_type=False,  # a body without a content type is read as JSON
        lifespan=lifespan,
        telemetry={"logs": False},  # they would carry what was asked
    )
    app.state.service = lazy
    app.add_middleware(RequestContext, max_request_bytes=max_request_bytes)
    app.include_router(router)
    add_handlers(app)
    return app


def create_default_app() -> FastAPI:
    """The app of this process's settings: what `uvicorn --factory agent.api:create_default_app` serves.

    Raises:
        pydantic.ValidationError: a setting cannot be used.
    """
    settings = get_settings()

    def service() -> Service:
        from agent.service import build_service

        return build_service(settings)

    return create_app(service, max_request_bytes=settings.max_request_bytes)
