"""A query read as a plan."""

from __future__ import annotations

import pytest

from agent.core.models import Plan
from agent.pipeline.steps.plan import plan_of


def test_a_query_is_read_part_by_part() -> None:
    sql = (
        "SELECT c.country, SUM(o.amount) AS total FROM orders AS o JOIN customers AS c ON c.id = o.customer_id "
        "WHERE o.status = 'C' AND o.amount > 10 GROUP BY c.country ORDER BY total DESC LIMIT 3"
    )
    assert plan_of(sql, sql, "sqlite") == Plan(
        tables=("orders", "customers"),
        joins=("c.id = o.customer_id",),
        filters=("o.status = 'C'", "o.amount > 10"),
        aggregates=("SUM(o.amount)",),
        group_by=("c.country",),
        order_by=("total DESC",),
        limit=3,
    )


@pytest.mark.parametrize(
    "draft, checked, dialect, limit, why",
    [
        ("SELECT a FROM t", "SELECT a FROM t LIMIT 500", "sqlite", None, "the guard's limit is none of the query's"),
        ("SELECT a FROM t;", "SELECT a FROM t LIMIT 500", "sqlite", None, "a semicolon at the end"),
        ("SELECT a FROM t LIMIT 5", "SELECT a FROM t LIMIT 5", "sqlite", 5, "its own limit is"),
        ("SELECT TOP 5 a FROM t", "SELECT TOP 5 a FROM t", "sqlserver", 5, "in the words of its dialect"),
        ("SELECT a FROM t FETCH FIRST 4 ROWS ONLY", "SELECT a FROM t LIMIT 4", "postgresql", 4, "or the standard's"),
        ("SELECT a FROM t WHERE (", "SELECT a FROM t LIMIT 7", "sqlite", 7, "read as checked where it does not parse"),
    ],
)
def test_whose_limit(draft: str, checked: str, dialect: str, limit: int | None, why: str) -> None:
    plan = plan_of(draft, checked, dialect)
    assert plan.limit == limit, why
    assert plan.tables == ("t",)


def test_a_cte_is_no_table() -> None:
    sql = "WITH big AS (SELECT * FROM orders WHERE amount > 10) SELECT COUNT(*) FROM big"
    assert plan_of(sql, sql, "duckdb").tables == ("orders",)
