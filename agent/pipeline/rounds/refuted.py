"""Drafts that the data refutes: they filter by a text that their column does not store, such as `has_lift = 'TRUE'`
where it stores 'Y' and 'N'. Such a draft finds nothing because of its mistake, so it contradicts nobody.

A text that the question names may rightly find nothing: nobody works in Niger. So it refutes a draft only if it is a
word in small letters, "hybrid cars", and one of a few stored values, there or in another column.
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING

from agent.core.models import Candidate
from agent.core.resilience.off_loop import off_loop
from agent.pipeline.steps.consensus import group_candidates, is_derived
from executors.errors import DatabaseUnavailable, SqlError
from rag.schema.joins import keyed_of
from rag.words import join_folded, tokens

if TYPE_CHECKING:
    from agent.pipeline.rounds.run import Run
    from executors.base import Schema
    from executors.sql.literals import TextFilter

_MOST_TEXTS = 5  # of one query that are looked up


async def find_refuted(run: Run) -> None:
    """Look up the texts of drafts that give different rows, each draft once, except those with an alternative: it may
    have the stored text."""
    groups = group_candidates(run.candidates)
    if len(groups) == 1:
        return
    based = [it for it in groups if any(is_derived(other, it) for other in run.candidates)]
    kept = {candidate.key for group in based for candidate in group.members}
    for at, candidate in enumerate(run.candidates):
        is_draft = candidate.source in ("draft", "repaired") and candidate.result is not None
        if is_draft and candidate.refuted is None and candidate.key not in kept:
            run.candidates[at] = candidate.model_copy(update={"refuted": await _is_refuted(run, candidate)})


async def _is_refuted(run: Run, candidate: Candidate) -> bool:
    """Whether a condition of the draft has no text that its column stores. No if a lookup fails."""
    from agent.checks.rules.lookup import is_stored

    schema = keyed_of(run.context.db_schema, run.context.known)
    conditions = await off_loop(partial(_list_conditions, candidate.sql, schema))
    try:
        for texts in conditions[:_MOST_TEXTS]:
            if any(_may_find_nothing(run, it.value) for it in texts):
                continue
            if not any([await is_stored(it.table, it.column, it.value, schema, run.database) for it in texts]):
                return True
    except (SqlError, DatabaseUnavailable):
        return False
    return False


def _list_conditions(sql: str, schema: Schema) -> list[list[TextFilter]]:
    """The texts of each condition on a text, `=` or IN, except those beside OR: there, another one may find rows."""
    from sqlglot import exp

    from agent.checks.rules.base import RuleContext
    from executors.sql.literals import text_filters

    context = RuleContext.of(sql, schema)
    found: dict[int, list[TextFilter]] = defaultdict(list)
    for it in text_filters(context.query, schema) if context.tree is not None else ():
        if not isinstance(it.literal.find_ancestor(exp.Or, exp.Select), exp.Or):
            found[id(it.literal.parent)].append(it)
    return list(found.values())


def _may_find_nothing(run: Run, text: str) -> bool:
    """Whether the question names the text, and does not mean a kind of rows by it: a name may be of nobody."""
    from agent.checks.rules.said_values import is_kind

    said = f" {join_folded(tokens(text))} "
    if said not in f" {join_folded(tokens(run.question.text))} ":
        return False
    kinds = (f" {join_folded(tokens(it.mention))} " for it in run.context.linked.values if it.is_sure and is_kind(it))
    return not any(it in said or said in it for it in kinds)
