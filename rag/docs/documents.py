"""The indexed documents: short texts about a column, a table, a business rule, or a question with its query."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from typing import Literal

from executors.base import Frozen, Schema
from rag.docs.past_queries import mask_past_question
from rag.identity_cache import IdentityCache

Kind = Literal["column", "table", "rule", "query"]


class Document(Frozen):
    """One fact about a database.

    id: Hash of everything but `source`. A changed text gets a new id.
    kind: `column` or `table` docs, a `rule` or term, or a past `query`.
    text: The fact. For kind `query`, the question.
    table: The table that the fact is about. Empty if it is about no single table.
    column: The column that the fact is about. Empty if it is about no single column.
    source: Name of the file that holds the fact, or `comment` for the database's own comments.
    sql: For kind `query`, the SELECT that answers the question. Empty otherwise.
    """

    id: str
    kind: Kind
    text: str
    table: str = ""
    column: str = ""
    source: str = ""
    sql: str = ""

    @property
    def passage(self) -> str:
        """The text to embed, preceded by the name that it explains. A question has its values masked."""
        if self.kind == "query":
            return mask_past_question(self.text, self.sql)
        name = ".".join(part for part in (self.table, self.column) if part)
        return f"{name}: {self.text}" if name else self.text

    @property
    def display_text(self) -> str:
        """The text for people and models: as `passage`, but a question is not masked."""
        return self.text if self.kind == "query" else self.passage


class Retrieved(Frozen):
    """A document that was found; `score` is the cosine similarity to the question, at most 1."""

    document: Document
    score: float


class ReadResult(Frozen):
    """Distinct documents in the order of their files, and one sentence for each problem."""

    documents: tuple[Document, ...] = ()
    problems: tuple[str, ...] = ()


def make_document(
    kind: Kind, text: str, *, database: str = "", table: str = "", column: str = "", source: str = "", sql: str = ""
) -> Document:
    """A document with its id. White space in `text` is folded, so that reflowing a file does not change it."""
    text = " ".join(text.split())
    # The id covers the embedded text, so that questions are embedded again if the masking changes.
    embedded = (mask_past_question(text, sql),) if kind == "query" else ()
    digest = hashlib.sha256("\x1f".join((database, kind, table, column, text, sql, *embedded)).encode()).hexdigest()
    return Document(id=digest[:32], kind=kind, text=text, table=table, column=column, source=source, sql=sql)


def descriptions_of(documents: Iterable[Document]) -> dict[tuple[str, str], list[str]]:
    """The texts about each table and column, by their names in lower case. For a table, the column is empty."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for document in documents:
        if document.kind in {"column", "table"} and document.table:
            found[document.table.lower(), document.column.lower()].append(document.text)
    return found


def comment_documents(schema: Schema) -> tuple[Document, ...]:
    """The database's own comments on its tables and columns, as documents."""
    found: list[Document] = []
    for table in schema.tables:
        place = {"database": schema.database, "table": table.name, "source": "comment"}
        if table.comment.strip():
            found.append(make_document("table", table.comment, **place))
        found += [
            make_document("column", column.comment, column=column.name, **place)
            for column in table.columns
            if column.comment.strip()
        ]
    return tuple(found)


def _digest(documents: tuple[Document, ...]) -> str:
    digest = hashlib.sha256()
    for document in documents:
        if document.kind != "query":
            digest.update(document.id.encode())
    return digest.hexdigest()


docs_digest = IdentityCache(_digest)
"""A digest of what the docs say; past queries are left out, since they come and go and say nothing new."""
