"""A chart, where one says more than the rows."""

from __future__ import annotations

import re
from typing import Literal

from executors.base import Frozen, JsonValue, QueryResult

MIN_ROWS, MAX_ROWS = 3, 100
TIME = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?([T ].*)?|\d{4}-?Q[1-4]")


class Chart(Frozen):
    """A chart that would help, by column names."""

    type: Literal["bar", "line"]
    x: str
    y: str


def recommend(result: QueryResult) -> Chart | None:
    """A line over time or bars over categories for two-column-like results; None where a chart says nothing.

    Args:
        result: the rows; from 3 to 100 of them can be drawn.
    """
    if result.truncated or not MIN_ROWS <= result.row_count <= MAX_ROWS:
        return None
    cells = list(zip(*result.rows, strict=True))
    numeric = [i for i, column in enumerate(cells) if all(_is_number(value) for value in column)]
    times = [i for i, column in enumerate(cells) if all(_is_time(value) for value in column)]
    labels = [i for i, column in enumerate(cells) if all(isinstance(v, str) for v in column) and i not in times]
    y = next((i for i in reversed(numeric) if i not in times), None)
    x = next(iter(times or labels), None)
    if x is None or y is None or len(set(cells[x])) != len(cells[x]):
        return None
    return Chart(type="line" if x in times else "bar", x=result.columns[x], y=result.columns[y])


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_time(value: JsonValue) -> bool:
    if isinstance(value, int) and not isinstance(value, bool):
        return 1900 <= value <= 2100
    return isinstance(value, str) and TIME.fullmatch(value) is not None
