"""An answer after its checks, as the response uses it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from agent.core.answers import AnswerNumber, AnswerSource, Correction
from agent.core.models import Check
from executors.base import Frozen

# What stands before the result of an equation: `45.6 + 12.3 = `.
_EQUATION = re.compile(r"([(\d$€£][\d\s.,+\-−–*×·/÷()%$€£]*)=\s*[$€£]?\s*$")
_COUNT = re.compile(r"\d+")


def expression_of(text: str, shown: str, start: int, calculations: Sequence[Correction]) -> str:
    """What a number was computed from: the placeholder or corrected equation that it is, else the equation it ends.

    Args:
        text: of the answer.
        shown, start: the number as written, and where it stands.
    """
    for one in calculations:
        if shown in one.computed:
            return one.expression
    equation = _EQUATION.search(text, 0, start)
    return equation[1].strip() if equation else ""


def find_counted(text: str, context: str) -> tuple[AnswerNumber, ...]:
    """The number in the row-count context that is put behind an answer. Args: text: the answer before it."""
    found = _COUNT.search(context)
    if found is None:
        return ()
    start, end = len(text) + found.start(), len(text) + found.end()
    return (AnswerNumber(text=found[0], start=start, end=end, source="row count"),)


class Problem(NamedTuple):
    """Something that nothing supports: as written, and why."""

    text: str
    why: str


class CheckedText(Frozen):
    """An answer after its checks.

    numbers: each with where it comes from. problems: what nothing supports, in short; such a text is not shown.
    source: who wrote it.
    """

    text: str
    corrections: tuple[Correction, ...] = ()
    numbers: tuple[AnswerNumber, ...] = ()
    checks: tuple[Check, ...] = ()
    problems: tuple[str, ...] = ()
    source: AnswerSource = "model"
