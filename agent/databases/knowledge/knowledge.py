"""Knowledge about the databases: their docs, read, indexed and retrieved; past queries only while they still fit."""

from __future__ import annotations

import asyncio
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

from agent.core.breaker import Breaker
from agent.core.off_loop import off_loop
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

ROW_LIMIT = 10_000  # the most there is: no example is to learn a smaller cap

_COMMENT_SIGNS = re.compile(r"--|/\*|#|//")
_LIMIT_WORDS = re.compile(r"'(?:[^']|'')*'|\b(LIMIT|TOP|FETCH)\b", re.IGNORECASE)


_vocabulary_of = IdentityCache(vocabulary_of)


class Examples:
    """Checks past queries by the guard, and remembers the results and which problems were reported."""

    def __init__(self) -> None:
        self._checked: dict[str, tuple[Schema, dict[str, CheckedSql | SqlRefused]]] = {}  # by database, by query
        self._reported: set[tuple[str, str]] = set()  # database and document

    async def usable(
        self, hits: Sequence[Retrieved], database: Database
    ) -> tuple[tuple[Retrieved, ...], tuple[str, ...]]:
        """The first `MAX_QUERIES` whose SQL the guard lets through today, and a sentence for each that it refuses.

        The sentence is reported once, until the query has passed again. Raises DatabaseUnavailable.
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
            # As its author wrote it; where its limit is another dialect's, as the guard wrote it for this one.
            sql = sql if _limit_words(sql) <= _limit_words(checked.sql) else checked.sql
            good.append(hit.model_copy(update={"document": hit.document.model_copy(update={"sql": sql})}))
        return tuple(good), tuple(warnings)

    async def unfit(self, documents: Sequence[Document], database: Database) -> tuple[str, ...]:
        """A sentence for each past query that the guard refuses today, with its repair. Raises DatabaseUnavailable."""
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
        """The guard's verdict, once for each state of the schema; for a filtered database, each time."""
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
    """The query alone: what its author wrote beside it would stand among the model's own words."""
    if not _COMMENT_SIGNS.search(sql):
        return sql
    from sqlglot.errors import SqlglotError

    from executors.dialects.table import DIALECTS
    from executors.sql.parsed import parse_sql

    grammar = DIALECTS[dialect].sqlglot
    try:
        return parse_sql(sql, grammar).sql(dialect=grammar, comments=False)
    except (SqlglotError, RecursionError):  # the guard's grammar takes less work
        return checked


def _limit_words(sql: str) -> frozenset[str]:
    return frozenset(word.upper() for word in _LIMIT_WORDS.findall(sql) if word)


__all__ = ["RETRY_AFTER_S", "Indexed", "Knowledge", "Known"]

PartProgress = Callable[[str, int, int], None]  # what is indexed, how many are done, of how many

THREADS = 8
PROBLEMS_SHOWN = 3  # with an answer; `index` tells them all


class Known(Frozen):
    """What was found for a question, and all documents of its database.

    unread: why its docs, or some of them, could not be looked at; empty where they were.
    """

    found: Retrieval = Retrieval()
    # the very same each time: what was made of it holds
    documents: Annotated[tuple[Document, ...], SkipValidation] = ()
    warnings: tuple[str, ...] = ()
    unread: str = ""

    @property
    def closest(self) -> float | None:
        """Similarity of the nearest document; None where nothing was found."""
        return max((hit.score for hit in self.found.all), default=None)


class Knowledge:
    """The docs of every database, behind one store and one embedder, which is loaded when first needed.

    A question waits `patience_s` for each of them at most. `names` gives all databases of now, and `docs_of` the files
    and folders of one's docs; documents of run time (`added`) are indexed with them. `meaning` is the multilingual
    embedder, by which messages are read; None where it is not installed.
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
        self._computing, self._reading = embedder, meaning  # what these ask
        self._names, self._docs_of, self._clock = names, docs_of, clock
        self.added = added
        self._patience_s = patience_s
        # Its own: an index that hangs takes no thread from what everything else waits for.
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="retrieval")
        self._retriever = Retriever(store, self.embedder, self._threads)
        self._examples = Examples()
        self.links = SchemaLinks(store, self.embedder, threads=self._threads, index_patience_s=patience_s)
        self.keys = ImpliedKeys()
        self._indexing = Indexing(self._index, clock=clock)
        self._reported: dict[str, tuple[str, ...]] = {}  # by database: what its last sync noted, once it was told

    async def find(self, question: str, database: Database, top_k: int) -> Known:
        """What is known about a question. Never raises for the index: a warning says what is missing.

        The first question about a database in this process brings its index up to date; where that fails, a later one
        tries again. Where it takes long, questions go on with what was indexed before; where the index does not answer,
        without it.
        """
        timeout = asyncio.timeout(self._patience_s)
        try:
            async with timeout:
                return await self._find(question, database, top_k)
        except TimeoutError:
            if not timeout.expired():
                raise  # of something else, which should have said what it is
            slow = f"the index did not answer within {self._patience_s:g} s."
            warning = f"Answered without the docs of this database: {slow}"
            return Known(warnings=(warning,), unread=warning)

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
        if failure and not missing:  # else it has the same cause, and one warning for it is enough
            missing = (f"The docs of this database could not be brought up to date: {failure}",)
        if seen is not None:  # what does not fit may not be seen, and what is wrong with the docs is for who keeps them
            return Known(found=found, documents=seen.of(documents), warnings=missing, unread=" ".join(missing))
        unread = " ".join(missing) if documents or self._docs_of(database.name) else ""
        warnings = (*missing, *unfit, *self._list_unused(database.name))
        return Known(found=found, documents=documents, warnings=warnings, unread=unread)

    async def _find_seen_documents(self, database: Database) -> SeenDocuments | None:
        """The docs that may be shown; None: all. Raises RetrievalError."""
        if not database.is_filtered:
            return None
        added = await asyncio.to_thread(self.added.of, database.name)
        return SeenDocuments(await database.schema(), await database.whole.schema(), added)

    async def index(self, database: Database, progress: Progress | None = None, turn: Turn | None = None) -> Indexed:
        """Read a database's docs and bring its index up to date; unchanged documents are not embedded again.

        Where it is cancelled, what was embedded is kept. Raises RetrievalError, DatabaseUnavailable.
        """
        schema = await database.whole.schema()
        return await self._indexing.run(database.name, schema, progress or (lambda *_: None), turn or Turn())

    async def index_all(
        self, database: Database, progress: PartProgress = lambda *_: None, turn: Turn | None = None
    ) -> Indexed:
        """The same, and bring the vectors of the schema's columns and of stored values up to date as well.

        `progress` is called for `docs`, `columns` and `values` with how many of how many are done.
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
        """The `top_k` nearest documents, best first; what is missing. Raises RetrievalError, DatabaseUnavailable."""
        failure = await self._ensure_synced(database)
        found = await self._retriever.search(query, database.name, top_k, kinds)
        seen = await self._find_seen_documents(database)
        found = found if seen is None else list(seen.of(found))
        missing = (f"The docs of this database could not be brought up to date: {failure}",) if failure else ()
        return found, missing

    async def documents(self, database: Database) -> tuple[Document, ...]:
        """All documents of a database that may be shown. Raises RetrievalError."""
        await self._ensure_synced(database)
        documents = await asyncio.to_thread(self.store.documents, database.name)
        seen = await self._find_seen_documents(database)
        return documents if seen is None else seen.of(documents)

    async def warm_up(self) -> None:
        """Load the store and the embedder, where any database has docs. Raises RetrievalError."""
        if names := [name for name in self._names() if self._docs_of(name)]:
            loads: list[Callable[[], object]] = [partial(self.store.load, names)]
            local = (self._computing, self._reading)
            loads += [it.load for it in local if isinstance(it, LocalEmbedder | MultilingualEmbedder)]
            await asyncio.gather(*map(asyncio.to_thread, loads))

    async def check(self) -> None:
        """Return when the index can be read. Raises StoreUnavailable."""
        await asyncio.to_thread(self.store.is_indexed, "")

    @property
    def embedding_breaker(self) -> Breaker | None:
        """That of the embedding endpoint; None where texts are embedded in this process."""
        return self._computing.breaker if isinstance(self._computing, ProtectedEmbedder) else None

    async def check_embedder(self) -> None:
        """Raise EmbedderUnavailable while the embedding endpoint is left alone; it is not asked, for that costs."""
        if self.embedding_breaker is not None:
            self.embedding_breaker.refuse_while_open()

    async def close(self) -> None:
        """End the syncs that run, keeping what they have embedded, and give the index's files back."""
        await self._indexing.close()
        await self.links.close()
        await self.keys.close()
        await asyncio.to_thread(self.store.close)

    async def forget(self, name: str) -> None:
        """Keep nothing of a database that is gone, neither added docs nor index. Raises RetrievalError."""
        self.outdate(name)
        await asyncio.to_thread(self.added.remove_all, name)
        await self.links.forget(name)
        if await asyncio.to_thread(self.store.is_indexed, name):
            await asyncio.to_thread(self.store.sync, name, (), self.embedder)

    def outdate(self, name: str) -> None:
        """Have the next question about a database bring its index up to date: its schema or docs are others now."""
        self._indexing.forget(name)

    async def _ensure_synced(self, database: Database) -> str:
        """Why the index is not up to date; empty where it is."""
        schema, name = await database.whole.schema(), database.name
        done = self._indexing.get_last_sync(name)
        if done is not None and done.report.document_count and not await self._is_there(name):
            self._indexing.forget(name)  # somebody has deleted it
        return await self._indexing.ensure(name, schema)

    async def _is_there(self, name: str) -> bool:
        try:
            return await in_thread(self._threads, partial(self.store.is_indexed, name))
        except RetrievalError:
            return True  # nobody knows, and who reads it says so

    def _list_unused(self, name: str) -> tuple[str, ...]:
        """The warnings about docs that could not be used; and, once, what was wrong with the index."""
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
            if documents or self.store.is_indexed(name):  # else no model is loaded for nothing
                report = report.then(self.store.sync(name, documents, self.embedder, progress, turn))
            before, added = added, self.added.fitting(name, schema)
            # While this sync waited for another process, that one may have taken documents: they are not to be lost.
            if added == before:
                return Indexed(report=report, problems=read.problems + added.problems)


Item = TypeVar("Item", Document, Retrieved)


class SeenDocuments:
    """Leaves out what names a table that is not seen, and past queries that people added.

    What the files of the docs say was written for all who may ask. A query that was added came out of somebody's work
    with the data, and its values may be those of rows that others do not see.
    """

    def __init__(self, seen: Schema, whole: Schema, added: Iterable[Document]) -> None:
        self._seen = seen
        self._added = frozenset(document.id for document in added)
        hidden = {name for table in whole.tables if seen.table(table.name) is None for name in table.parts[-1:]}
        hidden -= {table.parts[-1] for table in seen.tables}
        self._hidden = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(hidden)))})(?!\w)", re.IGNORECASE)
        self._hides = bool(hidden)

    def of(self, items: Collection[Item]) -> tuple[Item, ...]:
        """The visible ones, in their order."""
        return tuple(item for item in items if self._tells(item))

    def retrieval(self, found: Retrieval) -> Retrieval:
        """What was found for a question, without hidden parts."""
        visible = {sort: self.of(getattr(found, sort)) for sort in ("rules", "columns", "queries")}
        return found.model_copy(update=visible)

    def _tells(self, item: Document | Retrieved) -> bool:
        document = item.document if isinstance(item, Retrieved) else item
        if document.table and self._seen.table(document.table) is None:
            return False
        if document.kind == "query" and document.id in self._added:
            return False
        return not (self._hides and self._hidden.search(f"{document.text}\n{document.sql}"))
