"""A second opinion on a query: is the question answered with the same rows when it is answered anew?

A small model says yes to its own wrong queries, but it seldom makes the same mistake twice. The idea is
self-consistency (Wang et al. 2023), by result and not by text.
"""

from __future__ import annotations

from agent.context import Context
from agent.database import Database
from agent.errors import ModelError, ReplyUnusable
from agent.generate import Generator
from agent.ledger import Ledger
from agent.mending import after_error, find_faults
from agent.models import Check
from executors.base import CheckedSql, QueryResult
from executors.errors import DatabaseUnavailable, SqlError, SqlRefused
from rag.joins import keyed_of

NAME = "second_draft"


async def second_opinion(
    question: str,
    query: CheckedSql,
    result: QueryResult,
    context: Context,
    database: Database,
    ledger: Ledger,
    generator: Generator,
) -> Check:
    """Have a second query written, warmer and without the first in view, and compare the rows in any order.

    Returns:
        A check that passed where both give the same rows, failed where they do not, and was not made (None) where the
        second query could not be had, or not be run, or there are no rows to compare.
    """
    from agent.evaluation.accuracy import same_rows

    if not result.rows:
        return Check(name=NAME, passed=None, detail="No second query was written: two without rows agree on nothing.")
    try:
        draft = await generator.draft(
            question, context, (), None, ledger, temperature=generator.profile.retry_temperature
        )
        if draft.sql is None:
            return Check(name=NAME, passed=None, detail="The second draft asked back.")
        mends = generator.profile.mends
        other = await database.run(await _checked(draft.sql, query.row_limit, question, context, database, mends=mends))
    except (ModelError, ReplyUnusable, SqlError, DatabaseUnavailable) as error:
        return Check(name=NAME, passed=None, detail=f"The second draft could not be run: {error}")
    if same_rows(result, other, ordered=False):
        return Check(name=NAME, passed=True, detail="A second query, written anew, gives the same rows.")
    return Check(name=NAME, passed=False, detail="A second query, written anew, gives other rows.")


async def _checked(
    sql: str, row_limit: int, question: str, context: Context, database: Database, *, mends: bool
) -> CheckedSql:
    """The draft, put right as the first one would be: where the guard refuses it, and where a check finds a fault.

    Raises:
        SqlRefused: it cannot be run even so.
    """
    schema = keyed_of(context.db_schema, context.known)
    try:
        checked = await database.check(sql, row_limit)
    except SqlRefused as error:
        mend = after_error(sql, error.kind, schema, question) if mends else None
        if mend is None or mend.sql is None:
            raise
        sql = mend.sql
        checked = await database.check(sql, row_limit)
    mend = (await find_faults(sql, question, context, schema, database)).mend if mends else None
    return checked if mend is None or mend.sql is None else await database.check(mend.sql, row_limit)
