"""Words that a sentence uses instead of the question's: "the fewest" for "the most", or an extra denial."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.evidence.facts import Facts
from agent.checks.grounding.evidence.result import Problem
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.question.omissions import LEFT_OUT

# Replacing one word of a family with another changes the question.
_FAMILIES = (
    (Class.MEAN, Class.SUM),
    (Class.MEAN, Class.MOST, Class.LEAST),
    (Class.LATEST, Class.EARLIEST),
    (Class.OVER, Class.UNDER),
    (Class.AFTER, Class.BEFORE),
)
# Words for an aggregate: "Ada scored up to 98" states the most.
_AGGREGATES = {
    "avg": (Class.MEAN,),
    "max": (Class.MOST, Class.UNDER, Class.LESS),
    "min": (Class.LEAST, Class.OVER, Class.MORE),
}
_ENDS = (Class.MOST, Class.LEAST)
_MEDIAN = re.compile(r"\bmedian|\bmédian|\bzentralwert", re.IGNORECASE)
_NO_DENIALS = frozenset({"no", "nada"})  # "ranked No. 1", "no han pedido nada 6 clientes"


def find_exchanged(items: Sequence[Item], asked: Sequence[Item], facts: Facts) -> Iterator[Problem]:
    """Words for an aggregate, end or bound that differ from the question's, missing ones, and extra denials.

    Only for a single row: with several rows, a sentence may use such words for each.
    """
    if len(facts.rows) == 1:
        yield from _find_other_words(items, asked, facts)
        yield from _find_left_ranks(items, asked)
        yield from _find_denials(items, asked, facts)
    if _MEDIAN.search(facts.question) and not any(it.cls is Class.MEAN for it in asked):
        means = (it for it in items if it.cls is Class.MEAN)
        yield from (Problem(it.text, "the question asks for the median") for it in means)


def _find_other_words(items: Sequence[Item], asked: Sequence[Item], facts: Facts) -> Iterator[Problem]:
    said, wanted = Counter(it.cls for it in items), Counter(it.cls for it in asked)
    for family in _FAMILIES:
        more = {cls for cls in family if said[cls] > wanted[cls]}
        if more and any(said[cls] < wanted[cls] for cls in family):
            yield Problem(next(it.text for it in items if it.cls in more), "the question has a different word there")
    if len(facts.measures) == 1 and facts.rows[0][facts.measures[0].index] is not None:
        classes = _AGGREGATES.get(facts.measures[0].projection.aggregate, ())
        if any(wanted[cls] for cls in classes[:1]) and not any(said[cls] for cls in classes):
            yield Problem(next(it.text for it in asked if it.cls is classes[0]), LEFT_OUT)


def _find_left_ranks(items: Sequence[Item], asked: Sequence[Item]) -> Iterator[Problem]:
    """ "The largest" for the third largest."""
    ranks = [one for one, other in pairwise(asked) if one.cls is Class.RANK and other.cls in _ENDS]
    if len(ranks) == 1 and ranks[0].rank > 1 and not any(it.rank == ranks[0].rank for it in items):
        why = f"the question asks for the {ranks[0].text}"
        yield from (Problem(it.text, why) for it in items if it.cls in _ENDS)


def _find_denials(items: Sequence[Item], asked: Sequence[Item], facts: Facts) -> Iterator[Problem]:
    """ "Is not 12", and a second denial beside the question's if there is something to count."""
    numbers = {other.text for one, other in pairwise(asked) if one.cls is Class.NOT and other.kind == "number"}
    for one, other in pairwise(items):
        denies = one.cls is Class.NOT and one.text.lower() not in _NO_DENIALS
        if denies and other.kind == "number" and other.text not in numbers:
            yield Problem(f"{one.text} {other.text}", "the rows have it")
    said, wanted = (sum(it.cls is Class.NOT for it in one) for one in (items, asked))
    if wanted and said > wanted and all(cell for row in facts.rows for cell in row):
        yield Problem("the denial", "the question denies less")
