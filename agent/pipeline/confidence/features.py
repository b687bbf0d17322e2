"""The features that separate right answers from wrong ones, as numbers.

Agreement of executed results is the best signal that needs only replies (arXiv 2508.14056), and the probability of the
written query the best one of a single reply (arXiv 2411.16742). Neither depends on a wording.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from agent.understanding.shape import SOFT_CHECKS

if TYPE_CHECKING:
    from agent.pipeline.drafts.consensus import Evidence

# With what each says; a calibration names those that it was fitted with. Few strong ones: single doubts are too rare to
# have a coefficient each, and what else was tried told nothing more (docs/decisions/confidence.md).
FEATURES: Mapping[str, str] = {
    "agreement": "share of the other drafts, and of the judge, that confirm the rows, 0 to 1",
    "logprob_total": "log-probability of the whole query: the mean, times its words; -5 to -2",
    "objections": "doubts of rules and checks that failed, no rows among them, at most 3",
}
# What they can only say: a coefficient that says the opposite by chance is dropped.
SPEAK_FOR = frozenset({"agreement", "logprob_total"})
SPEAK_AGAINST = frozenset({"objections"})
# No objections, because right answers lack words of the question as often as wrong ones where a noun is translated.
# `doubt_of_missing` lowers the confidence instead.
MILD = frozenset({"missing_data"})
# Log-odds that missing data takes from the confidence, by its evidence; not fitted. With 1.0 no fit of the package is
# sure of an answer, whatever agrees on it; 0.1 leaves sure those that everything else confirms.
MISSING_LOG_ODDS: Mapping[str, float] = {"schema": 1.0, "language": 0.1}
MOST_OBJECTIONS = 3
# Above, all queries are right as often. Below, length speaks, not doubt: a name written three times counts thrice.
LEAST_TOTAL, MOST_TOTAL = -5.0, -2.0

_WORD = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`|--[^\n]*|\w+", re.IGNORECASE)
_VOTE_CHECKS = frozenset({"second_draft", "judge"})  # counted by who confirms the rows


def features_of(evidence: Evidence) -> dict[str, float]:
    """The features by name, those left out that cannot be known, such as log-probabilities that nobody gave."""
    chosen = evidence.chosen
    supporters, others = _voices(evidence)
    doubts = sum(doubt.rule not in MILD for doubt in evidence.doubts)
    # that drafts accept that there are no rows is no evidence that there are none; a judge has read the query for it
    soft = SOFT_CHECKS if evidence.judge is not True else frozenset[str]()
    failed = sum(
        check.passed is False or (check.passed is None and check.name in soft)
        for check in evidence.checks
        if check.name not in _VOTE_CHECKS
    )
    found = {
        "agreement": supporters / others if others else 0.0,
        "objections": float(min(doubts + failed, MOST_OBJECTIONS)),
    }
    if chosen.logprob_mean is not None:
        total = chosen.logprob_mean * len(_WORD.findall(chosen.sql))
        found["logprob_total"] = min(max(total, LEAST_TOTAL), MOST_TOTAL)
    return found


def doubt_of_missing(evidence: Evidence) -> float:
    """Log-odds to take away for what the question names and the data lacks; the strongest doubt counts, once."""
    found = (MISSING_LOG_ODDS.get(it.evidence, 0.0) for it in evidence.doubts if it.rule in MILD)
    return max(found, default=0.0)


def is_confirmed(features: Mapping[str, float]) -> bool:
    """Whether another draft or the judge confirms the rows: without that no answer is verified, however probable."""
    return features["agreement"] > 0


def _voices(evidence: Evidence) -> tuple[float, float]:
    """How many confirm the chosen rows, and how many were asked; not the draft that the query comes from.

    Who asked nobody has confirmed nothing, so such an answer is not above one that all others contradict.
    """
    source = evidence.chosen.source
    votes = evidence.base_votes if source == "alternative" else evidence.votes
    own = 1 if source in {"draft", "alternative"} else 0  # a repaired query has no vote itself
    requested = evidence.drafts if source == "reused" else max(0, evidence.drafts - 1)
    return float(max(0, votes - own) + (evidence.judge is True)), float(requested + (evidence.judge is not None))
