"""The index of a catalogue, built and queried as in the service, but without background work."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from agent.evaluation.retrieval.measure import FoundPlaces
from agent.evaluation.retrieval.merged import MergedCatalogue
from rag.embedding.embedder import Embedder
from rag.index.store import Store
from rag.linking.column_index import ColumnIndex
from rag.linking.linking import SchemaLinker
from rag.retriever import Retriever

TOP_K = 5  # documents of a kind, the default of the settings

Progress = Callable[[int, int], None]


class Indexes:
    """Indexes of catalogues, in a folder of their own. Texts that were embedded once are not embedded again."""

    def __init__(self, path: Path, embedder: Embedder) -> None:
        self._store, self._embedder = Store(path), embedder
        self._columns, self._retriever = ColumnIndex(self._store, embedder), Retriever(self._store, embedder)

    async def sync(self, catalogue: MergedCatalogue, progress: Progress | None = None) -> SchemaLinker:
        """Bring the index of a catalogue up to date; returns a linker of the same catalogue. Raises RetrievalError."""
        schema, documents, stored = catalogue.db_schema, catalogue.documents, catalogue.stored

        def sync() -> SchemaLinker:
            if documents:
                self._store.sync(schema.database, documents, self._embedder, progress)
            self._columns.sync(schema, documents, progress)
            self._columns.sync_values(schema, stored, progress)
            return SchemaLinker(schema, documents, stored)

        return await asyncio.to_thread(sync)

    async def find(self, name: str, question: str) -> FoundPlaces:
        """The places in a database's index near a question. Raises RetrievalError, which ends the measurement."""
        near = await asyncio.to_thread(self._columns.near, question, name)
        documents = await self._retriever.retrieve(question, name, TOP_K)
        return FoundPlaces(near, (*documents.rules, *documents.columns))

    def close(self) -> None:
        self._store.close()
