"""Does a query hold what the question says: its numbers, its names, and the measure that it asks for?

Nothing is refused for it: a number can be spelled out in SQL in many ways. But what cannot be found is not verified.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from agent.models import Check

if TYPE_CHECKING:
    from sqlglot import exp

    from rag.values import LinkedValue

VALUES, MEASURES = "said_values", "said_measures"

_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?!\w)")
_TIME = re.compile(r"(?:19|20)\d\d|\d{1,2}")  # of a date, which SQL may write otherwise
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_SURE = 0.9  # score from which a stored value is what the question names


def said_checks(question: str, tree: exp.Query, linked: Sequence[LinkedValue]) -> tuple[Check, Check]:
    """The two checks; passed is None where something that was said is not found, never False.

    Args:
        question: as asked.
        tree: of the query.
        linked: the stored values that the question's words mean.
    """
    missing = [*_numbers_missing(question, tree), *_values_missing(tree, linked)]
    unmeasured = _measures_missing(question, tree)
    return (
        Check(name=VALUES, passed=None if missing else True, detail=_told("The query does not have", missing)),
        Check(name=MEASURES, passed=None if unmeasured else True, detail=_told("The query has no", unmeasured)),
    )


def _told(begin: str, missing: Sequence[str]) -> str:
    return f"{begin} {', '.join(missing)}, which the question speaks of." if missing else ""


def _numbers_missing(question: str, tree: exp.Query) -> list[str]:
    """Numbers of the question that stand nowhere in the query: as written, as a share, one more or less."""
    from sqlglot import exp

    texts = [str(literal.this) for literal in tree.find_all(exp.Literal)]
    held = {float(digits) for text in texts for digits in _DIGITS.findall(text)}
    missing: list[str] = []
    for said in _NUMBER.findall(question):
        number = float(said.replace(",", ""))
        may_be_time = _TIME.fullmatch(said) is not None and any(len(_DIGITS.findall(text)) > 1 for text in texts)
        if held.isdisjoint({number, number / 100, number - 1, number + 1}) and not may_be_time:
            missing.append(said)
    return missing


def _values_missing(tree: exp.Query, linked: Iterable[LinkedValue]) -> list[str]:
    """Names of the question, surely stored, of which no text of the query has any reading."""
    from sqlglot import exp

    texts = [str(literal.this).casefold().strip("%") for literal in tree.find_all(exp.Literal) if literal.is_string]
    said: dict[str, list[str]] = {}
    for value in linked:
        if value.is_sure and value.score >= _SURE and not value.said.islower():
            said.setdefault(value.said, []).append(value.value.casefold())
    inside = [one for one in said if any(one != other and one in other for other in said)]  # `York` in `New York`
    return [
        repr(words)
        for words, values in said.items()
        if words not in inside and not any(text and (text in it or it in text) for it in values for text in texts)
    ]


def _measures_missing(question: str, tree: exp.Query) -> list[str]:
    """Measures that the question asks for in so many words, in English, and nothing of the query computes."""
    from sqlglot import exp

    computed: tuple[tuple[str, str, tuple[type[exp.Expr], ...]], ...] = (
        (r"\b(?:average|mean|avg)\b", "average", (exp.Avg, exp.Div)),
        (r"\b(?:percent|percentage|ratio|proportion)\b|%", "ratio", (exp.Div,)),
        (r"\bhow many\b|\bnumber of\b|\bcount of\b", "count", (exp.Count, exp.Sum)),
        (r"\bper\b|\b(?:for|of|by|in) each\b", "groups", (exp.Group, exp.Window, exp.Div)),
        (
            r"\b(?:most|least|highest|lowest|largest|smallest|biggest|oldest|youngest|latest|earliest|longest|shortest"
            r"|maximum|minimum|tallest|heaviest|fastest|cheapest)\b",
            "order",
            (exp.Order, exp.Max, exp.Min, exp.Window),
        ),
    )
    names = {word for column in tree.find_all(exp.Column) for word in re.split(r"[_\W]+", column.name.lower())}
    found: list[str] = []
    for words, name, nodes in computed:
        match = re.search(words, question, re.IGNORECASE)
        if match and not tree.find(*nodes) and not names & set(match[0].lower().split()):
            found.append(name)
    return found
