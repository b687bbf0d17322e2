"""The first look at a database: what there is, and five questions, none of which fails or finds nothing."""

from __future__ import annotations

import logging
from itertools import zip_longest
from typing import TYPE_CHECKING

from agent.understanding.first_look.questions import Asker, SuggestedQuestion, TableProfile
from agent.understanding.suggest import telling_tables
from executors.base import ForeignKey, Frozen, Schema, Table
from executors.errors import ExecutorError

if TYPE_CHECKING:
    from agent.databases.database import Database

QUESTIONS = 5
MOST_TABLES = 6  # that questions are about
MOST_ROWS = 5_000_000  # of a table whose values are looked at
QUERY_S = 5.0  # for each query

log = logging.getLogger(__name__)


class LookedTable(Frozen):
    """A table in short. rows: None where they were not counted; columns: how many."""

    name: str
    rows: int | None
    columns: int
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()


class FirstLook(Frozen):
    """What there is, and questions to begin with, each of which was run and gave rows."""

    tables: tuple[LookedTable, ...]
    questions: tuple[str, ...]


class FirstLooks:
    """Looks at databases, at each once for every version of its schema."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Schema, FirstLook]] = {}

    async def of(self, database: Database) -> FirstLook:
        """What a principal sees of a database. Raises DatabaseUnavailable."""
        schema = await database.schema()
        known = self._known.get(database.name)
        if known is not None and known[0] is schema:
            return known[1]
        found = FirstLook(tables=tuple(map(_looked, schema.tables)), questions=await _questions(database, schema))
        if not database.is_filtered:  # else the same schema is no sign of the same rows
            self._known[database.name] = (schema, found)
        return found


def _looked(table: Table) -> LookedTable:
    return LookedTable(
        name=table.name,
        rows=table.row_count,
        columns=len(table.columns),
        primary_key=table.primary_key,
        foreign_keys=table.foreign_keys,
    )


async def _questions(database: Database, schema: Schema) -> tuple[str, ...]:
    by_table: list[list[SuggestedQuestion]] = []
    for table in telling_tables(schema)[:MOST_TABLES]:
        if table.row_count is None or table.row_count <= MOST_ROWS:
            by_table.append(await _candidates(database, schema, table))
    # Row by row over the tables; each table begins with another kind of question.
    turned = [found[at % len(found) :] + found[: at % len(found)] for at, found in enumerate(by_table) if found]
    chosen: list[SuggestedQuestion] = []
    for one in (one for row in zip_longest(*turned) for one in row if one is not None):
        if len(chosen) == QUESTIONS:
            break
        if await _has_rows(database, one.sql):
            chosen.append(one)
    return tuple(dict.fromkeys(one.text for one in chosen))


async def _candidates(database: Database, schema: Schema, table: Table) -> list[SuggestedQuestion]:
    profile = TableProfile(schema, table)
    rows = await _rows(database, profile.sql)
    if not rows or not rows[0][0]:
        return []
    return list(Asker(schema, table, profile.seen(rows[0])).candidates())


async def _has_rows(database: Database, sql: str) -> bool:
    """Whether a query finds anything: a row that is not NULL throughout."""
    return any(value is not None for row in await _rows(database, sql) for value in row)


async def _rows(database: Database, sql: str) -> tuple[tuple[object, ...], ...]:
    """The rows of a query, checked as everybody's; none where it cannot be run."""
    try:
        return (await database.run(await database.check(sql, QUESTIONS * 10), timeout_s=QUERY_S)).rows
    except ExecutorError as error:
        log.info("A question to begin with was left out: %s", error)
        return ()
