"""Mechanical mends of a query, in their order: what its syntax tree allows is put right before a model is asked again.

Each is proposed as an attempt of its own, with a note of what was changed, and is checked and judged like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from agent.checks.filter_values import look_up
from agent.checks.said import said_checks
from agent.models import Attempt, Check, Draft
from executors.base import Schema
from executors.errors import ErrorKind

if TYPE_CHECKING:
    from sqlglot import exp

    from agent.checks.filter_values import LookedUp
    from agent.context import Context
    from agent.database import Database
    from executors.sql.mend import Mend

WRONG, UNASKED, EXTRA, SHARES = "silently_wrong", "asked_filters", "asked_columns", "asked_shares"

_NAMES = frozenset({ErrorKind.COLUMN_NOT_FOUND, ErrorKind.TABLE_NOT_FOUND})
_WORDS = frozenset({ErrorKind.FUNCTION_NOT_FOUND, ErrorKind.SYNTAX_ERROR, ErrorKind.TYPE_MISMATCH})
_GROUPS = frozenset({ErrorKind.GROUPING})


class Faults(NamedTuple):
    """What checks of a query's tree found, and the query with all of it put right; None where nothing can be."""

    checks: tuple[Check, ...]
    mend: Draft | None = None


def mended(attempts: Sequence[Attempt], schema: Schema, question: str, *, mends: bool = True) -> Draft | None:
    """What is to be tried next: the last query put right, where that can only be done one way, or a better draft.

    Args:
        attempts: so far; where the last one was refused by who knows what to try next, it is that.
        schema: of the database, with the keys that are known of it.
        question: which of several keys to the same table is meant.
        mends: whether what could not be run is put right.

    Returns:
        None where there is no such query, or it was tried already.
    """
    last = attempts[-1] if attempts else None
    if last is None or last.reused:  # what does not fit any more is written anew
        return None
    if last.error_type is None:
        found = last.mend if last.verdict is not None and last.verdict.source == "checks" else None
    else:
        found = after_error(last.sql, last.error_type, schema, question) if mends else None
    return None if found is None or any(attempt.sql == found.sql for attempt in attempts) else found


def after_error(sql: str, error_type: str, schema: Schema, question: str) -> Draft | None:
    """A query that could not be run, with its names, functions or conditions put right; None where nothing can be."""
    from executors.sql.bounded import TooMuchToWrite
    from executors.sql.grouping import grouped
    from executors.sql.mend import mend_columns
    from executors.sql.moments import own_functions
    from executors.sql.outer_names import reach_outer_names
    from executors.sql.rejoin import rejoin
    from executors.sql.unread_sides import drop_unread_sides

    def rejoined(text: str, of: Schema) -> Mend | None:
        return rejoin(text, of, question)

    def sides_dropped(text: str, of: Schema) -> Mend | None:
        return drop_unread_sides(text, of, question)

    ways: tuple[Callable[[str, Schema], Mend | None], ...] = ()
    if error_type in _NAMES:
        ways = (sides_dropped, reach_outer_names, mend_columns, rejoined)
    elif error_type in _WORDS:
        ways = (own_functions,)
    elif error_type in _GROUPS:
        ways = (grouped,)
    changes: list[str] = []
    for way in ways:
        try:
            mend = way(sql, schema)
        except TooMuchToWrite:  # nested too deeply to be put right
            continue
        if mend is not None:
            sql, changes = mend.sql, [*changes, *mend.changes]
    return _draft(sql, changes) if changes else None


async def find_faults(sql: str, question: str, context: Context, schema: Schema, database: Database) -> Faults:
    """What is wrong with a query that runs, as far as its tree, the schema and the stored values tell.

    Args:
        sql: as it was written.
        question: as asked.
        context: what else the model was told.
        schema: of the database, with the keys that are known of it.
        database: whose stored values are looked up.
    """
    from executors.sql.bounded import TooMuchToWrite

    try:
        return await _faults(sql, question, context, schema, database)
    except TooMuchToWrite:  # nested too deeply to be looked at
        return Faults(())


async def _faults(sql: str, question: str, context: Context, schema: Schema, database: Database) -> Faults:
    from agent.checks.shares import share_of_whole
    from agent.checks.unasked import drop_unasked, spoken_tables
    from agent.checks.unread import denied_tables, names_unread
    from executors.dialects import DIALECTS
    from executors.sql.division import divide_exactly
    from executors.sql.rejoin import rejoin
    from executors.sql.tree import tree_to_change

    row = DIALECTS[schema.dialect]
    tree = tree_to_change(sql, row.sqlglot)
    if tree is None:
        return Faults(())
    told = (*context.rules, *_said_before(context))
    unread = [*denied_tables(tree, question, schema), *names_unread(tree, question, schema)]
    said = said_checks(question, tree, context.linked.values, told, lambda: _named_or_documented(context), unread)
    values = await look_up(tree, schema, database)
    dropped = drop_unasked(tree, question, (*told, *context.values), lambda: _documented(context))
    spoken = spoken_tables(tree, question)
    replaced, moved = _stored(tree, values, context, schema, spoken) if values.missing else ([], [])
    extra = _asked_columns(tree, question, schema)
    shares = share_of_whole(tree, question)
    wrong = _put_right(tree, question, schema)
    found = ((WRONG, wrong), (UNASKED, dropped), (EXTRA, extra), (SHARES, shares))
    checks = (*(_check(name, changed) for name, changed in found), *said, values.check)
    divided = divide_exactly(tree) if row.integer_division else []  # which has a check of its own
    changes = [*dropped, *extra, *shares, *replaced, *moved, *wrong, *divided]
    if not changes:
        return Faults(checks)
    right = tree.sql(dialect=row.sqlglot)
    if moved and (joined := rejoin(right, schema, question)) is not None:
        right, changes = joined.sql, [*changes, *joined.changes]
    return Faults(checks, _draft(right, changes))


def _asked_columns(tree: exp.Query, question: str, schema: Schema) -> list[str]:
    """Select in a tree what was asked for, and no more; what was changed."""
    from agent.checks.asked_columns import drop_extra_columns
    from agent.checks.asked_details import all_details
    from agent.checks.asked_keys import asked_key
    from agent.checks.named_keys import name_keys

    rules = (asked_key, drop_extra_columns, name_keys, all_details)
    return [change for rule in rules for change in rule(tree, question, schema)]


def _put_right(tree: exp.Query, question: str, schema: Schema) -> list[str]:
    """Put right in a tree what runs without a word and is known to be wrong; what was changed."""
    from agent.checks.anti_joins import rows_without
    from executors.sql.moments_compared import moments_subtracted
    from executors.sql.silently_wrong import put_right

    rules = (rows_without, put_right, moments_subtracted)
    return [change for rule in rules for change in rule(tree, schema, question)]


def _said_before(context: Context) -> tuple[str, ...]:
    return tuple(f"{exchange.question} {exchange.answer} {exchange.sql}" for exchange in context.history)


def _documented(context: Context) -> str:
    """All that docs and the database's own comments say."""
    tables = context.db_schema.tables
    comments = [column.comment for table in tables for column in table.columns]
    documents = (document.text for document in context.known)
    return "\n".join((*(table.comment for table in tables), *comments, *documents))


def _named_or_documented(context: Context) -> str:
    """That, and the names of tables and columns."""
    names = (name for table in context.db_schema.tables for name in (table.name, *(it.name for it in table.columns)))
    return "\n".join((*names, _documented(context)))


def _stored(
    tree: exp.Query, values: LookedUp, context: Context, schema: Schema, spoken: frozenset[str]
) -> tuple[list[str], list[str]]:
    """Texts that are not stored, as they are stored: in their column, or in the one that the question was linked to."""
    from executors.sql.literals import move_filters, replace_values, same_text

    places: dict[tuple[str, str, str], tuple[str, str, str]] = {}
    meant = dict(values.meant)
    for key in values.missing:
        if key in meant and same_text(meant[key], key[2]):
            continue
        found = {
            (it.table, it.column, it.value)
            for it in context.linked.values
            if it.is_sure and same_text(it.value, key[2]) and (it.table, it.column) != key[:2]
        }
        if len(found) == 1:  # what is stored so elsewhere is surer than what is only like it here
            places[key] = found.pop()
            meant.pop(key, None)
    return replace_values(tree, schema, meant), move_filters(tree, schema, places, spoken)


def _check(name: str, found: Sequence[str]) -> Check:
    return Check(name=name, passed=not found, detail="; ".join(found))


def _draft(sql: str, changes: Sequence[str]) -> Draft:
    told = "; ".join(dict.fromkeys(changes))
    return Draft(sql=sql, note=f"The last query put right: {told}.")
