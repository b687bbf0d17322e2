"""Columns that can only have been meant one way."""

from __future__ import annotations

import pytest
from repairs import rejoin
from small_tables import table

from executors.base import Column, ForeignKey, Schema, Table

SCHEMA = Schema(
    database="shop",
    dialect="sqlite",
    tables=(
        Table(name="customers", columns=(Column(name="id", type="INT"), Column(name="first_name", type="TEXT"))),
        Table(
            name="orders",
            columns=(
                Column(name="id", type="INT"),
                Column(name="customer_id", type="INT"),
                Column(name="amount", type="REAL"),
            ),
            foreign_keys=(ForeignKey(columns=("customer_id",), table="customers", referenced=("id",)),),
        ),
    ),
)


@pytest.mark.parametrize(
    "sql, repaired, why",
    [
        (
            "SELECT SUM(orders.amount) FROM orders AS o",
            "SELECT SUM(o.amount) FROM orders AS o",
            "the table goes by its alias",
        ),
        (
            "SELECT c.amount FROM customers AS c JOIN orders AS o ON o.customer_id = c.id",
            "SELECT o.amount FROM customers AS c JOIN orders AS o ON o.customer_id = c.id",
            "the other joined table has it",
        ),
        (
            "SELECT firstName FROM customers",
            "SELECT customers.first_name FROM customers",
            "differs in case and underscore alone",
        ),
    ],
)
def test_repairs(sql: str, repaired: str, why: str) -> None:
    found = rejoin(sql, SCHEMA)
    assert found is not None
    assert found.sql == repaired
    assert "->" in found.detail


def test_a_column_that_is_listed_already_is_the_other_tables() -> None:
    joins = table("joins", "club_id", "member_id", club_id="clubs", member_id="members")
    tables = (table("clubs", "id", "name"), table("members", "id", "name"), joins)
    schema = SCHEMA.model_copy(update={"tables": tables})
    sql = "SELECT m.name, j.name FROM members AS m JOIN joins AS j ON j.member_id = m.id"
    joined = f"{sql} JOIN clubs AS c ON c.id = j.club_id"

    assert rejoin(sql, schema) is None, "nobody asks for the same twice"
    found = rejoin(joined, schema)
    assert found is not None
    assert found.sql == joined.replace("j.name", "c.name")


@pytest.mark.parametrize(
    "sql, why",
    [
        ("SELECT amount FROM orders", "nothing is wrong"),
        ("SELECT o.total FROM orders AS o", "nobody has it"),
        ("SELECT x.id FROM customers AS c JOIN orders AS o ON o.customer_id = c.id", "two tables have it"),
        ("SELECT s.n FROM (SELECT COUNT(*) AS n FROM orders) AS s", "the columns of a subquery are its own"),
        ("WITH t AS (SELECT amount AS a FROM orders) SELECT t.a FROM t", "and those of a CTE"),
        (
            "SELECT id FROM customers AS c WHERE EXISTS (SELECT 1 FROM orders AS o WHERE o.customer_id = c.id)",
            "an outer source may be named inside",
        ),
        ("SELECT amount AS x FROM orders ORDER BY x", "an alias is no column"),
        ("SELECT FROM WHERE", "does not parse"),
    ],
)
def test_leaves_alone(sql: str, why: str) -> None:
    assert rejoin(sql, SCHEMA) is None


def test_a_join_is_never_repaired_into_one_of_a_table_with_itself() -> None:
    for sql in (
        "SELECT o.amount FROM orders AS o JOIN customers AS c ON c.amount = o.amount",
        "SELECT o.amount FROM customers AS c JOIN orders AS o ON o.first_name = c.first_name",
    ):
        found = rejoin(sql, SCHEMA)
        assert found is not None
        assert "= o.amount" not in found.sql
        assert "= c.first_name" not in found.sql


def test_names_that_need_quotes_have_them() -> None:
    orders = table("Orders", "id", "Amount REAL", "customer_id", customer_id="Customers")
    schema = Schema(database="s", dialect="postgresql", tables=(orders, table("Customers", "id", "FirstName")))

    written = rejoin('SELECT a_mount FROM "Orders"', schema)

    assert written is not None
    assert written.sql == 'SELECT "Orders"."Amount" FROM "Orders"'
