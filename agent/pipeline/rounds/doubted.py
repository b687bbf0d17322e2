"""The draft that the least speaks against, for a question on whose rows no two drafts agree.

The first draft is often the best one, but not if a rule doubts it and no rule doubts another: it has one average for an
average of each, joins unrelated keys, or leaves out a stored value that the question names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from agent.checks.rules.review import review
from agent.core.models import Candidate, Check, Draft
from agent.core.resilience.off_loop import off_loop
from agent.pipeline.steps.consensus import AGREED, Group
from agent.understanding.shape import SOFT_CHECKS, SOFT_RULES, shape_checks
from executors.dialects.table import DIALECTS

if TYPE_CHECKING:
    from agent.checks.rules.review import Rows
    from agent.pipeline.rounds.run import Run


class Objections(NamedTuple):
    """What speaks against a draft, the weightiest first: failed checks, doubts from schema and data, doubts from words,
    and what the question names and the query does not use."""

    failed: int
    doubts: int
    language_doubts: int
    unread: int

    @classmethod
    def of(cls, candidate: Candidate, checks: Iterable[Check]) -> Objections:
        found = [it.evidence for it in candidate.doubts if it.rule not in SOFT_RULES]
        return cls(
            sum(it.passed is False and it.name not in SOFT_CHECKS for it in checks),
            sum(it != "language" for it in found),
            sum(it == "language" for it in found),
            len(candidate.unread),
        )


async def find_less_doubted(
    run: Run, groups: Sequence[Group], current: Candidate, checks: Sequence[Check], rows: Rows
) -> Candidate | None:
    """The candidate with rows that less speaks against than against the current one; `checks` are those of that one.

    None if two drafts agree as written, or if there is no such candidate. If the current one aggregates, so must the
    other: no rule doubts `SELECT * FROM games`. The doubts are added to the run's candidates.
    """
    if any(it.votes >= AGREED for it in groups):
        return None
    found, least = None, Objections.of(current, checks)
    if not any(least):
        return None
    aggregates = await off_loop(partial(_aggregates, run, current))
    for candidate in (it.first for it in groups):
        if candidate.key == current.key or candidate.result is None or candidate.result.holds_nothing:
            continue
        draft, off = Draft(sql=candidate.sql, source=candidate.source), run.parts.profile.rules_off
        reviewed = await review(draft, candidate.result, run.question.text, run.context, run.database, rows, off)
        doubted = candidate.model_copy(update={"doubts": reviewed.doubts})
        run.candidates[run.candidates.index(candidate)] = doubted
        own = Objections.of(doubted, (*shape_checks(run.question.text, candidate.result), reviewed.check))
        if own < least and await off_loop(partial(_aggregates, run, candidate)) >= aggregates:
            found, least = doubted, own
    return found


def _aggregates(run: Run, candidate: Candidate) -> bool:
    from sqlglot import exp

    from executors.sql.tree import tree_to_change

    tree = tree_to_change(candidate.sql, DIALECTS[run.context.db_schema.dialect].sqlglot)
    return tree is not None and tree.find(exp.AggFunc) is not None
