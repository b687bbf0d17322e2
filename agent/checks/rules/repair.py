"""Repairs a query that cannot run, with the rules for its error in turn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from agent.checks.rules.base import NAMES, WORDS, RuleContext
from agent.checks.rules.registry import rules
from agent.core.models import Draft
from executors.base import Schema
from executors.dialects.table import DIALECTS
from executors.errors import ErrorKind


def repair_draft(draft: Draft, error: str, schema: Schema, without: Collection[str] = ()) -> Draft | None:
    """The draft as a query that may run; None where no rule knows a repair.

    Args:
        draft: that cannot run.
        error: an `ErrorKind`: why not.
        schema: of the database, with the keys that are known of it.
        without: ids of rules to leave out.
    """
    kind = next((it for it in ErrorKind if it == error), None)
    if draft.sql is None or kind is None:
        return None
    from executors.sql.names.known_names import quote_names
    from executors.sql.tree import tree_to_change

    if kind in NAMES | WORDS and (quoted := quote_names(draft.sql, schema)):
        # What is still wrong then shows itself.
        return _build_repaired(draft, quoted, ["names of the schema are in quotes"])
    dialect, notes = DIALECTS[schema.dialect].sqlglot, list[str]()
    context = RuleContext(draft.sql, schema, tree_to_change(draft.sql, dialect), error=kind)
    for rule in rules("repair", without):
        found = rule.find(context)
        if found is not None and found.sql is not None:
            context = replace(context, sql=found.sql, tree=tree_to_change(found.sql, dialect))
            notes.append(found.detail)
    return _build_repaired(draft, context.sql, notes) if notes else None


def _build_repaired(draft: Draft, sql: str, notes: Sequence[str]) -> Draft:
    note = f"The last query repaired: {'; '.join(dict.fromkeys(notes))}."
    return draft.model_copy(update={"sql": sql, "note": note, "source": "repaired"})
