"""A chart as a Vega-Lite specification: https://vega.github.io/vega-lite/docs/spec.html, version 6.

The data is a named source, `results`: the rows of the response, passed by the page that draws the chart
(`view.data("results", response.results)`). Nothing is loaded from elsewhere.
"""

from __future__ import annotations

import json
import re
from typing import Any

from agent.core.answers import Chart
from agent.present.charts.columns import ChartColumn, Grain, calendar_order
from executors.base import JsonValue

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
LONG_LABEL = 12
MANY_BARS = 12
_PATH = re.compile(r"""([\\.\[\]'"])""")

# Dates without a time are parsed and shown in UTC: in other zones, the first of a month may be the last of another.
_UNITS = {Grain.YEAR: "utcyear", Grain.MONTH: "utcyearmonth", Grain.DATE: "utcyearmonthdate"}

Channel = dict[str, Any]


def field(name: str) -> str:
    """A column's name, escaped for Vega, so that dots and brackets are not read as a path."""
    return _PATH.sub(r"\\\1", name)


def view(mark: Channel, encoding: dict[str, Channel], *, title: str, description: str) -> dict[str, Any]:
    """A complete specification. The description is the chart in words, for readers who cannot see it."""
    return {
        "$schema": SCHEMA,
        "title": title,
        "description": description,
        "data": {"name": "results"},
        "mark": {"tooltip": True, **mark},
        "encoding": encoding,
    }


def with_joined(chart: Chart, column: ChartColumn) -> Chart:
    """The chart with a column that joins two of the rows. `usermeta` names them for a page that describes the chart."""
    values = " + ' ' + ".join(f"datum[{json.dumps(part)}]" for part in column.parts)
    made = {"transform": [{"calculate": values, "as": column.name}]}
    about = {"usermeta": {"joined": {"as": column.name, "columns": list(column.parts)}}}
    return chart.model_copy(update={"spec": chart.spec | made | about})


def time(column: ChartColumn) -> Channel:
    """A time axis; an ordinal axis if browsers cannot parse the values as dates."""
    channel: Channel = {"field": field(column.name), "title": column.words}
    match column.grain:
        case Grain.NAMED_MONTH | Grain.NAMED_DAY:
            return {**channel, "type": "ordinal", "sort": calendar_order(column)}
        case Grain.PERIOD | Grain.MONTH_NUMBER:
            return {**channel, "type": "ordinal"}
        case Grain.YEAR if isinstance(column.values[0], int):
            axis = {"format": "d", "tickMinStep": 1}
            return {**channel, "type": "quantitative", "axis": axis, "scale": {"zero": False}}
        case Grain.DATETIME | None:
            return {**channel, "type": "temporal"}
        case grain:
            return {**channel, "type": "temporal", "timeUnit": _UNITS[grain]}


def category(column: ChartColumn, *, sort: JsonValue = None) -> Channel:
    """Names, in the order of the rows unless `sort` is set."""
    return {"field": field(column.name), "title": column.words, "type": "nominal", "sort": sort}


def measure(column: ChartColumn, *, zero: bool = True) -> Channel:
    """Amounts. Args: zero: whether the axis starts at zero, as bars require."""
    channel = {"field": field(column.name), "title": column.words, "type": "quantitative"}
    return channel if zero else {**channel, "scale": {"zero": False}}


def series(column: ChartColumn) -> Channel:
    return category(column, sort=calendar_order(column) if column.is_named else None)


def is_wide(column: ChartColumn) -> bool:
    """Whether its names are too long or many for a horizontal axis."""
    return len(column.distinct) > MANY_BARS or any(len(str(value)) > LONG_LABEL for value in column.values)
