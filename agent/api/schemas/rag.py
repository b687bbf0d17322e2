"""The bodies of the routes `rag/…`, about documents."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field, model_validator

from agent.api.schemas.common import BLANK, FILLED, SOMETHING, Name, Text, one_of
from agent.core.fields import A_NUMBER
from agent.databases.knowledge.documents import Page
from executors.base import Frozen
from rag.docs.documents import Document, Kind, Retrieved

MAX_AT_ONCE = 100

Query = Annotated[Text, Field(min_length=1, max_length=4_000)]
_NEEDS: dict[str, tuple[str, ...]] = {"column": ("table", "column"), "table": ("table",), "query": ("sql",)}
_TAKES: dict[str, tuple[str, ...]] = {**_NEEDS, "rule": ("table",)}


class SearchRequest(Frozen):
    """What to find in the docs of one database. Unknown fields are refused."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"database": "shop", "query": "when does the fiscal year start?", "top_k": 3}]}
    )

    database: Name = Field(description="A name that `GET /api/databases` lists.")
    query: Query = Field(description="What to look for, in plain language.")
    top_k: Annotated[int, Field(ge=1, le=100), A_NUMBER] = Field(5, description="Documents at most.")
    kinds: Annotated[list[Kind], Field(max_length=4)] = Field([], description="Only of these kinds; all where empty.")


class FoundDocument(Frozen):
    """A document, its kind first.

    score: cosine similarity to the query, at most 1.
    source: the file that says it, `comment` for the database's own, or what `POST /api/rag/documents` was given.
    sql: of kind `query`: what answers the question that `text` is.
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
        """The wire's shape of a hit."""
        return cls(score=hit.score, **hit.document.model_dump())


class SearchResponse(Frozen):
    """Documents, best first. `warnings`: what is missing, one sentence each."""

    documents: list[FoundDocument]
    warnings: tuple[str, ...] = ()


def _by_kind() -> list[Any]:
    """What a document of each kind needs and takes, as JSON Schema says it."""
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
    """One fact. Unknown fields are refused."""

    model_config = ConfigDict(json_schema_extra=one_of(_by_kind()))

    kind: Kind = Field(description="What it is: of a `column`, a `table`, a `rule` or term, or a `query` with its SQL.")
    text: Annotated[Text, Field(min_length=1, max_length=4_000)] = Field(
        description="The fact; of kind `query` the question.", json_schema_extra={"pattern": SOMETHING}
    )
    table: Name = Field("", description="The table it is about; for kinds `column` and `table`, and for a rule of one.")
    column: Name = Field("", description="The column it is about; for kind `column`.")
    sql: Annotated[Text, Field(max_length=20_000)] = Field("", description="The SELECT that answers; for kind `query`.")
    source: Name = Field("", description="Where it comes from, for people.")

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
        """The same, without an id as yet."""
        return Document(id="", **self.model_dump())


class AddRequest(Frozen):
    """Documents of one database, all of which are taken, or none."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"database": "shop", "documents": [{"kind": "rule", "text": "Guest: an order without a customer."}]}
            ]
        }
    )

    database: Name = Field(description="A name that `GET /api/databases` lists.")
    documents: Annotated[list[NewDocument], Field(min_length=1, max_length=MAX_AT_ONCE)]


class AddedResponse(Frozen):
    """The documents that were taken, with their ids and the real names of their tables and columns."""

    database: str
    documents: tuple[Document, ...]


class ListedDocument(Document):
    """A document; `added`: at run time, so that it can be deleted."""

    added: bool = False


class DocumentPage(Frozen):
    """Some of a database's documents. `next_offset`: where the next ones begin; null where there are no more."""

    database: str
    documents: list[ListedDocument]
    total: int
    next_offset: int | None = None

    @classmethod
    def of(cls, database: str, page: Page, offset: int) -> DocumentPage:
        """The wire's shape of a page that begins at `offset`."""
        end = offset + len(page.documents)
        return cls(
            database=database,
            documents=[ListedDocument(**one.model_dump(), added=one.id in page.added) for one in page.documents],
            total=page.total,
            next_offset=end if page.documents and end < page.total else None,
        )
