"""Every chart is valid Vega-Lite, whatever the rows are."""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from agent.present.charts.recommend import recommend
from agent.present.charts.spec import SCHEMA
from executors.base import JsonValue, QueryResult


@cache
def validator() -> Draft7Validator:
    """Of the schema that altair carries; altair itself need not be loaded."""
    package = find_spec("altair")
    assert package is not None
    assert package.origin is not None
    path = Path(package.origin).parent / "vegalite" / "v6" / "schema" / "vega-lite-schema.json"
    return Draft7Validator(json.loads(path.read_text(encoding="utf-8")))


names = st.sampled_from(["a", "month", "total", "order_id", "x.y", "b[0]", "it's", "n", "year", ""]) | st.text(
    max_size=6
)
texts = st.sampled_from(["DE", "FR", "IT", "a long name of something", "", "Jan", "Feb", "Mar"])
months = st.sampled_from([f"2024-{month:02}" for month in range(1, 13)])
VALUES: list[st.SearchStrategy[JsonValue]] = [
    st.integers(-5, 30),
    st.floats(-1e9, 1e9),
    texts,
    months,
    st.dates().map(str),
    st.datetimes().map(lambda moment: moment.isoformat()),
    st.integers(1990, 2030),
    st.booleans(),
    st.none() | st.integers(0, 9),
    st.none() | texts,
    st.lists(st.integers(), max_size=2),
    st.sampled_from(["2024-Q1", "2024-Q2", "2024-Q3"]),
]


@st.composite
def results(draw: st.DrawFn) -> QueryResult:
    kinds = draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=4))
    count = draw(st.integers(0, 40))
    cells = [draw(st.lists(kind, min_size=count, max_size=count)) for kind in kinds]
    columns = tuple(draw(st.lists(names, min_size=len(kinds), max_size=len(kinds))))
    return QueryResult(columns=columns, rows=tuple(zip(*cells, strict=True)))


@settings(max_examples=150, deadline=None)
@given(results())
def test_a_chart_is_valid_and_names_columns_of_the_records(result: QueryResult) -> None:
    chart = recommend(result)
    if chart is not None:
        validator().validate(chart.spec)
        assert {chart.x, chart.y} <= set(result.records()[0])
        json.dumps(chart.spec, allow_nan=False)


def column(kind: str) -> list[JsonValue]:
    cells: dict[str, list[JsonValue]] = {
        "month": [f"2024-{month:02}" for month in range(1, 13)],
        "months by name": ["Jan", "Feb", "Mar"] * 4,
        "year": list(range(2001, 2013)),
        "quarter": [f"{2020 + n // 4}-Q{n % 4 + 1}" for n in range(12)],
        "country": ["DE", "FR", "IT"] * 4,
        "half": ["first"] * 6 + ["second"] * 6,
        "four": [f"group {n // 3}" for n in range(12)],
        "name": [f"n{n}" for n in range(12)],
        "long name": [f"a product of some kind {n}" for n in range(12)],
        "total": list(range(12)),
        "price": [n * 1.5 for n in range(12)],
    }
    return cells[kind]


@pytest.mark.parametrize("keys, kind", [
    (["month", "total"], "line"),
    (["year", "total"], "line"),
    (["quarter", "total"], "line"),
    (["months by name", "four", "total"], "line"),
    (["month", "half", "total"], "line"),
    (["name", "total"], "bar"),
    (["long name", "total"], "bar"),
    (["country", "four", "total"], "bar"),
    (["country", "four", "price"], "bar"),
    (["total", "price"], "scatter"),
])  # fmt: skip
def test_each_kind_of_chart_is_valid(keys: list[str], kind: str) -> None:
    chart = recommend(QueryResult(columns=tuple(keys), rows=tuple(zip(*map(column, keys), strict=True))))
    assert chart is not None
    assert chart.type == kind
    validator().validate(chart.spec)


def test_a_chart_of_joined_names_is_valid() -> None:
    rows = (("Ann", "Lee", 3), ("Bo", "Ray", 2), ("Cy", "Fox", 1))
    chart = recommend(QueryResult(columns=("first_name", "last_name", "total"), rows=rows))
    assert chart is not None
    validator().validate(chart.spec)
    assert chart.x == "last_name"


def test_a_histogram_is_valid_and_a_wrong_chart_is_not() -> None:
    chart = recommend(QueryResult(columns=("price",), rows=tuple((n * 1.5,) for n in range(50))))
    assert chart is not None
    validator().validate(chart.spec)
    assert chart.spec["$schema"] == SCHEMA
    assert not validator().is_valid({**chart.spec, "mark": {"type": "pie of some kind"}})
