"""Names are found whatever their case, and in whichever schema, where they can only mean one thing."""

# ruff: noqa: E501  one case a line
from __future__ import annotations

import pytest
from repairs import rejoin

from executors.base import Column, Schema, Table
from executors.errors import ErrorKind, SqlRefused
from executors.guard import guard


def shop(dialect: str) -> Schema:
    """Tables of mixed case, in the schemas `shop` (the default), `sales` and `hr`."""

    def table(name: str, *columns: str) -> Table:
        found = tuple(Column(name=column, type="TEXT") for column in columns)
        return Table(name=name, namespace=name.rpartition(".")[0], columns=found)

    tables = (
        table("Orders", "CustomerId", "Amount", "id"),
        table("customers", "id", "Name"),
        table("sales.orders", "amount", "customer"),
        table("sales.Deals", "Amount", "id"),
        table("hr.people", "id"),
        table("sales.people", "id"),
    )
    return Schema(database="x", dialect=dialect, namespace="shop", tables=tables)


def refusal(dialect: str, sql: str) -> SqlRefused:
    with pytest.raises(SqlRefused) as caught:
        guard.check(sql, shop(dialect), row_limit=500)
    return caught.value


@pytest.mark.parametrize(
    "dialect, sql, written, why",
    [
        ("postgresql", "SELECT CustomerId FROM Orders", 'SELECT "CustomerId" FROM "Orders"', "would be folded to customerid"),
        ("clickhouse", "SELECT customerid FROM orders", 'SELECT "CustomerId" FROM "Orders"', "is looked up as it stands"),
        ("mysql", "SELECT customerid FROM orders", "SELECT `CustomerId` FROM `Orders`", "so are tables"),
        ("sqlite", "SELECT customerid FROM orders", "SELECT customerid FROM orders", "case does not count"),
        ("postgresql", "SELECT ID FROM Customers", "SELECT ID FROM Customers", "folding finds it"),
        ("postgresql", 'SELECT "name" FROM "CUSTOMERS"', 'SELECT "Name" FROM "customers"', "quotes of the wrong case"),
        ("postgresql", "SELECT Orders.CustomerId FROM Orders", 'SELECT "Orders"."CustomerId" FROM "Orders"', "the qualifier as well"),
        ("clickhouse", "SELECT o.CustomerId FROM Orders AS O", 'SELECT "O".CustomerId FROM Orders AS O', "an alias is used as it was given"),
        ("postgresql", "WITH c AS (SELECT CustomerId FROM Orders) SELECT customerid FROM c", 'WITH c AS (SELECT "CustomerId" FROM "Orders") SELECT "CustomerId" FROM c', "the CTE's column is called so now"),
        ("postgresql", "WITH C AS (SELECT CustomerId AS Cid FROM Orders) SELECT CID FROM c", 'WITH C AS (SELECT "CustomerId" AS Cid FROM "Orders") SELECT CID FROM C', "names of the query's own are folded alike"),
        ("clickhouse", "SELECT sum(Amount) AS Total FROM Orders ORDER BY total", 'SELECT sum(Amount) AS Total FROM Orders ORDER BY "Total"', "an alias where case counts"),
        ("postgresql", "SELECT 1 FROM Orders JOIN sales.Deals USING (Id)", 'SELECT 1 FROM "Orders" JOIN sales."Deals" USING (Id)', "folding finds it in both"),
        ("clickhouse", "SELECT 1 FROM Orders JOIN sales.Deals USING (ID)", 'SELECT 1 FROM Orders JOIN sales.Deals USING ("id")', "USING names columns"),
        ("postgresql", "WITH RECURSIVE t AS (SELECT CustomerId FROM Orders UNION ALL SELECT CustomerId FROM t) SELECT CustomerId FROM t", 'WITH RECURSIVE t AS (SELECT "CustomerId" FROM "Orders" UNION ALL SELECT "CustomerId" FROM t) SELECT "CustomerId" FROM t', "a CTE that reads itself"),
        ("postgresql", "SELECT amount FROM sales.orders", "SELECT amount FROM sales.orders", "another schema's table"),
        ("mysql", "SELECT Sales.Orders.Amount FROM Sales.Orders", "SELECT `sales`.`orders`.`amount` FROM `sales`.`orders`", "three parts"),
        ("postgresql", "SELECT d.amount FROM deals AS d", 'SELECT d."Amount" FROM "sales"."Deals" AS d', "one schema alone has it"),
        ("mysql", "SELECT shop.customers.id FROM shop.customers", "SELECT shop.customers.id FROM shop.customers", "the default schema, said"),
        ("postgresql", "SELECT id FROM public.customers", "SELECT id FROM public.customers", "a name for the default schema"),
        ("clickhouse", "SELECT id FROM hr.people", "SELECT id FROM hr.people", "which of two is said"),
    ],
)  # fmt: skip
def test_names_are_spelled_as_the_schema_has_them(dialect: str, sql: str, written: str, why: str) -> None:
    assert guard.check(sql, shop(dialect), row_limit=500).sql.removesuffix(" LIMIT 500") == written, why


def test_a_table_of_two_schemas_must_be_qualified() -> None:
    error = refusal("postgresql", "SELECT id FROM people")
    assert error.kind is ErrorKind.TABLE_NOT_FOUND
    assert error.hint == "Say which: hr.people or sales.people."


@pytest.mark.parametrize(
    "sql, kind, why",
    [
        ("SELECT id FROM nowhere.customers", ErrorKind.TABLE_NOT_FOUND, "no such schema"),
        (
            "SELECT sales.orders.nothing FROM sales.orders",
            ErrorKind.COLUMN_NOT_FOUND,
            "three parts, the last one wrong",
        ),
        ("SELECT hr.people.id FROM customers", ErrorKind.COLUMN_NOT_FOUND, "not in FROM"),
    ],
)
def test_a_qualified_name_must_exist(sql: str, kind: ErrorKind, why: str) -> None:
    assert refusal("mysql", sql).kind is kind, why


def test_the_tables_of_other_schemas_are_reported_with_their_schema() -> None:
    assert guard.check("SELECT id FROM deals", shop("mysql"), row_limit=5).tables == ("sales.Deals",)


def test_hints_quote_each_part_of_a_name() -> None:
    assert refusal("postgresql", "SELECT id FROM dealz").hint == 'Nearest: sales."Deals".'


def test_columns_are_repaired_in_other_schemas_too() -> None:
    repaired = rejoin("SELECT orders.customer FROM sales.orders AS o", shop("mysql"))
    assert repaired is not None
    assert repaired.sql == "SELECT o.customer FROM sales.orders AS o"
