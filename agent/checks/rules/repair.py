"""Repairs a query that cannot run, with one rule after the other."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from agent.checks.rules.base import NAMES, WORDS, RuleContext
from agent.checks.rules.registry import rules
from agent.core.models import Draft
from executors.base import Schema
from executors.dialects.table import DIALECTS
from executors.errors import ErrorKind


def repair_draft(draft: Draft, error: str, schema: Schema, without: Collection[str] = ()) -> Draft | None:
    """The repaired draft, which may run; None if no rule can repair it.

    `error`: an `ErrorKind`. `schema`: with all known keys. `without`: ids of rules to leave out.
    """
    kind = next((it for it in ErrorKind if it == error), None)
    if draft.sql is None or kind is None:
        return None
    from executors.sql.names.known_names import quote_names
    from executors.sql.tree import tree_to_change

    sql, notes, dialect = draft.sql, list[str](), DIALECTS[schema.dialect].sqlglot
    if kind in NAMES | WORDS and (quoted := quote_names(sql, schema)):
        sql, notes = quoted, ["names of the schema are in quotes"]  # the next run shows what is still wrong
    else:
        context = RuleContext(sql, schema, tree_to_change(sql, dialect), error=kind)
        for rule in rules("repair", without):
            found = rule.find(context)
            if found is not None and found.sql is not None:
                sql = found.sql
                context = replace(context, sql=sql, tree=tree_to_change(sql, dialect))
                notes.append(found.detail)
    note = f"The last query repaired: {'; '.join(dict.fromkeys(notes))}."
    return draft.model_copy(update={"sql": sql, "note": note, "source": "repaired"}) if notes else None
