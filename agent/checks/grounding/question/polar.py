"""Yes or no in an answer: "Yes, Ann sold more than Bo."

A yes or a no holds if the rows say it to the question; see `decision`. So does a comparison that the answer repeats.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from agent.checks.grounding.claims.claims import Segment
from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.evidence.facts import Facts
from agent.checks.grounding.evidence.result import Problem
from agent.checks.grounding.languages.polar_words import NO, THAN
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.question.asked import COMPARING, find_bounds
from agent.checks.grounding.question.decision import Decision
from agent.checks.grounding.support.support import Numbers

_AFFIRMS = re.compile(
    r"(?:it|they|he|she|we|there) (?:does|do|did|is|are|was|were|has|have|had)\s*[:,.;]", re.IGNORECASE
)
_STOP = re.compile(r"\s*(?:[^\w\s]|\Z)")
_UNDECIDED = "the rows do not decide it"


class Polar(NamedTuple):
    """The verdict on a sentence that answers yes or no.

    settled: start positions of items that need no other check.
    no: that of a no that values decide, so that it does not deny that there are rows.
    """

    settled: frozenset[int] = frozenset()
    problems: tuple[Problem, ...] = ()
    no: int | None = None


def check_polar(
    text: str, items: Sequence[Item], segments: Sequence[Segment], asked: Sequence[Item], facts: Facts, numbers: Numbers
) -> Polar:
    """Check a yes, a no, and the comparisons of a question that they answer, against the rows."""
    verdict = _find_verdict(text, items)
    if not facts.rows or (verdict is None and not facts.is_polar):
        return Polar()
    decision = Decision(asked, facts, numbers)
    settled, problems = set[int](), []
    if verdict is not None:
        says_yes = verdict.text.lower().rstrip(".") not in NO
        settled.add(verdict.start)
        if decision.holds is None:
            problems.append(Problem(verdict.text, _UNDECIDED))
        elif decision.holds is not says_yes:
            problems.append(Problem(verdict.text, "the rows say no" if says_yes else "the rows say yes"))
    if decision.is_comparison:
        bounds = {segment.items[place].start: (segment, place) for segment, place in find_bounds(segments)}
        conditions = {at for at, it in bounds.items() if decision.thresholds.is_condition(*it)}
        told = [it for it in items if it.cls in COMPARING and it.start not in conditions]
        for item in told:
            denials = [it.start for it in items if _is_denial(it, verdict) and it.start < item.start]
            if item.start in bounds:
                claim = decision.thresholds.is_beyond(*bounds[item.start])
            else:
                claim = decision.comparison.compare(text, items, item)
            settled |= {item.start, *denials}
            if claim is None:
                problems.append(Problem(item.text, _UNDECIDED))
            elif claim is bool(denials):
                problems.append(Problem(item.text, "the rows say the opposite"))
        if not told and verdict is None and THAN[facts.language or "en"].search(text):
            problems.append(Problem(text, _UNDECIDED))
    no = verdict.start if verdict is not None and decision.holds is False and decision.is_by_values else None
    return Polar(frozenset(settled), tuple(problems), no)


def _find_verdict(text: str, items: Sequence[Item]) -> Item | None:
    """The yes or no of an answer: its first word, or its last one ("so the answer is no"). "No price" is none."""
    words = [it for it in items if it.kind != "mark"]
    if words and _AFFIRMS.match(text):
        return words[0]
    for item in (*words[:1], *words[-1:]):
        denies = item.text.lower().rstrip(".") in NO and _STOP.match(text, item.end - item.text.endswith("."))
        if item.cls is Class.YES or denies:
            return item
    return None


def _is_denial(item: Item, verdict: Item | None) -> bool:
    return item.cls is Class.NOT and item is not verdict and item.text.lower() != "but"
