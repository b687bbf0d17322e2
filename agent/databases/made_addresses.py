"""Rows of a model's query hold no address that the query made: answers, their records, their pages, planned changes."""

from __future__ import annotations

from functools import partial

from agent.core.off_loop import off_loop
from agent.prompting.made_texts import makes_address
from executors.base import CheckedSql, QueryResult
from executors.dialects.table import DIALECTS
from executors.errors import ErrorKind, SqlFailed


async def refuse_made_address(query: CheckedSql, rows: QueryResult, dialect: str, question: str | None) -> None:
    """Look at the rows of a query.

    Args:
        query: that gave them.
        dialect: of its database.
        question: an address in it may be made; None: a person wrote the query, and may make what they like.

    Raises:
        SqlFailed: a column that the query makes holds an address that stands nowhere in the data.
    """
    if question is None:
        return
    if await off_loop(partial(makes_address, query.sql, DIALECTS[dialect].sqlglot, rows, question)):
        message = "The query puts an address together that stands nowhere in the data."
        raise SqlFailed(ErrorKind.PERMISSION, message, "Select the columns as they are stored.")
