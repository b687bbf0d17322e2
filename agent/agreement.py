"""A second opinion on a query: is the question answered with the same rows when it is answered anew?

A small model says yes to its own wrong queries, but it seldom makes the same mistake twice. The idea is
self-consistency (Wang et al. 2023), by result and not by text.
"""

from __future__ import annotations

from agent.context import Context
from agent.database import Database
from agent.errors import ReplyUnusable
from agent.generate import Generator
from agent.ledger import Ledger
from agent.models import Check
from executors.base import CheckedSql, QueryResult
from executors.errors import SqlError

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
        second query could not be run.

    Raises:
        ModelUnavailable, ModelFailed: from the model.
    """
    from agent.evaluation.accuracy import same_rows

    try:
        draft = await generator.draft(
            question, context, (), None, ledger, temperature=generator.profile.retry_temperature
        )
        if draft.sql is None:
            return Check(name=NAME, passed=None, detail="The second draft asked back.")
        other = await database.run(await database.check(draft.sql, query.row_limit))
    except (ReplyUnusable, SqlError) as error:
        return Check(name=NAME, passed=None, detail=f"The second draft could not be run: {error}")
    if same_rows(result, other, ordered=False):
        return Check(name=NAME, passed=True, detail="A second query, written anew, gives the same rows.")
    return Check(name=NAME, passed=False, detail="A second query, written anew, gives other rows.")
