"""Drafts that spell a stored value differently, 'good' and 'Good', vote for the rows with all of its spellings."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from agent.core.models import Candidate
from agent.core.resilience.off_loop import off_loop
from executors.errors import DatabaseUnavailable, SqlError
from rag.schema.joins import keyed_of

if TYPE_CHECKING:
    from agent.checks.rules.base import RuleContext
    from agent.checks.rules.review import Rows
    from agent.pipeline.rounds.run import Run
    from executors.base import QueryResult


async def unify_spellings(run: Run, rows: Rows) -> None:
    """Give the candidates that spell a text otherwise than another one their rows with all stored spellings.

    The column must store several, which differ only in case or outer spaces. A query that fails changes nothing.
    """
    if "case_variants" in run.parts.profile.rules_off:
        return
    for candidate in await off_loop(partial(_find_apart, run)):
        unified = None
        with suppress(SqlError, DatabaseUnavailable):
            unified = await _unify(run, candidate, rows)
        at = run.candidates.index(candidate)
        run.candidates[at] = candidate.model_copy(update={"unified": unified or candidate.result})


def _find_apart(run: Run) -> list[Candidate]:
    """The drafts that compare a column with a text that another draft spells otherwise, unless they are unified."""
    from executors.sql.literals import text_filters

    spelled: dict[tuple[str, str, str], dict[str, list[Candidate]]] = defaultdict(lambda: defaultdict(list))
    for candidate in run.candidates:
        context = _read(run, candidate) if candidate.source == "draft" and candidate.result is not None else None
        for found in text_filters(context.query, context.schema) if context is not None and context.tree else ():
            table, column, text = found.key
            spelled[table, column, text.strip().casefold()][text].append(candidate)
    apart = (it for texts in spelled.values() if len(texts) > 1 for ones in texts.values() for it in ones)
    return list({it.draft: it for it in apart if it.unified is None}.values())


async def _unify(run: Run, candidate: Candidate, rows: Rows) -> QueryResult | None:
    """The rows with all spellings; None if the column stores only one. Raises SqlError, DatabaseUnavailable."""
    from agent.checks.rules.case_variants import RULE
    from agent.checks.rules.lookup import look_up

    context = await off_loop(partial(_read, run, candidate))
    looked_up = await look_up(context.query, context.schema, run.database)
    found = await off_loop(partial(RULE.find, replace(context, looked_up=looked_up)))
    return await rows(found.sql) if found is not None and found.sql is not None else None


def _read(run: Run, candidate: Candidate) -> RuleContext:
    from agent.checks.rules.base import RuleContext

    return RuleContext.of(candidate.sql, keyed_of(run.context.db_schema, run.context.known))
