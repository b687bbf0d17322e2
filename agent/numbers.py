"""The numbers of an answer, each linked to the row or the calculation that it comes from."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agent.grounding import Grounding, TracedNumber
from agent.models import AnswerNumber, Correction
from executors.base import QueryResult

# What stands before the result of an equation: `45.6 + 12.3 = `.
_EQUATION = re.compile(r"([(\d$€£][\d\s.,+\-−–*×·/÷()%$€£]*)=\s*[$€£]?\s*$")
_COUNT = re.compile(r"\d+")


def linked(
    text: str, found: Grounding, result: QueryResult, raw: QueryResult | None, calculations: Sequence[Correction]
) -> tuple[AnswerNumber, ...]:
    """Every number that was traced, in order, as the response has it.

    Args:
        text: of the answer.
        found: what tracing it came to.
        result, raw: the rows it was traced in.
        calculations: placeholders that were filled and equations that were put right.
    """
    rows = {"result": result, "raw": raw or result}

    def link(number: TracedNumber) -> AnswerNumber:
        row, column = number.place or (None, None)
        return AnswerNumber(
            text=number.text,
            start=number.start,
            end=number.end,
            source=number.source,
            row=row,
            column=None if column is None else rows[number.source or "result"].columns[column],
            expression=_expression(text, number, calculations) if number.source == "calculation" else "",
        )

    return tuple(link(number) for number in found.numbers)


def _expression(text: str, number: TracedNumber, calculations: Sequence[Correction]) -> str:
    """What a number was computed from: the placeholder or corrected equation that it is, else the equation it ends."""
    for one in calculations:
        if number.text in one.computed:
            return one.expression
    equation = _EQUATION.search(text, 0, number.start)
    return equation[1].strip() if equation else ""


def counted(text: str, context: str) -> tuple[AnswerNumber, ...]:
    """The number in the row-count context that is put behind an answer. Args: text: the answer before it."""
    found = _COUNT.search(context)
    if found is None:
        return ()
    start, end = len(text) + found.start(), len(text) + found.end()
    return (AnswerNumber(text=found[0], start=start, end=end, source="row count"),)
