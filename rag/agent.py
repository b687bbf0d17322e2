"""The RAG agent as a tool: returns documents."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from rag.docs.documents import Kind, Retrieved
from rag.embedding.embedder import Embedder
from rag.index.store import Store
from rag.retriever import Searcher


class RagAgent:
    """Finds what is known about a query in the docs of a database."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._searcher = Searcher(store, embedder)

    async def run(self, query: str, database: str, top_k: int = 5, kinds: Collection[Kind] = ()) -> list[Retrieved]:
        """The documents nearest to the query, best first, at most `top_k`; all kinds where `kinds` is empty.
        Raises StoreUnavailable, EmbedderUnavailable: the message says what to do."""
        (found,) = await asyncio.to_thread(self._searcher.search, query, database, top_k, kinds)
        return found
