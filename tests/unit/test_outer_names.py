"""Columns that a subquery does not give to the query around it, and conditions on aggregates in WHERE."""

from __future__ import annotations

import pytest
from repairs import grouped, reach_outer_names
from small_tables import table

from executors.base import Schema

SCHEMA = Schema(
    database="s",
    dialect="sqlite",
    tables=(table("orders", "id", "customer_id", "amount"), table("customers", "id", "name", "city")),
)


@pytest.mark.parametrize(
    "sql, mended",
    [
        (
            "SELECT t.name, t.city FROM (SELECT name FROM customers) AS t",
            "SELECT t.name, t.city FROM (SELECT name, customers.city FROM customers) AS t",
        ),
        (
            "WITH t AS (SELECT id, COUNT(*) AS n FROM customers GROUP BY id) SELECT t.name, n FROM t",
            "WITH t AS (SELECT id, COUNT(*) AS n, customers.name FROM customers GROUP BY id, customers.name) "
            "SELECT t.name, n FROM t",
        ),
        (
            "WITH t AS (SELECT c.name FROM customers AS c) SELECT c.name FROM t",
            "WITH t AS (SELECT c.name FROM customers AS c) SELECT t.name FROM t",
        ),
        (
            "SELECT city FROM (SELECT name FROM customers) AS t",
            "SELECT city FROM (SELECT name, customers.city FROM customers) AS t",
        ),
    ],
)
def test_a_subquery_gives_what_is_taken_from_it(sql: str, mended: str) -> None:
    found = reach_outer_names(sql, SCHEMA)
    assert found is not None
    assert found.sql == mended
    assert found.detail


@pytest.mark.parametrize(
    "sql, why",
    [
        ("SELECT t.name FROM (SELECT name FROM customers) AS t", "nothing is wrong"),
        ("SELECT t.city FROM (SELECT COUNT(*) AS n FROM customers) AS t", "one row has no city"),
        ("SELECT t.city FROM (SELECT name, COUNT(*) FROM customers GROUP BY name) AS t", "the groups would come apart"),
        ("SELECT t.city FROM (SELECT DISTINCT name FROM customers) AS t", "there would be more rows"),
        ("SELECT t.age FROM (SELECT name FROM customers) AS t", "nobody has it"),
        ("SELECT COUNT(*) AS n FROM (SELECT id FROM customers) AS t ORDER BY n", "a name of its own"),
        ("SELECT FROM", "does not parse"),
    ],
)
def test_or_is_left_alone(sql: str, why: str) -> None:
    assert reach_outer_names(sql, SCHEMA) is None, why


@pytest.mark.parametrize(
    "sql, mended, change",
    [
        (
            "SELECT customer_id FROM orders WHERE amount > 5 AND COUNT(*) > 2 GROUP BY customer_id",
            "SELECT customer_id FROM orders WHERE amount > 5 GROUP BY customer_id HAVING COUNT(*) > 2",
            "COUNT(*) > 2 in HAVING",
        ),
        (
            "SELECT o.customer_id AS c FROM orders AS o ORDER BY SUM(amount) DESC LIMIT 1",
            "SELECT o.customer_id AS c FROM orders AS o GROUP BY o.customer_id ORDER BY SUM(amount) DESC LIMIT 1",
            "GROUP BY o.customer_id",
        ),
    ],
)
def test_aggregates_find_their_groups(sql: str, mended: str, change: str) -> None:
    mend = grouped(sql, SCHEMA)
    assert mend is not None
    assert mend.sql == mended
    assert mend.detail == change


@pytest.mark.parametrize(
    "sql, why",
    [
        ("SELECT COUNT(*) FROM orders", "one row"),
        ("SELECT customer_id FROM orders WHERE amount > 5 GROUP BY customer_id", "nothing to move"),
        ("SELECT * FROM orders ORDER BY COUNT(*)", "nobody says by which columns"),
        (
            "SELECT city FROM customers WHERE id > (SELECT COUNT(*) FROM orders) GROUP BY city",
            "an aggregate of a query inside",
        ),
        ("SELECT", "does not parse"),
    ],
)
def test_or_stay(sql: str, why: str) -> None:
    assert grouped(sql, SCHEMA) is None, why
