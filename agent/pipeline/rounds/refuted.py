"""Drafts that are refuted: they find nothing, and filter by a text that their column does not store, such as
`has_lift = 'TRUE'` where it stores 'Y' and 'N', or by a condition that no row can meet, such as a span that ends before
it begins. That explains why they find nothing, so they contradict nobody.

A condition that the question names may rightly find nothing: nobody works in Niger, nothing was sold on a day. So names
that the question has, days, numbers and short codes refute no draft. A word in small letters does if the same table
stores it in a column of few values: `gearbox = 'hybrid'` beside a column of fuels.
"""

from __future__ import annotations

import re
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

LOOKUP_S = 2.0  # seconds for one condition
_MOST_CONDITIONS = 5  # of one query
_MOST_TEXTS = 20  # of one condition
_CODE = re.compile(r".{1,3}|.*\d.*", re.DOTALL)  # a code, a number or a day: its column may store others


async def find_refuted(run: Run) -> None:
    """Look up the texts of drafts that find nothing where others find rows, each draft once, except those with an
    alternative: it may have the stored text."""
    groups = group_candidates(run.candidates)
    if len(groups) == 1:
        return
    based = [it for it in groups if any(is_derived(other, it) for other in run.candidates)]
    kept = {candidate.key for group in based for candidate in group.members}
    for at, candidate in enumerate(run.candidates):
        is_draft = candidate.source in ("draft", "repaired") and candidate.refuted is None
        finds_nothing = candidate.result is not None and candidate.result.holds_nothing
        if is_draft and finds_nothing and candidate.key not in kept:
            run.candidates[at] = candidate.model_copy(update={"refuted": await _is_refuted(run, candidate)})


async def _is_refuted(run: Run, candidate: Candidate) -> bool:
    """Whether no row can meet a condition of the draft, or its column stores no text of it. No if a lookup fails."""
    from agent.checks.rules.lookup import are_stored

    schema = keyed_of(run.context.db_schema, run.context.known)
    if await off_loop(partial(_is_never_true, candidate.sql, schema)):
        return True
    try:
        for texts in (await off_loop(partial(_list_conditions, candidate.sql, schema)))[:_MOST_CONDITIONS]:
            if len(texts) > _MOST_TEXTS or any(_may_find_nothing(run, it) for it in texts):
                continue
            table, column, values = texts[0].table, texts[0].column, [it.value for it in texts]
            if not await are_stored(table, column, values, schema, run.database, timeout_s=LOOKUP_S):
                return True
    except (SqlError, DatabaseUnavailable):
        return False
    return False


def _is_never_true(sql: str, schema: Schema) -> bool:
    from sqlglot.errors import SqlglotError

    from agent.checks.rules.base import RuleContext
    from agent.checks.rules.never_true import contradicts

    try:
        context = RuleContext.of(sql, schema)
        return context.tree is not None and contradicts(context.tree, context)
    except (SqlglotError, RecursionError):  # nested too deeply
        return False


def _list_conditions(sql: str, schema: Schema) -> list[list[TextFilter]]:
    """The texts of each condition on a text, `=` or IN, except those beside OR: there, another one may find rows."""
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    from agent.checks.rules.base import RuleContext
    from executors.sql.literals import text_filters

    found: dict[int, list[TextFilter]] = defaultdict(list)
    try:
        context = RuleContext.of(sql, schema)
        for it in text_filters(context.query, schema) if context.tree is not None else ():
            if not isinstance(it.literal.find_ancestor(exp.Or, exp.Select), exp.Or):
                found[id(it.literal.parent)].append(it)
    except (SqlglotError, RecursionError):  # nested too deeply
        return []
    return list(found.values())


def _may_find_nothing(run: Run, found: TextFilter) -> bool:
    """Whether a condition may be right and find nothing."""
    from agent.checks.rules.said_values import is_kind
    from executors.sql.literals import FLAGS

    stored = {it.strip().casefold() for it in found.column.samples}
    if _CODE.fullmatch(found.value) and not (stored and stored <= FLAGS):
        return True
    said = f" {join_folded(tokens(found.value))} "
    if said not in f" {join_folded(tokens(run.question.text))} ":
        return False
    values = (it for it in run.context.linked.values if it.is_sure and it.table == found.table.name and is_kind(it))
    return not any(kind in said or said in kind for it in values for kind in [f" {join_folded(tokens(it.mention))} "])
