"""What is known about the databases: their docs, read, indexed and found again."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from agent.examples import Examples
from agent.llm import ENTRA_SCOPE
from executors.base import Frozen, Schema
from rag.agent import RagAgent
from rag.documents import Document, Kind, ReadResult, Retrieved, comment_documents, read_documents
from rag.embedder import Embedder, LocalEmbedder, OpenAIEmbedder
from rag.errors import EmbedderUnavailable, RetrievalError
from rag.retriever import Retrieval, Retriever
from rag.store import Store, SyncReport

if TYPE_CHECKING:
    from agent.added_documents import AddedDocuments
    from agent.database import Database
    from agent.settings import Settings

Progress = Callable[[int, int], None]

RETRY_AFTER_S = 60.0  # between two tries to bring an index up to date, where the first one failed
PROBLEMS_TOLD = 3  # with an answer; `index` tells them all


class Indexed(Frozen):
    """What indexing a database did. `problems`: docs that could not be used, each with what to do."""

    report: SyncReport
    problems: tuple[str, ...] = ()


class _Failure(NamedTuple):
    """Why an index could not be brought up to date, and when that was tried."""

    message: str
    at: float


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
        self._problems: dict[str, tuple[str, ...]] = {}  # by database whose index is up to date
        self._failures: dict[str, _Failure] = {}  # by database whose index is not
        self._turn: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def find(self, question: str, database: Database, top_k: int) -> Known:
        """What is known about a question. Never raises for the index: a warning says what is missing.

        The first question about a database in this process brings its index up to date; where that fails, a later one
        tries again.
        """
        failure = await self._ensure_synced(database)
        known = self._examples.vocabulary(await database.schema())
        found = await self._retriever.retrieve(question, database.name, top_k, known)
        queries, unfit = await self._examples.usable(found.queries, database)
        found = found.model_copy(update={"queries": queries})
        documents: tuple[Document, ...] = ()
        missing = found.warnings
        try:
            documents = await asyncio.to_thread(self.store.documents, database.name)
        except RetrievalError as error:
            missing = missing or (f"Answered without the docs of this database: {error}",)
        if failure and not missing:  # else it has the same cause, and one warning for it is enough
            missing = (f"The docs of this database could not be brought up to date: {failure}",)
        return Known(found=found, documents=documents, warnings=(*missing, *unfit, *self._unused(database.name)))

    async def index(self, database: Database, progress: Progress | None = None) -> Indexed:
        """Read a database's docs and bring its index up to date; unchanged documents are not embedded again.

        Raises:
            RetrievalError: the store or the embedder cannot be used.
            DatabaseUnavailable: the schema cannot be read.
        """
        schema = await database.schema()
        async with self._turn[database.name]:
            return await self._sync(database.name, schema, progress)

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
        missing = (f"The docs of this database could not be brought up to date: {failure}",) if failure else ()
        return found, missing

    async def documents(self, database: Database) -> tuple[Document, ...]:
        """All documents of a database. Raises RetrievalError."""
        await self._ensure_synced(database)
        return await asyncio.to_thread(self.store.documents, database.name)

    async def warm_up(self) -> None:
        """Load the embedder, where any database has docs."""
        if any(self._docs_of(name) for name in self._names()):
            await asyncio.to_thread(lambda: self.embedder.dimension)

    async def check(self) -> None:
        """Return when the index can be read. Raises StoreUnavailable."""
        await asyncio.to_thread(self.store.indexed, "")

    async def _ensure_synced(self, database: Database) -> str:
        """Why the index is not up to date; empty where it is."""
        schema, name = await database.schema(), database.name
        async with self._turn[name]:
            if name in self._problems:
                return ""
            failure = self._failures.get(name)
            if failure is not None and self._clock() - failure.at < RETRY_AFTER_S:
                return failure.message
            try:
                await self._sync(name, schema, None)
            except RetrievalError as error:
                self._failures[name] = _Failure(str(error), self._clock())
                return str(error)
            return ""

    async def _sync(self, name: str, schema: Schema, progress: Progress | None) -> Indexed:
        """Index, and remember that it is done: what fails may pass."""
        indexed = await asyncio.to_thread(self._index, name, schema, progress)
        self._problems[name] = indexed.problems
        self._failures.pop(name, None)
        return indexed

    def _unused(self, name: str) -> tuple[str, ...]:
        """The warnings about docs that could not be used."""
        problems = self._problems.get(name, ())
        told = tuple(f"Not used of the docs: {problem}" for problem in problems[:PROBLEMS_TOLD])
        more = len(problems) - len(told)
        return (*told, f"Not used of the docs: {more} more; `python -m agent index` names them.") if more else told

    def _index(self, name: str, schema: Schema, progress: Progress | None) -> Indexed:
        read = read_documents(self._docs_of(name), schema)
        added = self.added.fitting(name, schema) if self.added is not None else ReadResult()
        read = ReadResult(documents=read.documents + added.documents, problems=read.problems + added.problems)
        documents = (*read.documents, *comment_documents(schema))
        if not documents and not self.store.indexed(name):
            return Indexed(report=SyncReport(), problems=read.problems)  # and no model is loaded for nothing
        report = self.store.sync(name, documents, self.embedder, progress)
        return Indexed(report=report, problems=read.problems)


def build_embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name; by default the local one where its packages are installed."""
    choice = settings.embedding
    if choice is None:
        here = find_spec("sentence_transformers") is not None
        choice = "local" if here or not settings.is_hosted else "openai"
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
