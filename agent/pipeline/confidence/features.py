"""What of the evidence tells right answers from wrong ones, as numbers.

Agreement of executed results is the best signal that needs nothing but replies (arXiv 2508.14056), the probability of
the written query the best one of a single reply (arXiv 2411.16742). Neither rests on a wording.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.pipeline.drafts.consensus import Evidence

# With what each says; a calibration names those that it was fitted with.
FEATURES: Mapping[str, str] = {
    "agreement": "share of the other drafts, and of the judge, that confirm the rows, 0 to 1",
    "supporters": "how many they are, at most 3",
    "logprob_mean": "mean log-probability of the query's tokens",
    "logprob_least": "least log-probability among them, at least -6",
    "logprob_total": "log-probability of the whole query: the mean, times its words; at least -20",
    "repaired": "1 where the query could not be run as it was written",
    "alternative": "1 where schema and data changed a query that ran",
    "reused": "1 where an earlier question's query was taken",
    "doubts_of_data": "doubts that rest on schema or stored values, at most 2",
    "doubts_of_language": "other doubts that rest on the words of the question, at most 3",
    "mild_doubts": "doubts of rules that right answers meet as often as wrong ones, at most 2",
    "checks_failed": "plain checks that said no, at most 2",
    "nothing_found": "1 where there are no rows, or nothing but NULL in them",
    "single_value": "1 where the result is one row with one column",
    "parts": "joins and subqueries of the query, at most 4",
}
# Which of them can only speak for an answer, and which only against it; the rest may do either.
SPEAK_FOR = frozenset({"agreement", "supporters", "logprob_mean", "logprob_least", "logprob_total"})
SPEAK_AGAINST = frozenset(
    {
        "repaired",
        "alternative",
        "doubts_of_data",
        "doubts_of_language",
        "mild_doubts",
        "checks_failed",
        "nothing_found",
        "parts",
    }
)
# Rules: the same row several times, and a word of the question that stands nowhere; measured, right answers have both.
MILD = frozenset({"repeated_rows", "missing_data"})
LEAST_LOGPROB, LEAST_TOTAL = -6.0, -20.0

_WORD = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`|--[^\n]*|\w+", re.IGNORECASE)
_VOTE_CHECKS = frozenset({"second_draft", "judge"})  # counted by who confirms the rows


def features_of(evidence: Evidence) -> dict[str, float]:
    """The features by name, those left out that cannot be known, such as log-probabilities that nobody gave."""
    chosen, doubts = evidence.chosen, evidence.doubts
    supporters, others = _voices(evidence)
    rows = chosen.result.rows if chosen.result is not None else ()
    failed = sum(check.passed is False and check.name not in _VOTE_CHECKS for check in evidence.checks)
    counted = [doubt for doubt in doubts if doubt.rule not in MILD]
    of_language = sum(doubt.evidence == "language" for doubt in counted)
    found = {
        "agreement": supporters / others if others else 0.0,
        "supporters": min(supporters, 3.0),
        "repaired": float(chosen.source == "repaired"),
        "alternative": float(chosen.source == "alternative"),
        "reused": float(chosen.source == "reused"),
        "doubts_of_data": min(len(counted) - of_language, 2.0),
        "doubts_of_language": min(of_language, 3.0),
        "mild_doubts": min(len(doubts) - len(counted), 2.0),
        "checks_failed": min(failed, 2.0),
        "nothing_found": float(all(value is None for row in rows for value in row)),
        "single_value": float(len(rows) == 1 and len(rows[0]) == 1),
        "parts": min(_parts(chosen.sql), 4.0),
    }
    if chosen.logprob_mean is not None and chosen.logprob_least is not None:
        found["logprob_mean"] = max(chosen.logprob_mean, LEAST_LOGPROB)
        found["logprob_least"] = max(chosen.logprob_least, LEAST_LOGPROB)
        found["logprob_total"] = max(chosen.logprob_mean * len(_WORD.findall(chosen.sql)), LEAST_TOTAL)
    return found


def _voices(evidence: Evidence) -> tuple[float, float]:
    """How many confirm the chosen rows, and how many were asked; not the draft that the query comes from.

    Who asked nobody has confirmed nothing, so such an answer is not above one that all others contradict.
    """
    source = evidence.chosen.source
    votes = evidence.base_votes if source == "alternative" else evidence.votes
    own = 1 if source in {"draft", "alternative"} else 0  # a repaired query has no vote itself
    asked = evidence.drafts if source == "reused" else max(0, evidence.drafts - 1)
    return float(max(0, votes - own) + (evidence.judge is True)), float(asked + (evidence.judge is not None))


def _parts(sql: str) -> int:
    words = [word.lower() for word in _WORD.findall(sql)]
    return words.count("join") + max(0, words.count("select") - 1)
