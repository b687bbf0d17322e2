"""Databases over HTTP: list them, read their schemas, and index their docs again."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request

from agent.api.http.auth import count
from agent.api.http.errors import describe_errors
from agent.api.http.lazy_service import Lazy
from agent.api.schemas.common import DatabaseDetail, DatabaseList, DatabaseSchema, IndexReport

router = APIRouter(prefix="/api")

DATABASE_ERRORS = describe_errors(404, 422, 500, 503)
Database = Annotated[str, Path(description="Name of the database, as the list of databases has it.", examples=["shop"])]
Refresh = Annotated[
    bool, Query(description="Whether to read the schema from the database again. Default: use the cached schema.")
]
Enriched = Annotated[
    bool, Query(description="Whether to include the schema with the docs, in `enriched`. Default: true.")
]


@router.get(
    "/databases",
    operation_id="databases",
    summary="List databases",
    responses=describe_errors(500, 503),
)
async def databases(lazy: Lazy, request: Request) -> DatabaseList:
    """Returns the databases that the caller may ask, and whether each can be opened."""
    service, caller = await lazy.get_for(request)
    return DatabaseList(databases=await service.list_databases(caller), uploads=service.uploads.rules)


@router.get(
    "/databases/{name}",
    operation_id="database",
    summary="Get a database",
    responses=DATABASE_ERRORS,
)
async def database(name: Database, lazy: Lazy, request: Request) -> DatabaseDetail:
    """Returns a database, with suggested questions: those of the registry, those of the docs, and derived ones."""
    service, caller = await lazy.get_for(request)
    info, questions = await service.database(name, caller)
    return DatabaseDetail(**info.model_dump(), questions=questions)


@router.get(
    "/databases/{name}/schema",
    operation_id="database_schema",
    summary="Get a schema",
    responses=DATABASE_ERRORS | describe_errors(429),
)
async def database_schema(
    name: Database, lazy: Lazy, request: Request, *, refresh: Refresh = False, enriched: Enriched = True
) -> DatabaseSchema:
    """Returns the tables with their columns and keys, and the schema with the docs as the model reads it."""
    service, caller = await lazy.get_for(request, name)
    service.databases.admit(name, caller)
    if refresh:
        await count(request)
    schema, warnings = await service.raw_schema(name, refresh=refresh, principal=caller)
    text = (await service.schema(name, caller))[1] if enriched else ""
    return DatabaseSchema.of(schema, text, warnings)


@router.post(
    "/databases/{name}/index",
    operation_id="index_database",
    summary="Index a database's docs",
    responses=DATABASE_ERRORS,
)
async def index_database(name: Database, lazy: Lazy, request: Request) -> IndexReport:
    """Reads the schema and the docs again. Only changed documents are embedded."""
    service, caller = await lazy.get_for(request, name)
    service.databases.admit_owner(name, caller)
    indexed = await service.index(name, caller)
    return IndexReport(database=name, problems=indexed.problems, **indexed.report.model_dump())
