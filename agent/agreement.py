"""A second opinion on a query: is the question answered with the same rows when it is answered anew?

A small model says yes to its own wrong queries, but it seldom makes the same mistake twice. The idea is
self-consistency (Wang et al. 2023), by result and not by text. Where the two differ, the plain checks know of some that
the second holds more of what was asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agent.checks.division import division_check
from agent.checks.result import REPEATED, shape_checks
from agent.context import Context
from agent.database import Database
from agent.errors import ModelError, ReplyUnusable
from agent.generate import Generator
from agent.ledger import Ledger
from agent.mending import after_error, find_faults
from agent.models import Check, Draft
from agent.private_values import refuse_unasked, without_unasked
from executors.base import CheckedSql, QueryResult
from executors.errors import DatabaseUnavailable, SqlError, SqlRefused
from rag.joins import keyed_of

NAME = "second_draft"
BETTER = "A second query, written anew, holds more of what was asked."


class Opinion(NamedTuple):
    """What a second draft says of the first.

    check: passed where both give the same rows, failed where they do not, None where no comparison could be made.
    better: the second draft, where it gives other rows and the plain checks find less that is amiss with it, and no
        more that they would refuse it for.
    """

    check: Check
    better: Draft | None = None


async def second_opinion(
    question: str,
    query: CheckedSql,
    result: QueryResult,
    context: Context,
    database: Database,
    ledger: Ledger,
    generator: Generator,
    *,
    checks: Sequence[Check] = (),
) -> Opinion:
    """Have a second query written, warmer and without the first in view, and compare the rows in any order.

    Args:
        checks: the plain ones of the first query.
    """
    from agent.evaluation.accuracy import same_rows

    if not result.rows:
        return _none("No second query was written: two without rows agree on nothing.")
    try:
        draft = await generator.draft(
            question, context, (), None, ledger, temperature=generator.profile.retry_temperature
        )
        if draft.sql is None:
            return _none("The second draft asked back.")
        mends = generator.profile.mends
        sql, checked = await _checked(draft.sql, query.row_limit, question, context, database, mends=mends)
        schema = keyed_of(context.db_schema, context.known)
        refuse_unasked(checked, schema, question)
        other, _ = without_unasked(await database.run(checked), checked.tables, schema, question)
        if same_rows(result, other, ordered=False):
            return Opinion(Check(name=NAME, passed=True, detail="A second query, written anew, gives the same rows."))
        differs = Check(name=NAME, passed=False, detail="A second query, written anew, gives other rows.")
        if not not_passed(checks):
            return Opinion(differs)
        faults = await find_faults(sql, question, context, schema, database)
    except (ModelError, ReplyUnusable, SqlError, DatabaseUnavailable) as error:
        return _none(f"The second draft could not be run: {error}")
    division = division_check(checked, schema.dialect)
    found = (*shape_checks(question, other), *faults.checks, *([division] if division else []))
    better = not_passed(found) < not_passed(checks) and _failed(found) <= _failed(checks)
    return Opinion(differs, Draft(sql=sql, note=BETTER) if better else None)


def not_passed(checks: Iterable[Check]) -> int:
    """How many checks say no, or cannot say yes; not that of repeated values, which another query may just hide."""
    return sum(not check.passed for check in checks if check.name != REPEATED)


def _failed(checks: Iterable[Check]) -> int:
    return sum(check.passed is False for check in checks)


def _none(why: str) -> Opinion:
    return Opinion(Check(name=NAME, passed=None, detail=why))


async def _checked(
    sql: str, row_limit: int, question: str, context: Context, database: Database, *, mends: bool
) -> tuple[str, CheckedSql]:
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
    if mend is None or mend.sql is None:
        return sql, checked
    return mend.sql, await database.check(mend.sql, row_limit)
