"""An answer after its checks, as the response uses it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agent.core.answers import AnswerNumber, AnswerSource, Correction
from agent.core.models import Check
from executors.base import Frozen

# The left side before the result of an equation: `45.6 + 12.3 = `.
_EQUATION = re.compile(r"([(\d$€£][\d\s.,+\-−–*×·/÷()%$€£]*)=\s*[$€£]?\s*$")
_COUNT = re.compile(r"\d+")
# How problems call the whole text, and parts of it.
_WHOLE, _PARTS = frozenset({"the sentence", "the reply"}), frozenset({"the denial", "yes or no"})


def expression_of(text: str, shown: str, start: int, calculations: Sequence[Correction]) -> str:
    """The expression of a computed number: its placeholder or corrected equation, or else the equation that it ends.

    Args:
        text: of the answer.
        shown, start: the number as written, and its position.
    """
    for one in calculations:
        if shown in one.computed:
            return one.expression
    equation = _EQUATION.search(text, 0, start)
    return equation[1].strip() if equation else ""


def find_counted(text: str, context: str) -> tuple[AnswerNumber, ...]:
    """The number in the row-count context that is appended to an answer. Args: text: the answer before the context."""
    found = _COUNT.search(context)
    if found is None:
        return ()
    start, end = len(text) + found.start(), len(text) + found.end()
    return (AnswerNumber(text=found[0], start=start, end=end, source="row count"),)


class Problem(NamedTuple):
    """An unsupported part of a text, and the reason."""

    text: str
    why: str

    @property
    def place(self) -> str:
        """The part, in quotes only if the text itself says it; empty for the whole text."""
        if self.text in _WHOLE:
            return ""
        return self.text if self.text in _PARTS else f"“{self.text}”"


def describe_problems(problems: Iterable[Problem]) -> tuple[str, ...]:
    """The problems in words, each reason once: `“1”, “3”: no row has this value`."""
    places = dict[str, list[str]]()
    for it in problems:
        places.setdefault(it.why, []).append(it.place)
    named = ((why, ", ".join(filter(None, dict.fromkeys(found)))) for why, found in places.items())
    return tuple(f"{where}: {why}" if where else why for why, where in named)


class CheckedText(Frozen):
    """An answer after its checks.

    numbers: each with its origin. problems: unsupported claims, in short. A text with problems is not shown.
    source: the author of the text.
    """

    text: str
    corrections: tuple[Correction, ...] = ()
    numbers: tuple[AnswerNumber, ...] = ()
    checks: tuple[Check, ...] = ()
    problems: tuple[str, ...] = ()
    source: AnswerSource = "model"
