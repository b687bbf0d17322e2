"""Documents that were added at run time, apart from those of the files: indexing reads them anew as well."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from agent.state_file import StateFile
from executors.base import Schema
from rag.documents import Document, ReadResult, make_document, resolve_documents
from rag.errors import StoreUnavailable

MAX_DOCUMENTS = 5_000  # of one database

_TABLE = (
    "CREATE TABLE IF NOT EXISTS documents (number INTEGER PRIMARY KEY, database TEXT, id TEXT, document TEXT, "
    "UNIQUE (database, id))"
)


class AddedDocuments:
    """The documents of every database, in an SQLite file that several processes may share.

    Args:
        path: the file; made with its folder when first written to.

    Methods block briefly, are safe to call from threads, and raise StoreUnavailable where the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self._file = StateFile(path, (_TABLE,), "Documents that were added", StoreUnavailable)

    def of(self, database: str) -> tuple[Document, ...]:
        """A database's documents, in the order in which they came."""
        return tuple(_document(database, text) for _, text in self._rows(database))

    def fitting(self, database: str, schema: Schema) -> ReadResult:
        """Those that name what the schema still has; a problem for each other one."""
        return resolve_documents(self.of(database), schema)

    def add(self, database: str, documents: Sequence[Document]) -> tuple[Document, ...]:
        """Keep documents. Returns those that were not there yet."""
        if not documents:
            return ()
        with self._file.transaction() as connection:
            known = {row[0] for row in connection.execute("SELECT id FROM documents WHERE database = ?", (database,))}
            new = tuple({one.id: one for one in documents if one.id not in known}.values())
            rows = [(database, document.id, document.model_dump_json()) for document in new]
            connection.executemany("INSERT INTO documents (database, id, document) VALUES (?, ?, ?)", rows)
        return new

    def remove(self, database: str, ids: Sequence[str]) -> tuple[Document, ...]:
        """Forget documents. Returns those that were there."""
        wanted = frozenset(ids)
        # An id may have been made by an earlier version, which made it otherwise.
        found = {
            key: document
            for key, text in self._rows(database)
            if (document := _document(database, text)).id in wanted or key in wanted
        }
        if found:
            with self._file.transaction() as connection:
                rows = [(database, key) for key in found]
                connection.executemany("DELETE FROM documents WHERE database = ? AND id = ?", rows)
        return tuple(found.values())

    def _rows(self, database: str) -> list[tuple[str, str]]:
        if not self._file.path.exists():
            return []  # reading makes no files
        with self._file.transaction() as connection:
            rows = connection.execute(
                "SELECT id, document FROM documents WHERE database = ? ORDER BY number", (database,)
            )
            return [(str(key), str(text)) for key, text in rows]


def _document(database: str, text: str) -> Document:
    """The document with the id that it has by today's rules."""
    kept = Document.model_validate_json(text)
    place = {"table": kept.table, "column": kept.column, "source": kept.source, "sql": kept.sql}
    return make_document(kept.kind, kept.text, database=database, **place)
