"""Columns of a schema that can carry a sample question, and their names."""

from __future__ import annotations

import pytest

from agent.understanding.first_look.questions import Asker, SeenSchema, TableProfile
from agent.understanding.suggest import aggregate_of, rows_of, telling_tables
from executors.base import Column, ForeignKey, Schema, Table


def column(name: str, kind: str, *samples: str, private: bool = False) -> Column:
    return Column(name=name, type=kind, samples=samples, private=private)


def table(
    name: str, *columns: Column, links: tuple[str, ...] = (), rows: int | None = None, view: bool = False
) -> Table:
    keys = tuple(ForeignKey(columns=(f"{other}_id",), table=other, referenced=("id",)) for other in links)
    ids = (column("id", "INTEGER"), *(column(f"{other}_id", "INTEGER") for other in links))
    return Table(
        name=name, columns=(*ids, *columns), primary_key=("id",), foreign_keys=keys, row_count=rows, is_view=view
    )


def schema(*tables: Table) -> Schema:
    return Schema(database="d", dialect="duckdb", tables=tables)


def test_linked_tables_tell_most_then_big_ones_and_views_least() -> None:
    ordered = telling_tables(
        schema(
            table("small", rows=1),
            table("big", rows=1000),
            table("customers", rows=10),
            table("orders", links=("customers",), rows=20),
            table("all_orders", rows=5000, view=True),
        )
    )
    assert [one.name for one in ordered] == ["orders", "customers", "big", "small", "all_orders"]


@pytest.mark.parametrize(
    "name, rows",
    [
        ("orders", "orders"),
        ("order_items", "order items"),
        ("OrderItems", "order items"),
        ("customer", "customer records"),
        ("address", "address records"),
        ("status", "status records"),
        ("analysis", "analysis records"),
        ("Bestellungen", "bestellungen records"),
        ("user_data_abc123", "user_data_abc123 records"),
    ],
)
def test_a_table_is_called_by_a_plural_only_where_it_is_one(name: str, rows: str) -> None:
    assert rows_of(table(name)) == rows


@pytest.mark.parametrize(
    "numeric, asked",
    [
        ("amount", "total amount"),
        ("total", "total"),
        ("total_price", "total price"),
        ("unit_price", "average unit price"),
        ("averageScore", "average score"),
    ],
)
def test_what_adds_up_is_added_up(numeric: str, asked: str) -> None:
    assert aggregate_of(column(numeric, "DECIMAL(10, 2)")) == asked


@pytest.mark.parametrize(
    "one, why",
    [
        (column("zip_code", "INTEGER"), "a number that names something"),
        (column("year", "INTEGER"), "no amount"),
        (column("customer_id", "BIGINT"), "a key, declared or not"),
        (column("salary", "DOUBLE", private=True), "private"),
        (column("name", "VARCHAR", "Ada", "Bo"), "another one in every row"),
        (column("comment", "VARCHAR", "good"), "prose"),
        (column("ordered_at", "TEXT", "2024-01-05"), "a time as text"),
        (column("kind", "VARCHAR", "x" * 40), "too long to be said"),
        (column("kind", "VARCHAR", "it's"), "a quote in it"),
        (column("kind", "VARCHAR"), "no stored value is known"),
    ],
)
def test_a_column_that_cannot_carry_a_question_has_none(one: Column, why: str) -> None:
    sales = table("sales", one)
    profile = TableProfile(schema(sales), sales)
    assert (profile.measures, profile.categories) == ([], []), why


def test_measures_and_categories_carry_questions() -> None:
    sales = table("sales", column("category", "VARCHAR", "Food", "Tools"), column("amount", "DOUBLE"))
    profile = TableProfile(schema(sales), sales)
    assert [it.name for it in (*profile.measures, *profile.categories)] == ["amount", "category"]


def test_whole_numbers_named_as_another_table_are_no_measure() -> None:
    numbers = (column("abt", "INTEGER"), column("Kurs", "BIGINT"), column("fee", "DOUBLE"), column("hours", "INTEGER"))
    visits = table("visits", *numbers)
    others = (table("abteilungen"), table("kurse"), table("fees"))

    assert [it.name for it in TableProfile(schema(visits, *others), visits).measures] == ["fee", "hours"]
    assert [it.name for it in TableProfile(schema(visits), visits).measures] == ["abt", "Kurs", "fee", "hours"]


@pytest.mark.parametrize(
    "name, first, last, measures",
    [
        ("built", 1950, 2024, []),
        ("built", 1900, 2100, []),
        ("built", 1890, 2024, ["built"]),
        ("pages", 12, 2024, ["pages"]),
        ("pages", 1950, 4000, ["pages"]),
        ("pages", None, None, ["pages"]),
    ],
)
def test_whole_numbers_that_are_all_years_are_no_measure(
    name: str, first: int | None, last: int | None, measures: list[str]
) -> None:
    trees = table("trees", column(name, "INTEGER"), column("height", "DOUBLE"), column("day", "DATE"))
    profile = TableProfile(schema(trees), trees)
    assert f"MIN({name})" in profile.sql
    assert "MIN(height)" not in profile.sql
    seen = profile.read_row((9, 5, 5, "2024-03-01", first, last))
    assert [it.name for it in seen.measures] == [*measures, "height"]
    assert seen.year == 2024


@pytest.mark.parametrize(
    "distinct, first, last, measures, why",
    [
        (120, 1, 120, ["Hours"], "a running number"),
        (120, 24_001, 24_180, ["Hours"], "a running number with gaps"),
        (119, 1, 120, ["Job", "Hours"], "a value repeats"),
        (120, 1_500, 980_000, ["Hours", "Job"], "far apart: an amount, or a code"),
    ],
)
def test_the_numbers_of_the_rows_are_no_measure(
    distinct: int, first: int, last: int, measures: list[str], why: str
) -> None:
    jobs = table("jobs", column("Job", "BIGINT"), column("Hours", "DOUBLE"))
    seen = TableProfile(schema(jobs), jobs).read_row((120, distinct, 5, first, last))
    assert [it.name for it in seen.measures] == measures, why


def test_a_table_of_a_few_rows_has_no_average() -> None:
    score, amount = column("score", "DOUBLE"), column("amount", "DOUBLE")
    grades = table("grades", score, amount)
    for rows, asked in ((5, ["amount"]), (500, ["score"])):
        questions = Asker(schema(grades), grades, SeenSchema(rows, (score, amount), ())).candidates()
        assert [it.measure.name for it in questions if it.measure is not None] == asked


def test_a_day_of_birth_is_not_when_something_happened() -> None:
    dates = ("born", "geburtsdatum", "registered", "airborne")
    people = table("people", *(column(name, "DATE") for name in dates))
    found = TableProfile(schema(people), people).dates
    assert [it.name for it in found] == ["registered", "airborne", "born", "geburtsdatum"]


@pytest.mark.parametrize("dialect, day", [("sqlite", "'2024-01-01'"), ("duckdb", "CAST('2024-01-01' AS DATE)")])
def test_a_year_is_compared_as_the_engine_stores_dates(dialect: str, day: str) -> None:
    taken = column("taken", "DATE")
    exams = table("exams", taken)
    asker = Asker(schema(exams).model_copy(update={"dialect": dialect}), exams, SeenSchema(50, (), (), (taken,), 2024))
    (year, _) = asker.candidates()
    assert f"taken >= {day} AND" in year.sql


@pytest.mark.parametrize("name", ["year", "planted_year", "Baujahr", "bau_jahr", "année", "año", "anno", "model_yr"])
def test_a_column_that_is_named_a_year_is_no_measure(name: str) -> None:
    trees = table("trees", column(name, "INTEGER"))
    assert TableProfile(schema(trees), trees).measures == []


def test_an_interval_has_no_ends_that_are_years() -> None:
    stays = table("stays", column("took", "INTERVAL"), column("place", "POINT"))
    assert "MIN" not in TableProfile(schema(stays), stays).sql
