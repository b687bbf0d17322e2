"""Sample questions come from the schema alone, and each of them can be answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.core.callers import LOCAL
from agent.pipeline.service import Service
from agent.platform.llm.scripted import ScriptedModel
from agent.understanding.suggest import suggestions, telling_tables
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


SALES = table("sales", column("category", "VARCHAR", "Food", "Tools"), column("amount", "DOUBLE"))


def test_of_one_table_every_kind_of_question_is_asked() -> None:
    assert suggestions(schema(SALES)) == (
        "How many sales are there?",
        "What is the total amount of sales by category?",
        "How many sales have the category 'Food'?",
        "What is the total amount of all sales?",
    )


def test_of_several_tables_each_has_its_turn_with_another_kind() -> None:
    cities = table("cities", column("region", "TEXT", "North"), column("population", "INTEGER"), rows=3)
    assert suggestions(schema(SALES, cities), limit=4) == (
        "How many cities are there?",
        "What is the total amount of sales by category?",
        "What is the average population of cities by region?",
        "How many sales have the category 'Food'?",
    )


def test_no_question_is_asked_twice_and_no_more_than_wanted() -> None:
    many = schema(*(table(f"things{number}", rows=number) for number in range(30)))
    found = suggestions(many, limit=6)
    assert len(found) == len(set(found)) <= 6


def test_the_tables_that_are_named_come_first() -> None:
    small = table("cities", rows=1)
    assert suggestions(schema(SALES, small), ("cities",))[0] == "How many cities are there?"


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
    "name, count",
    [
        ("orders", "How many orders are there?"),
        ("order_items", "How many order items are there?"),
        ("OrderItems", "How many order items are there?"),
        ("customer", "How many customer records are there?"),
        ("address", "How many address records are there?"),
        ("status", "How many status records are there?"),
        ("analysis", "How many analysis records are there?"),
        ("Bestellungen", "How many bestellungen records are there?"),
        ("user_data_abc123", "How many user_data_abc123 records are there?"),
    ],
)
def test_a_table_is_called_by_a_plural_only_where_it_is_one(name: str, count: str) -> None:
    assert suggestions(schema(table(name)))[0] == count


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
    found = suggestions(schema(table("sales", column(numeric, "DECIMAL(10, 2)"))))
    assert f"What is the {asked} of all sales?" in found


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
    assert suggestions(schema(table("sales", one))) == ("How many sales are there?",), why


async def test_nothing_but_the_schema_is_asked(service: Service, model: ScriptedModel) -> None:
    found = suggestions(await (await service.registered.get("shop", LOCAL)).schema())
    assert found
    assert model.asked == []


def test_values_in_questions_are_stored_ones(shop_file: Path) -> None:
    from executors.engines.sqlite.executor import SqliteExecutor

    executor = SqliteExecutor("shop", shop_file, sample_values=3)
    found = suggestions(executor.schema(), limit=10)
    executor.close()
    assert "How many orders have the status 'C'?" in found
    assert "How many customers have the country 'DE'?" in found
