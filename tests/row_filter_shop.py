"""A shop whose rows belong to regions, with a row filter for each table."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from executors.base import CheckedSql, Executor, QueryResult
from executors.guard.guard import check
from executors.guard.row_security.held_rows import HeldRows, RowRules
from executors.guard.row_security.row_filter import RowFilter

TABLES = """
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name VARCHAR(20), region VARCHAR(9));
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER, region VARCHAR(9), amount INTEGER,
                     note VARCHAR(20));
CREATE TABLE order_items (order_id INTEGER, product VARCHAR(20), qty INTEGER);
CREATE TABLE countries (code VARCHAR(9), label VARCHAR(20));
CREATE TABLE secrets (order_id INTEGER, payload VARCHAR(20));
CREATE VIEW big_orders AS SELECT order_id, region, amount FROM orders WHERE amount > 25;
INSERT INTO customers VALUES (1, 'Ada', 'EU'), (2, 'Bo', 'US'), (3, 'Cy', 'EU'), (4, 'Di', 'O''X');
INSERT INTO orders VALUES (1, 1, 'EU', 10, '1'), (2, 1, 'EU', 20, '2'), (3, 2, 'US', 30, 'secret'),
                          (4, 2, 'US', 40, 'x'), (5, 3, 'EU', 50, NULL),
                          (6, NULL, NULL, 60, 'y'), (7, 3, 'EU', NULL, '7'),
                          (8, 4, 'O''X', 80, 'z');
INSERT INTO order_items VALUES (1, 'tea', 1), (1, 'pot', 2), (2, 'tea', 3), (3, 'cup', 4), (4, 'tea', 5), (6, 'jug', 6),
                               (8, 'tea', 7);
INSERT INTO countries VALUES ('EU', 'Europe'), ('US', 'America'), ('O''X', 'Nowhere');
INSERT INTO secrets VALUES (1, 'nobody sees this');
"""
# What is left of them for the region EU, in a database without any filter.
FILTERED = """
DELETE FROM order_items WHERE order_id NOT IN (SELECT order_id FROM orders WHERE region = 'EU');
DELETE FROM orders WHERE region IS NULL OR region <> 'EU';
DELETE FROM customers WHERE region <> 'EU';
DROP TABLE secrets;
"""
OF_ORDERS = "order_id IN (SELECT order_id FROM orders WHERE region = :region)"
FILTER = RowFilter(
    tables={
        "customers": "region = :region",
        "orders": "region = :region",
        "order_items": OF_ORDERS,
        "countries": "all",
        "big_orders": "region = :region",
    },
    principals={"*": {"region": "EU"}},
)

BY_CUSTOMER = RowFilter(
    tables={
        "orders": "customer_id IN (SELECT customer_id FROM customers WHERE region = :region)",
        "order_items": "all",
    },
    principals=FILTER.principals,
)


def rows_for(executor: Executor, region: str = "EU", row_filter: RowFilter = FILTER) -> HeldRows:
    """The rows that a caller of a region may see."""
    return RowRules(row_filter, executor.schema()).of({"region": region})


def checked(executor: Executor, sql: str, region: str = "EU") -> CheckedSql:
    """A query as it runs for a caller of a region."""
    rows = rows_for(executor, region)
    return check(sql, rows.visible, row_limit=1000, rows=rows)


def run(executor: Executor, sql: str, region: str = "EU") -> QueryResult:
    """Its rows."""
    return executor.run(checked(executor, sql, region), timeout_s=30)


def in_any_order(rows: Sequence[Sequence[Any]]) -> list[str]:
    """Rows, so that their order does not count."""
    return sorted(map(repr, rows))


@contextmanager
def sqlite_shop(folder: Path, *scripts: str) -> Iterator[Executor]:
    """The shop in SQLite. Args: scripts: that make it, `TABLES` or more."""
    from executors.engines.sqlite.executor import SqliteExecutor

    path = folder / f"shop{len(scripts)}.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript("".join(scripts))
    connection.close()
    executor = SqliteExecutor("shop", path, sample_values=3)
    yield executor
    executor.close()


@contextmanager
def duckdb_shop(folder: Path, *scripts: str) -> Iterator[Executor]:
    """The shop in DuckDB."""
    import duckdb

    from executors.engines.duckdb.executor import DuckdbExecutor

    path = folder / f"shop{len(scripts)}.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("".join(scripts))
    executor = DuckdbExecutor("shop", path, memory="200MB", threads=1, sample_values=3)
    yield executor
    executor.close()


@contextmanager
def postgres_shop(_folder: Path, *scripts: str) -> Iterator[Executor]:
    """The shop on a new PostgreSQL server."""
    from executors.engines.postgresql.executor import PostgresExecutor
    from executors.registry.address import Address
    from executors.registry.entry import ServerOptions
    from testbed.postgres import PostgresServer

    with PostgresServer() as server:
        with server.admin() as admin:
            for script in scripts:
                admin(script)
        executor = PostgresExecutor("shop", Address.parse(server.url()), options=ServerOptions())
        yield executor
        executor.close()


SHOPS: dict[str, Callable[..., Any]] = {"sqlite": sqlite_shop, "duckdb": duckdb_shop, "postgresql": postgres_shop}
