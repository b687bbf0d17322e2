"""The overview of a database in a chat: row counts within a time limit, without a model."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from agent.databases.database import Database
from agent.understanding.messages import overview as module
from agent.understanding.messages.overview import overview
from executors.base import Cancel, CheckedSql, QueryResult, Schema
from executors.engines.sqlite.executor import SqliteExecutor
from executors.errors import ErrorKind, SqlFailed


class Uncounted(SqliteExecutor):
    """A database whose schema does not say how many rows there are."""

    def schema(self) -> Schema:
        known = super().schema()
        tables = tuple(table.model_copy(update={"row_count": None}) for table in known.tables)
        return known.model_copy(update={"tables": tables})


class Slow(Uncounted):
    """One of its tables is counted only when somebody gives up."""

    counting = threading.Event()

    def run(self, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None) -> QueryResult:
        if "orders" in query.tables:
            assert cancel is not None
            self.counting.set()
            given_up = threading.Event()
            cancel.attach(given_up.set)
            assert given_up.wait(30), "nobody gave up"
            raise SqlFailed(ErrorKind.TIMEOUT, "It took too long.")
        return super().run(query, timeout_s=timeout_s, cancel=cancel)


def database(executor: SqliteExecutor) -> Database:
    return Database(executor, limit=4, timeout_s=30)


async def counts(of: Database) -> dict[str, int | None]:
    try:
        return {table.name: table.row_count for table in (await overview(of, ())).tables}
    finally:
        await of.close()


async def test_rows_are_counted_where_the_schema_does_not_say(shop_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COUNT_S", 60.0)  # the guard's processes may have to begin
    assert await counts(database(Uncounted("shop", shop_file, sample_values=3))) == {"orders": 5, "customers": 3}


async def test_what_takes_too_long_to_count_is_not_known(shop_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COUNT_S", 2.0)  # in which the other table is counted on any machine
    assert await counts(database(Slow("shop", shop_file, sample_values=3))) == {"orders": None, "customers": 3}


async def test_only_so_many_tables_are_shown(shop_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SHOWN_TABLES", 1)
    assert list(await counts(database(SqliteExecutor("shop", shop_file, sample_values=3)))) == ["orders"]


async def test_who_goes_away_stops_the_counting(shop_file: Path) -> None:
    Slow.counting.clear()
    slow = database(Slow("shop", shop_file, sample_values=3))
    looking = asyncio.create_task(overview(slow, ()))
    await asyncio.to_thread(Slow.counting.wait, 30)
    looking.cancel()
    await asyncio.gather(looking, return_exceptions=True)
    assert looking.cancelled()
    await slow.close()
