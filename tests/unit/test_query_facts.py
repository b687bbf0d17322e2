"""The facts of a query are read in every dialect, by the name that the schema has for it."""

from __future__ import annotations

import pytest

from agent.checks.grounding.evidence.query_facts import query_facts
from executors.dialects.table import DIALECTS


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_every_dialect_is_read(dialect: str) -> None:
    assert query_facts("SELECT SUM(amount) AS total FROM orders", dialect).aggregates


@pytest.mark.parametrize("dialect, item, monthly", [
    ("duckdb", "DATE_TRUNC('month', d)::DATE", True),
    ("sqlite", "STRFTIME('%Y-%m-01', d)", True),
    ("sqlite", "DATE(d, 'start of month')", True),
    ("mysql", "DATE_FORMAT(d, '%Y-%m-01')", True),
    ("postgresql", "TO_CHAR(d, 'YYYY-MM-01')", True),
    ("oracle", "TRUNC(d, 'MM')", True),
    ("sqlserver", "DATEFROMPARTS(YEAR(d), MONTH(d), 1)", True),
    ("clickhouse", "toStartOfMonth(d)", True),
    ("duckdb", "DATE_TRUNC('day', d)", False),
    ("sqlite", "STRFTIME('%Y-%m', d)", False),
    ("sqlite", "d", False),
])  # fmt: skip
def test_first_days_of_months_are_told_from_dates(dialect: str, item: str, monthly: bool) -> None:
    (column,) = query_facts(f"SELECT {item} AS x FROM t", dialect).projections
    assert column.monthly is monthly
