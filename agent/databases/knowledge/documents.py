"""Documents of the databases: searched, listed, and added while the service runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from agent.core.callers import LOCAL
from agent.core.errors import DocumentsInvalid, UnknownDocument
from agent.databases.knowledge.added_documents import MAX_DOCUMENTS, AddedDocuments
from executors.base import Frozen
from executors.errors import SqlRefused
from rag.docs.documents import Document, Kind, Retrieved, make_document
from rag.docs.reading import resolve_documents
from rag.errors import RetrievalError

if TYPE_CHECKING:
    from agent.databases.catalogue import Changes
    from agent.databases.database import Database
    from agent.databases.knowledge.knowledge import Knowledge
    from agent.databases.registry import Databases

__all__ = ["AddedDocuments", "Documents", "Page"]

DESCRIBED = "page"  # source of column descriptions that people write on the page
SOURCE = "api"  # source of documents that state none
PROBLEMS_SHOWN = 5


class Page(Frozen):
    """One page of a database's documents, and the total. `added`: ids of documents added at run time."""

    documents: tuple[Document, ...]
    total: int
    added: frozenset[str]


class ColumnPlace(NamedTuple):
    """The names of a column, its table and its database."""

    database: str
    table: str
    column: str


class Documents:
    """Documents of the registry's databases.

    Every method except `remove` takes the calling principal and shows only the tables that they see. All methods raise
    UnknownDatabase, DatabaseUnavailable, and RetrievalError if the index, the embedder or the added documents are
    unavailable.
    """

    def __init__(self, databases: Databases, knowledge: Knowledge, added: AddedDocuments, changes: Changes) -> None:
        self._databases, self._knowledge, self._added, self._changes = databases, knowledge, added, changes

    async def search(
        self, name: str, query: str, top_k: int, kinds: Collection[Kind] = (), *, principal: str
    ) -> tuple[list[Retrieved], tuple[str, ...]]:
        """The documents nearest to a query, best first, and a warning if the index is not up to date."""
        return await self._knowledge.search(query, await self._databases.get(name, principal), top_k, kinds)

    async def page(
        self, name: str, *, limit: int, offset: int = 0, kinds: Collection[Kind] = (), principal: str
    ) -> Page:
        """Documents of every source, in an order that depends only on the documents."""
        every = await self._knowledge.documents(await self._databases.get(name, principal))
        chosen = [document for document in every if not kinds or document.kind in kinds]
        added = await asyncio.to_thread(self._added.of, name)
        return Page(
            documents=tuple(chosen[offset : offset + limit]),
            total=len(chosen),
            added=frozenset(document.id for document in added),
        )

    async def add(self, name: str, new: Sequence[Document], principal: str) -> tuple[Document, ...]:
        """Add all documents or none. The next search and the next question find them.

        They are returned with their ids and the actual names of tables and columns. The guard checks their queries
        against the current schema. Raises DocumentsInvalid if a document names an unknown table or column, a query is
        refused, or there would be too many.
        """
        database = await self._databases.get(name, principal)
        documents = await self._check_documents(new, database)
        if len(await asyncio.to_thread(self._added.of, name)) + len(documents) > MAX_DOCUMENTS:
            raise DocumentsInvalid(f"A database takes {MAX_DOCUMENTS} documents at run time. Put docs into its files.")
        added_now = await asyncio.to_thread(self._added.add, name, documents)
        await self._index(database, partial(self._added.remove, name, [document.id for document in added_now]))
        return documents

    async def describe(self, place: ColumnPlace, text: str, principal: str) -> Document | None:
        """Describe a column. Replaces earlier descriptions, except those of files and the database.

        An empty text removes the description and returns None. Raises DocumentsInvalid if there is no such column.
        """
        name = place.database
        database = await self._databases.get(name, principal)
        table = (await database.schema()).table(place.table)
        column = table.column(place.column) if table is not None else None
        if table is None or column is None:
            raise DocumentsInvalid(f"There is no column {place.column!r} in {place.table!r}.")
        known = await asyncio.to_thread(self._added.of, name)
        before = [it.id for it in known if (it.kind, it.table, it.column) == ("column", table.name, column.name)]
        entry = make_document(
            "column", text, database=name, table=table.name, column=column.name, source=DESCRIBED
        ) if text.strip() else None  # fmt: skip
        removed = await asyncio.to_thread(
            self._added.remove, name, [it for it in before if entry is None or it != entry.id]
        )
        new = await asyncio.to_thread(self._added.add, name, [entry] if entry is not None else [])

        def undo() -> None:
            self._added.remove(name, [it.id for it in new])
            self._added.add(name, removed)

        await self._index(database, undo)
        return entry

    async def remove(self, name: str, document_id: str) -> None:
        """Delete a document that was added at run time. Raises UnknownDocument, also for docs of files."""
        database = await self._databases.get(name, LOCAL)  # permission was checked before; nothing is shown
        removed = await asyncio.to_thread(self._added.remove, name, [document_id])
        if not removed:
            raise UnknownDocument(
                f"No document of this id was added to {name!r}. Documents of files are changed in their files."
            )
        await self._index(database, partial(self._added.add, name, removed))

    async def _index(self, database: Database, undo: Callable[[], object]) -> None:
        """Index the change for the next question, or undo it if indexing fails."""
        try:
            await self._knowledge.index(database)
        except RetrievalError:
            await asyncio.to_thread(undo)
            raise
        await self._changes.tell(database.name)

    async def _check_documents(self, new: Sequence[Document], database: Database) -> tuple[Document, ...]:
        schema = await database.schema()
        documents: list[Document] = []
        problems: list[str] = []
        for at, document in enumerate(new):
            place = {"table": document.table, "column": document.column, "sql": document.sql.strip().rstrip(";")}
            read = resolve_documents(
                [make_document(document.kind, document.text, source=f"documents.{at}", **place)], schema
            )
            problems += read.problems
            problems += [f"documents.{at}: {problem}" for problem in await _find_refusal(place["sql"], database)]
            source = " ".join(document.source.split()) or SOURCE
            for one in read.documents:
                real = {"table": one.table, "column": one.column, "sql": one.sql}
                documents.append(make_document(one.kind, one.text, database=database.name, source=source, **real))
        if problems:
            more = f"; and {len(problems) - PROBLEMS_SHOWN} more" if len(problems) > PROBLEMS_SHOWN else ""
            raise DocumentsInvalid("; ".join(problems[:PROBLEMS_SHOWN]).rstrip(".") + more + ".")
        return tuple(documents)


async def _find_refusal(sql: str, database: Database) -> list[str]:
    """Why the guard refuses a query; empty if it does not or there is no query. The query is not run."""
    try:
        if sql:
            await database.check(sql, 1)
    except SqlRefused as error:
        return [f"its sql was refused: {error.message} {error.hint}".strip()]
    return []
