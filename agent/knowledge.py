"""What is known about the databases: their docs, read, indexed and found again."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from executors.base import Frozen, Schema
from rag.documents import Document, comment_documents, read_documents
from rag.embedder import Embedder, LocalEmbedder, OpenAIEmbedder
from rag.errors import RetrievalError
from rag.retriever import Retrieval, Retriever
from rag.store import Store, SyncReport

if TYPE_CHECKING:
    from agent.database import Database
    from agent.settings import Settings

Progress = Callable[[int, int], None]


class Indexed(Frozen):
    """What indexing a database did. `problems`: docs that could not be used, each with what to do."""

    report: SyncReport
    problems: tuple[str, ...] = ()


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
        docs_of: the files and folders of a database's docs, by the database's name.
    """

    def __init__(self, store: Store, embedder: Embedder, docs_of: Callable[[str], tuple[Path, ...]]) -> None:
        self.store, self.embedder, self._docs_of = store, embedder, docs_of
        self._retriever = Retriever(store, embedder)
        self._synced: dict[str, tuple[str, ...]] = {}  # by database: what went wrong, if anything
        self._turn: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def find(self, question: str, database: Database, top_k: int) -> Known:
        """What is known about a question. Never raises for the index: a warning says what is missing.

        The first question about a database in this process brings its index up to date.
        """
        warnings = await self._ensure_synced(database)
        found = await self._retriever.retrieve(question, database.name, top_k)
        try:
            documents = await asyncio.to_thread(self.store.documents, database.name)
        except RetrievalError as error:
            documents, warnings = (), (*warnings, f"Answered without the docs of this database: {error}")
        return Known(found=found, documents=documents, warnings=tuple(dict.fromkeys((*warnings, *found.warnings))))

    async def index(self, database: Database, progress: Progress | None = None) -> Indexed:
        """Read a database's docs and bring its index up to date; unchanged documents are not embedded again.

        Raises:
            RetrievalError: the store or the embedder cannot be used.
            DatabaseUnavailable: the schema cannot be read.
        """
        schema = await database.schema()
        async with self._turn[database.name]:
            indexed = await asyncio.to_thread(self._index, database.name, schema, progress)
            self._synced[database.name] = ()
        return indexed

    async def documents(self, database: Database) -> tuple[Document, ...]:
        """All documents of a database. Raises RetrievalError."""
        await self._ensure_synced(database)
        return await asyncio.to_thread(self.store.documents, database.name)

    async def warm_up(self) -> None:
        """Load the embedder, where any database has docs."""
        await asyncio.to_thread(lambda: self.embedder.dimension)

    async def check(self) -> None:
        """Return when the index can be read. Raises StoreUnavailable."""
        await asyncio.to_thread(self.store.indexed, "")

    async def _ensure_synced(self, database: Database) -> tuple[str, ...]:
        schema = await database.schema()
        async with self._turn[database.name]:
            if database.name not in self._synced:
                try:
                    await asyncio.to_thread(self._index, database.name, schema, None)
                    self._synced[database.name] = ()
                except RetrievalError as error:
                    self._synced[database.name] = (f"The docs of this database could not be indexed: {error}",)
        return self._synced[database.name]

    def _index(self, name: str, schema: Schema, progress: Progress | None) -> Indexed:
        read = read_documents(self._docs_of(name), schema)
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
            token_provider=None if key else _entra_token_provider(),
        )
    openai_key = settings.openai_api_key
    return OpenAIEmbedder(
        model, api_key=openai_key.get_secret_value() if openai_key else None, base_url=settings.openai_base_url
    )


def _entra_token_provider() -> Callable[[], str]:
    """Entra ID tokens: a managed identity on Azure, `az login` on a laptop."""
    from azure.identity import DefaultAzureCredential, get_bearer_token_provider

    return get_bearer_token_provider(DefaultAzureCredential(), "https://cognitiveservices.azure.com/.default")
