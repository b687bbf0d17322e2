"""Knowledge about the databases: reads, indexes and retrieves their docs. Past queries are used only while they fit."""

from __future__ import annotations

import asyncio
import logging
import re
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import SkipValidation

from agent.core.resilience.breaker import Breaker
from agent.core.resilience.off_loop import off_loop
from agent.databases.knowledge.implied_keys import ImpliedKeys
from agent.databases.knowledge.indexing import RETRY_AFTER_S, Indexed, Indexing
from agent.databases.knowledge.linking import SchemaLinks
from agent.platform.llm.wrappers.protected import ProtectedEmbedder
from executors.base import CheckedSql, Frozen, Schema
from executors.errors import SqlRefused
from rag.docs.documents import Document, Kind, Retrieved, comment_documents
from rag.docs.past_queries import vocabulary_of
from rag.docs.reading import read_documents
from rag.embedding.embedder import Embedder, LocalEmbedder, QuestionVectors
from rag.embedding.multilingual import MultilingualEmbedder
from rag.errors import RetrievalError
from rag.identity_cache import IdentityCache
from rag.index.revision import Turn
from rag.index.store import Progress, Store, SyncReport
from rag.retriever import MAX_QUERIES, Retrieval, Retriever
from rag.threads import in_thread

if TYPE_CHECKING:
    from agent.databases.database import Database
    from agent.databases.knowledge.added_documents import AddedDocuments

ROW_LIMIT = 10_000  # the maximum, so that no example shows a smaller limit

_COMMENT_SIGNS = re.compile(r"--|/\*|#|//")
_LIMIT_WORDS = re.compile(r"'(?:[^']|'')*'|\b(LIMIT|TOP|FETCH)\b", re.IGNORECASE)


_vocabulary_of = IdentityCache(vocabulary_of)

log = logging.getLogger(__name__)


class Examples:
    """Checks past queries with the guard. Remembers the results and the problems that were reported."""

    def __init__(self) -> None:
        self._checked: dict[str, tuple[Schema, dict[str, CheckedSql | SqlRefused]]] = {}  # by database, by query
        self._reported: set[tuple[str, str]] = set()  # database and document

    async def usable(
        self, hits: Sequence[Retrieved], database: Database
    ) -> tuple[tuple[Retrieved, ...], tuple[str, ...]]:
        """The first `MAX_QUERIES` whose SQL the guard accepts now, and a warning for each that it refuses.

        A warning is reported once, until the query passes again. Raises DatabaseUnavailable.
        """
        good: list[Retrieved] = []
        warnings: list[str] = []
        for hit in hits:
            if len(good) == MAX_QUERIES:
                break
            key = (database.name, hit.document.id)
            checked = await self._check(hit.document.sql, database)
            if isinstance(checked, SqlRefused):
                if key not in self._reported and not database.is_filtered:
                    self._reported.add(key)
                    question = hit.document.text
                    warnings.append(
                        f"The past query for {question!r} does not fit the database any more: {checked.message}"
                    )
                continue
            self._reported.discard(key)
            sql = await off_loop(partial(_without_comments, hit.document.sql, database.dialect, checked.sql))
            # As its author wrote it. If its limit is in another dialect, as the guard rewrote it for this one.
            sql = sql if _limit_words(sql) <= _limit_words(checked.sql) else checked.sql
            good.append(hit.model_copy(update={"document": hit.document.model_copy(update={"sql": sql})}))
        return tuple(good), tuple(warnings)

    async def unfit(self, documents: Sequence[Document], database: Database) -> tuple[str, ...]:
        """A sentence for each past query that the guard refuses now, with the remedy. Raises DatabaseUnavailable."""
        problems: list[str] = []
        for document in documents:
            if document.kind != "query":
                continue
            try:
                await database.check(document.sql, ROW_LIMIT)
            except SqlRefused as error:
                reason = f"{error.message} {error.hint}".strip()
                problems.append(f"{document.source}: the query for {document.text!r} is not used: {reason}")
        return tuple(problems)

    async def _check(self, sql: str, database: Database) -> CheckedSql | SqlRefused:
        """The guard's verdict, cached per state of the schema; never cached for a filtered database."""
        made_for, known = self._checked.get(database.name, (None, {}))
        schema = await database.schema()
        if database.is_filtered or made_for is not schema:
            known = {}
        if not database.is_filtered:
            self._checked[database.name] = (schema, known)
        if sql not in known:
            try:
                known[sql] = await database.check(sql, ROW_LIMIT)
            except SqlRefused as error:
                known[sql] = error
        return known[sql]


def _without_comments(sql: str, dialect: str, checked: str) -> str:
    """The query without comments, which would appear among the model's own words."""
    if not _COMMENT_SIGNS.search(sql):
        return sql
    from sqlglot.errors import SqlglotError

    from executors.dialects.table import DIALECTS
    from executors.sql.parsed import parse_sql

    grammar = DIALECTS[dialect].sqlglot
    try:
        return parse_sql(sql, grammar).sql(dialect=grammar, comments=False)
    except (SqlglotError, RecursionError):  # the guard's form always parses
        return checked


def _limit_words(sql: str) -> frozenset[str]:
    return frozenset(word.upper() for word in _LIMIT_WORDS.findall(sql) if word)


__all__ = ["RETRY_AFTER_S", "Indexed", "Knowledge", "Known"]

PartProgress = Callable[[str, int, int], None]  # part, number done, total

THREADS = 8
PROBLEMS_SHOWN = 3  # shown with an answer; the `index` command lists all


class Known(Frozen):
    """The knowledge found for a question, and all documents of its database.

    unread: why some or all docs could not be read; empty if they were read.
    """

    found: Retrieval = Retrieval()
    # kept as the same object, so that identity caches hold
    documents: Annotated[tuple[Document, ...], SkipValidation] = ()
    warnings: tuple[str, ...] = ()
    unread: str = ""

    @property
    def closest(self) -> float | None:
        """Similarity of the nearest document; None if nothing was found."""
        return max((hit.score for hit in self.found.all), default=None)


class Knowledge:
    """The docs of every database, with one store and one embedder, which is loaded on first use.

    A question waits at most `patience_s` for them. `names` returns all current databases, and `docs_of` the files and
    folders with a database's docs. Documents added at run time (`added`) are indexed with them. `meaning` is the
    multilingual embedder that classifies messages; None if it is not installed.
    """

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        *,
        names: Callable[[], Sequence[str]],
        docs_of: Callable[[str], Sequence[Path]],
        clock: Callable[[], float] = time.monotonic,
        added: AddedDocuments,
        patience_s: float = 20.0,
        meaning: Embedder | None = None,
    ) -> None:
        self.meaning = QuestionVectors(meaning) if meaning is not None else None
        self.store, self.embedder = store, QuestionVectors(embedder)
        self._computing, self._reading = embedder, meaning  # the embedders behind the caches
        self._names, self._docs_of, self._clock = names, docs_of, clock
        self.added = added
        self._patience_s = patience_s
        # Own threads, so that an index that hangs blocks nothing else.
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="retrieval")
        self._retriever = Retriever(store, self.embedder, self._threads)
        self._examples = Examples()
        self.links = SchemaLinks(store, self.embedder, threads=self._threads, index_patience_s=patience_s)
        self.keys = ImpliedKeys()
        self._indexing = Indexing(self._index, clock=clock)
        self._reported: dict[str, tuple[str, ...]] = {}  # by database: notes of its last sync that were reported

    async def find(self, question: str, database: Database, top_k: int) -> Known:
        """The knowledge for a question. Index errors do not raise; a warning states what is missing.

        The first question about a database in this process updates its index; if that fails, a later question tries
        again. If the sync takes long, questions use the old index. If the index does not respond, they are answered
        without docs.
        """
        timeout = asyncio.timeout(self._patience_s)
        try:
            async with timeout:
                known = await self._find(question, database, top_k)
        except TimeoutError:
            if not timeout.expired():
                raise  # another timeout, which should have been converted where it occurred
            slow = f"the index did not answer within {self._patience_s:g} s."
            warning = f"Answered without the docs of this database: {slow}"
            known = Known(warnings=(warning,), unread=warning)
        for warning in known.warnings:
            log.info("%s: %s", database.name, warning)
        return known

    async def _find(self, question: str, database: Database, top_k: int) -> Known:
        failure = await self._ensure_synced(database)
        known = _vocabulary_of(await database.schema())
        phrases = partial(self.links.phrases, question, database)
        found = await self._retriever.retrieve(question, database.name, top_k, known, phrases)
        try:
            seen = await self._find_seen_documents(database)
        except RetrievalError as error:
            warning = f"Answered without the docs of this database: {error}"
            return Known(warnings=(warning,), unread=warning)
        if seen is not None:
            found = seen.retrieval(found)
        queries, unfit = await self._examples.usable(found.queries, database)
        found = found.model_copy(update={"queries": queries})
        documents: tuple[Document, ...] = ()
        missing = found.warnings
        try:
            documents = await in_thread(self._threads, partial(self.store.documents, database.name))
        except RetrievalError as error:
            missing = missing or (f"Answered without the docs of this database: {error}",)
            self._indexing.forget(database.name, str(error))
        if failure and not missing:  # else both have the same cause, and one warning is enough
            missing = (f"The docs of this database could not be brought up to date: {failure}",)
        if seen is not None:  # problems of the docs may name hidden tables, and are for the docs' owners
            return Known(found=found, documents=seen.of(documents), warnings=missing, unread=" ".join(missing))
        unread = " ".join(missing) if documents or self._docs_of(database.name) else ""
        warnings = (*missing, *unfit, *self._list_unused(database.name))
        return Known(found=found, documents=documents, warnings=warnings, unread=unread)

    async def _find_seen_documents(self, database: Database) -> SeenDocuments | None:
        """A filter for the visible docs; None: all are visible. Raises RetrievalError."""
        if not database.is_filtered:
            return None
        added = await asyncio.to_thread(self.added.of, database.name)
        return SeenDocuments(await database.schema(), await database.whole.schema(), added)

    async def index(self, database: Database, progress: Progress | None = None, turn: Turn | None = None) -> Indexed:
        """Read a database's docs and update its index. Unchanged documents are not embedded again.

        If it is cancelled, finished embeddings are kept. Raises RetrievalError, DatabaseUnavailable.
        """
        schema = await database.whole.schema()
        return await self._indexing.run(database.name, schema, progress or (lambda *_: None), turn or Turn())

    async def index_all(
        self, database: Database, progress: PartProgress = lambda *_: None, turn: Turn | None = None
    ) -> Indexed:
        """Like `index`, and also update the vectors of the schema's columns and of stored values.

        `progress` is called for `docs`, `columns` and `values`, with the number done and the total.
        """
        database, turn = database.whole, replace(turn or Turn(), stop=threading.Event())
        try:
            indexed = await self.index(database, partial(progress, "docs"), turn)
            documents = await self.documents(database)
            columns, values = await self.links.index(database, documents, progress, turn)
        except asyncio.CancelledError:
            if turn.stop is not None:
                turn.stop.set()  # the abandoned thread ends after its batch
            raise
        problems = (*indexed.problems, *await self._examples.unfit(documents, database))
        return indexed.model_copy(update={"columns": columns, "values": values, "problems": problems})

    async def search(
        self, query: str, database: Database, top_k: int, kinds: Collection[Kind] = ()
    ) -> tuple[list[Retrieved], tuple[str, ...]]:
        """The `top_k` nearest documents, best first, and warnings. Raises RetrievalError, DatabaseUnavailable."""
        failure = await self._ensure_synced(database)
        found = await self._retriever.search(query, database.name, top_k, kinds)
        seen = await self._find_seen_documents(database)
        found = found if seen is None else list(seen.of(found))
        missing = (f"The docs of this database could not be brought up to date: {failure}",) if failure else ()
        return found, missing

    async def documents(self, database: Database) -> tuple[Document, ...]:
        """All visible documents of a database. Raises RetrievalError."""
        await self._ensure_synced(database)
        documents = await asyncio.to_thread(self.store.documents, database.name)
        seen = await self._find_seen_documents(database)
        return documents if seen is None else seen.of(documents)

    async def warm_up(self) -> None:
        """Load the store and the embedder, if any database has docs. Raises RetrievalError."""
        if names := [name for name in self._names() if self._docs_of(name)]:
            loads: list[Callable[[], object]] = [partial(self.store.load, names)]
            local = (self._computing, self._reading)
            loads += [it.load for it in local if isinstance(it, LocalEmbedder | MultilingualEmbedder)]
            await asyncio.gather(*map(asyncio.to_thread, loads))

    async def check(self) -> None:
        """Check that the index can be read. Raises StoreUnavailable."""
        await asyncio.to_thread(self.store.is_indexed, "")

    @property
    def embedding_breaker(self) -> Breaker | None:
        """The breaker of the embedding endpoint; None if texts are embedded in this process."""
        return self._computing.breaker if isinstance(self._computing, ProtectedEmbedder) else None

    async def check_embedder(self) -> None:
        """Raise EmbedderUnavailable while the breaker is open. The endpoint is not called, because calls cost money."""
        if self.embedding_breaker is not None:
            self.embedding_breaker.refuse_while_open()

    async def close(self) -> None:
        """End running syncs, keep their finished embeddings, and close the index's files."""
        await self._indexing.close()
        await self.links.close()
        await self.keys.close()
        await asyncio.to_thread(self.store.close)

    async def forget(self, name: str) -> None:
        """Delete the added docs and the index of a removed database. Raises RetrievalError."""
        self.outdate(name)
        await asyncio.to_thread(self.added.remove_all, name)
        await self.links.forget(name)
        if await asyncio.to_thread(self.store.is_indexed, name):
            await asyncio.to_thread(self.store.sync, name, (), self.embedder)

    def outdate(self, name: str) -> None:
        """Mark a database's index as out of date, so that the next question updates it."""
        self._indexing.forget(name)

    async def _ensure_synced(self, database: Database) -> str:
        """Why the index is not up to date; empty if it is."""
        schema, name = await database.whole.schema(), database.name
        done = self._indexing.get_last_sync(name)
        if done is not None and done.report.document_count and not await self._is_there(name):
            self._indexing.forget(name)  # the index was deleted
        return await self._indexing.ensure(name, schema)

    async def _is_there(self, name: str) -> bool:
        try:
            return await in_thread(self._threads, partial(self.store.is_indexed, name))
        except RetrievalError:
            return True  # unknown; reading the index reports the error

    def _list_unused(self, name: str) -> tuple[str, ...]:
        """Warnings about docs that could not be used, and new notes about the index."""
        indexed = self._indexing.get_last_sync(name) or Indexed(report=SyncReport())
        problems, notes = indexed.problems, indexed.report.notes
        new = () if self._reported.get(name, ()) == notes else notes
        self._reported[name] = notes
        unused = tuple(f"Not used of the docs: {problem}" for problem in problems[:PROBLEMS_SHOWN])
        more = len(problems) - len(unused)
        if more:
            unused = (*unused, f"Not used of the docs: {more} more; `python -m agent index` names them.")
        return (*new, *unused)

    def _index(self, name: str, schema: Schema, progress: Progress, turn: Turn) -> Indexed:
        read = read_documents(self._docs_of(name), schema)
        added, report = self.added.fitting(name, schema), SyncReport()
        while True:
            documents = (*read.documents, *added.documents, *comment_documents(schema))
            if documents or self.store.is_indexed(name):  # else the model is not loaded
                report = report.then(self.store.sync(name, documents, self.embedder, progress, turn))
            before, added = added, self.added.fitting(name, schema)
            # While this sync waited, another process may have added documents. They must not be lost.
            if added == before:
                return Indexed(report=report, problems=read.problems + added.problems)


Item = TypeVar("Item", Document, Retrieved)


class SeenDocuments:
    """Leaves out documents that name a hidden table, and past queries that were added at run time.

    The docs files were written for all who may ask. An added query comes from a person's work with the data, and its
    values may come from rows that others do not see.
    """

    def __init__(self, seen: Schema, whole: Schema, added: Iterable[Document]) -> None:
        self._seen = seen
        self._added = frozenset(document.id for document in added)
        hidden = {name for table in whole.tables if seen.table(table.name) is None for name in table.parts[-1:]}
        hidden -= {table.parts[-1] for table in seen.tables}
        self._hidden = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(hidden)))})(?!\w)", re.IGNORECASE)
        self._hides = bool(hidden)

    def of(self, items: Collection[Item]) -> tuple[Item, ...]:
        """The visible items, in order."""
        return tuple(item for item in items if self._tells(item))

    def retrieval(self, found: Retrieval) -> Retrieval:
        """The documents found for a question, without hidden ones."""
        visible = {sort: self.of(getattr(found, sort)) for sort in ("rules", "columns", "queries")}
        return found.model_copy(update=visible)

    def _tells(self, item: Document | Retrieved) -> bool:
        document = item.document if isinstance(item, Retrieved) else item
        if document.table and self._seen.table(document.table) is None:
            return False
        if document.kind == "query" and document.id in self._added:
            return False
        return not (self._hides and self._hidden.search(f"{document.text}\n{document.sql}"))
