"""One database for async code: its blocking executor runs in its own threads, a few at a time."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Awaitable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from agent.core.callers import LOCAL
from agent.core.errors import WritesNotAllowed
from agent.core.resilience.breaker import Breaker
from agent.platform import telemetry
from agent.platform.access.intent import PARTIAL
from executors.base import (
    Cancel,
    CheckedSql,
    CheckedWrite,
    Executor,
    Parameters,
    QueryResult,
    Schema,
    TableReport,
    WriteResult,
)
from executors.errors import DatabaseDeleted, DatabaseUnavailable, SqlFailed, UnknownDatabase
from rag.threads import in_thread
from rag.words import words

if TYPE_CHECKING:
    from executors.guard.held_columns import Hidden
    from executors.guard.row_security.held_rows import HeldRows, RowRules
    from executors.guard.row_security.row_filter import RowFilter, Values

Result = TypeVar("Result")

# Threads that wait for the guard: one for each of its processes, and one for queries checked in this process.
_GUARDS = ThreadPoolExecutor(3, thread_name_prefix="guard")


class Database:
    """An executor behind `await`, for `limit` queries at once of `timeout_s` seconds each.

    It sees every row; `filter_for` returns the rows that a principal sees under `row_filter`. Each database has its own
    threads, so a slow database does not block others. A thread is free only when its query has ended, so the limit also
    covers queries whose caller has gone. Queries may call the user-defined `functions` and read the system tables in
    `catalogue`, except for principals who see only some rows.
    """

    is_filtered = False  # whether only some rows are visible, and nothing about the others may be revealed
    sight = ""  # which rows are visible, in the form of `RowFilter.sight`

    def __init__(
        self,
        executor: Executor,
        *,
        limit: int,
        timeout_s: float,
        row_limit: int | None = None,
        row_filter: RowFilter | None = None,
        functions: Sequence[str] = (),
        catalogue: Sequence[str] = (),
        breaker: Breaker | None = None,
        is_upload: bool = False,
        description: str = "",
    ) -> None:
        self.executor = executor
        self.breaker = breaker
        self.is_upload = is_upload
        self.description = description
        self._row_filter = row_filter
        self._functions = frozenset(name.lower() for name in functions)
        self._catalogue = frozenset(name.lower() for name in catalogue)
        self._rules: RowRules | None = None
        self.timeout_s, self.row_limit = timeout_s, row_limit
        self._queries = ThreadPoolExecutor(limit, thread_name_prefix=f"query-{executor.name}")
        # Separate from the queries: a schema that is already known need not wait for them.
        self._schemas = ThreadPoolExecutor(1, thread_name_prefix=f"schema-{executor.name}")
        self._running: set[Cancel] = set()
        self._deleted = threading.Event()

    @property
    def name(self) -> str:
        return self.executor.name

    @property
    def dialect(self) -> str:
        return self.executor.dialect

    @property
    def warnings(self) -> tuple[str, ...]:
        """The parts of the database that the last `schema` could not read, one sentence each."""
        return self.executor.warnings

    @property
    def reports(self) -> tuple[TableReport, ...]:
        """How the last `schema` read each file; empty for servers."""
        return self.executor.reports

    def table_warnings(self, tables: Collection[str]) -> tuple[str, ...]:
        """Those of the `warnings` that are about the files of the given tables."""
        about = {it for report in self.reports if report.table in tables for it in report.problems}
        return tuple(it for it in self.warnings if it in about)

    @property
    def general_warnings(self) -> tuple[str, ...]:
        """Those of the `warnings` that are about no table's files: of a file that gives no table, for example."""
        about = set(self.table_warnings({report.table for report in self.reports}))
        return tuple(it for it in self.warnings if it not in about)

    @property
    def whole(self) -> Database:
        """The database with every row: for data that is shared by all, such as the docs index; never to be shown."""
        return self

    def filter_for(self, principal: str) -> Database:
        """The database as a principal sees it, with the same threads. Raises UnknownDatabase if they see nothing."""
        rows = self._row_filter
        if rows is None or principal == LOCAL:
            return self
        if not rows.admits(principal):
            raise UnknownDatabase(self.name, ())
        values = rows.values_of(principal)
        return self if values is None else FilteredDatabase(self, rows, values)

    async def schema(self) -> Schema:
        """The schema, read in a thread, once for all steps of a question; see `Executor.schema`."""
        seen = SEEN.get()
        known = seen.of(self.executor) if seen is not None else None
        if known is None:
            with self._watching(proves=False):  # the schema may come from a cache
                known = await self._unless_deleted(in_thread(self._schemas, self.executor.schema))
            if seen is not None:
                seen.keep(self.executor, known)
        return known

    async def rules(self) -> RowRules | None:
        """The row filter, checked against the current schema; None if there is no filter.

        Raises DatabaseUnavailable if the schema cannot be read or the filter does not fit it.
        """
        row_filter = self._row_filter
        return None if row_filter is None else await in_thread(self._schemas, partial(self._read, row_filter))

    def _read(self, row_filter: RowFilter) -> RowRules:
        from executors.guard.row_security.held_rows import RowRules

        schema = self.executor.schema()
        if self._rules is None or self._rules.whole is not schema:
            self._rules = RowRules(row_filter, schema)
        return self._rules

    async def _rows(self) -> HeldRows | None:
        """The visible rows; None: all."""
        return None

    async def check(
        self,
        sql: str,
        row_limit: int,
        parameters: Parameters | None = None,
        *,
        question: str | None = None,
        leave_out: bool = False,
    ) -> CheckedSql:
        """The query as the guard accepts it. Parameters, if any, fill its placeholders.

        If a model wrote the query for a `question`, private columns that the question does not name are hidden from it.
        Without `question`, a person or the service wrote the query. Raises SqlRefused.
        """
        from executors.workers.checking import check

        schema = await self.schema()
        call = partial(
            check,
            sql,
            schema,
            row_limit=row_limit,
            parameters=parameters,
            rows=await self._rows(),
            functions=self._functions,
            catalogue=self._catalogue,
            hidden=None if question is None else find_hidden_columns(schema, question),
            leave_out=leave_out,
        )
        return await in_thread(_GUARDS, call)

    async def run(self, query: CheckedSql, *, timeout_s: float | None = None) -> QueryResult:
        """Run a checked query, as `Executor.run` does. Cancelling the task stops the query in the database."""
        timeout_s = self.timeout_s if timeout_s is None else min(timeout_s, self.timeout_s)
        cancel = Cancel()
        self._running.add(cancel)
        try:
            call = partial(self.executor.run, query, timeout_s=timeout_s, cancel=cancel)
            traced = telemetry.get().query(self.name, self.dialect, query.sql, "SELECT", query.tables)
            with self._watching(), traced as record_rows:
                result = await self._unless_deleted(in_thread(self._queries, call))
                record_rows(result.row_count)
                return result
        except asyncio.CancelledError:
            cancel.cancel()
            raise
        except (SqlFailed, DatabaseUnavailable):
            if (seen := SEEN.get()) is not None:
                seen.forget(self.executor)  # the schema may have changed since the question read it
            raise
        finally:
            self._running.discard(cancel)

    async def _unless_deleted(self, work: Awaitable[Result]) -> Result:
        """The result of `work`. Raises DatabaseDeleted in place of its errors if the data was deleted."""
        try:
            return await work
        except (SqlFailed, DatabaseUnavailable) as error:
            if self._deleted.is_set():
                raise DatabaseDeleted(self.name) from error
            raise

    async def check_write(self, sql: str, row_limit: int, *, question: str | None = None) -> CheckedWrite:
        """The statement as the guard for writes accepts it. `row_limit` limits its preview.

        If a model wrote it for a `question`, it may copy only private columns that this names. Raises SqlRefused.
        """
        from executors.workers.checking import check_write

        schema = await self.schema()
        hidden = None if question is None else find_hidden_columns(schema, question)
        call = partial(check_write, sql, schema, row_limit=row_limit, functions=self._functions, hidden=hidden)
        return await in_thread(_GUARDS, call)

    async def write(
        self, statement: CheckedWrite, *, commit: bool, max_rows: int, exactly: int | None = None
    ) -> WriteResult:
        """See `Executor.write`. A write that has begun is not stopped when its caller disconnects."""
        write = partial(self.executor.write, statement, timeout_s=self.timeout_s, commit=commit)
        call = partial(write, max_rows=max_rows, exactly=exactly)
        kind, tables = statement.kind.upper(), (statement.table,)
        with self._watching(), telemetry.get().query(self.name, self.dialect, statement.sql, kind, tables):
            return await in_thread(self._queries, call)

    def _watching(self, *, proves: bool = True) -> AbstractContextManager[None]:
        return nullcontext() if self.breaker is None else self.breaker.watching(proves=proves)

    def delete(self) -> None:
        """Stop running queries, because the data was deleted. May be called from any thread."""
        self._deleted.set()
        for cancel in tuple(self._running):
            cancel.cancel()

    async def close(self) -> None:
        """Stop running queries and end the threads. The executor stays open: it belongs to the router."""
        for cancel in tuple(self._running):
            cancel.cancel()
        for threads in (self._queries, self._schemas):
            await asyncio.to_thread(threads.shutdown, wait=True, cancel_futures=True)


class FilteredDatabase(Database):
    """A database with only the rows that a principal sees. It shares the threads of the whole database.

    Its schema has neither samples nor hidden tables, queries are filtered, and nothing can be written: a principal who
    cannot see a row cannot know what happens to it. `values` are the values of the filter's `:names`.
    """

    is_filtered = True

    def __init__(self, whole: Database, row_filter: RowFilter, values: Values) -> None:
        self.executor, self.timeout_s, self.row_limit = whole.executor, whole.timeout_s, whole.row_limit
        self.breaker, self.description = whole.breaker, whole.description
        self._queries, self._schemas, self._running = whole._queries, whole._schemas, whole._running
        self._deleted = whole._deleted
        self._whole, self._filter, self._values = whole, row_filter, values
        self.sight = row_filter.sight(values)
        self._functions = self._catalogue = frozenset()  # they may read hidden rows

    @property
    def warnings(self) -> tuple[str, ...]:
        """Always empty: warnings may be about hidden tables."""
        return ()

    @property
    def reports(self) -> tuple[TableReport, ...]:
        """Always empty: reports count hidden rows."""
        return ()

    @property
    def whole(self) -> Database:
        return self._whole

    def filter_for(self, principal: str) -> Database:
        return self._whole.filter_for(principal)

    async def schema(self) -> Schema:
        """The visible part of the schema. Also raises DatabaseUnavailable if the filter does not fit the schema."""
        return (await self._rows()).visible

    async def rules(self) -> RowRules:
        return await in_thread(self._schemas, partial(self._whole._read, self._filter))

    async def _rows(self) -> HeldRows:
        return (await self.rules()).of(self._values)

    async def run(self, query: CheckedSql, *, timeout_s: float | None = None) -> QueryResult:
        """See `Database.run`. Error messages reveal nothing about hidden rows."""
        from executors.guard.row_security.held_rows import is_fenced

        try:
            return await super().run(query, timeout_s=timeout_s)
        except SqlFailed as error:
            reason = error.message if is_fenced(self.dialect) else f"The database could not run it ({error.kind})."
            raise SqlFailed(error.kind, reason) from error  # the hint may name hidden tables

    async def check_write(self, *_: object, **__: object) -> CheckedWrite:
        """Raises WritesNotAllowed."""
        raise WritesNotAllowed(PARTIAL)

    async def write(self, *_: object, **__: object) -> WriteResult:
        """Raises WritesNotAllowed."""
        raise WritesNotAllowed(PARTIAL)


class SeenSchemas:
    """The schemas that one question has read so far."""

    def __init__(self) -> None:
        self._seen: dict[Executor, Schema] | None = {}

    def of(self, executor: Executor) -> Schema | None:
        """The schema that the question has read; None if it has read none or is over."""
        return None if self._seen is None else self._seen.get(executor)

    def keep(self, executor: Executor, schema: Schema) -> None:
        """Use this schema for the rest of the question."""
        if self._seen is not None:
            self._seen[executor] = schema

    def forget(self, executor: Executor) -> None:
        """Drop the schema, which may have changed, so that it is read again."""
        if self._seen is not None:
            self._seen.pop(executor, None)

    def end(self) -> None:
        """Keep no more schemas: background work that the question started uses the current schema."""
        self._seen = None


SEEN: ContextVar[SeenSchemas | None] = ContextVar("seen_schemas", default=None)


@contextmanager
def keep_seen_schemas() -> Iterator[None]:
    """Keep the schemas that this task and its child tasks read, while the block runs."""
    seen = SeenSchemas()
    SEEN.set(seen)
    try:
        yield
    finally:
        seen.end()


# Private columns in queries of a model: visible if the question names the column, else absent.
#
# A query that a model wrote may compare, join, group and count by any column. Values of a column that is marked private
# in the registry leave the database only if a person named the column. A model that selects too much cannot reveal
# them, and neither can a prompt injection in a comment. See `executors.guard.held_columns`.


def find_hidden_columns(schema: Schema, question: str) -> Hidden:
    """The private columns that a person's question does not name, in lower case, by table name."""
    private = {table.name: [it.name for it in table.columns if it.private] for table in schema.tables}
    if not any(private.values()):
        return {}
    named = words(question) | words(re.sub(r"(?<=\w)-(?=\w)", "", question))  # "e-mail" names `email`
    found = {
        table: frozenset(name.lower() for name in names if not words(name) <= named) for table, names in private.items()
    }
    return {table: names for table, names in found.items() if names}


def describe_left_out(query: CheckedSql) -> str:
    """A note on the columns that were left out of the result; empty if there are none."""
    if not query.left_out:
        return ""
    return f"Left out, because it is private and the question does not name it: {', '.join(query.left_out)}."
