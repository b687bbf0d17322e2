"""Uploads over HTTP: a caller adds data as a database of their own, and deletes it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from agent.api.http.errors import describe_errors
from agent.api.http.lazy_service import Lazy
from agent.api.http.streaming import while_listening
from agent.api.routes.databases import DATABASE_ERRORS, Database
from agent.api.schemas.common import WHOLE, Name, Text, with_example
from agent.core.errors import UploadInvalid
from agent.databases.knowledge.documents import ColumnPlace
from agent.databases.registry import UploadInfo
from agent.databases.uploads.uploads import Arriving
from agent.understanding.first_look.look import FirstLook
from executors.base import Frozen, TableReport
from executors.registry.entry import NAME, DateOrder
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
        min_length=1,
        max_length=200,
        description="Name of the file. The extension determines the format.",
        examples=["sales.csv"],
    ),
    WHOLE,
]
NewName = Annotated[
    str | None,
    Query(pattern=f"^{NAME.pattern}$", description="Name of the new database. Default: derived from the file's name."),
]
NO_FORM = "Send the file itself as the body, not a form that contains it: with curl, `--data-binary @FILE`."
About = Annotated[str, Query(max_length=500, description="What the data is about, for people and the model."), WHOLE]
Dates = Annotated[
    DateOrder | None,
    Query(
        description="How dates are read that have only numbers and fit both ways, such as `03/04/2024`. "
        "Default: the day first, with a problem that says so."
    ),
]


class ReadReport(Frozen):
    """How the files of a database were read.

    database: Database name.
    tables: The tables. Empty if the database does not consist of files.
    problems: What could not be read, one sentence each.
    """

    database: str
    tables: tuple[TableReport, ...] = ()
    problems: tuple[str, ...] = ()


class Description(Frozen):
    """A description of a column."""

    model_config = with_example({"table": "orders", "column": "amount", "text": "Gross amount in euros, VAT included."})

    table: Name = Field(description="Table name, from `GET /api/databases/{name}/schema`.")
    column: Name = Field(description="Column name, from the same schema.")
    text: Annotated[Text, Field(max_length=2000)] = Field(
        description="What the column means, in a sentence or two. An empty text removes the description."
    )


class Described(Frozen):
    """The description of a column.

    database: Database name.
    document: The stored description. Null if it was removed.
    """

    database: str
    document: Document | None = None


class Uploaded(UploadInfo):
    """An uploaded database. `GET /api/databases/{name}` suggests questions about it.

    name: Name, as requests use it.
    problems: What could not be read, one sentence each, as in `GET /api/databases/{name}/report`.
    """

    name: str
    problems: tuple[str, ...] = ()


@router.post(
    "/databases",
    operation_id="upload_database",
    summary="Upload data",
    status_code=201,
    responses=describe_errors(409, 413, 422, 500, 503, 507),
    openapi_extra=BODY,
)
async def upload_database(
    file: File,
    lazy: Lazy,
    request: Request,
    response: Response,
    name: NewName = None,
    description: About = "",
    dates: Dates = None,
) -> Uploaded:
    """Creates a database from a data file, or from a `.zip` of several.

    Only the caller can ask and delete it. The body is the file itself. Nothing is stored if the file cannot be read.
    `GET /api/databases` returns the accepted formats, the maximum size and the retention period.
    """
    if request.headers.get("content-type", "").lower().startswith("multipart/"):
        raise UploadInvalid(NO_FORM)
    service, caller = await lazy.get_for(request, name or "")
    declared = request.headers.get("content-length", "")
    arriving = Arriving(
        owner=caller,
        file=file,
        name=name or "",
        description=description,
        dates=dates,
        size=int(declared) if declared.isascii() and declared.isdigit() else None,
    )
    upload = await service.take_upload(arriving, request.stream())
    response.headers["location"] = f"/api/databases/{upload.name}"
    return Uploaded(
        name=upload.name,
        file=upload.file,
        size=upload.size,
        created_at=upload.created_time,
        expires_at=upload.expires,
        problems=upload.problems,
    )


@router.get(
    "/databases/{name}/look",
    operation_id="first_look",
    summary="Get an overview of a database",
    responses=DATABASE_ERRORS,
)
async def first_look(name: Database, lazy: Lazy, request: Request) -> FirstLook:
    """Returns the tables with their sizes and keys, and five questions. Each was run and returned rows."""
    service, caller = await lazy.get_for(request, name)
    return await while_listening(request, service.first_look(name, caller))


@router.get(
    "/databases/{name}/report",
    operation_id="read_report",
    summary="Get the report of read files",
    responses=DATABASE_ERRORS,
)
async def read_report(name: Database, lazy: Lazy, request: Request) -> ReadReport:
    """Returns how files were read, with the type, unit and values of each column.

    The report also has the encoding and delimiter of each file, and what could not be read. It is empty for a database
    that does not consist of files.
    """
    service, caller = await lazy.get_for(request, name)
    tables, problems = await service.databases.reports(name, caller)
    return ReadReport(database=name, tables=tables, problems=problems)


@router.put(
    "/databases/{name}/columns",
    operation_id="describe_column",
    summary="Describe a column",
    responses=DATABASE_ERRORS | describe_errors(400, 413),
)
async def describe_column(name: Database, body: Description, lazy: Lazy, request: Request) -> Described:
    """Sets the description of a column.

    The next question uses it. It replaces an earlier description from this route; an empty text removes that. Docs in
    files and the database's own comments do not change.
    """
    service, caller = await lazy.get_for(request, name)
    place = ColumnPlace(name, body.table, body.column)
    document = await service.describe_column(place, body.text, caller)
    return Described(database=name, document=document)


@router.delete(
    "/databases/{name}",
    operation_id="delete_database",
    summary="Delete uploaded data",
    status_code=204,
    responses=describe_errors(404, 422, 500, 503),
)
async def delete_database(name: Database, lazy: Lazy, request: Request) -> Response:
    """Deletes a database that the caller uploaded, with its documents and saved queries."""
    service, caller = await lazy.get_for(request, name)
    await service.remove_upload(name, caller)
    return Response(status_code=204)
