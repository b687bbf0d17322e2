"""One database, for code that awaits: its blocking executor runs in threads of its own, a few at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TypeVar

from executors.base import Cancel, CheckedSql, CheckedWrite, Executor, Parameters, QueryResult, Schema, WriteResult

T = TypeVar("T")

_FEW_TABLES = 200


class Database:
    """An executor behind `await`.

    Its threads are its own, so that a slow database takes none from the others; and since a thread is free only when
    its query has ended, the limit also holds where nobody waits for that query any more.

    Args:
        executor: what runs the queries.
        limit: queries at once; further ones wait their turn.
        timeout_s: for one query.
        row_limit: rows of one query, where the database has a limit of its own.
    """

    def __init__(self, executor: Executor, *, limit: int, timeout_s: float, row_limit: int | None = None) -> None:
        self.executor = executor
        self.timeout_s, self.row_limit = timeout_s, row_limit
        self._queries = ThreadPoolExecutor(limit, thread_name_prefix=f"query-{executor.name}")
        # Apart from the queries: a schema that is known already need not wait for them.
        self._schemas = ThreadPoolExecutor(1, thread_name_prefix=f"schema-{executor.name}")
        self._running: set[Cancel] = set()

    @property
    def name(self) -> str:
        return self.executor.name

    @property
    def dialect(self) -> str:
        return self.executor.dialect

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the last `schema` could not read of the database, one sentence each."""
        return self.executor.warnings

    async def schema(self) -> Schema:
        """The schema, read in a thread; see `Executor.schema`."""
        return await _in_thread(self._schemas, self.executor.schema)

    async def check(self, sql: str, row_limit: int, parameters: Parameters | None = None) -> CheckedSql:
        """The query as the guard lets it through, with its placeholders filled where there are parameters.

        Raises:
            SqlRefused: it does not.
        """
        from executors.guard import check

        schema = await self.schema()
        call = partial(check, sql, schema, row_limit=row_limit, parameters=parameters)
        if len(schema.tables) <= _FEW_TABLES:
            return call()
        return await asyncio.to_thread(call)  # the nearest of a hundred thousand names take their time

    async def run(self, query: CheckedSql, *, timeout_s: float | None = None) -> QueryResult:
        """Rows of a checked query; cancelling the task stops the query in the database. See `Executor.run`.

        Args:
            query: that the guard let through.
            timeout_s: where less than the database's own is wanted.
        """
        timeout_s = self.timeout_s if timeout_s is None else min(timeout_s, self.timeout_s)
        cancel = Cancel()
        self._running.add(cancel)
        try:
            return await _in_thread(
                self._queries, partial(self.executor.run, query, timeout_s=timeout_s, cancel=cancel)
            )
        except asyncio.CancelledError:
            cancel.cancel()
            raise
        finally:
            self._running.discard(cancel)

    async def check_write(self, sql: str, row_limit: int) -> CheckedWrite:
        """The statement as the guard for writes lets it through. Args: row_limit: of its preview.

        Raises:
            SqlRefused: it does not.
        """
        from executors.guard_write import check_write

        return check_write(sql, await self.schema(), row_limit=row_limit)

    async def write(
        self, statement: CheckedWrite, *, commit: bool, max_rows: int, exactly: int | None = None
    ) -> WriteResult:
        """See `Executor.write`. What has begun is not stopped where nobody waits for it any more."""
        call = partial(
            self.executor.write,
            statement,
            timeout_s=self.timeout_s,
            commit=commit,
            max_rows=max_rows,
            exactly=exactly,
        )
        return await _in_thread(self._queries, call)

    async def close(self) -> None:
        """Stop what runs and end the threads. The executor stays open: it belongs to the router."""
        for cancel in tuple(self._running):
            cancel.cancel()
        for threads in (self._queries, self._schemas):
            await asyncio.to_thread(threads.shutdown, wait=True, cancel_futures=True)


async def _in_thread(threads: ThreadPoolExecutor, call: Callable[[], T]) -> T:
    """The call's result, from one of the threads; logs and traces there belong to the caller, as in `to_thread`."""
    in_context = partial(copy_context().run, call)
    return await asyncio.get_running_loop().run_in_executor(threads, in_context)
