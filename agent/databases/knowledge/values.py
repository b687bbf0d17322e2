"""The values of text columns, read once in the background and kept in memory for questions.

Every query goes through the guard and has its own timeout. One query runs at a time, so that no question waits for
them long. Private columns are never read.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from executors.base import Column, Frozen, QueryResult, Schema, Table
from executors.errors import DatabaseUnavailable, SqlError
from rag.linking.values import StoredValues

if TYPE_CHECKING:
    from sqlglot import exp

    from agent.databases.database import Database


class Bounds(NamedTuple):
    """Limits for reading one database.

    columns, values: maximum over all tables. The smallest tables come first, because they name kinds of things.
    each: distinct values per column. Of more, only the first are read.
    chars: characters per value. Questions do not contain longer texts.
    rows: rows of a table on a server. For larger tables, the samples are used.
    query_s, total_s: seconds for one query and for all.
    """

    columns: int = 400
    values: int = 200_000
    each: int = 1000
    chars: int = 80
    rows: int = 200_000
    query_s: float = 2.0
    total_s: float = 60.0


BOUNDS = Bounds()
_CUT = "…"  # marks a truncated sample
LOCAL_DIALECTS = frozenset({"sqlite", "duckdb"})  # read by this process, so size is no concern for a server


class TableValues(Frozen):
    """The values of one table, as of a state of its schema."""

    table: Table
    stored: tuple[StoredValues, ...] = ()


async def read_values(
    database: Database, schema: Schema, known: Iterable[TableValues] = (), *, bounds: Bounds = BOUNDS
) -> list[TableValues]:
    """The distinct values of the schema's text columns, within bounds.

    A table that has not changed since it was `known` is not read again. Beyond the bounds, the schema's samples are
    used; also for a column whose query fails or takes too long. If the database becomes unavailable, they are used for
    all remaining columns.
    """
    from executors.sql.literals import is_text

    before = {it.table.name: it for it in known}
    reading = _Reading(database, schema, bounds)
    found: list[TableValues] = []
    for table in sorted(schema.tables, key=lambda it: (it.row_count is None, it.row_count or 0, it.name)):
        values = before.get(table.name)
        if values is None or values.table != table:
            texts = [it for it in table.columns if not it.private and is_text(it)]
            values = TableValues(table=table, stored=tuple([await reading.column(table, it) for it in texts]))
        found.append(values)
    return found


def all_stored(found: Iterable[TableValues]) -> tuple[StoredValues, ...]:
    return tuple(stored for table in found for stored in table.stored if stored.values)


def is_small(table: Table, schema: Schema, rows: int) -> bool:
    """Whether a table may be read: on a server, a base table of at most `rows` rows; in files, any table."""
    small = not table.is_view and table.row_count is not None and table.row_count <= rows
    return small or schema.dialect in LOCAL_DIALECTS  # in DuckDB, files are views


class _Reading:
    """Reads columns until the bounds or the time limit are reached."""

    def __init__(self, database: Database, schema: Schema, bounds: Bounds) -> None:
        self._database, self._schema, self._bounds = database, schema, bounds
        self._until = time.monotonic() + bounds.total_s
        self._columns, self._values = bounds.columns, bounds.values

    async def column(self, table: Table, column: Column) -> StoredValues:
        read: QueryResult | None = None
        room = self._columns > 0 and self._values > 0 and time.monotonic() < self._until
        if room and is_small(table, self._schema, self._bounds.rows):
            read = await self._distinct(table, column)
            self._columns -= 1
        values = [row[0] for row in read.rows if isinstance(row[0], str)] if read is not None else []
        is_whole = bool(values) and read is not None and not read.truncated
        texts = values or [it for it in column.samples if not it.endswith(_CUT)]
        # questions do not contain texts of several lines
        lines = (it for it in texts if it.strip() and len(it.splitlines()) == 1)
        short = tuple(dict.fromkeys(it for it in lines if len(it) <= self._bounds.chars))
        self._values -= len(short)
        return StoredValues(table=table.name, column=column.name, values=short, is_whole=is_whole)

    async def _distinct(self, table: Table, column: Column) -> QueryResult | None:
        """The distinct values; None if they cannot be read."""
        try:
            query = await self._database.check(_query(self._schema, table, column), self._bounds.each)
            return await self._database.run(query, timeout_s=self._bounds.query_s)
        except DatabaseUnavailable:
            self._until = time.monotonic()
            return None
        except SqlError:
            return None


def _query(schema: Schema, table: Table, column: Column) -> str:
    from sqlglot import exp

    from executors.dialects.table import DIALECTS

    name = exp.column(column.name, quoted=True)
    is_there = exp.Not(this=exp.Is(this=name.copy(), expression=exp.Null()))
    select = exp.select(name).distinct().from_(to_source(table)).where(is_there)
    return select.sql(dialect=DIALECTS[schema.dialect].sqlglot)


def to_source(table: Table, alias: str = "") -> exp.Table:
    """The table for a FROM clause, with quoted names."""
    from sqlglot import exp

    *namespace, last = table.parts
    return exp.table_(last, db=namespace[0] if namespace else None, quoted=True, alias=alias or None)
