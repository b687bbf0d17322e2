"""A query that cannot run, repaired by the rules of its error one after the other."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from agent.models import Draft
from agent.rules.base import Change, Finding, RuleContext
from agent.rules.registry import rules
from executors.base import Schema
from executors.errors import ErrorKind

if TYPE_CHECKING:
    from executors.sql.mend import Mend

NAMES = frozenset({ErrorKind.COLUMN_NOT_FOUND, ErrorKind.TABLE_NOT_FOUND})
WORDS = frozenset({ErrorKind.FUNCTION_NOT_FOUND, ErrorKind.SYNTAX_ERROR, ErrorKind.TYPE_MISMATCH})
GROUPS = frozenset({ErrorKind.GROUPING})


def repaired(draft: Draft, error: str, schema: Schema, without: Collection[str] = ()) -> Draft | None:
    """The draft as a query that may run; None where no rule knows a repair.

    Args:
        draft: that cannot run.
        error: an `ErrorKind`: why not.
        schema: of the database, with the keys that are known of it.
        without: ids of rules that are not asked.
    """
    kind = next((it for it in ErrorKind if it == error), None)
    if draft.sql is None or kind is None:
        return None
    context, notes = RuleContext(draft.sql, schema, error=kind), list[str]()
    for rule in rules("repair", without):
        found = rule.find(context)
        if found is not None and found.sql is not None:
            context = replace(context, sql=found.sql)
            notes.append(found.detail)
    if not notes:
        return None
    note = f"The last query repaired: {'; '.join(dict.fromkeys(notes))}."
    return draft.model_copy(update={"sql": context.sql, "note": note, "source": "repaired"})


def repaired_by(
    way: Callable[[str, Schema], Mend | None], context: RuleContext, errors: Collection[ErrorKind]
) -> Finding | None:
    """What one repair of a text makes of the query, where it is one for these errors."""
    made = way(context.sql, context.schema) if context.error in errors else None
    return None if made is None else Finding("; ".join(made.changes), made.sql, (Change(context.sql, made.sql),))
