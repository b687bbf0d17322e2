"""The records behind an aggregate: derived from the query's tree, checked like any other query, and counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agent.database import Database
from executors.base import Frozen, JsonValue, QueryResult
from executors.dialects import DIALECTS
from executors.errors import DatabaseUnavailable, SqlError

_TIES = "groups tie for the last place of the result, and its rows do not say which were chosen"


class RawRecords(Frozen):
    """Records behind an aggregate. `reason` says why there are none.

    total: how many there are in all; None: they were not counted.
    keys: the columns of the result that tell its groups apart, so that each row has records of its own; None: it has
        not, none: all rows are of one group.
    needed: whether the query aggregates.
    failure: why they could not be fetched, where they should have been.
    """

    sql: str | None = None
    result: QueryResult | None = None
    total: int | None = None
    keys: tuple[str, ...] | None = None
    needed: bool = False
    reason: str = ""
    failure: str = ""


async def fetch_raw_records(
    question: str,
    sql: str,
    database: Database,
    row_limit: int,
    *,
    result: QueryResult | None = None,
    groups: Sequence[Mapping[str, JsonValue]] | None = None,
) -> RawRecords:
    """Derive the records' query from the one that ran, check it like any other, and run it.

    The records are a service beside the answer: a database that is gone is a `reason`, and no error. What cannot be
    proven to be behind the result is not fetched.

    Args:
        question: a private column that it names is shown.
        sql: the query that ran.
        database: that it ran in.
        row_limit: records at most; 0: none are fetched.
        result: what it gave.
        groups: rows of the result, whose records alone are wanted.
    """
    if row_limit == 0:
        return RawRecords(reason="Raw records are switched off.")
    from executors.raw_records import derive, strays

    dialect = DIALECTS[database.dialect].sqlglot
    try:
        schema = await database.schema()
        raw = derive(sql, dialect, schema=schema, result=result, groups=groups)
        if raw.sql is None:
            return RawRecords(needed=raw.needed, reason=raw.reason)
        checked = await database.check(raw.sql, row_limit, question=question, leave_out=True)
        found = await database.run(checked)
        if result is not None and groups is None and strays(raw, result, found):
            raw = derive(sql, dialect, schema=schema, result=result, groups=result.records())
            if raw.sql is None:
                return RawRecords(needed=True, reason=_TIES)
            checked = await database.check(raw.sql, row_limit, question=question, leave_out=True)
            found = await database.run(checked)
            if strays(raw, result, found):
                return RawRecords(needed=True, reason=_TIES)
    except (SqlError, DatabaseUnavailable) as error:
        return RawRecords(needed=True, reason=str(error), failure=str(error))
    total = await _counted(raw.count, database) if found.truncated else found.row_count
    return RawRecords(sql=checked.sql, result=found, total=total, keys=raw.keys, needed=True)


async def _counted(count: str | None, database: Database) -> int | None:
    """How many records there are; None where the database does not say in time."""
    if count is None:
        return None
    try:
        counted = await database.run(await database.check(count, 1))
    except (SqlError, DatabaseUnavailable):
        return None
    return int(counted.rows[0][0])
