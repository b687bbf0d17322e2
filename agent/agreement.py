"""A second opinion on a query: is the question answered with the same rows when it is answered anew?

A small model says yes to its own wrong queries, but it seldom makes the same mistake twice. The idea is
self-consistency (Wang et al. 2023), by result and not by text. Where the two differ, the plain checks know of some that
the second holds more of what was asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agent.checks.plain import plain_checks
from agent.checks.result import REPEATED
from agent.context import Context
from agent.database import Database
from agent.errors import ModelError, ReplyUnusable
from agent.generate import Generator
from agent.ledger import Ledger
from agent.mending import Faults, after_error, find_faults
from agent.models import Check, Draft
from executors.base import CheckedSql, QueryResult, Schema
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
    schema = keyed_of(context.db_schema, context.known)
    try:
        draft = await generator.draft_anew(question, context, None, ledger)
        if draft.sql is None:
            return _none("The second draft asked back.")
        mends = generator.profile.mends
        second = await _checked(draft.sql, query.row_limit, question, context, schema, database, mends=mends)
        other = await database.run(second.query)
        if same_rows(result, other, ordered=False):
            return Opinion(Check(name=NAME, passed=True, detail="A second query, written anew, gives the same rows."))
        differs = Check(name=NAME, passed=False, detail="A second query, written anew, gives other rows.")
        if not not_passed(checks):
            return Opinion(differs)
        faults = second.faults
        if faults is None:
            faults = await find_faults(second.sql, question, context, schema, database)
    except (ModelError, ReplyUnusable, SqlError, DatabaseUnavailable) as error:
        return _none(f"The second draft could not be run: {error}")
    found = plain_checks(question, second.query, other, faults.checks, schema.dialect)
    better = not_passed(found) < not_passed(checks) and _failed(found) <= _failed(checks)
    return Opinion(differs, Draft(sql=second.sql, note=BETTER) if better else None)


def not_passed(checks: Iterable[Check]) -> int:
    """How many checks say no, or cannot say yes; not that of repeated values, which another query may just hide."""
    return sum(not check.passed for check in checks if check.name != REPEATED)


def _failed(checks: Iterable[Check]) -> int:
    return sum(check.passed is False for check in checks)


def _none(why: str) -> Opinion:
    return Opinion(Check(name=NAME, passed=None, detail=why))


class _Second(NamedTuple):
    """sql: as it was written or put right. query: as it runs. faults: of that text; None where nobody has looked."""

    sql: str
    query: CheckedSql
    faults: Faults | None = None


async def _checked(
    sql: str, row_limit: int, question: str, context: Context, schema: Schema, database: Database, *, mends: bool
) -> _Second:
    """The draft, put right as the first one would be: where the guard refuses it, and where a check finds a fault.

    Raises:
        SqlRefused: it cannot be run even so.
    """
    try:
        checked = await database.check(sql, row_limit, question=question)
    except SqlRefused as error:
        mend = after_error(sql, error.kind, schema, question) if mends else None
        if mend is None or mend.sql is None:
            raise
        sql = mend.sql
        checked = await database.check(sql, row_limit, question=question)
    if not mends:
        return _Second(sql, checked)
    faults = await find_faults(sql, question, context, schema, database)
    if faults.mend is None or faults.mend.sql is None:
        return _Second(sql, checked, faults)
    return _Second(faults.mend.sql, await database.check(faults.mend.sql, row_limit, question=question))
