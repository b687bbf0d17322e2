"""The RAG agent over HTTP: search and add documents of a database; and the tools that other agents call."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from agent.api.http.errors import describe_errors
from agent.api.http.lazy_service import Lazy
from agent.api.http.streaming import while_listening
from agent.api.schemas.common import Name
from agent.api.schemas.rag import AddedResponse, AddRequest, DocumentPage, SearchRequest, SearchResponse
from agent.api.tools import TOOLS, ToolList, search_docs
from rag.docs.documents import Kind

router = APIRouter(prefix="/api")

ERRORS = describe_errors(400, 404, 413, 422, 500, 503)
BODILESS_ERRORS = describe_errors(404, 422, 500, 503)

DocumentId = Annotated[str, Path(pattern="^[0-9a-f]{1,64}$", description="Id of the document.", examples=["5f2c1e"])]
Database = Annotated[
    Name, Query(description="Name of the database, as the list of databases has it.", examples=["shop"])
]
Kinds = Annotated[
    list[Kind] | None, Query(max_length=4, description="Return only these kinds. Can be repeated. Default: all kinds.")
]
Limit = Annotated[int, Query(ge=1, le=500, description="Maximum number of documents.")]
Offset = Annotated[int, Query(ge=0, description="Where the page starts: `next_offset` of the previous page.")]


@router.post("/rag/search", operation_id="search_docs", summary="Search the docs", responses=ERRORS)
async def search(body: SearchRequest, lazy: Lazy, request: Request) -> SearchResponse:
    """Returns the documents that best match a query: docs of columns and tables, rules, terms and past queries."""
    service, caller = await lazy.get_for(request, body.database)
    return await while_listening(request, search_docs(service, body, caller))


@router.get("/rag/documents", operation_id="list_documents", summary="List documents", responses=BODILESS_ERRORS)
async def list_documents(
    database: Database, lazy: Lazy, request: Request, kind: Kinds = None, limit: Limit = 100, offset: Offset = 0
) -> DocumentPage:
    """Returns the documents of a database, page by page, in a stable order."""
    service, caller = await lazy.get_for(request, database)
    page = await service.documents.page(database, limit=limit, offset=offset, kinds=kind or (), principal=caller)
    return DocumentPage.of(database, page, offset)


@router.post("/rag/documents", operation_id="add_documents", summary="Add documents", status_code=201, responses=ERRORS)
async def add_documents(body: AddRequest, lazy: Lazy, request: Request) -> AddedResponse:
    """Adds documents. The next search and the next question use them. They are kept across restarts.

    Documents are checked against the current schema, and their queries by the guard; no query runs. If one document is
    invalid, none is added.
    """
    service, caller = await lazy.get_for(request, body.database)
    service.databases.admit_owner(body.database, caller)
    added = await service.documents.add(body.database, [new.document() for new in body.documents], caller)
    return AddedResponse(database=body.database, documents=added)


@router.delete("/rag/documents/{id}", operation_id="delete_document", summary="Delete a document", status_code=204,
               responses=BODILESS_ERRORS)  # fmt: skip
async def delete_document(id: DocumentId, database: Database, lazy: Lazy, request: Request) -> Response:  # noqa: A002
    """Deletes a document that was added through the API. Documents from files change with their files."""
    service, caller = await lazy.get_for(request, database)
    service.databases.admit_owner(database, caller)
    await service.documents.remove(database, id)
    return Response(status_code=204)


@router.get("/tools", operation_id="tools", summary="List tools", responses=describe_errors(500))
async def tools() -> ToolList:
    """Returns tool definitions for function calling, and the route that runs each tool."""
    return ToolList.of(TOOLS)
