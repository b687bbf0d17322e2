"""One async database: its concurrency limit, and the calls that bypass it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest

from agent.databases.database import Database, keep_seen_schemas
from executors.base import Cancel, CheckedSql, Executor, QueryResult, Schema
from executors.errors import ErrorKind, SqlFailed

QUERY = CheckedSql(sql="SELECT 1", executable="SELECT 1", row_limit=1, tables=())
PATIENCE_S = 60.0


class SlowExecutor(Executor):
    """Queries that run until `finish`, or, where they listen, until they are cancelled. It counts them."""

    name, dialect = "slow", "sqlite"

    def __init__(self) -> None:
        self.finish = threading.Event()
        self.listens = False
        self.running = self.most = self.started = 0
        self.cancelled = 0
        self._lock = threading.Lock()
        self.changed = threading.Condition(self._lock)

    def schema(self) -> Schema:
        return Schema(database=self.name, dialect=self.dialect, tables=())

    def run(self, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None) -> QueryResult:
        if cancel is not None:
            cancel.attach(self._stop)
        with self.changed:
            self.running += 1
            self.started += 1
            self.most = max(self.most, self.running)
            self.changed.notify_all()
        self.finish.wait(PATIENCE_S)
        with self.changed:
            self.running -= 1
            self.changed.notify_all()
        return QueryResult(columns=(), rows=())

    def _stop(self) -> None:
        self.cancelled += 1
        if self.listens:
            self.finish.set()

    async def started_are(self, count: int) -> None:
        def wait() -> bool:
            with self.changed:
                return self.changed.wait_for(lambda: self.started >= count, PATIENCE_S)

        assert await asyncio.to_thread(wait)


@pytest.fixture
def executor() -> SlowExecutor:
    return SlowExecutor()


@pytest.fixture
async def database(executor: SlowExecutor) -> AsyncIterator[Database]:
    database = Database(executor, limit=2, timeout_s=5)
    yield database
    executor.finish.set()
    await database.close()


async def test_no_more_queries_at_once_than_the_limit(database: Database, executor: SlowExecutor) -> None:
    tasks = [asyncio.create_task(database.run(QUERY)) for _ in range(5)]
    await executor.started_are(2)
    executor.finish.set()
    await asyncio.gather(*tasks)

    assert executor.started == 5
    assert executor.most == 2


async def test_the_schema_does_not_wait_for_queries(database: Database, executor: SlowExecutor) -> None:
    tasks = [asyncio.create_task(database.run(QUERY)) for _ in range(2)]
    await executor.started_are(2)

    assert (await database.schema()).database == "slow"
    assert executor.running == 2

    executor.finish.set()
    await asyncio.gather(*tasks)


async def test_a_query_that_nobody_waits_for_still_counts_until_it_has_ended(
    database: Database, executor: SlowExecutor
) -> None:
    given_up = [asyncio.create_task(database.run(QUERY)) for _ in range(2)]
    await executor.started_are(2)
    for task in given_up:
        task.cancel()
    await asyncio.gather(*given_up, return_exceptions=True)

    later = [asyncio.create_task(database.run(QUERY)) for _ in range(2)]
    await database.schema()  # the later ones have been handed over by now

    assert executor.cancelled == 2, "the database was told"
    assert executor.running == 2, "and has not listened yet"
    executor.finish.set()
    await asyncio.gather(*later)
    assert executor.most == 2


async def test_a_query_that_is_cancelled_while_it_waits_never_runs(database: Database, executor: SlowExecutor) -> None:
    running = [asyncio.create_task(database.run(QUERY)) for _ in range(2)]
    await executor.started_are(2)
    waiting = asyncio.create_task(database.run(QUERY))
    await database.schema()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    executor.finish.set()
    await asyncio.gather(*running)
    await database.close()

    assert executor.started == 2


async def test_closing_stops_what_runs(database: Database, executor: SlowExecutor) -> None:
    executor.listens = True
    task = asyncio.create_task(database.run(QUERY))
    await executor.started_are(1)

    await database.close()

    assert executor.cancelled == 1
    assert executor.running == 0
    await task


class ChangingExecutor(SlowExecutor):
    """Another schema each time it is asked for, and queries that fail."""

    def __init__(self) -> None:
        super().__init__()
        self.read = 0

    def schema(self) -> Schema:
        self.read += 1
        return Schema(database=f"as of {self.read}", dialect=self.dialect, tables=())

    def run(self, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None) -> QueryResult:
        raise SqlFailed(ErrorKind.TABLE_NOT_FOUND, "There is no table orders.")


async def named(database: Database) -> str:
    return (await database.schema()).database


async def test_the_steps_of_a_question_see_one_schema_until_a_query_fails() -> None:
    database = Database(ChangingExecutor(), limit=2, timeout_s=5)
    assert [await named(database), await named(database)] == ["as of 1", "as of 2"]

    async def question() -> tuple[list[str], asyncio.Task[str]]:
        with keep_seen_schemas():
            seen = [await named(database), await named(database), await asyncio.create_task(named(database))]
            with pytest.raises(SqlFailed):
                await database.run(QUERY)
            seen += [await named(database), await named(database)]
            left = asyncio.create_task(later())
        return seen, left

    over = asyncio.Event()

    async def later() -> str:
        await over.wait()
        return await named(database)

    seen, left = await asyncio.create_task(question())
    assert seen == ["as of 3"] * 3 + ["as of 4"] * 2
    over.set()
    assert await left == "as of 5", "what a question leaves behind goes by today's schema"
    assert await named(database) == "as of 6"
    await database.close()
