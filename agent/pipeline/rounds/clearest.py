"""The draft that the fewest doubts speak against, for a question on whose rows no two drafts agree.

The first draft is often the best one, but not if a rule doubts it and no rule doubts another: it has one average for an
average of each, joins unrelated keys, or leaves out a stored value that the question names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agent.checks.rules.review import review
from agent.core.models import Candidate, Draft
from agent.pipeline.steps.consensus import AGREED, Group
from agent.understanding.shape import SOFT_RULES

if TYPE_CHECKING:
    from agent.checks.rules.review import Rows
    from agent.pipeline.rounds.run import Run


async def find_clearest(run: Run, groups: Sequence[Group], current: Candidate, rows: Rows) -> Candidate | None:
    """The candidate with rows that the fewest doubts speak against, to replace the current one.

    Of equals, it is the one that leaves the least of the question unread. None if two drafts agree as written, or if
    none is better than the current one. The doubts are added to the run's candidates.
    """
    if any(it.votes >= AGREED for it in groups):
        return None
    clearest = current
    for candidate in (it.first for it in groups):
        if candidate.key == current.key or candidate.result is None or candidate.result.holds_nothing:
            continue
        reviewed = await _review(run, candidate, rows)
        run.candidates[run.candidates.index(candidate)] = reviewed
        if _weigh(reviewed) < _weigh(clearest):
            clearest = reviewed
    return None if clearest is current else clearest


async def _review(run: Run, candidate: Candidate, rows: Rows) -> Candidate:
    draft, off = Draft(sql=candidate.sql, source=candidate.source), run.parts.profile.rules_off
    assert candidate.result is not None  # noqa: S101  only candidates with rows are reviewed
    found = await review(draft, candidate.result, run.question.text, run.context, run.database, rows, off)
    return candidate.model_copy(update={"doubts": found.doubts})


def _weigh(candidate: Candidate) -> tuple[int, int]:
    """How many doubts speak against a candidate, and how much of the question it leaves unread."""
    return sum(it.rule not in SOFT_RULES for it in candidate.doubts), len(candidate.unread)
