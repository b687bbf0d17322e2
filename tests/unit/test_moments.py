"""Functions of dates and times of other databases, in the words of the one that is asked."""

from __future__ import annotations

import sqlite3

import pytest
from repairs import own_functions

from executors.base import Schema

SQLITE = Schema(database="s", dialect="sqlite", tables=())
DAY = "'2024-05-17'"


@pytest.mark.parametrize(
    "foreign, value",
    [
        (f"EXTRACT(MONTH FROM {DAY})", 5),
        (f"YEAR({DAY})", 2024),
        (f"DATE_PART('day', {DAY})", 17),
        (f"DATE_TRUNC('month', {DAY})", "2024-05-01"),
        (f"DATE_TRUNC('year', {DAY})", "2024-01-01"),
        (f"DATE_TRUNC('week', {DAY})", "2024-05-13"),
        (f"TO_CHAR({DAY}, 'YYYY-MM')", "2024-05"),
        (f"DATE_FORMAT({DAY}, '%Y/%m')", "2024/05"),
        (f"DATE({DAY}) - INTERVAL '7 days'", "2024-05-10"),
        (f"DATE({DAY}) + INTERVAL 1 QUARTER", "2024-08-17"),
        (f"DATE_SUB({DAY}, INTERVAL 2 WEEK)", "2024-05-03"),
        (f"DATE_ADD({DAY}, INTERVAL 1 YEAR)", "2025-05-17"),
        (f"DATEADD(month, -3, {DAY})", "2024-02-17"),
        ("LEFT('abc', 2)", "ab"),
        ("RIGHT('abc', 2)", "bc"),
    ],
)
def test_sqlite_computes_what_the_other_database_would(foreign: str, value: object) -> None:
    repair = own_functions(f"SELECT {foreign} AS x", SQLITE)
    assert repair is not None
    assert sqlite3.connect(":memory:").execute(repair.sql).fetchone() == (value,)
    assert " is not available here" in repair.detail


@pytest.mark.parametrize(
    "sql", ["SELECT strftime('%Y', d) FROM t", "SELECT FROM", "SELECT DATE_TRUNC('era', d) FROM t"]
)
def test_what_is_sqlite_already_or_has_no_words_there_is_left_alone(sql: str) -> None:
    assert own_functions(sql, SQLITE) is None


def test_other_dialects_are_translated() -> None:
    postgres = Schema(database="s", dialect="postgresql", tables=())
    repair = own_functions("SELECT DATE_FORMAT(d, '%Y-%m') FROM `t`", postgres)
    assert repair is not None
    assert repair.sql == "SELECT TO_CHAR(CAST(d AS TIMESTAMP), 'YYYY-MM') FROM \"t\""
    assert repair.detail == "read as mysql"
