"""Repairs a query that cannot run: spells its names as the schema does, then applies one rule after the other."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from agent.checks.rules.base import NAMES, WORDS, Finding, RuleContext
from agent.checks.rules.registry import rules
from agent.checks.rules.review import confirm
from agent.core.models import Draft
from agent.core.resilience.off_loop import off_loop
from executors.base import Schema
from executors.dialects.table import DIALECTS
from executors.errors import DatabaseUnavailable, ErrorKind, SqlRefused

if TYPE_CHECKING:
    from agent.checks.rules.review import Rows

Guard = Callable[[str], Awaitable[object]]


async def spell_names(draft: Draft, schema: Schema, check: Guard) -> Draft:
    """The draft with its names spelled as in the schema, if nothing else keeps it from running.

    It remains the model's own query: `Site Code` and `Site_Code` are the column "Site Code" if no other has the name.
    `check` raises SqlRefused if a query cannot run.
    """
    from executors.sql.names.known_names import only_spells, quote_names

    if draft.sql is None or (spelled := await off_loop(partial(quote_names, draft.sql, schema))) is None:
        return draft
    if not await off_loop(partial(only_spells, draft.sql, spelled, schema)):
        return draft
    try:
        await check(draft.sql)
    except SqlRefused as error:
        if error.kind in NAMES | WORDS:
            with suppress(SqlRefused, DatabaseUnavailable):  # what is still wrong is repaired, and not the model's own
                await check(spelled)
                return draft.model_copy(update={"sql": spelled})
    except DatabaseUnavailable:  # its next use reports it
        pass
    return draft


async def repair_with_data(
    draft: Draft, error: str, schema: Schema, rows: Rows, without: Collection[str] = ()
) -> Draft | None:
    """The repaired draft, which may run; None if no rule can repair it, or the stored values contradict.

    `error`: an `ErrorKind`. `schema`: with all known keys. `rows`: runs a query. `without`: ids of rules to leave out.
    """
    found = await off_loop(partial(find_repair, draft, error, schema, without))
    if found is None or await confirm(found, rows) is None:
        return None
    return draft.model_copy(update={"sql": found.sql, "note": found.detail, "source": "repaired"})


def find_repair(draft: Draft, error: str, schema: Schema, without: Collection[str] = ()) -> Finding | None:
    """The findings of all rules that can repair the draft, as one that the stored values may still contradict; None if
    there are none."""
    kind = next((it for it in ErrorKind if it == error), None)
    if draft.sql is None or kind is None:
        return None
    from executors.sql.names.known_names import quote_names
    from executors.sql.tree import tree_to_change

    sql, notes, counts, dialect = draft.sql, list[str](), list[str](), DIALECTS[schema.dialect].sqlglot
    if kind in NAMES | WORDS and (quoted := quote_names(sql, schema)):
        sql, notes = quoted, ["names are written as in the schema"]  # the next run shows what is still wrong
    else:
        context = RuleContext(sql, schema, tree_to_change(sql, dialect), error=kind)
        for rule in rules("repair", without):
            found = rule.find(context)
            if found is not None and found.sql is not None:
                sql = found.sql
                context = replace(context, sql=sql, tree=tree_to_change(sql, dialect))
                notes.append(found.detail)
                counts += found.counts
    detail = f"The last query repaired: {'; '.join(dict.fromkeys(notes))}."
    return Finding(detail, sql, counts=tuple(counts)) if notes else None
