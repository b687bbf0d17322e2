"""The overview that a chat shows before the first question: tables, row counts and possible questions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from agent.databases.database import Database
from agent.understanding.suggest import telling_tables
from executors.base import Frozen, Table
from executors.errors import DatabaseUnavailable, SqlError

SHOWN_TABLES = 50  # tables; of a larger database, the most informative ones
COUNTED_TABLES = 20  # tables whose rows are counted if the schema does not state their number
COUNT_S = 3.0  # seconds for all of these counts together


class Overview(Frozen):
    """The tables, most informative first, with row counts if known, and questions that can be answered."""

    tables: tuple[Table, ...]
    questions: tuple[str, ...]


async def overview(database: Database, questions: Sequence[str]) -> Overview:
    """Look at a database without a model. Raises DatabaseUnavailable."""
    schema = await database.schema()
    tables = telling_tables(schema)[:SHOWN_TABLES]
    return Overview(tables=await with_rows(tables, database), questions=tuple(questions))


async def with_rows(tables: Sequence[Table], database: Database) -> tuple[Table, ...]:
    """The tables with their row counts. A count stays unknown if counting takes too long."""
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
    """The row count of one table. None if the database does not return it in time."""
    schema = await database.schema()
    try:
        query = await database.check(f"SELECT COUNT(*) AS n FROM {schema.quote_table(table)}", 1)
        result = await database.run(query, timeout_s=COUNT_S)
    except (SqlError, DatabaseUnavailable):
        return None  # optional: the first question reports a database that cannot be queried
    return int(result.rows[0][0]) if result.rows else None
