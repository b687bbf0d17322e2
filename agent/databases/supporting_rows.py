"""The records behind an aggregate: derived from the query's syntax tree, checked like any other query, and counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from agent.core.resilience.off_loop import off_loop
from agent.databases.database import Database
from agent.databases.made_addresses import refuse_made_address
from executors.base import CheckedSql, Frozen, JsonValue, QueryResult
from executors.dialects.table import DIALECTS
from executors.errors import DatabaseUnavailable, SqlError

if TYPE_CHECKING:
    from executors.records.raw_records import RawQuery

_COUNTED_BY_VALUE = 50  # maximum groups; with more, the condition would be too long
_TIES = "groups tie for the last place of the result, and its rows do not say which were chosen"


class RawRecords(Frozen):
    """Records behind an aggregate. `reason`: why there are none.

    total: number of records; None: not counted.
    keys: the columns that identify the result's groups, so that each row has its own records. Empty: all rows form one
        group. None: rows have no records of their own.
    ties: how many further rows tie with the last row of the result.
    key_names: the names of the keys that the result shows, by column and by the key as a text.
    empty: by column, how many records have no value for a sum or an average of the query; empty if records are missing.
    denied: by column, how many records have no value for the test of a share, which counts them as no.
    needed: whether the query aggregates.
    failure: why records that were needed could not be fetched.
    """

    sql: str | None = None
    result: QueryResult | None = None
    total: int | None = None
    keys: tuple[str, ...] | None = None
    ties: int = 0
    key_names: Mapping[int, Mapping[str, str]] = {}
    empty: Mapping[str, int] = {}
    denied: Mapping[str, int] = {}
    needed: bool = False
    reason: str = ""
    failure: str = ""


async def fetch_raw_records(
    question: str, sql: str, database: Database, row_limit: int, *, result: QueryResult | None = None
) -> RawRecords:
    """The records behind an answer, at most `row_limit`.

    They are optional: if the query fails or the database is unavailable, `reason` states it. A private column that the
    question names is shown.
    """
    try:
        return await supporting_records(sql, database, row_limit, question=question, result=result)
    except (SqlError, DatabaseUnavailable) as error:
        return RawRecords(needed=True, reason=str(error), failure=str(error))


async def supporting_records(
    sql: str,
    database: Database,
    row_limit: int,
    *,
    question: str | None = None,
    result: QueryResult | None = None,
    groups: Sequence[Mapping[str, JsonValue]] | None = None,
) -> RawRecords:
    """Derive the records' query from one that aggregates, check it like any other, and run it.

    Records are fetched only if they are proven to be behind the result. A private column that the question does not
    name is left out; without a question, a person wrote the query. `groups` are rows of the result: only their records
    are fetched. Raises SqlError, DatabaseUnavailable: the records' query does not run.
    """
    if row_limit == 0:
        return RawRecords(reason="Raw records are switched off.")
    from executors.records.empty_values import find_denied_values, find_empty_values
    from executors.records.raw_records import derive, strays

    dialect, schema = DIALECTS[database.dialect].sqlglot, await database.schema()
    ignores_case = DIALECTS[database.dialect].ignores_case

    async def run(raw: RawQuery) -> tuple[CheckedSql, QueryResult]:
        checked = await database.check(raw.sql or "", row_limit, question=question, leave_out=True)
        rows = await database.run(checked)
        await refuse_made_address(checked, rows, database.dialect, question)
        return checked, rows

    raw = await off_loop(lambda: derive(sql, dialect, schema=schema, result=result, groups=groups))
    if raw.sql is None:
        return RawRecords(needed=raw.needed, reason=raw.reason)
    checked, found = await run(raw)
    if result is not None and groups is None and strays(raw, result, found, ignores_case=ignores_case):
        rows = result.records()
        raw = await off_loop(lambda: derive(sql, dialect, schema=schema, result=result, groups=rows))
        if raw.sql is None:
            return RawRecords(needed=True, reason=_TIES)
        checked, found = await run(raw)
        if strays(raw, result, found, ignores_case=ignores_case):
            return RawRecords(needed=True, reason=_TIES)
    total: int | None = found.row_count
    empty = {} if found.truncated else await off_loop(lambda: find_empty_values(sql, dialect, found))
    denied = {} if found.truncated else await off_loop(lambda: find_denied_values(sql, dialect, found))
    if found.truncated:
        count = raw.count
        if result is not None and groups is None and raw.keys and result.row_count <= _COUNTED_BY_VALUE:
            rows = result.records()  # of groups that tie for the last place, only the shown ones
            chosen = await off_loop(lambda: derive(sql, dialect, schema=schema, result=result, groups=rows))
            count = chosen.count or count
        total = await _count(count, database)
    return RawRecords(
        sql=checked.sql, result=found, total=total, keys=raw.keys, empty=empty, denied=denied, needed=True
    )


async def _count(count: str | None, database: Database) -> int | None:
    """The number of records; None if the query fails or takes too long."""
    if count is None:
        return None
    try:
        counted = await database.run(await database.check(count, 1))
    except (SqlError, DatabaseUnavailable):
        return None
    return int(counted.rows[0][0])
