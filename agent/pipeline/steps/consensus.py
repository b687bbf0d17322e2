"""Groups candidates by their rows, finds what independent drafts agree on, and collects the evidence for an answer.

This is self-consistency (Wang et al. 2023), by result instead of text. Only drafts that ran as written vote, because a
rule that repairs two drafts in the same way would confirm itself. Drafts that also show a count which nobody asked for
vote for the draft that shows the same without it: they confirm its rows. A draft that filters by a text that its column
does not store is refuted by the data: it neither confirms nor contradicts another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from agent.core.models import Candidate, Check, Doubt
from agent.understanding.shape import SOFT_RULES
from executors.base import Frozen

_ROUNDS = re.compile(r"\bround\s*\(", re.IGNORECASE)
AGREED = 2  # votes that decide: a model seldom makes the same mistake twice
_DRAFTS = frozenset({"draft", "repaired"})  # sources of candidates that are a model's own, not derived or reused


class Group(Frozen):
    """Candidates that gave the same rows, in any order; `first` represents them.

    with_count: candidates that gave these rows beside a count that nobody asked for.
    """

    candidates: tuple[Candidate, ...]
    with_count: tuple[Candidate, ...] = ()

    @property
    def members(self) -> tuple[Candidate, ...]:
        """All candidates that confirm the rows."""
        return (*self.candidates, *self.with_count)

    @property
    def first(self) -> Candidate:
        """The representative: the earliest draft if there is one, those of the second model last."""
        return min(self.candidates, key=lambda it: (not it.may_vote, it.by_second))

    @property
    def votes(self) -> int:
        """The number of drafts in the group that ran as the model wrote them."""
        return sum(it.may_vote for it in self.members)

    @property
    def drafts(self) -> int:
        """The number of drafts that give these rows, as written or repaired; it decides between equal votes."""
        return len({it.draft for it in self.members if it.source in _DRAFTS and not it.refuted})


class Evidence(Frozen):
    """The evidence for an answer when its query is chosen; `confidence` is computed from this alone.

    groups: the candidates that ran; the group of the chosen one first, then by votes.
    chosen: the candidate that the answer is based on.
    drafts: number of drafts written, including those that could not be run, except those that the data refutes.
    by_second: whether the second model wrote one of them.
    earlier_votes: for a reused query, how many drafts agreed on it, and of how many, when it was verified.
    base: the group of the draft that the chosen alternative comes from; None if that ran only repaired, or the chosen
        one is not an alternative.
    checks: those of the chosen candidate and its rows, not yet of the sentence.
    judge: the judge's yes or no on the chosen candidate; None if it was not asked.
    """

    groups: tuple[Group, ...]
    chosen: Candidate
    drafts: int
    by_second: bool = False
    earlier_votes: tuple[int, int] | None = None
    base: Group | None = None
    checks: tuple[Check, ...] = ()
    judge: bool | None = None

    @property
    def votes(self) -> int:
        """The votes of the chosen group."""
        return self.groups[0].votes if self.groups else 0

    @property
    def confirming(self) -> tuple[Candidate, ...]:
        """The other drafts that give the chosen rows, as written or repaired; for an alternative, also those that give
        the rows of its draft."""
        chosen, groups = self.chosen, self.groups[:1]
        if chosen.source == "alternative" and self.base is not None and self.base not in groups:
            groups = (*groups, self.base)
        return tuple(
            it
            for group in groups
            for it in group.members
            if it.source in _DRAFTS and not it.refuted and (it.draft != chosen.draft or chosen.source == "reused")
        )

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """The doubts about the chosen candidate."""
        return self.chosen.doubts


def group_candidates(candidates: Sequence[Candidate]) -> tuple[Group, ...]:
    """The candidates that ran, grouped by their rows: by votes, then by whether there are rows, drafts, and order.

    Empty results are equal only if their queries are, because any two wrong filters agree on nothing.
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
    found = _join_counts([Group(candidates=tuple(group)) for group in groups])

    def rank(group: Group) -> tuple[int, bool, int]:
        return -group.votes, group.first.result is None or group.first.result.holds_nothing, -group.drafts

    return tuple(sorted(found, key=rank))


def _join_counts(groups: Sequence[Group]) -> list[Group]:
    """The groups; one whose drafts show an unasked count is part of the group that shows the same without it.

    Not if most of them show it: it may be asked for in words that no list has.
    """
    plain = [it for it in groups if it.votes and all(one.unasked is None for one in it.candidates)]
    found, counted = list[Group](), dict[int, list[Candidate]]()
    for group in groups:
        rows = next((_without_count(it) for it in group.candidates if it.may_vote and it.unasked is not None), None)
        alike = (at for at, it in enumerate(plain) if rows is not None and _agree(it.first, rows))
        same = next((at for at in alike if group.votes <= plain[at].votes), None)
        if same is None:
            found.append(group)
        else:
            counted.setdefault(same, []).extend(group.candidates)
    more = {plain[at].first.sql: tuple(candidates) for at, candidates in counted.items()}
    return [it.model_copy(update={"with_count": more.get(it.first.sql, ())}) for it in found]


def _without_count(candidate: Candidate) -> Candidate:
    """The candidate as if its query did not show the unasked count."""
    result, at = candidate.result, candidate.unasked
    if result is None or at is None:
        return candidate
    columns, *rows = [(*row[:at], *row[at + 1 :]) for row in (result.columns, *result.rows)]
    without = result.model_copy(update={"columns": columns, "rows": tuple(rows)})
    return candidate.model_copy(update={"sql": "", "result": without})


def is_settled(groups: Sequence[Group]) -> bool:
    """Whether no further draft is needed: two of two or three of up to five agree, or repaired drafts are alike.

    If two drafts had to be repaired and give the same rows, the next one usually makes the same mistake. If one of them
    ran as written, a third may confirm it. Repaired drafts add no votes, and settle nothing that a rule doubts.
    """
    voted = [group.votes for group in groups if group.votes]
    if voted == [AGREED] or (bool(voted) and voted[0] > AGREED):
        return True
    only = groups[0].candidates if len(groups) == 1 else ()
    if any(doubt.rule not in SOFT_RULES for it in only for doubt in it.doubts):
        return False
    alike = {it.draft for it in only if it.source != "alternative"}
    return len(alike) > AGREED or (len(alike) == AGREED and not voted)


def evidence_of(
    candidates: Sequence[Candidate], chosen: Candidate, checks: Sequence[Check], judge: bool | None, drafts: int
) -> Evidence:
    """The evidence for the chosen candidate. `drafts`: number of drafts that were written."""
    groups = group_candidates(candidates)
    own = [group for group in groups if chosen in group.members]
    based = (it for it in groups if is_derived(chosen, it))
    ordered = (*own, *(group for group in groups if group not in own))
    return Evidence(
        groups=ordered,
        chosen=chosen,
        drafts=drafts - count_refuted(it for it in candidates if it.draft != chosen.draft),
        by_second=any(it.by_second for it in candidates),
        base=next(based, None),
        checks=tuple(checks),
        judge=judge,
    )


def count_refuted(candidates: Iterable[Candidate]) -> int:
    """The number of drafts that the data refutes."""
    return len({it.draft for it in candidates if it.refuted})


def is_derived(candidate: Candidate, group: Group) -> bool:
    """Whether a candidate is an alternative to a draft of the group that ran as written."""
    return candidate.source == "alternative" and any(
        it.may_vote and it.draft == candidate.draft for it in group.members
    )


def elect(groups: Sequence[Group], current: Candidate) -> Candidate | None:
    """The candidate that the drafts agree on, to replace the current one; None if the current one stays.

    It stays if it is in the group with the most votes, if it is an alternative that schema and data suggest for a query
    of that group, or if no two drafts agree. A query with an unasked count gives way to one of its group without it.
    """
    if not groups:
        return None
    first, own = groups[0], next((it for it in groups if current in it.members), None)
    if is_derived(current, first):
        return None
    outvoted = first.votes >= AGREED and (own is None or (first.votes, first.drafts) > (own.votes, own.drafts))
    group = first if outvoted else own
    return None if group is None or current in group.candidates else group.first


def _agree(one: Candidate, other: Candidate) -> bool:
    first, second = (it.unified or it.result for it in (one, other))
    if first is None or second is None:
        return False
    if _fold(one.sql) == _fold(other.sql):
        return True
    if first.holds_nothing or second.holds_nothing:
        return False
    from agent.core.row_comparison import round_alike, same_rows

    is_rounded = any(_ROUNDS.search(it.sql) for it in (one, other))
    return same_rows(*(round_alike(first, second) if is_rounded else (first, second)), ordered=False)


def _fold(sql: str) -> str:
    return " ".join(sql.split()).rstrip("; ")
