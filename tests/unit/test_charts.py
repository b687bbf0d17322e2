"""Charts: when one is suggested, which one, and its specification."""

from __future__ import annotations

from typing import Any

import pytest

from agent.core.answers import Chart
from agent.present.charts.recommend import recommend
from executors.base import JsonValue, QueryResult

MONTHLY = ["2024-01", "2024-02", "2024-03", "2024-04"]
AMOUNTS = [10, 30, 20, 5]


def rows(**columns: list[JsonValue]) -> QueryResult:
    return QueryResult(columns=tuple(columns), rows=tuple(zip(*columns.values(), strict=True)))


def chart_of(**columns: list[JsonValue]) -> Chart:
    chart = recommend(rows(**columns))
    assert chart is not None
    return chart


def encoding(chart: Chart) -> dict[str, Any]:
    found: dict[str, Any] = chart.spec["encoding"]
    return found


# -- none --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns, why", [
    ({"total": [5]}, "one value"),
    ({"country": ["DE"], "total": [5]}, "one row"),
    ({"country": ["DE", "FR"], "total": [5, 6]}, "two rows are read faster"),
    ({"name": ["a", "b", "c"], "city": ["x", "y", "z"]}, "nothing but text"),
    ({"order_id": [1, 2, 3], "customer_id": [4, 5, 6]}, "ids are no amounts"),
    ({"orderId": [1, 2, 3], "country": ["a", "b", "c"]}, "nor are they in camel case"),
    ({"zip": [10115, 20095, 80331], "city": ["B", "H", "M"]}, "a postcode is no amount"),
    ({"order_id": [1, 2, 3], "amount": [4, 5, 6]}, "nor are ids names"),
    ({"country": ["a", "b", "c"], "total": [None, None, None]}, "nothing to draw"),
    ({"country": ["a", "b", "c"], "total": [7, 7, 7]}, "always the same"),
    ({"country": ["a", "b", "c"], "total": ["12345678901234567.8", 1, 2]}, "a decimal that JSON has no number for"),
    ({"country": ["a", "a", "b"], "total": [1, 2, 3]}, "bars that are not told apart"),
    ({"month": ["2024-01", "2024-01", "2024-02"], "total": [1, 2, 3]}, "points of a line that are not told apart"),
    ({"name": [f"n{i}" for i in range(31)], "total": list(range(31))}, "too many bars"),
    ({"a": ["x", "y", "z"], "b": ["x", "y", "z"], "c": ["x", "y", "z"], "n": [1, 2, 3]}, "three keys"),
    ({"price": [1, 2, 3], "weight": [1, 2, 4]}, "three points"),
    ({"price": list(range(9))}, "too few for a distribution"),
    ({"stars": [1, 2, 3, 4, 5] * 10}, "too few different values for a distribution"),
    ({"country": ["a", "b", "c"], "": [1, 2, 3]}, "a column without a name cannot be referred to"),
    ({"country": ["a", "b", "c"], "new\nline": [1, 2, 3]}, "nor one with a line break in it"),
    ({"data": [[1], [2], [3]], "n": [1, 2, 3]}, "lists"),
])  # fmt: skip
def test_no_chart_where_it_says_nothing(columns: dict[str, list[JsonValue]], why: str) -> None:
    assert recommend(rows(**columns)) is None, why


def test_no_chart_of_rows_some_of_which_are_missing() -> None:
    result = rows(month=MONTHLY, total=AMOUNTS)
    assert recommend(result.model_copy(update={"truncated": True})) is None


# -- over time ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name, values, kind, unit", [
    ("month", MONTHLY, "temporal", "utcyearmonth"),
    ("month", [f"2024-0{month}-01" for month in (1, 2, 3, 4)], "temporal", "utcyearmonth"),
    ("month", [f"2024-0{month}-01T00:00:00" for month in (1, 2, 3, 4)], "temporal", "utcyearmonth"),
    ("day", ["2024-01-31", "2024-02-01", "2024-02-02", "2024-02-03"], "temporal", "utcyearmonthdate"),
    ("hired", ["2013-04-01", "2011-02-01", "2015-07-01", "2020-01-01"], "temporal", "utcyearmonthdate"),
    ("day", [f"2024-01-0{day}T00:00:00" for day in (1, 2, 3, 4)], "temporal", "utcyearmonthdate"),
    ("at", [f"2024-01-01T0{hour}:30:00" for hour in (1, 2, 3, 4)], "temporal", None),
    ("at", [f"2024-01-01 0{hour}:30:00" for hour in (1, 2, 3, 4)], "temporal", None),
    ("year", ["2021", "2022", "2023", "2024"], "temporal", "utcyear"),
    ("year", [2021, 2022, 2023, 2024], "quantitative", None),
    ("fiscal_year", [2021, 2022, 2023, 2024], "quantitative", None),
    ("quarter", ["2024-Q1", "2024-Q2", "2024-Q3", "2024-Q4"], "ordinal", None),
    ("week", ["2024-W01", "2024-W02", "2024-W03", "2024-W04"], "ordinal", None),
    ("month", ["Apr", "Feb", "Jan", "Mar"], "ordinal", None),
    ("weekday", ["Monday", "Tuesday", "Wednesday", "Sunday"], "ordinal", None),
])  # fmt: skip
def test_a_line_over_time(name: str, values: list[JsonValue], kind: str, unit: str | None) -> None:
    chart = chart_of(**{name: values, "total": AMOUNTS})
    assert (chart.type, chart.x, chart.y) == ("line", name, "total")
    assert encoding(chart)["x"]["type"] == kind
    assert encoding(chart)["x"].get("timeUnit") == unit


@pytest.mark.parametrize("sql, unit", [
    ("SELECT DATE_TRUNC('month', d) AS at, n FROM t", "utcyearmonth"),
    ("SELECT STRFTIME(d, '%Y-%m-01') AS at, n FROM t", "utcyearmonth"),
    ("SELECT d AS at, n FROM t", "utcyearmonthdate"),
    ("SELECT * FROM t", "utcyearmonthdate"),
])  # fmt: skip
def test_full_dates_are_months_if_the_query_says_so(sql: str, unit: str) -> None:
    chart = recommend(rows(at=["2024-01-01", "2024-02-01", "2024-03-01"], n=[1, 2, 3]), sql, "duckdb")
    assert chart is not None
    assert encoding(chart)["x"].get("timeUnit") == unit


def test_months_by_name_stand_as_in_the_calendar() -> None:
    chart = chart_of(month=["Apr", "Feb", "Jan", "Mar"], total=AMOUNTS)
    assert encoding(chart)["x"]["sort"] == ["Jan", "Feb", "Mar", "Apr"]


def test_a_number_is_a_year_only_where_its_column_says_so() -> None:
    chart = chart_of(country=["a", "b", "c"], total=[1999, 2024, 2005])
    assert (chart.type, chart.x, chart.y) == ("bar", "country", "total")


def test_a_line_for_each_category() -> None:
    chart = chart_of(month=[*MONTHLY, *MONTHLY], country=["DE"] * 4 + ["FR"] * 4, total=[*AMOUNTS, *AMOUNTS])
    assert (chart.type, chart.x, chart.y) == ("line", "month", "total")
    assert encoding(chart)["color"]["field"] == "country"


def test_two_times_are_bars_side_by_side() -> None:
    chart = chart_of(country=["DE", "FR", "DE", "FR"], year=[2023, 2023, 2024, 2024], average=[1, 2, 3, 4])
    assert chart.type == "bar"
    assert (encoding(chart)["x"]["field"], encoding(chart)["xOffset"]["field"]) == ("country", "year")


# -- over categories ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("labels, amounts, lying, sort, why", [
    (["DE", "FR", "IT"], [3, 9, 5], False, "-y", "in no order: the largest first"),
    (["DE", "FR", "IT"], [9, 5, 3], False, None, "as the query ordered them"),
    (["IT", "DE", "FR"], [3, 5, 9], False, None, "smallest first was asked for"),
    (["FR", "IT", "DE"], [5, 9, 3], False, "-y", "neither names nor amounts are in order"),
    (["a very long product name", "b", "c"], [3, 9, 5], True, None, "long names lie; in order of their names"),
    (["zebra of some length", "b", "c"], [3, 9, 5], True, "-x", "long names lie; the largest first"),
    ([f"n{i:02}" for i in range(20)], list(range(20)), True, None, "many names lie"),
    ([True, False, None], [3, 9, 5], False, "-y", "truth values, and those that are unknown"),
])  # fmt: skip
def test_bars_over_categories(
    labels: list[JsonValue], amounts: list[JsonValue], lying: bool, sort: str | None, why: str
) -> None:
    if labels == ["DE", "FR", "IT"] and sort:
        labels = ["FR", "DE", "IT"]  # not in alphabetical order either
    chart = chart_of(name=labels, total=amounts)
    keys = encoding(chart)["y" if lying else "x"]
    assert (chart.type, chart.x, chart.y) == ("bar", "name", "total")
    assert (keys["field"], keys["type"], keys["sort"]) == ("name", "nominal", sort), why


@pytest.mark.parametrize("measure, amounts, stacked, why", [
    ("order_count", [1, 2, 3, 4], True, "counts add up"),
    ("total", [1, 2, 3, 4], True, "totals add up"),
    ("total", [1, 2, -3, 4], False, "but not with negative ones"),
    ("average_total", [1, 2, 3, 4], False, "averages do not"),
    ("discount", [1, 2, 3, 4], False, "this is no count"),
    ("customer_count_distinct", [1, 2, 3, 4], False, "a customer may be in two groups"),
])  # fmt: skip
def test_two_categories_are_stacked_where_the_parts_make_a_whole(
    measure: str, amounts: list[JsonValue], stacked: bool, why: str
) -> None:
    chart = chart_of(country=["DE", "DE", "FR", "FR"], status=["C", "X", "C", "X"], **{measure: amounts})
    assert chart.type == "bar"
    assert encoding(chart)["y"]["stack"] == ("zero" if stacked else None), why
    assert ("xOffset" in encoding(chart)) is not stacked
    assert encoding(chart)["color"]["field"] in {"country", "status"}


def test_of_two_measures_the_one_that_orders_the_rows_is_drawn() -> None:
    chart = chart_of(country=["b", "c", "a"], total=[9, 5, 3], orders=[1, 4, 2])
    assert chart.y == "total"


# -- measures alone ----------------------------------------------------------------------------------------


def test_two_measures_of_many_rows_are_points() -> None:
    chart = chart_of(product_id=list(range(12)), price=list(range(12)), weight=[n * n for n in range(12)])
    assert (chart.type, chart.x, chart.y) == ("scatter", "price", "weight")


def test_two_measures_of_too_many_names_are_points() -> None:
    names: list[JsonValue] = [f"n{i}" for i in range(40)]
    chart = chart_of(name=names, price=list(range(40)), weight=[n % 7 for n in range(40)])
    assert chart.type == "scatter"


def test_one_measure_of_many_rows_is_a_histogram() -> None:
    chart = chart_of(price=[n * 1.5 for n in range(50)])
    assert (chart.type, chart.x, chart.y) == ("histogram", "price", "price")
    assert encoding(chart)["x"]["bin"] is True


# -- words and names ---------------------------------------------------------------------------------------


def test_titles_and_description_say_what_is_drawn() -> None:
    chart = chart_of(order_month=MONTHLY, total_sales=AMOUNTS)
    assert chart.spec["title"] == "Total sales by order month"
    assert encoding(chart)["x"]["title"] == "order month"
    assert chart.spec["description"] == (
        "Line chart of total sales for each order month from 2024-01 to 2024-04: 4 values; "
        "the highest is 30 (2024-02), the lowest 5 (2024-04)."
    )


@pytest.mark.parametrize("name, sql, question, title", [
    ("COUNT(T1.id)", "SELECT c, COUNT(T1.id) FROM lessons AS T1 GROUP BY c", "", "Number by class"),
    ("COUNT(T1.id)", "SELECT c, COUNT(T1.id) FROM lessons AS T1 GROUP BY c", "Wie viele Stunden?", "Number by class"),
    ("COUNT(*)", "SELECT c, COUNT(*) FROM lessons GROUP BY c", "How many lessons per class?", "Lessons by class"),
    ("AVG(T1.unit_price)", "SELECT c, AVG(T1.unit_price) FROM t AS T1 GROUP BY c", "", "Average unit price by class"),
])  # fmt: skip
def test_a_column_without_a_name_has_the_label_of_answers(name: str, sql: str, question: str, title: str) -> None:
    columns: dict[str, list[JsonValue]] = {"class": ["a", "b", "c"], name: [1, 2, 4]}
    chart = recommend(rows(**columns), sql, "sqlite", question)
    assert chart is not None
    assert chart.spec["title"] == title
    assert (chart.y, encoding(chart)["y"]["title"]) == (name, title.split(" by ")[0].lower())


def test_the_names_of_a_person_are_one_axis() -> None:
    chart = chart_of(first_name=["Ann", "Ann", "Bo"], last_name=["Lee", "Ray", "Ray"], lessons=[9, 5, 2])
    assert (chart.type, chart.x, chart.spec["title"]) == ("bar", "last_name", "Lessons by name")
    assert encoding(chart)["x"]["field"] == "first_name last_name"
    assert "color" not in encoding(chart)
    assert chart.spec["transform"] == [
        {"calculate": 'datum["first_name"] + \' \' + datum["last_name"]', "as": "first_name last_name"}
    ]
    assert "the highest is 9 (Ann Lee)" in chart.spec["description"]


def test_names_that_are_missing_are_not_joined() -> None:
    chart = recommend(rows(first_name=["Ann", None, "Bo"], last_name=["Lee", "Ray", "Fox"], lessons=[9, 5, 2]))
    assert chart is None or "transform" not in chart.spec


@pytest.mark.parametrize("name, field", [
    ("total", "total"),
    ("c.total", r"c\.total"),
    ("total[0]", r"total\[0\]"),
    ("it's", r"it\'s"),
    ("a\\b", "a\\\\b"),
    ("SUM(amount)", "SUM(amount)"),
])  # fmt: skip
def test_a_name_is_no_path(name: str, field: str) -> None:
    assert encoding(chart_of(country=["a", "b", "c"], **{name: [1, 2, 3]}))["y"]["field"] == field


def test_a_repeated_name_is_that_of_the_records() -> None:
    result = QueryResult(columns=("name", "total", "total"), rows=(("a", 1, 3), ("b", 1, 2), ("c", 1, 4)))
    chart = recommend(result)
    assert chart is not None
    assert chart.y == "total_2"
    assert chart.y in result.records()[0]


def test_the_data_is_named_and_nothing_is_loaded() -> None:
    assert chart_of(month=MONTHLY, total=AMOUNTS).spec["data"] == {"name": "results"}
