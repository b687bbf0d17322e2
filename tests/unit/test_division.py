"""A ratio of counts is not cut to a whole number unnoticed."""

from __future__ import annotations

import pytest

from agent.checks.division import division_check
from executors.base import CheckedSql

CUT = [
    ("postgresql", "SELECT COUNT(x) * 100 / COUNT(*) FROM t", "a share of counts"),
    ("sqlite", "SELECT SUM(CASE WHEN x = 1 THEN 1 ELSE 0 END) / COUNT(*) FROM t", "a sum of ones and zeros"),
    ("sqlserver", "SELECT COUNT(CASE WHEN x = 1 THEN 1 END) * 100 / NULLIF(COUNT(*), 0) FROM t", "with NULLIF"),
    ("postgresql", "SELECT ROUND(COUNT(x) / (COUNT(*) + 1), 2) FROM t", "rounded too late"),
    ("sqlite", "SELECT 1 / 2", "numbers"),
]
FINE = [
    ("postgresql", "SELECT COUNT(x) * 100.0 / COUNT(*) FROM t", "a point makes it exact"),
    ("postgresql", "SELECT SUM(amount) / COUNT(*) FROM t", "a column may have decimals"),
    ("duckdb", "SELECT COUNT(x) / COUNT(*) FROM t", "DuckDB divides exactly"),
    ("mariadb", "SELECT COUNT(x) / COUNT(*) FROM t", "so does MariaDB"),
    ("postgresql", "SELECT CAST(COUNT(x) AS NUMERIC) / COUNT(*) FROM t", "cast before"),
    ("postgresql", "SELECT FLOOR(COUNT(x) / COUNT(*)) FROM t", "meant"),
]


def checked(sql: str) -> CheckedSql:
    return CheckedSql(sql=sql, executable=sql, row_limit=10, tables=("t",))


@pytest.mark.parametrize("dialect, sql, why", CUT, ids=[why for *_, why in CUT])
def test_a_ratio_that_is_cut_is_told_with_what_to_write(dialect: str, sql: str, why: str) -> None:
    check = division_check(checked(sql), dialect)

    assert check is not None
    assert check.passed is False, why
    assert "write 1.0 * " in check.detail


@pytest.mark.parametrize("dialect, sql, why", FINE, ids=[why for *_, why in FINE])
def test_what_divides_exactly_passes(dialect: str, sql: str, why: str) -> None:
    check = division_check(checked(sql), dialect)

    assert check is not None
    assert check.passed, why


def test_no_division_needs_no_check() -> None:
    assert division_check(checked("SELECT COUNT(*) FROM t"), "postgresql") is None
