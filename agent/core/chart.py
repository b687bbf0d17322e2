"""A chart, as the response takes it."""

from __future__ import annotations

from typing import Any, Literal

from executors.base import Frozen


class Chart(Frozen):
    """A chart that would help.

    x, y: the columns that are the keys and the amounts, whichever way the bars lie; of a histogram, both the measure.
    spec: the whole chart in Vega-Lite, its data the named source `results`, which are those of the response.
    """

    type: Literal["bar", "line", "scatter", "histogram"]
    x: str
    y: str
    spec: dict[str, Any] = {}
