"""Uploads over HTTP: a caller adds data as a database of their own, and deletes it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import ConfigDict, Field

from agent.api.http.context import principal_of
from agent.api.http.errors import documented
from agent.api.http.lazy_service import Lazy
from agent.api.http.levels import FUNCTION
from agent.api.http.streaming import while_listening
from agent.api.routes.databases import DATABASE_ERRORS, Database
from agent.api.schemas.common import WHOLE, Name, Text
from agent.databases.knowledge.documents import ColumnPlace
from agent.databases.registry import UploadInfo
from agent.databases.uploads.uploads import Arriving
from agent.understanding.first_look.look import FirstLook
from executors.base import Frozen, TableReport
from executors.registry.entry import NAME
from rag.docs.documents import Document

router = APIRouter(prefix="/api")

BODY: dict[str, Any] = {
    "requestBody": {
        "description": "The bytes of the file.",
        "required": True,
        "content": {
            "application/octet-stream": {
                "schema": {"type": "string", "format": "binary"},
                "example": "city,amount\nLyon,12.50\nPorto,30.00\n",
            }
        },
    }
}
File = Annotated[
    str,
    Query(
        min_length=1, max_length=200, description="The file's name; its ending says what it is.", examples=["sales.csv"]
    ),
    WHOLE,
]
NewName = Annotated[
    str | None,
    Query(pattern=f"^{NAME.pattern}$", description="What to call the database. Default: the file's name, made unique."),
]
About = Annotated[str, Query(max_length=500, description="What the data is about."), WHOLE]


class ReadReport(Frozen):
    """How the files of a database were read. problems: what could not be, one sentence each."""

    database: str
    tables: tuple[TableReport, ...] = ()
    problems: tuple[str, ...] = ()


class Description(Frozen):
    """What a column means."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"table": "orders", "column": "amount", "text": "Gross amount in euros, VAT included."}]
        }
    )

    table: Name = Field(description="As `GET /api/databases/{name}/schema` has it.")
    column: Name = Field(description="Of that table.")
    text: Annotated[Text, Field(max_length=2000)] = Field(description="A sentence or two; empty: nothing any more.")


class Described(Frozen):
    """What is said of a column now; `document` is null where nothing is."""

    database: str
    document: Document | None = None


class Uploaded(UploadInfo):
    """A database that was uploaded. `GET /api/databases/{name}` tells what can be asked of it."""

    name: str


@router.post(
    "/databases",
    operation_id="upload_database",
    summary="Upload data",
    status_code=201,
    responses=documented(409, 413, 422, 500, 503, 507),
    openapi_extra=FUNCTION | BODY,
)
async def upload_database(
    file: File, lazy: Lazy, request: Request, response: Response, name: NewName = None, description: About = ""
) -> Uploaded:
    """Takes one file of data, or a `.zip` of several, as a database that its caller alone can ask and delete.

    The body is the file itself. It is written to disk as it comes, and read once; where anything is wrong with it,
    nothing is kept. `GET /api/databases` says what is taken, how large, and for how long it is kept.
    """
    service = await lazy.get(name or "")
    declared = request.headers.get("content-length", "")
    arriving = Arriving(
        owner=principal_of(request, service.settings),
        file=file,
        name=name or "",
        description=description,
        size=int(declared) if declared.isascii() and declared.isdigit() else None,
    )
    upload = await service.take_upload(arriving, request.stream())
    response.headers["location"] = f"/api/databases/{upload.name}"
    return Uploaded(
        name=upload.name, file=upload.file, size=upload.size, created_at=upload.created, expires_at=upload.expires
    )


@router.get(
    "/databases/{name}/look",
    operation_id="first_look",
    summary="A first look at a database",
    responses=DATABASE_ERRORS,
    openapi_extra=FUNCTION,
)
async def first_look(name: Database, lazy: Lazy, request: Request) -> FirstLook:
    """Its tables with their sizes and keys, and five questions, each of which was run and gave rows."""
    service = await lazy.get(name)
    return await while_listening(request, service.first_look(name, principal_of(request, service.settings)))


@router.get(
    "/databases/{name}/report",
    operation_id="read_report",
    summary="Report on how files were read",
    responses=DATABASE_ERRORS,
    openapi_extra=FUNCTION,
)
async def read_report(name: Database, lazy: Lazy, request: Request) -> ReadReport:
    """Of each column its type, unit and values, of each file its encoding and delimiter, and what could not be read.

    A database that is no files has no tables here.
    """
    service = await lazy.get(name)
    tables, problems = await service.registered.reports(name, principal_of(request, service.settings))
    return ReadReport(database=name, tables=tables, problems=problems)


@router.put(
    "/databases/{name}/columns",
    operation_id="describe_column",
    summary="Describe a column",
    responses=DATABASE_ERRORS | documented(400, 413),
    openapi_extra=FUNCTION,
)
async def describe_column(name: Database, body: Description, lazy: Lazy, request: Request) -> Described:
    """Says what a column means; the next question knows it. It takes the place of what was said here before.

    An empty text takes it back. Docs of files, and the database's own comments, stay as they are.
    """
    service = await lazy.get(name)
    place = ColumnPlace(name, body.table, body.column)
    document = await service.describe_column(place, body.text, principal_of(request, service.settings))
    return Described(database=name, document=document)


@router.delete(
    "/databases/{name}",
    operation_id="delete_database",
    summary="Delete uploaded data",
    status_code=204,
    responses=documented(404, 422, 500, 503),
    openapi_extra=FUNCTION,
)
async def delete_database(name: Database, lazy: Lazy, request: Request) -> Response:
    """Deletes a database that the caller uploaded, with the docs and queries that were kept about it."""
    service = await lazy.get(name)
    await service.remove_upload(name, principal_of(request, service.settings))
    return Response(status_code=204)
