"""Joins that docs describe: only as a sentence states them, with names of the schema."""

from __future__ import annotations

import pytest

from executors.base import Column, Schema, Table
from rag.docs.documents import Document, make_document
from rag.linking.schema_ranking import RankedTable, Ranking
from rag.schema.joins import Joins, find_described_joins
from rag.schema.text import render


def table(name: str, *columns: str, key: str = "") -> Table:
    return Table(
        name=name, columns=tuple(Column(name=it, type="INTEGER") for it in columns), primary_key=(key,) if key else ()
    )


SCHEMA = Schema(
    database="d",
    dialect="sqlite",
    tables=(
        table("orders", "id", "customer_id", "buyer", key="id"),
        table("customers", "id", "name", key="id"),
        table("visits", "customer_id", "day"),
        table("payments", "order_id", "customer_id"),
    ),
)


def rule(text: str) -> Document:
    return make_document("rule", text)


@pytest.mark.parametrize(
    "text, expected, why",
    [
        ("orders can be joined to visits on customer_id", ["orders.customer_id = visits.customer_id"], "one name"),
        ("Orders can be joined with customers on customer_id.", ["orders.customer_id = customers.id"], "a key's table"),
        ("Join orders to customers on buyer = id", ["orders.buyer = customers.id"], "two names"),
        ("orders joins customers on customers.id = orders.buyer", ["orders.buyer = customers.id"], "turned round"),
        (
            "orders and visits are joined on customer_id",
            ["orders.customer_id = visits.customer_id"],
            "both named first",
        ),
        ("orders.buyer = customers.id", ["orders.buyer = customers.id"], "an equation"),
        ("`orders.buyer` references `customers.id`", ["orders.buyer = customers.id"], "quoted names"),
        ("buyer REFERENCES customers(id)", ["orders.buyer = customers.id"], "as SQL has it"),
        ("orders.buyer refers to customers", ["orders.buyer = customers.id"], "the table's key is meant"),
        (
            "customers.id can be joined with customer_id from orders and payments tables",
            ["customers.id = orders.customer_id", "customers.id = payments.customer_id"],
            "a column of several tables",
        ),
        (
            "buyer can be joined with either customers.id or visits.customer_id, depending on the day",
            ["orders.buyer = customers.id", "orders.buyer = visits.customer_id"],
            "one of several",
        ),
    ],
)
def test_a_sentence_makes_a_join(text: str, expected: list[str], why: str) -> None:
    found = find_described_joins(SCHEMA, [rule(text)])
    assert [f"{one.name}.{key.columns[0]} = {key.table}.{key.referenced[0]}" for one, key in found] == expected, why


@pytest.mark.parametrize(
    "text, why",
    [
        ("orders cannot be joined to visits on customer_id", "it says the opposite"),
        ("Do not join orders to visits on customer_id", "and so does this"),
        ("orders can be joined to parcels on customer_id", "no such table"),
        ("orders can be joined to visits on day", "orders has no such column, which tells of no key"),
        ("visits can be joined to payments", "nobody says on what"),
        ("customer_id can be joined with customers.id", "three tables have such a column"),
        ("orders.id = orders.buyer", "one table alone"),
        ("Share = COUNT(orders.id) / COUNT(customers.id)", "a formula"),
        ("orders.id = 5", "a condition"),
        ("a and " * 60 + "nobody can be joined to anything on id", "a long list of no names"),
    ],
)
def test_what_is_doubtful_makes_none(text: str, why: str) -> None:
    assert find_described_joins(SCHEMA, [rule(text)]) == [], why


def test_only_rules_tell_of_joins_and_each_is_told_once() -> None:
    column = make_document("column", "orders.buyer = customers.id", table="orders", column="buyer")
    twice = rule("orders.buyer = customers.id. customers.id = orders.buyer")
    assert len(find_described_joins(SCHEMA, [column, twice])) == 1


def test_joins_of_docs_count_as_keys_and_lead_from_table_to_table() -> None:
    joins = Joins(SCHEMA, (rule("payments.order_id = orders.id"), rule("orders.buyer references customers")))
    payments, orders = SCHEMA.tables[3], SCHEMA.tables[0]
    assert joins.keys(payments) == {"order_id"}
    assert joins.keys(orders) == {"id", "buyer"}
    assert joins.between(payments, {"customers"}) == [orders]
    assert Joins(SCHEMA).between(payments, {"customers"}) == []


def test_a_table_that_joins_two_by_the_docs_alone_is_shown_with_them() -> None:
    rules = (rule("payments.order_id = orders.id"), rule("orders.buyer references customers"))
    ranking = Ranking(tables=(RankedTable("payments", 1.0), RankedTable("customers", 0.5)))

    def shown(documents: tuple[Document, ...]) -> tuple[str, ...]:
        text = render(SCHEMA, documents, style="compact", budget_tokens=53, max_sample_values=0, ranking=ranking)
        assert text.pruned
        return text.tables

    assert "orders" in shown(rules)
    assert "orders" not in shown(())
