"""How many rows tie with the last row of an answer that its LIMIT chose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.core.resilience.off_loop import off_loop
from agent.databases.database import Database
from executors.base import QueryResult
from executors.dialects.table import DIALECTS
from executors.errors import DatabaseUnavailable, SqlError

if TYPE_CHECKING:
    from executors.sql.ties import TieQuery


MOST_TIES = 50  # maximum ties that are counted


def write_tie_count(ties: int) -> str:
    """`3`; `50+` if there may be more than are counted."""
    return f"{ties}+" if ties >= MOST_TIES else str(ties)


async def count_ties(question: str, sql: str, database: Database, result: QueryResult) -> int:
    """Count hidden rows that rank equal to the last one: three customers may have "the most orders".

    The query runs once more with a higher limit. Returns 0 if it has no limit or order of its own, or fails. A
    private column that the question does not name is not read for this either.
    """
    found = await off_loop(lambda: _read(sql, database.dialect, result))
    if found is None:
        return 0
    query, tie = found
    try:
        rows = await database.run(await database.check(query, tie.row_limit, question=question))
    except (SqlError, DatabaseUnavailable):
        return 0
    return tie.count_ties(result.rows, rows.rows)


def _read(sql: str, dialect: str, result: QueryResult) -> tuple[str, TieQuery] | None:
    from sqlglot.errors import UnsupportedError

    from executors.sql import grammar
    from executors.sql.ties import find_tie_query
    from executors.sql.tree import tree_to_change

    row = DIALECTS[dialect]
    tree = tree_to_change(sql, row.sqlglot)
    try:
        tie = find_tie_query(tree, len(result.columns), result.row_count, MOST_TIES, row) if tree is not None else None
        return (grammar.write(tie.query, row.sqlglot), tie) if tie is not None else None
    except (UnsupportedError, RecursionError):
        return None
