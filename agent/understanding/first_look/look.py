"""A first look at a database: its contents, and five questions that neither fail nor return nothing."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import zip_longest
from math import log10
from typing import TYPE_CHECKING

from agent.understanding.first_look.questions import FEW_ROWS, Asker, SuggestedQuestion, TableProfile
from agent.understanding.suggest import is_date, is_measure, telling_tables
from executors.base import ForeignKey, Frozen, Schema, Table
from executors.errors import DatabaseUnavailable, ExecutorError
from rag.errors import RetrievalError

if TYPE_CHECKING:
    from agent.databases.database import Database
    from agent.databases.knowledge.knowledge import Knowledge
    from agent.databases.registry import Databases
    from rag.docs.documents import Document

QUESTIONS = 5
MOST_TABLES = 6  # tables that questions are about
MOST_ROWS = 5_000_000  # of a table whose values are read
QUERY_S = 5.0  # for each query
PATIENCE_S = 3.0  # seconds for all queries, if the questions accompany another response
MOST_SHOWN = 10  # questions from the registry, the docs and a first look together
ENOUGH = 4  # questions; if registry and docs have fewer, those of the schema are added
MOST_KEPT = 500  # entries, one per database and set of visible rows

log = logging.getLogger(__name__)


class LookedTable(Frozen):
    """The size and keys of a table.

    name: Table name.
    rows: Number of rows. None if they were not counted.
    columns: Number of columns.
    primary_key: Columns of the primary key. Empty if there is none.
    foreign_keys: Foreign keys of the table.
    """

    name: str
    rows: int | None
    columns: int
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()


class FirstLook(Frozen):
    """An overview of a database.

    tables: The tables, with their sizes and keys.
    questions: Suggested questions. Each was run and returned rows.
    """

    tables: tuple[LookedTable, ...]
    questions: tuple[str, ...]


class FirstLooks:
    """First looks, each taken once per database, version of its schema and set of visible rows."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], tuple[Schema, tuple[SuggestedQuestion, ...]]] = OrderedDict()
        self._slow: dict[str, Schema] = {}

    async def of(self, database: Database) -> FirstLook:
        """The part of a database that a principal sees. Raises DatabaseUnavailable."""
        found, schema = await self._questions(database), await database.schema()
        texts = tuple(dict.fromkeys(it.text() for it in found))
        tables = (
            LookedTable(
                name=it.name,
                rows=it.row_count,
                columns=len(it.columns),
                primary_key=it.primary_key,
                foreign_keys=it.foreign_keys,
            )
            for it in schema.tables
        )
        return FirstLook(tables=tuple(tables), questions=texts)

    async def examples(self, database: Database, language: str = "en", tables: Sequence[str] = ()) -> tuple[str, ...]:
        """The questions shown with another response, in the given language, or in English if it has no wordings.

        Those about `tables` come first. Empty if they cannot be determined in time.
        """
        try:
            schema = await database.schema()
            if self._slow.get(database.name) is schema and (database.name, database.sight) not in self._known:
                return ()
            async with asyncio.timeout(PATIENCE_S):
                found = await self._questions(database)
        except TimeoutError:
            self._slow[database.name] = schema  # later requests do not wait for them
            return ()
        except DatabaseUnavailable:
            return ()
        nearest = sorted(found, key=lambda it: it.table.name not in tables)
        return tuple(dict.fromkeys(it.text(language) for it in nearest))

    async def _questions(self, database: Database) -> tuple[SuggestedQuestion, ...]:
        schema, key = await database.schema(), (database.name, database.sight)
        known = self._known.get(key)
        if known is None or known[0] is not schema:
            known = self._known[key] = (schema, await _choose_questions(database, schema))
            if len(self._known) > MOST_KEPT:
                self._known.popitem(last=False)
        return known[1]


async def _choose_questions(database: Database, schema: Schema) -> tuple[SuggestedQuestion, ...]:
    large, small = list[list[SuggestedQuestion]](), list[list[SuggestedQuestion]]()
    for table in sorted(telling_tables(schema), key=_worth_asking)[:MOST_TABLES]:
        if table.row_count is None or table.row_count <= MOST_ROWS:
            (small if _is_small(table) else large).append(await _candidates(database, schema, table))
    chosen: list[SuggestedQuestion] = []
    for one in (one for tables in (large, small) for one in _take_turns(tables)):
        if len(chosen) == QUESTIONS:
            break
        if any(value is not None for row in await _rows(database, one.sql) for value in row):
            chosen.append(one)
    return tuple(chosen)


def _worth_asking(table: Table) -> tuple[bool, bool, float]:
    """A key that sorts tables: views and small tables last. Measures, dates, and ten times the rows weigh the same."""
    roles = sum(any(map(is_role, table.columns)) for is_role in (is_measure, is_date))
    return table.is_view, _is_small(table), -roles - log10(table.row_count or 1)


def _is_small(table: Table) -> bool:
    return table.row_count is not None and table.row_count < FEW_ROWS


def _take_turns(by_table: Sequence[Sequence[SuggestedQuestion]]) -> Iterator[SuggestedQuestion]:
    """One question of each table after the other. Each table begins with a different kind, and ends with its size."""
    turned: list[list[SuggestedQuestion]] = []
    for found in filter(None, by_table):
        told, sizes = ([it for it in found if (it.kind == "count") is is_size] for is_size in (False, True))
        at = len(turned) % len(told) if told else 0
        turned.append([*told[at:], *told[:at], *sizes])
    yield from (one for row in zip_longest(*turned) for one in row if one is not None)


async def _candidates(database: Database, schema: Schema, table: Table) -> list[SuggestedQuestion]:
    profile = TableProfile(schema, table)
    rows = await _rows(database, profile.sql)
    if not rows or not rows[0][0]:
        return []
    return list(Asker(schema, table, profile.read_row(rows[0])).candidates())


async def _rows(database: Database, sql: str) -> tuple[tuple[object, ...], ...]:
    """The rows of a query, checked by the guard. Empty if the query cannot be run."""
    try:
        return (await database.run(await database.check(sql, QUESTIONS * 10), timeout_s=QUERY_S)).rows
    except ExecutorError as error:
        log.info("A question to begin with was left out: %s", error)
        return ()


async def sample_questions(
    databases: Databases, knowledge: Knowledge, looks: FirstLooks, name: str, principal: str
) -> tuple[str, ...]:
    """At most `MOST_SHOWN` questions that the database can answer for this principal. Raises as `Databases.get`."""
    listed = databases.questions(name)
    if len(listed) >= MOST_SHOWN:
        return listed[:MOST_SHOWN]
    database = await databases.get(name, principal)
    documents: Sequence[Document] = ()
    with suppress(RetrievalError):  # every question reports this error
        documents = await knowledge.documents(database)
    found = list(dict.fromkeys((*listed, *(it.text for it in documents if it.kind == "query"))))
    if len(found) < ENOUGH:
        found = list(dict.fromkeys((*found, *(await looks.of(database)).questions)))
    return tuple(found[:MOST_SHOWN])
