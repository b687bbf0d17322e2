"""The bodies of the routes `rag/…`, about documents."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field, model_validator

from agent.api.schemas.common import BLANK, FILLED, SOMETHING, Name, Text, one_of, with_example
from agent.core.fields import A_NUMBER
from agent.databases.knowledge.documents import Page
from executors.base import Frozen
from rag.docs.documents import Document, Kind, Retrieved

MAX_AT_ONCE = 100

Query = Annotated[Text, Field(min_length=1, max_length=4_000)]
_NEEDS: dict[str, tuple[str, ...]] = {"column": ("table", "column"), "table": ("table",), "query": ("sql",)}
_TAKES: dict[str, tuple[str, ...]] = {**_NEEDS, "rule": ("table",)}


class SearchRequest(Frozen):
    """A search in the docs of one database. Unknown fields are refused."""

    model_config = with_example({"database": "shop", "query": "when does the fiscal year start?", "top_k": 3})

    database: Name = Field(description="Name of the database, as the list of databases has it.")
    query: Query = Field(description="What to search for, in plain language.")
    top_k: Annotated[int, Field(ge=1, le=100), A_NUMBER] = Field(5, description="Maximum number of documents.")
    kinds: Annotated[list[Kind], Field(max_length=4)] = Field(
        [], description="Return only these kinds. Default: all kinds."
    )


class FoundDocument(Frozen):
    """A document that matches a search.

    id: Id of the document.
    kind: `column` or `table` docs, a `rule` or term, or a past `query`.
    score: Cosine similarity to the search, at most 1.
    text: The fact. For kind `query`, the question.
    table: The table that the fact is about. Empty if it is about no single table.
    column: The column that the fact is about. Empty if it is about no single column.
    sql: For kind `query`, the SELECT that answers the question. Empty otherwise.
    source: Name of the file, `comment` for the database's own comments, or the `source` of an added document.
    """

    id: str
    kind: Kind
    score: float
    text: str
    table: str = ""
    column: str = ""
    sql: str = ""
    source: str = ""

    @classmethod
    def of(cls, hit: Retrieved) -> FoundDocument:
        """Build the response for a hit."""
        return cls(score=hit.score, **hit.document.model_dump())


class SearchResponse(Frozen):
    """The documents that match a search.

    documents: The documents, the best first.
    warnings: What is missing from the search, one sentence each.
    """

    documents: list[FoundDocument]
    warnings: tuple[str, ...] = ()


def _by_kind() -> list[Any]:
    """The required and allowed fields of each kind of document, as JSON Schemas."""
    return [
        {
            "title": kind,
            "required": list(_NEEDS.get(kind, ())),
            "properties": {"kind": {"const": kind}}
            | {field: BLANK for field in ("table", "column", "sql") if field not in takes}
            | dict.fromkeys(_NEEDS.get(kind, ()), FILLED),
        }
        for kind, takes in _TAKES.items()
    ]


class NewDocument(Frozen):
    """A document to add. Unknown fields are refused."""

    model_config = ConfigDict(json_schema_extra=one_of(_by_kind()))

    kind: Kind = Field(
        description="Kind of document: docs of a `column` or a `table`, a `rule` or term, or a `query` with its SQL."
    )
    text: Annotated[Text, Field(min_length=1, max_length=4_000)] = Field(
        description="The fact. For kind `query`, the question.", json_schema_extra={"pattern": SOMETHING}
    )
    table: Name = Field(
        "",
        description="The table that the document is about. Required for kinds `column` and `table`.",
    )
    column: Name = Field("", description="The column that the document is about. For kind `column` only.")
    sql: Annotated[Text, Field(max_length=20_000)] = Field(
        "", description="The SELECT that answers the question. For kind `query` only."
    )
    source: Name = Field("", description="Where the fact comes from, for readers.")

    @model_validator(mode="after")
    def _is_complete(self) -> NewDocument:
        given = {name for name in ("table", "column", "sql") if getattr(self, name).strip()}
        missing = [name for name in _NEEDS.get(self.kind, ()) if name not in given]
        extra = [name for name in sorted(given) if name not in _TAKES[self.kind]]
        if missing or not self.text.strip():
            raise ValueError(f"A document of kind {self.kind!r} needs {' and '.join(missing) or 'a text'}.")
        if extra:
            raise ValueError(f"A document of kind {self.kind!r} has no {' and no '.join(extra)}.")
        return self

    def document(self) -> Document:
        """The document, without an id."""
        return Document(id="", **self.model_dump())


class AddRequest(Frozen):
    """Documents to add to a database. All of them are added, or none."""

    model_config = with_example(
        {"database": "shop", "documents": [{"kind": "rule", "text": "Guest: an order without a customer."}]}
    )

    database: Name = Field(description="Name of the database, as the list of databases has it.")
    documents: Annotated[list[NewDocument], Field(min_length=1, max_length=MAX_AT_ONCE)] = Field(
        description="The documents."
    )


class AddedResponse(Frozen):
    """The documents that were added.

    database: The database that the documents are about.
    documents: The documents, with their ids and the names of tables and columns as the schema spells them.
    """

    database: str
    documents: tuple[Document, ...]


class ListedDocument(Document):
    """One fact about a database.

    added: Whether the document was added through the API. Such a document can be deleted.
    """

    added: bool = False


class DocumentPage(Frozen):
    """A page of a database's documents.

    database: Database name.
    documents: The documents of this page.
    total: Number of documents on all pages.
    next_offset: `offset` of the next page. Null on the last page.
    """

    database: str
    documents: list[ListedDocument]
    total: int
    next_offset: int | None = None

    @classmethod
    def of(cls, database: str, page: Page, offset: int) -> DocumentPage:
        """Build the response for a page that starts at `offset`."""
        end = offset + len(page.documents)
        return cls(
            database=database,
            documents=[ListedDocument(**one.model_dump(), added=one.id in page.added) for one in page.documents],
            total=page.total,
            next_offset=end if page.documents and end < page.total else None,
        )
