"""Retrieves documents about a question from the index: rules, columns and past queries."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Executor

from executors.base import Frozen
from rag.docs.documents import Kind, Retrieved
from rag.docs.past_queries import NOTHING, QuestionVocabulary, mask, skeleton
from rag.embedding.embedder import Embedder
from rag.errors import RetrievalError
from rag.index.store import Store
from rag.linking.fusion import fuse
from rag.threads import in_thread

_SORTS: tuple[tuple[Kind, ...], ...] = (("rule",), ("column", "table"))
_QUERIES: tuple[Kind, ...] = ("query",)

MAX_QUERIES = 2  # past queries shown; more of them are not worth their tokens
CANDIDATE_QUERIES = 8  # some may be duplicates or no longer fit the database


class Retrieval(Frozen):
    """Documents near a question, best first. `columns` includes those of tables. `warnings`: why some are missing."""

    rules: tuple[Retrieved, ...] = ()
    columns: tuple[Retrieved, ...] = ()
    queries: tuple[Retrieved, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[Retrieved, ...]:
        """All documents found."""
        return self.rules + self.columns + self.queries


class Retriever:
    """Retrieval by text. Methods are safe in threads."""

    def __init__(self, store: Store, embedder: Embedder, threads: Executor | None = None) -> None:
        self._store, self._embedder, self._threads = store, embedder, threads

    async def retrieve(
        self,
        question: str,
        database: str,
        top_k: int,
        known: QuestionVocabulary = NOTHING,
        also: Callable[[], Collection[str]] = tuple,
    ) -> Retrieval:
        """At most `top_k` documents of each kind. Errors of the index or the embedder become a warning.

        Past queries are searched by the question with its values masked. More are returned than shown, because some may
        no longer fit the database. `also` is called in the thread and returns the texts that later steps will embed.
        """
        masked = mask(question, known)
        searches = [*((question, top_k, sort) for sort in _SORTS), (masked, CANDIDATE_QUERIES, _QUERIES)]
        try:
            rules, columns, queries = await in_thread(
                self._threads, lambda: self._search(database, *searches, also=also())
            )
        except RetrievalError as error:
            return Retrieval(warnings=(f"Answered without the docs of this database: {error}",))
        return Retrieval(
            rules=fuse(question, rules, top_k),
            columns=fuse(question, columns, top_k),
            queries=distinct(fuse(question, queries, CANDIDATE_QUERIES)),
        )

    async def search(self, query: str, database: str, top_k: int = 5, kinds: Collection[Kind] = ()) -> list[Retrieved]:
        """At most `top_k` documents nearest to the query, best first. Without `kinds`, of all kinds. Raises
        StoreUnavailable, EmbedderUnavailable: the message states what to do."""
        (found,) = await asyncio.to_thread(self._search, database, (query, top_k, kinds))
        return found

    def _search(
        self, database: str, *searches: tuple[str, int, Collection[Kind]], also: Collection[str] = ()
    ) -> list[list[Retrieved]]:
        """For each text, limit and set of kinds, the nearest documents, best first. All texts are embedded at once,
        together with those for later steps (`also`)."""
        if not self._store.is_indexed(database):
            return [[] for _ in searches]  # no model is loaded
        texts = list(dict.fromkeys([*(text for text, _, _ in searches), *also]))
        vectors, model = dict(zip(texts, self._embedder.embed(texts), strict=True)), self._embedder.name
        return [
            self._store.search(database, vectors[text], top_k, wanted, model=model) for text, top_k, wanted in searches
        ]


def distinct(hits: Sequence[Retrieved]) -> tuple[Retrieved, ...]:
    """The hits in their order, without those whose query differs from a better one's only in values."""
    found: dict[str, Retrieved] = {}
    for hit in hits:
        found.setdefault(skeleton(hit.document.sql), hit)
    return tuple(found.values())
