"""What is known about the databases: their docs, read, indexed and found again."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from agent.llm import ENTRA_SCOPE
from agent.retrieval.examples import Examples
from agent.retrieval.implied_keys import ImpliedKeys
from agent.retrieval.indexing import RETRY_AFTER_S, Indexed, Indexing
from agent.retrieval.linking import SchemaLinks
from agent.retrieval.seen import SeenDocuments
from executors.base import Frozen, Schema
from rag.agent import RagAgent
from rag.documents import Document, Kind, ReadResult, Retrieved, comment_documents, read_documents
from rag.embedder import Embedder, LocalEmbedder, OpenAIEmbedder
from rag.errors import EmbedderUnavailable, RetrievalError
from rag.retriever import Retrieval, Retriever
from rag.revision import Turn
from rag.store import Progress, Store, SyncReport

if TYPE_CHECKING:
    from agent.database import Database
    from agent.retrieval.added_documents import AddedDocuments
    from agent.settings import Settings

__all__ = ["RETRY_AFTER_S", "Indexed", "Knowledge", "Known", "build_embedder", "build_store"]

PartProgress = Callable[[str, int, int], None]  # what is indexed, how many are done, of how many

PROBLEMS_TOLD = 3  # with an answer; `index` tells them all


class Known(Frozen):
    """What was found for a question, and all documents of its database."""

    found: Retrieval = Retrieval()
    documents: tuple[Document, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def closest(self) -> float | None:
        """Similarity of the nearest document; None where nothing was found."""
        return max((hit.score for hit in self.found.all), default=None)


class Knowledge:
    """The docs of every database, behind one store and one embedder.

    Args:
        store: the index.
        embedder: texts to vectors; loaded when first needed.
        names: of all databases, now.
        docs_of: the files and folders of a database's docs, by the database's name.
        clock: seconds, for the time between two tries.
        added: documents of run time, indexed with those of the files; none where absent.
    """

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        *,
        names: Callable[[], Sequence[str]],
        docs_of: Callable[[str], Sequence[Path]],
        clock: Callable[[], float] = time.monotonic,
        added: AddedDocuments | None = None,
    ) -> None:
        self.store, self.embedder = store, embedder
        self._names, self._docs_of, self._clock = names, docs_of, clock
        self.added = added
        self._retriever, self._agent = Retriever(store, embedder), RagAgent(store, embedder)
        self._examples = Examples()
        self.links, self.keys = SchemaLinks(store, embedder), ImpliedKeys()
        self._indexing = Indexing(self._index, clock=clock)
        self._told: dict[str, tuple[str, ...]] = {}  # by database: what its last sync noted, once it was told

    async def find(self, question: str, database: Database, top_k: int) -> Known:
        """What is known about a question. Never raises for the index: a warning says what is missing.

        The first question about a database in this process brings its index up to date; where that fails, a later one
        tries again. Where it takes long, questions go on with what was indexed before.
        """
        failure = await self._ensure_synced(database)
        known = self._examples.vocabulary(await database.schema())
        found = await self._retriever.retrieve(question, database.name, top_k, known)
        try:
            seen = await self._seen(database)
        except RetrievalError as error:
            return Known(warnings=(f"Answered without the docs of this database: {error}",))
        if seen is not None:
            found = seen.retrieval(found)
        queries, unfit = await self._examples.usable(found.queries, database)
        found = found.model_copy(update={"queries": queries})
        documents: tuple[Document, ...] = ()
        missing = found.warnings
        try:
            documents = await asyncio.to_thread(self.store.documents, database.name)
        except RetrievalError as error:
            missing = missing or (f"Answered without the docs of this database: {error}",)
            self._indexing.forget(database.name, str(error))
        if failure and not missing:  # else it has the same cause, and one warning for it is enough
            missing = (f"The docs of this database could not be brought up to date: {failure}",)
        if seen is not None:  # what does not fit may not be seen, and what is wrong with the docs is for who keeps them
            return Known(found=found, documents=seen.of(documents), warnings=missing)
        return Known(found=found, documents=documents, warnings=(*missing, *unfit, *self._unused(database.name)))

    async def _seen(self, database: Database) -> SeenDocuments | None:
        """What may be told of the docs; None: everything. Raises RetrievalError."""
        if not database.is_filtered:
            return None
        added = await asyncio.to_thread(self.added.of, database.name) if self.added is not None else ()
        return SeenDocuments(await database.schema(), await database.whole.schema(), added)

    async def index(self, database: Database, progress: Progress | None = None, turn: Turn | None = None) -> Indexed:
        """Read a database's docs and bring its index up to date; unchanged documents are not embedded again.

        Where it is cancelled, what was embedded is kept.

        Args:
            database: whose docs.
            progress: told how many documents of how many are done.
            turn: how to wait for another process.

        Raises:
            RetrievalError: the store or the embedder cannot be used.
            DatabaseUnavailable: the schema cannot be read.
        """
        schema = await database.whole.schema()
        return await self._indexing.run(database.name, schema, progress or (lambda *_: None), turn or Turn())

    async def index_all(
        self, database: Database, progress: PartProgress = lambda *_: None, turn: Turn | None = None
    ) -> Indexed:
        """The same, and bring the vectors of the schema's columns and of stored values up to date as well.

        Args:
            database: to index.
            progress: told of `docs`, `columns` and `values`, how many of how many are done.
            turn: how to wait for another process.

        Raises:
            RetrievalError, DatabaseUnavailable: as `index`.
        """
        database, turn = database.whole, replace(turn or Turn(), stop=threading.Event())
        try:
            indexed = await self.index(database, partial(progress, "docs"), turn)
            documents = await self.documents(database)
            columns, values = await self.links.index(database, documents, progress, turn)
        except asyncio.CancelledError:
            if turn.stop is not None:
                turn.stop.set()  # a thread that nobody waits for any more ends after its batch
            raise
        problems = (*indexed.problems, *await self._examples.unfit(documents, database))
        return indexed.model_copy(update={"columns": columns, "values": values, "problems": problems})

    async def search(
        self, query: str, database: Database, top_k: int, kinds: Collection[Kind] = ()
    ) -> tuple[list[Retrieved], tuple[str, ...]]:
        """The documents nearest to a query, best first, at most `top_k`, and what of the docs is missing in the index.

        Raises:
            RetrievalError: nothing can be found now.
            DatabaseUnavailable: the schema cannot be read.
        """
        failure = await self._ensure_synced(database)
        found = await self._agent.run(query, database.name, top_k, kinds)
        seen = await self._seen(database)
        found = found if seen is None else list(seen.of(found))
        missing = (f"The docs of this database could not be brought up to date: {failure}",) if failure else ()
        return found, missing

    async def documents(self, database: Database) -> tuple[Document, ...]:
        """All documents of a database that may be told. Raises RetrievalError."""
        await self._ensure_synced(database)
        documents = await asyncio.to_thread(self.store.documents, database.name)
        seen = await self._seen(database)
        return documents if seen is None else seen.of(documents)

    async def warm_up(self) -> None:
        """Load the embedder, where any database has docs."""
        if any(self._docs_of(name) for name in self._names()):
            await asyncio.to_thread(lambda: self.embedder.dimension)

    async def check(self) -> None:
        """Return when the index can be read. Raises StoreUnavailable."""
        await asyncio.to_thread(self.store.indexed, "")

    async def close(self) -> None:
        """End the syncs that run, keeping what they have embedded, and give the index's files back."""
        await self._indexing.close()
        await self.links.close()
        await self.keys.close()
        await asyncio.to_thread(self.store.close)

    async def _ensure_synced(self, database: Database) -> str:
        """Why the index is not up to date; empty where it is."""
        schema, name = await database.whole.schema(), database.name
        done = self._indexing.done(name)
        if done is not None and done.report.held and not await self._is_there(name):
            self._indexing.forget(name)  # somebody has deleted it
        return await self._indexing.ensure(name, schema)

    async def _is_there(self, name: str) -> bool:
        try:
            return await asyncio.to_thread(self.store.indexed, name)
        except RetrievalError:
            return True  # nobody knows, and who reads it says so

    def _unused(self, name: str) -> tuple[str, ...]:
        """The warnings about docs that could not be used; and, once, what was wrong with the index."""
        indexed = self._indexing.done(name) or Indexed(report=SyncReport())
        problems, notes = indexed.problems, indexed.report.notes
        new = () if self._told.get(name, ()) == notes else notes
        self._told[name] = notes
        told = tuple(f"Not used of the docs: {problem}" for problem in problems[:PROBLEMS_TOLD])
        more = len(problems) - len(told)
        if more:
            told = (*told, f"Not used of the docs: {more} more; `python -m agent index` names them.")
        return (*new, *told)

    def _index(self, name: str, schema: Schema, progress: Progress, turn: Turn) -> Indexed:
        read = read_documents(self._docs_of(name), schema)
        added, report = self._added(name, schema), SyncReport()
        while True:
            documents = (*read.documents, *added.documents, *comment_documents(schema))
            if documents or self.store.indexed(name):  # else no model is loaded for nothing
                report = report.then(self.store.sync(name, documents, self.embedder, progress, turn))
            before, added = added, self._added(name, schema)
            # While this sync waited for another process, that one may have taken documents: they are not to be lost.
            if added == before:
                return Indexed(report=report, problems=read.problems + added.problems)

    def _added(self, name: str, schema: Schema) -> ReadResult:
        return self.added.fitting(name, schema) if self.added is not None else ReadResult()


def build_store(settings: Settings) -> Store:
    """The index: a folder, or the Chroma server that the settings name."""
    from rag.chroma_connection import ChromaServer

    server = settings.chroma_url and ChromaServer(
        url=settings.chroma_url,
        token=settings.chroma_token,
        tenant=settings.chroma_tenant,
        database=settings.chroma_database,
    )
    return Store(settings.state_path / "index", server or None)


def build_embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name; by default the local one where its packages are installed."""
    choice = settings.embedding
    if choice is None:
        here = find_spec("sentence_transformers") is not None
        choice = "local" if here or settings.provider not in {"azure", "openai"} else "openai"
    if choice == "local":
        folder = Path(settings.embedding_model) if settings.embedding_model else None
        return LocalEmbedder(folder)
    model = settings.embedding_model or "text-embedding-3-small"
    if settings.azure_openai_endpoint:
        key = settings.azure_openai_api_key
        return OpenAIEmbedder(
            model,
            api_key=key.get_secret_value() if key else None,
            azure_endpoint=settings.azure_openai_endpoint,
            api_version=settings.azure_openai_api_version,
            token_provider=None if key else _entra_tokens(),
        )
    openai_key = settings.openai_api_key
    return OpenAIEmbedder(
        model, api_key=openai_key.get_secret_value() if openai_key else None, base_url=settings.openai_base_url
    )


def _entra_tokens() -> Callable[[], str]:
    """Entra ID tokens: a managed identity on Azure, `az login` on a laptop. Nothing is loaded before the first one."""

    @cache
    def provider() -> Callable[[], str]:
        from azure.identity import DefaultAzureCredential, get_bearer_token_provider

        return get_bearer_token_provider(DefaultAzureCredential(), ENTRA_SCOPE)

    def token() -> str:
        from azure.core.exceptions import AzureError

        try:
            return provider()()
        except AzureError as error:
            raise EmbedderUnavailable(
                "Entra ID gave no token for the embedding model: sign in with `az login`, give the app a managed "
                "identity, or set AZURE_OPENAI_API_KEY."
            ) from error

    return token
