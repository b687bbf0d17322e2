"""Documents added at run time, stored separately from the docs files. Indexing includes them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from agent.core.errors import StateUnavailable
from agent.platform.storage.store import Insert, Place, StateStore, insert_missing, remove_all
from executors.base import JsonValue, Schema
from rag.docs.documents import Document, ReadResult, make_document
from rag.docs.reading import resolve_documents
from rag.errors import StoreUnavailable

KIND = "document"
MAX_DOCUMENTS = 5_000  # per database
_AFTER_S = 1e-6  # between documents added together, to keep their order


class AddedDocuments:
    """The documents of every database. Methods block, are thread-safe, and raise StoreUnavailable."""

    def __init__(self, state: StateStore, clock: Callable[[], float] = time.time) -> None:
        self._state, self._clock = state, clock

    def of(self, database: str) -> tuple[Document, ...]:
        """A database's documents, in the order in which they were added."""
        return tuple(document for _, document in self._read_stored(database))

    def fitting(self, database: str, schema: Schema) -> ReadResult:
        """The documents whose tables and columns the schema still has, and a problem for each other one."""
        return resolve_documents(self.of(database), schema)

    def add(self, database: str, documents: Sequence[Document]) -> tuple[Document, ...]:
        """Store documents. Returns the new ones."""
        known = {key for key, _ in self._read_stored(database)} if documents else set()
        new = tuple({one.id: one for one in documents if one.id not in known}.values())
        now = self._clock()
        changes = [
            Insert(key=document.id, value=value_of(document, now + number * _AFTER_S))
            for number, document in enumerate(new)
        ]
        with _translate_conflicts():
            insert_missing(self._state, _place(database), changes)
        return new

    def remove(self, database: str, ids: Sequence[str]) -> tuple[Document, ...]:
        """Delete documents. Returns the ones that existed."""
        wanted = frozenset(ids)
        # Earlier versions built ids differently.
        found = {key: one for key, one in self._read_stored(database) if one.id in wanted or key in wanted}
        with _translate_conflicts():
            remove_all(self._state, _place(database), list(found))
        return tuple(found.values())

    def remove_all(self, database: str) -> None:
        with _translate_conflicts():
            remove_all(self._state, _place(database), [key for key, _ in self._read_stored(database)])

    def _read_stored(self, database: str) -> list[tuple[str, Document]]:
        with _translate_conflicts():
            records = self._state.records(_place(database))
        records.sort(key=lambda record: float(str(record.value["added_at"])))
        return [(record.key, _document(database, record.value["document"])) for record in records]


def value_of(document: Document, added_at: float) -> dict[str, JsonValue]:
    """The record of a document. Args: added_at: seconds since the epoch, or any number that keeps the order."""
    return {"document": document.model_dump(mode="json"), "added_at": added_at}


@contextmanager
def _translate_conflicts() -> Iterator[None]:
    """Raise errors of the state store as retrieval errors, so that questions go on without the docs."""
    try:
        yield
    except StateUnavailable as error:
        raise StoreUnavailable(f"The added documents cannot be read: {error}") from error


def _place(database: str) -> Place:
    return Place(kind=KIND, partition=database)


def _document(database: str, value: JsonValue) -> Document:
    """The document, with the id that the current version gives it."""
    stored = Document.model_validate(value)
    place = {"table": stored.table, "column": stored.column, "source": stored.source, "sql": stored.sql}
    return make_document(stored.kind, stored.text, database=database, **place)
