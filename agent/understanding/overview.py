"""What a chat shows of a database before the first question: its tables, their row counts, possible questions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from agent.databases.database import Database
from agent.understanding.suggest import telling_tables
from executors.base import Frozen, Table
from executors.errors import DatabaseUnavailable, SqlError

SHOWN_TABLES = 50  # of a database with more, those that tell most
COUNTED_TABLES = 20  # whose rows are counted where the schema does not say how many there are
COUNT_S = 3.0  # seconds for all of these counts together


class Overview(Frozen):
    """Tables, the most telling first, each with its rows as far as known; questions that can be answered."""

    tables: tuple[Table, ...]
    questions: tuple[str, ...]


async def overview(database: Database, questions: Sequence[str]) -> Overview:
    """Look at a database without a model. Raises DatabaseUnavailable."""
    schema = await database.schema()
    tables = telling_tables(schema)[:SHOWN_TABLES]
    return Overview(tables=await with_rows(tables, database), questions=tuple(questions))


async def with_rows(tables: Sequence[Table], database: Database) -> tuple[Table, ...]:
    """The tables with their number of rows; unknown where counting them takes too long."""
    unknown = [table for table in tables if table.row_count is None][:COUNTED_TABLES]
    counts = dict[str, int]()

    async def count(table: Table) -> None:
        found = await _count(table, database)
        if found is not None:
            counts[table.name] = found

    tasks = [asyncio.create_task(count(table)) for table in unknown]
    try:
        if tasks:
            await asyncio.wait(tasks, timeout=COUNT_S)
    finally:
        for task in tasks:
            task.cancel()  # which stops its query in the database
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    for error in ended:
        if isinstance(error, Exception):
            raise error
    return tuple(
        table.model_copy(update={"row_count": counts[table.name]}) if table.name in counts else table
        for table in tables
    )


async def _count(table: Table, database: Database) -> int | None:
    """The rows of one table; None where the database does not say in time."""
    schema = await database.schema()
    try:
        query = await database.check(f"SELECT COUNT(*) AS n FROM {schema.quote_table(table)}", 1)
        result = await database.run(query, timeout_s=COUNT_S)
    except (SqlError, DatabaseUnavailable):
        return None  # a nicety; what cannot be asked at all is told by the first question
    return int(result.rows[0][0]) if result.rows else None
