"""One database, for code that awaits: its blocking executor runs in threads, a few at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from executors.base import Cancel, CheckedSql, Executor, QueryResult, Schema

T = TypeVar("T")


class Database:
    """An executor behind `await`.

    Args:
        executor: what runs the queries.
        limit: queries at once; further ones wait their turn, so that one slow database does not take every thread.
        timeout_s: for one query.
    """

    def __init__(self, executor: Executor, *, limit: int, timeout_s: float) -> None:
        self.executor = executor
        self.timeout_s = timeout_s
        self._turn = asyncio.Semaphore(limit)

    @property
    def name(self) -> str:
        return self.executor.name

    @property
    def dialect(self) -> str:
        return self.executor.dialect

    async def schema(self) -> Schema:
        """The schema, read in a thread; see `Executor.schema`."""
        return await self._in_thread(self.executor.schema)

    async def check(self, sql: str, row_limit: int) -> CheckedSql:
        """The query as the guard lets it through.

        Raises:
            SqlRefused: it does not.
        """
        from executors.guard import check

        return check(sql, await self.schema(), row_limit=row_limit)

    async def run(self, query: CheckedSql) -> QueryResult:
        """Rows of a checked query; cancelling the task stops the query in the database. See `Executor.run`."""
        cancel = Cancel()
        try:
            return await self._in_thread(lambda: self.executor.run(query, timeout_s=self.timeout_s, cancel=cancel))
        except asyncio.CancelledError:
            cancel.cancel()
            raise

    async def _in_thread(self, call: Callable[[], T]) -> T:
        async with self._turn:
            return await asyncio.to_thread(call)
