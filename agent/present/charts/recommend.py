"""Recommends a chart from the result's types, names, sizes and order, and from what its query says of its columns.

| the rows have                                    | chart                                                         |
|--------------------------------------------------|---------------------------------------------------------------|
| a time, a measure                                | line                                                          |
| a time, a category, a measure                    | a line for each category; grouped bars over two times         |
| a category, a measure                            | bars; horizontal if the names are long or many                |
| two categories, a measure                        | grouped bars; stacked if the measure can be added up          |
| two measures, many rows                          | points                                                        |
| one measure and nothing else, many rows          | histogram                                                     |
| one or two rows, ids, only text, too many values | none                                                          |
| categories, a measure that is always the same    |                                                               |
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agent.checks.grounding.evidence.facts import Facts
from agent.checks.grounding.languages.language import language_of
from agent.core.answers import Chart
from agent.present.charts import spec
from agent.present.charts.columns import ChartColumn, ColumnRole, is_number, read_columns
from executors.base import JsonValue, QueryResult

MIN_ROWS, MAX_ROWS = 3, 2_000
MAX_BARS, MAX_SERIES, MAX_GROUPED_BARS = 30, 10, 60
MIN_POINTS = 10
MIN_SAMPLE, MIN_DIFFERENT = 20, 8

_ADDS_UP = re.compile(r"(^|[_\W])(n|count|counts|cnt|total|totals|sum|number|quantity|qty)([_\W]|$)", re.IGNORECASE)
_NEVER_ADDS_UP = re.compile(
    r"avg|average|mean|median|min|max|rate|ratio|percent|pct|share|distinct|unique", re.IGNORECASE
)


def recommend(result: QueryResult, sql: str = "", dialect: str = "sqlite", question: str = "") -> Chart | None:
    """The chart for a result; None if no chart is useful or rows are missing.

    sql, dialect: its query, which says which full dates are months; a column's name may say it, too. question: its noun
    for what is counted is the label of the count. Labels are in English.
    """
    if result.truncated or not MIN_ROWS <= result.row_count <= MAX_ROWS:
        return None
    asked = question if language_of(question) in ("en", None) else ""
    columns = read_columns(result, Facts(question=asked, result=result, sql=sql, dialect=dialect))
    chart = _chart(columns)
    joined = next((it for it in columns if it.parts), None)
    return chart if chart is None or joined is None else spec.with_joined(chart, joined)


def _chart(columns: Sequence[ChartColumn]) -> Chart | None:
    times, categories = _with(columns, ColumnRole.TIME), _with(columns, ColumnRole.CATEGORY)
    measures = [column for column in _with(columns, ColumnRole.MEASURE) if len(set(column.numbers)) > 1]
    ids = _with(columns, ColumnRole.OTHER)
    if not measures:
        return None
    y = _principal(measures)
    match (len(times), len(categories)):
        case (1, 0):
            return _line(times[0], y)
        case (1, 1):
            return _lines(times[0], categories[0], y)
        case (0, 1):
            return _bars(categories[0], y) or _points(measures)
        case (0, 2):
            x, by = sorted(categories, key=lambda column: -len(column.distinct))
            return _group(x, by, y)
        case (0, 0):
            return _points(measures) or (None if ids or len(columns) > 1 else _histogram(y))
    return None


def _with(columns: Sequence[ChartColumn], role: ColumnRole) -> list[ChartColumn]:
    return [column for column in columns if column.role is role]


def _principal(measures: Sequence[ChartColumn]) -> ChartColumn:
    """The measure that the rows are sorted by, else the last one."""
    return next((column for column in measures if _is_sorted(column)), measures[-1])


def _is_sorted(column: ChartColumn) -> bool:
    values = list(column.values)
    if any(value is None for value in values):
        return False
    return values in (sorted(values), sorted(values, reverse=True))


def _are_keys(*columns: ChartColumn) -> bool:
    """Whether the columns together identify every row."""
    rows = list(zip(*(column.values for column in columns), strict=True))
    return len(set(rows)) == len(rows)


def _line(x: ChartColumn, y: ChartColumn, by: ChartColumn | None = None) -> Chart | None:
    keys = [x] if by is None else [x, by]
    if not _are_keys(*keys):
        return None
    encoding = {"x": spec.time(x), "y": spec.measure(y)}
    if by is not None:
        encoding["color"] = spec.series(by)
    mark, description = {"type": "line", "point": True}, _describe_keyed("Line chart", y, keys)
    view = spec.view(mark, encoding, title=_title(y, *keys), description=description)
    return Chart(type="line", x=x.source, y=y.name, spec=view)


def _lines(x: ChartColumn, by: ChartColumn, y: ChartColumn) -> Chart | None:
    if not _are_keys(x, by) or not 2 <= len(by.distinct) <= MAX_SERIES:
        return _line(x, y)
    return _group(by, x, y) if len(x.distinct) < MIN_ROWS else _line(x, y, by)


def _bars(x: ChartColumn, y: ChartColumn) -> Chart | None:
    if not _are_keys(x) or len(x.values) > MAX_BARS:
        return None
    lying = spec.is_wide(x)
    in_order = _is_sorted(y) or _is_sorted(x)
    sort = None if in_order else "-x" if lying else "-y"
    keys, amounts = spec.category(x, sort=sort), spec.measure(y)
    view = spec.view(
        {"type": "bar"},
        {"y": keys, "x": amounts} if lying else {"x": keys, "y": amounts},
        title=_title(y, x),
        description=_describe_keyed("Bar chart", y, [x]),
    )
    return Chart(type="bar", x=x.source, y=y.name, spec=view)


def _group(x: ChartColumn, by: ChartColumn, y: ChartColumn) -> Chart | None:
    """Bars by one key, with a colour for each value of the other."""
    few = 2 <= len(by.distinct) <= MAX_SERIES and len(x.distinct) >= 2
    if not few or len(x.distinct) > MAX_BARS or not _are_keys(x, by):
        return None
    stacked = _adds_up(y)
    if not stacked and len(x.values) > MAX_GROUPED_BARS:
        return None
    lying = stacked and spec.is_wide(x)
    amounts: spec.Channel = {**spec.measure(y), "stack": "zero" if stacked else None}
    encoding = {"y": spec.category(x), "x": amounts} if lying else {"x": spec.category(x), "y": amounts}
    encoding["color"] = spec.series(by)
    if not stacked:
        encoding["xOffset"] = {"field": spec.field(by.name), "sort": encoding["color"]["sort"]}
    kind = "Stacked bar chart" if stacked else "Grouped bar chart"
    view = spec.view({"type": "bar"}, encoding, title=_title(y, x, by), description=_describe_keyed(kind, y, [x, by]))
    return Chart(type="bar", x=x.source, y=y.name, spec=view)


def _adds_up(y: ChartColumn) -> bool:
    """Whether the values can be added up: counts and sums, by name."""
    named = _ADDS_UP.search(y.name) and not _NEVER_ADDS_UP.search(y.name)
    return bool(named) and min(y.numbers) >= 0


def _points(measures: Sequence[ChartColumn]) -> Chart | None:
    if len(measures) != 2 or len(measures[0].values) < MIN_POINTS:
        return None
    x, y = measures
    view = spec.view(
        {"type": "point"},
        {"x": spec.measure(x, zero=False), "y": spec.measure(y, zero=False)},
        title=f"{_capital(y.words)} against {x.words}",
        description=_describe_measures("Scatter plot", [x, y]),
    )
    return Chart(type="scatter", x=x.source, y=y.name, spec=view)


def _histogram(y: ChartColumn) -> Chart | None:
    if len(y.numbers) < MIN_SAMPLE or len(set(y.numbers)) < MIN_DIFFERENT:
        return None
    view = spec.view(
        {"type": "bar"},
        {"x": {**spec.measure(y, zero=False), "bin": True}, "y": {"aggregate": "count", "title": "rows"}},
        title=f"Distribution of {y.words}",
        description=_describe_measures("Histogram", [y]),
    )
    del view["encoding"]["x"]["scale"]
    return Chart(type="histogram", x=y.name, y=y.name, spec=view)


def _title(y: ChartColumn, *keys: ChartColumn) -> str:
    return f"{_capital(y.words)} by {' and '.join(key.words for key in keys)}"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _describe_keyed(kind: str, y: ChartColumn, keys: Sequence[ChartColumn]) -> str:
    """A chart of one measure by key in words: "Bar chart of total for each country: 5 values; the highest is …"."""
    numbers = [(row, value) for row, value in enumerate(y.values) if is_number(value)]
    low, high = (pick(numbers, key=lambda pair: pair[1]) for pick in (min, max))
    times = [key for key in keys if key.role is ColumnRole.TIME]
    span = ""
    if times and not times[0].is_named:
        span = f" from {_text(min(times[0].values))} to {_text(max(times[0].values))}"
    return (
        f"{kind} of {y.words} for each {' and '.join(key.words for key in keys)}{span}: {len(numbers)} values; "
        f"the highest is {_text(high[1])} ({_at(keys, high[0])}), the lowest {_text(low[1])} ({_at(keys, low[0])})."
    )


def _describe_measures(kind: str, measures: Sequence[ChartColumn]) -> str:
    """A chart of measures in words: "Scatter plot of price and weight: 40 rows; price from 1 to 9, weight from …"."""
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
