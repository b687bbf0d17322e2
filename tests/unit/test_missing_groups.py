"""Conditions on aggregates in WHERE, and aggregates beside columns that nothing groups."""

from __future__ import annotations

import pytest
from repairs import grouped
from small_tables import table

from executors.base import Schema

SCHEMA = Schema(
    database="s",
    dialect="sqlite",
    tables=(table("orders", "id", "customer_id", "amount"), table("customers", "id", "name", "city")),
)


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
