"""Candidates grouped by their rows: what independent drafts agree on, and all that is known of the chosen one.

The idea is self-consistency (Wang et al. 2023), by result and not by text. Only drafts vote, as the model wrote them:
a rule that repairs two drafts alike would confirm itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from agent.models import Candidate, Check, Doubt
from executors.base import Frozen, QueryResult

AGREED = 2  # votes that settle it: a model seldom makes the same mistake twice


class Group(Frozen):
    """Candidates that gave the same rows, in any order; the first one stands for them."""

    candidates: tuple[Candidate, ...]

    @property
    def first(self) -> Candidate:
        """Which stands for the group: a draft where there is one, the earliest of them."""
        return next((it for it in self.candidates if it.votes), self.candidates[0])

    @property
    def votes(self) -> int:
        """Drafts in it, as the model wrote them."""
        return sum(it.votes for it in self.candidates)


class Evidence(Frozen):
    """What is known of an answer when its query is chosen; `confidence` is computed from this and nothing else.

    groups: of candidates that ran, the chosen one's first, then by votes.
    chosen: the candidate that the answer rests on.
    drafts: how many the model wrote, those included that could not be run.
    base_votes: votes of the candidate that an alternative was derived from; 0 where the chosen one is none.
    checks: of the chosen candidate and its rows, not yet of the sentence.
    judge: the judge's yes or no of the chosen candidate; None where nobody was asked.
    """

    groups: tuple[Group, ...]
    chosen: Candidate
    drafts: int
    base_votes: int = 0
    checks: tuple[Check, ...] = ()
    judge: bool | None = None

    @property
    def votes(self) -> int:
        """Of the chosen group."""
        return self.groups[0].votes if self.groups else 0

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """Of the chosen candidate."""
        return self.chosen.doubts


def grouped(candidates: Sequence[Candidate]) -> tuple[Group, ...]:
    """The candidates that ran, by their rows; the most votes first, then the earlier one.

    Results without rows are the same only where the queries are: any two wrong filters agree on nothing.
    """
    groups: list[list[Candidate]] = []
    for candidate in candidates:
        if candidate.result is None:
            continue
        for group in groups:
            if _agree(group[0], candidate):
                group.append(candidate)
                break
        else:
            groups.append([candidate])
    found = [Group(candidates=tuple(group)) for group in groups]
    return tuple(sorted(found, key=lambda group: -group.votes))


def _agree(one: Candidate, other: Candidate) -> bool:
    if one.result is None or other.result is None:
        return False
    if _folded(one.sql) == _folded(other.sql):
        return True
    if _is_empty(one.result) or _is_empty(other.result):
        return False
    from agent.evaluation.accuracy import same_rows

    return same_rows(one.result, other.result, ordered=False)


def _is_empty(result: QueryResult) -> bool:
    """Whether there are no rows, or nothing but NULL in them."""
    return all(value is None for row in result.rows for value in row)


def _folded(sql: str) -> str:
    return " ".join(sql.split()).rstrip("; ").casefold()
