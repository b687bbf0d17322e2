"""What is known about a question: rules, columns and past queries, from the index. It never fails, it says less."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Collection

from executors.base import Frozen
from rag.documents import Kind, Retrieved
from rag.embedder import Embedder
from rag.errors import RetrievalError
from rag.fusion import fuse
from rag.store import Store

_REMEMBERED = 256  # questions whose vectors are kept
_CANDIDATES = 4  # times what is wanted: fusion chooses among these
_SORTS: tuple[tuple[Kind, ...], ...] = (("rule",), ("column", "table"), ("query",))


MAX_QUERIES = 2  # past queries shown: more of them cost more of the prompt than they give


class Retrieval(Frozen):
    """Documents near a question, best first; `columns` holds those of tables, too. `warnings`: why there are none."""

    rules: tuple[Retrieved, ...] = ()
    columns: tuple[Retrieved, ...] = ()
    queries: tuple[Retrieved, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[Retrieved, ...]:
        """Every document that was found."""
        return self.rules + self.columns + self.queries


class Searcher:
    """Searches by text; the vectors of the latest questions are kept. Its method blocks, and is safe in threads."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store, self._embedder = store, embedder
        self._vectors: OrderedDict[str, list[float]] = OrderedDict()
        self._lock = threading.Lock()

    def search(self, text: str, database: str, top_k: int, *kinds: Collection[Kind]) -> list[list[Retrieved]]:
        """One list for each set of kinds, best first, at most `top_k` each. Empty lists where nothing is indexed.

        Raises:
            StoreUnavailable, EmbedderUnavailable: what the index or the embedder said.
        """
        if not self._store.indexed(database):
            return [[] for _ in kinds]  # and no model is loaded for it
        vector, model = self._vector(text), self._embedder.name
        return [self._store.search(database, vector, top_k, wanted, model=model) for wanted in kinds]

    def _vector(self, text: str) -> list[float]:
        with self._lock:
            if text in self._vectors:
                self._vectors.move_to_end(text)
                return self._vectors[text]
        vector = self._embedder.embed([text])[0]
        with self._lock:
            self._vectors[text] = vector
            while len(self._vectors) > _REMEMBERED:
                self._vectors.popitem(last=False)
        return vector


class Retriever:
    """Retrieval for the loop: what cannot be retrieved is a warning there, not an error."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._searcher = Searcher(store, embedder)

    async def retrieve(self, question: str, database: str, top_k: int) -> Retrieval:
        """At most `top_k` documents of each sort. Never raises for the index or the embedder: a warning says it."""
        try:
            rules, columns, queries = await asyncio.to_thread(self._searcher.search, question, database, top_k, *_SORTS)
        except RetrievalError as error:
            return Retrieval(warnings=(f"Answered without the docs of this database: {error}",))
        return Retrieval(
            rules=fuse(question, rules, top_k),
            columns=fuse(question, columns, top_k),
            queries=fuse(question, queries, min(top_k, MAX_QUERIES)),
        )
