"""Limited queries, checked by the guard, that read the few values needed for a clarification.

They run only if something is ambiguous, with the caller's access, so every limit also holds for the choices. Values
that cannot be read in time are not asked about.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple

from executors.base import JsonValue, Schema, Table
from executors.errors import ExecutorError

if TYPE_CHECKING:
    from sqlglot import exp

    from agent.databases.database import Database
    from agent.understanding.clarification.inquiry import Place

TIMEOUT_S = 3.0
TTL_S = 300.0  # seconds for which a range stays valid: rows may be added
_MAX_ENTRIES = 2000


class DateRange(NamedTuple):
    first: date
    last: date


class _Entry(NamedTuple):
    schema: Schema
    range: DateRange | None
    at: float


class RangeCache:
    """Date ranges of columns, cached for a while by principal and for one state of the schema."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._entries: dict[tuple[str, str, str], _Entry] = {}

    def find(self, principal: str, schema: Schema, column: str) -> _Entry | None:
        """The cached entry, if it is still valid."""
        entry = self._entries.get((principal, schema.database, column))
        holds = entry is not None and self._clock() - entry.at < TTL_S and entry.schema == schema
        return entry if holds else None

    def keep(self, principal: str, schema: Schema, column: str, found: DateRange | None) -> None:
        """Store a range. If the cache is full, the oldest entry is evicted."""
        self._entries[principal, schema.database, column] = _Entry(schema, found, self._clock())
        while len(self._entries) > _MAX_ENTRIES:
            del self._entries[next(iter(self._entries))]


_RANGES = RangeCache()


class Lookups:
    """Lookups for one question.

    `database` is restricted to the caller's access. Ranges are cached by principal, for all questions.
    """

    def __init__(self, database: Database, schema: Schema, principal: str) -> None:
        self._database, self._schema, self._principal = database, schema, principal

    async def date_range(self, place: Place) -> DateRange | None:
        """The first and last day of a column. None if it is empty, holds no dates or cannot be read."""
        entry = _RANGES.find(self._principal, self._schema, place.name)
        if entry is not None:
            return entry.range
        from sqlglot import exp

        column = self._column(place.column.name)
        select = exp.select(exp.alias_(exp.Min(this=column), "first_day"), exp.alias_(exp.Max(this=column.copy()), "d"))
        rows = await self._rows(select.from_(self._table(place.table)), 1)
        first, last = (_day(rows[0][0]), _day(rows[0][1])) if rows else (None, None)
        found = DateRange(first, last) if first and last else None
        _RANGES.keep(self._principal, self._schema, place.name, found)
        return found

    async def same_rows(self, places: Sequence[Place], first: str, after: str) -> bool | None:
        """Whether a period selects the same rows by each of these columns. None if the query fails."""
        from sqlglot import exp

        inside = [
            exp.and_(
                exp.GTE(this=self._column(it.column.name), expression=exp.Literal.string(first)),
                exp.LT(this=self._column(it.column.name), expression=exp.Literal.string(after)),
            )
            for it in places
        ]
        counted = [*inside, exp.and_(*(it.copy() for it in inside))]
        sums = [
            exp.alias_(exp.Sum(this=exp.Case().when(it, exp.Literal.number(1)).else_(exp.Literal.number(0))), f"n{at}")
            for at, it in enumerate(counted)
        ]
        rows = await self._rows(exp.select(*sums).from_(self._table(places[0].table)), 1)
        return len({value or 0 for value in rows[0]}) == 1 if rows else None

    async def rows_with(
        self, table: Table, where: str, value: str, columns: Sequence[str], limit: int
    ) -> list[tuple[str, ...]]:
        """At most `limit` distinct texts of some columns, in the rows where one column has a value."""
        from sqlglot import exp

        names = [self._column(name) for name in columns]
        is_value = exp.EQ(this=self._column(where), expression=exp.Literal.string(value))
        select = exp.select(*names).distinct().from_(self._table(table)).where(is_value)
        rows = await self._rows(select.order_by(*(it.copy() for it in names)), limit) or []
        return [tuple(row) for row in rows if all(isinstance(it, str) for it in row)]

    async def distinct(self, place: Place, limit: int, part: str = "") -> list[str]:
        """At most `limit` distinct texts of a column, sorted: those that contain `part`."""
        from sqlglot import exp

        if re.search(r"[%_\\\[]", part):
            return []
        column = self._column(place.column.name)
        select = exp.select(column).distinct().from_(self._table(place.table)).order_by(column.copy())
        if part:
            held = exp.Literal.string(f"%{part.lower()}%")
            select = select.where(exp.Like(this=exp.Lower(this=column.copy()), expression=held))
        rows = await self._rows(select, limit) or []
        return [row[0] for row in rows if isinstance(row[0], str)]

    async def _rows(self, select: exp.Select, limit: int) -> Sequence[Sequence[JsonValue]] | None:
        from executors.dialects.table import DIALECTS

        try:
            sql = select.sql(dialect=DIALECTS[self._schema.dialect].sqlglot)
            result = await self._database.run(await self._database.check(sql, limit), timeout_s=TIMEOUT_S)
        except ExecutorError:
            return None  # the question itself will report what is wrong with the database
        return result.rows

    def _column(self, name: str) -> exp.Column:
        from sqlglot import exp

        return exp.column(name, quoted=True)

    def _table(self, table: Table) -> exp.Table:
        from sqlglot import exp

        *namespace, last = table.parts
        return exp.table_(last, db=namespace[0] if namespace else None, quoted=True)


def days_before(last: date, days: int) -> date:
    """The first of `days` days that end with `last`."""
    return last - timedelta(days=days - 1)


def months_before(last: date, months: int) -> date:
    """The day after the same day `months` months earlier. In a shorter month, the day after its last day."""
    month = last.year * 12 + last.month - 1 - months
    year, month = divmod(month, 12)
    following = date(year + (month == 11), (month + 1) % 12 + 1, 1)
    same = min(last.day, (following - timedelta(days=1)).day)
    return date(year, month + 1, same) + timedelta(days=1)


def _day(value: JsonValue) -> date | None:
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        return None
