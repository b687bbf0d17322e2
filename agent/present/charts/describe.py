"""A chart in words, for readers who cannot see it: what is drawn, of how many, and between which values."""

from __future__ import annotations

from collections.abc import Sequence

from agent.present.charts.columns import ChartColumn, ColumnRole, is_number
from executors.base import JsonValue


def describe_keyed(kind: str, y: ChartColumn, keys: Sequence[ChartColumn]) -> str:
    """A chart of one measure for each key: "Bar chart of total for each country: 5 values; the highest is …".

    Args:
        kind: of chart.
        y: the measure.
        keys: what its values belong to.
    """
    numbers = [(row, value) for row, value in enumerate(y.values) if is_number(value)]
    low, high = (pick(numbers, key=lambda pair: pair[1]) for pick in (min, max))
    times = [key for key in keys if key.role is ColumnRole.TIME]
    span = (
        f" from {_text(min(times[0].values))} to {_text(max(times[0].values))}"
        if times and not times[0].is_named
        else ""
    )
    return (
        f"{kind} of {y.words} for each {' and '.join(key.words for key in keys)}{span}: {len(numbers)} values; "
        f"the highest is {_text(high[1])} ({_at(keys, high[0])}), the lowest {_text(low[1])} ({_at(keys, low[0])})."
    )


def describe_measures(kind: str, measures: Sequence[ChartColumn]) -> str:
    """A chart of measures alone: "Scatter plot of price and weight: 40 rows; price from 1 to 9, weight from …"."""
    ranges = ", ".join(
        f"{column.words} from {_text(min(column.numbers))} to {_text(max(column.numbers))}" for column in measures
    )
    return f"{kind} of {' and '.join(column.words for column in measures)}: {len(measures[0].values)} rows; {ranges}."


def _at(keys: Sequence[ChartColumn], row: int) -> str:
    return ", ".join(_text(key.values[row]) for key in keys)


def _text(value: JsonValue) -> str:
    if value is None:
        return "no value"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
