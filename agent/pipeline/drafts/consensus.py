"""Candidates grouped by their rows: what independent drafts agree on, and the evidence for the chosen one.

This is self-consistency (Wang et al. 2023), by result instead of text. Only drafts as the model wrote them vote: a rule
that repairs two drafts in the same way would confirm itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from agent.core.models import Candidate, Check, Doubt
from executors.base import Frozen

AGREED = 2  # votes that settle it: a model seldom makes the same mistake twice


class Group(Frozen):
    """Candidates that gave the same rows, in any order; the first one stands for them."""

    candidates: tuple[Candidate, ...]

    @property
    def first(self) -> Candidate:
        """Which stands for the group: a draft where there is one, the earliest of them, the second model's last."""
        return min(self.candidates, key=lambda it: (not it.votes, it.by_second))

    @property
    def votes(self) -> int:
        """Drafts in it, as the model wrote them."""
        return sum(it.votes for it in self.candidates)


class Evidence(Frozen):
    """What is known of an answer when its query is chosen; `confidence` is computed from this and nothing else.

    groups: of candidates that ran, the chosen one's first, then by votes.
    chosen: the candidate that the answer rests on.
    drafts: how many were written, those included that could not be run.
    by_second: whether the second model wrote one of them.
    earlier: of a reused query, how many drafts agreed on it, and of how many, when it was verified.
    base_votes: votes of the candidate that an alternative was derived from; 0 where the chosen one is none.
    checks: of the chosen candidate and its rows, not yet of the sentence.
    judge: the judge's yes or no of the chosen candidate; None where nobody was asked.
    """

    groups: tuple[Group, ...]
    chosen: Candidate
    drafts: int
    by_second: bool = False
    earlier: tuple[int, int] | None = None
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


def group_candidates(candidates: Sequence[Candidate]) -> tuple[Group, ...]:
    """The candidates that ran, by their rows; the most votes first, then the earlier one.

    Results that hold nothing are the same only where the queries are: any two wrong filters agree on nothing.
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
    return tuple(sorted(found, key=lambda it: (-it.votes, it.first.result is None or it.first.result.holds_nothing)))


def is_settled(groups: Sequence[Group]) -> bool:
    """Whether no further draft is needed: they agree, two of two or three of up to five; or repairs are alike.

    Where two drafts had to be repaired and give the same rows, the next one mostly makes their mistake, too; where one
    of them ran as it was written, a third may confirm it. The answer has no more votes for that.
    """
    voted = [group.votes for group in groups if group.votes]
    if voted == [AGREED] or (bool(voted) and voted[0] > AGREED):
        return True
    alike = {it.draft for it in groups[0].candidates if it.source != "alternative"} if len(groups) == 1 else set()
    return len(alike) > AGREED or (len(alike) == AGREED and not voted)


def evidence_of(
    candidates: Sequence[Candidate], chosen: Candidate, checks: Sequence[Check], judge: bool | None, drafts: int
) -> Evidence:
    """All that is known of the chosen candidate. `drafts`: how many the model wrote."""
    groups = group_candidates(candidates)
    own = [group for group in groups if chosen in group.candidates]
    based = chosen.source == "alternative"
    base = [
        it.votes for it in groups if based and any(one.votes and one.draft == chosen.draft for one in it.candidates)
    ]
    ordered = (*own, *(group for group in groups if group not in own))
    return Evidence(
        groups=ordered,
        chosen=chosen,
        drafts=drafts,
        by_second=any(it.by_second for it in candidates),
        base_votes=max(base, default=0),
        checks=tuple(checks),
        judge=judge,
    )


def elect(groups: Sequence[Group], current: Candidate) -> Candidate | None:
    """The candidate that the drafts agree on, in the place of the current one; None where that may stay.

    It stays where it is among those that the most drafts agree on, or was derived from one of them by what schema and
    data say, and where no two drafts agree on anything.
    """
    if not groups:
        return None
    first = groups[0]
    of_them = {it.draft for it in first.candidates if it.votes}
    stays = current in first.candidates or (current.source == "alternative" and current.draft in of_them)
    own = next((it.votes for it in groups if current in it.candidates), 0)
    return None if stays or first.votes < AGREED or first.votes <= own else first.first


def _agree(one: Candidate, other: Candidate) -> bool:
    if one.result is None or other.result is None:
        return False
    if _fold(one.sql) == _fold(other.sql):
        return True
    if one.result.holds_nothing or other.result.holds_nothing:
        return False
    from agent.core.row_comparison import same_rows

    return same_rows(one.result, other.result, ordered=False)


def _fold(sql: str) -> str:
    return " ".join(sql.split()).rstrip("; ")
