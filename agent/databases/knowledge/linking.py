"""Schema linking for the loop: one linker for each database, updated in the background.

Its parts become available one after another. Names and docs are known at once. Stored values are read in the
background, and a question waits for them only briefly. Vectors of columns and values are computed once and kept in the
index.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from agent.databases.knowledge.values import TableValues, all_stored, read_values
from executors.base import Schema
from executors.errors import ExecutorError
from rag.docs.documents import Document, Retrieved
from rag.errors import RetrievalError
from rag.index.revision import Turn
from rag.linking.column_index import ColumnIndex
from rag.linking.linking import Linked, LinkedPeriod, Near, SchemaLinker
from rag.linking.values import LinkedValue, StoredValues
from rag.threads import in_thread

if TYPE_CHECKING:
    from agent.databases.database import Database
    from rag.embedding.embedder import Embedder
    from rag.index.store import Store, SyncReport

PATIENCE_S = 1.0  # how long a question waits for values to be read; a small file takes less

log = logging.getLogger(__name__)


class _Embedded(NamedTuple):
    """The inputs of the vectors, and whether column vectors were included."""

    schema: Schema
    documents: tuple[Document, ...]
    columns: bool


@dataclass
class _State:
    """The state of one database and its background tasks. `linker` is None if it is out of date."""

    schema: Schema | None = None
    documents: tuple[Document, ...] = ()
    values: list[TableValues] = field(default_factory=list)
    linker: SchemaLinker | None = None
    reading: asyncio.Task[None] | None = None
    embedding: asyncio.Task[None] | None = None
    embedded: _Embedded | None = None  # inputs of the last attempt


class SchemaLinks:
    """Links questions to the schemas of databases. Searches run in `threads`, by default the event loop's own.

    A question waits `patience_s` for values to be read, and `index_patience_s` for the index.
    """

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        *,
        patience_s: float | None = None,
        threads: Executor | None = None,
        index_patience_s: float | None = None,
    ) -> None:
        self._index = ColumnIndex(store, embedder)
        self._patience_s = PATIENCE_S if patience_s is None else patience_s
        self._threads, self._index_patience_s = threads, index_patience_s
        self._states: dict[str, _State] = {}
        self._stop = threading.Event()

    async def link(
        self,
        question: str,
        database: Database,
        documents: Sequence[Document],
        relevant: Sequence[Retrieved],
        *,
        choosing: bool,
        today: date | None = None,
    ) -> tuple[Linked, tuple[str, ...]]:
        """The schema elements that the question is about, and warnings. Index errors do not raise.

        With `choosing`, tables have to be chosen, so vectors of columns are also needed. `last month` is relative to
        `today`. Raises DatabaseUnavailable.
        """
        schema = await database.schema()
        if database.is_filtered:  # stored values and their vectors are those of every row
            linker = await asyncio.to_thread(SchemaLinker, schema, documents, ())
            return await asyncio.to_thread(linker.link, question, near=Near(), relevant=relevant, today=today), ()
        state = self._states.setdefault(database.name, _State())
        self._update(state, database, schema, tuple(documents))
        if state.reading is not None and not state.reading.done():
            await asyncio.wait([state.reading], timeout=self._patience_s)
        self._embed(state, choosing=choosing)
        linker = await self._linker(state, schema)
        near, missing = await self._near(question, database.name, linker, choosing=choosing)
        return await asyncio.to_thread(linker.link, question, near=near, relevant=relevant, today=today), missing

    def phrases(self, question: str, database: Database) -> tuple[str, ...]:
        """The texts whose vectors `link` will need, so that they are computed together with the question's. Blocks.

        Empty before a first question has been linked, or if the index cannot be read, which `link` will report.
        """
        state = self._states.get(database.name)
        if state is None or state.linker is None or database.is_filtered:
            return ()
        try:
            return self._index.texts(question, database.name, state.linker.may_mean)
        except RetrievalError:
            return ()

    def find_values(self, text: str, database: Database) -> tuple[LinkedValue, ...]:
        """The stored values that a text surely means. Blocks. Empty before a first question has been linked."""
        state = self._states.get(database.name)
        if state is None or state.linker is None or database.is_filtered:
            return ()
        return tuple(it for it in state.linker.link(text, near=Near()).values if it.is_sure)

    async def index(
        self,
        database: Database,
        documents: Sequence[Document],
        progress: Callable[[str, int, int], None] = lambda *_: None,
        turn: Turn | None = None,
    ) -> tuple[SyncReport, SyncReport]:
        """Read the values and update the vectors of columns and values now. Returns a report for each.

        Raises RetrievalError, DatabaseUnavailable.
        """
        schema = await database.schema()
        state = self._states.setdefault(database.name, _State())
        self._update(state, database, schema, tuple(documents))
        if state.reading is not None:
            await asyncio.shield(state.reading)
        stored = all_stored(state.values)
        report_columns, report_values = partial(progress, "columns"), partial(progress, "values")
        columns = await asyncio.to_thread(self._index.sync, schema, state.documents, report_columns, turn)
        values = await asyncio.to_thread(self._index.sync_values, schema, stored, report_values, turn)
        state.embedded = _Embedded(schema, state.documents, columns=True)
        return columns, values

    async def forget(self, name: str) -> None:
        """Delete everything stored about a database and its values. Raises RetrievalError."""
        state = self._states.pop(name, None)
        for task in (state.reading, state.embedding) if state is not None else ():
            if task is not None:
                task.cancel()
        await asyncio.to_thread(self._index.forget, name)

    async def close(self) -> None:
        """End background work. Computed vectors are kept."""
        self._stop.set()
        tasks = [task for state in self._states.values() for task in (state.reading, state.embedding) if task]
        for state in self._states.values():
            if state.reading is not None:
                state.reading.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._states.clear()
        self._stop.clear()

    def _update(self, state: _State, database: Database, schema: Schema, documents: tuple[Document, ...]) -> None:
        """Note changes of docs and schema. If the schema changed, start reading the values."""
        if state.documents is not documents and state.documents != documents:
            state.documents, state.linker = documents, None
        if state.schema is not schema and state.schema != schema:
            if state.reading is not None:
                state.reading.cancel()
            state.reading, state.linker = asyncio.create_task(self._read(state, database, schema)), None
        state.schema = schema

    async def _read(self, state: _State, database: Database, schema: Schema) -> None:
        try:
            values = await read_values(database, schema, state.values)
        except ExecutorError as error:
            log.warning("The values of %s could not be read: %s", database.name, error)
            return
        state.values, state.linker = values, None

    async def _linker(self, state: _State, schema: Schema) -> SchemaLinker:
        if state.linker is None or state.schema is not schema:
            linker = await asyncio.to_thread(SchemaLinker, schema, state.documents, all_stored(state.values))
            state.linker = linker if state.schema is schema else state.linker
            return linker
        return state.linker

    async def _near(
        self, question: str, name: str, linker: SchemaLinker, *, choosing: bool
    ) -> tuple[Near, tuple[str, ...]]:
        try:
            async with asyncio.timeout(self._index_patience_s):
                near = await in_thread(self._threads, partial(self._index.near, question, name, linker.may_mean))
        except TimeoutError:
            slow = "Tables and values were chosen by their words alone: the index did not answer in time."
            return Near(), (slow,) if choosing else ()
        except RetrievalError as error:
            return Near(), (f"Tables and values were chosen by their words alone: {error}",) if choosing else ()
        if choosing and not near.question:
            return near, ("The columns are being indexed; until then tables are chosen by their words alone.",)
        return near, ()

    def _embed(self, state: _State, *, choosing: bool) -> None:
        """Start updating the vectors if they are needed. With docs, the model is loaded anyway."""
        schema = state.schema
        if schema is None or not (choosing or state.documents):
            return
        if any(task is not None and not task.done() for task in (state.reading, state.embedding)):
            return
        wanted = _Embedded(schema, state.documents, choosing or (state.embedded is not None and state.embedded.columns))
        before = state.embedded
        is_same = (
            before is not None and (schema is before.schema or schema == before.schema) and wanted[1:] == before[1:]
        )
        if not is_same:
            state.embedded = wanted
            stored = all_stored(state.values)
            state.embedding = asyncio.create_task(asyncio.to_thread(self._sync, wanted, stored))

    def _sync(self, wanted: _Embedded, stored: Sequence[StoredValues]) -> None:
        turn = Turn(stop=self._stop)
        try:
            if wanted.columns:
                self._index.sync(wanted.schema, wanted.documents, turn=turn)
            self._index.sync_values(wanted.schema, stored, turn=turn)
        except RetrievalError as error:
            log.warning("The columns of %s could not be indexed: %s", wanted.schema.database, error)


def value_lines(values: Sequence[LinkedValue], schema: Schema) -> tuple[str, ...]:
    """The lines about values for the prompt, surest first: one line per mention, with its columns."""
    by_mention: dict[tuple[str, bool], list[LinkedValue]] = {}
    for value in values:
        by_mention.setdefault((value.mention.casefold(), value.is_sure), []).append(value)
    lines: list[str] = []
    for (_, is_sure), ones in by_mention.items():
        quoted = [(it, it.value.replace("'", "''")) for it in ones]
        places = " or ".join(
            f"{_qualify_column(it.table, it.column, schema)} = '{text}'{_code_of(it, schema)}" for it, text in quoted
        )
        verb = "is" if is_sure else "may mean"
        differs = any(value.how == "case" and value.value != value.mention for value in ones)
        lines.append(f'"{_fold(ones[0].mention)}" {verb} {places}{" (written so)" if differs else ""}')
    return tuple(lines)


def _code_of(value: LinkedValue, schema: Schema) -> str:
    if value.code is None:
        return ""
    code = value.code.value
    text = code if isinstance(code, int) else "'" + code.replace("'", "''") + "'"
    return f" ({_qualify_column(value.table, value.code.column, schema)} = {text})"


def period_lines(periods: Sequence[LinkedPeriod], schema: Schema) -> tuple[str, ...]:
    """The periods of a question as values of date and time columns, one line each.

    The day after is included: a comparison with the last day would lose all but its first moment.
    """
    lines: list[str] = []
    for it in periods:
        days = f"'{it.first}'" if it.first == it.last else f"from '{it.first}' to '{it.last}'"
        places = " or ".join(_qualify_column(table, column, schema) for table, column in it.columns)
        lines.append(f"\"{_fold(it.mention)}\" is {days} (before '{it.after}') in {places}")
    return tuple(lines)


def _fold(text: str) -> str:
    """Words of a question on one line; stored values are shown unchanged, because a query must match them exactly."""
    return " ".join(text.split())


def _qualify_column(table_name: str, column: str, schema: Schema) -> str:
    """A column as a query writes it, with its table."""
    table = schema.table(table_name)
    return f"{schema.quote_table(table) if table is not None else table_name}.{schema.quote_name(column)}"
