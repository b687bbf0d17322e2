"""A shop of four tables: its schema in any dialect, and the same rows in SQLite and in DuckDB."""

from __future__ import annotations

import sqlite3

import duckdb
import pytest

from executors.base import CheckedSql, Column, ForeignKey, Schema, Table
from executors.errors import SqlRefused
from executors.guard import guard

DIALECTS = ("sqlite", "duckdb", "postgresql", "sqlserver")

DDL = """
CREATE TABLE customers (id INTEGER, name VARCHAR, email VARCHAR, country VARCHAR);
CREATE TABLE orders (id INTEGER, customer_id INTEGER, total_amount DOUBLE, status VARCHAR, created_at DATE);
CREATE TABLE order_items (order_id INTEGER, product_id INTEGER, quantity INTEGER, unit_price DOUBLE);
CREATE TABLE products (id INTEGER, name VARCHAR, "category name" VARCHAR, "update" INTEGER, details VARCHAR);
INSERT INTO customers VALUES (1, 'Ann', 'ann@x.org', 'DE'), (2, 'Bob', NULL, 'FR'), (3, 'bob''s', 'b@x.org', 'DE');
INSERT INTO orders VALUES (1, 1, 10.5, 'paid', '2024-01-05'), (2, 1, 20, 'open', '2024-02-10'),
  (3, 2, 7.25, 'paid', '2024-02-11'), (4, NULL, 99, 'paid', '2023-12-31'), (5, 2, NULL, 'drop table', '2024-03-01');
INSERT INTO order_items VALUES (1, 1, 3, 2.5), (1, 2, 1, 3), (2, 1, 8, 2.5), (3, 2, 2, 3.625), (4, 3, 1, 99);
INSERT INTO products VALUES (1, 'Pen', 'office', 0, '{"a.b": 1, "tags": ["x", "y"]}'),
  (2, 'Tea', 'food', 1, '{"a.b": 2}'), (3, 'Car', NULL, NULL, NULL);
"""


def schema(dialect: str) -> Schema:
    """The shop as an executor would describe it."""
    return Schema(
        database="shop",
        dialect=dialect,
        tables=(
            _table("customers", "id name email country"),
            _table("orders", "id customer_id total_amount status created_at", customer_id="customers"),
            _table("order_items", "order_id product_id quantity unit_price", order_id="orders", product_id="products"),
            _table("products", "id name category_name update details"),
        ),
    )


def sqlite_shop() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.executescript(DDL)
    return connection


def duckdb_shop() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(DDL)
    return connection


def _table(name: str, columns: str, **references: str) -> Table:
    names = [column.replace("category_name", "category name") for column in columns.split()]
    keys = (ForeignKey(columns=(column,), table=table, referenced=("id",)) for column, table in references.items())
    return Table(
        name=name,
        columns=tuple(Column(name=column, type="TEXT") for column in names),
        primary_key=("id",) if "id" in names else (),
        foreign_keys=tuple(keys),
    )


def check(dialect: str, sql: str, row_limit: int = 500) -> CheckedSql:
    """The query as the guard lets it through. Raises SqlRefused."""
    return guard.check(sql, schema(dialect), row_limit=row_limit)


def refusal(dialect: str, sql: str) -> SqlRefused:
    """The guard's error; fails where the query passes."""
    with pytest.raises(SqlRefused) as caught:
        check(dialect, sql)
    return caught.value
