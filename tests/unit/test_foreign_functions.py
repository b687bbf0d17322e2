"""Functions of other databases, as SQLite computes them after `foreign_functions` has translated them."""

from __future__ import annotations

import sqlite3

import pytest

from agent.checks.rules.base import RuleContext
from agent.checks.rules.foreign_functions import RULE
from executors.base import Schema
from executors.errors import ErrorKind
from executors.sql.tree import tree_to_change

ROWS = """
CREATE TABLE t (a TEXT, b TEXT, n TEXT, x INTEGER);
INSERT INTO t VALUES ('2024-03-05 10:11:12', '2024-01-31', 'Abc', 3);
"""


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("a - INTERVAL '2' WEEKS", "2024-02-20"),
        ("a + INTERVAL 3 MONTHS", "2024-06-05"),
        ("EXTRACT(EPOCH FROM a) - EXTRACT(EPOCH FROM b)", 2974272),
        ("EXTRACT(QUARTER FROM a)", 1),
        ("QUARTER('2024-12-31')", 4),
        ("EXTRACT(DOW FROM a)", 2),
        ("DATEDIFF(a, b)", 34),
        ("DATEDIFF(day, b, a)", 34),
        ("DATEDIFF('hour', b, a)", 826),
        ("DATE_DIFF('day', b, a)", 34),
        ("TIMESTAMPDIFF(SECOND, b, a)", 2974272),
        ("TIMESTAMPDIFF(DAY, b, a)", 34),
        ("UNIX_TIMESTAMP(a)", 1709633472),
        ("TO_DATE(a, 'YYYY-MM-DD')", "2024-03-05"),
        ("TO_CHAR(a, 'YYYY-MM')", "2024-03"),
        ("a::date", "2024-03-05"),
        ("a >= DATE '2024-03-05'", 1),
        ("CONCAT(n, '-', x)", "Abc-3"),
        ("n ILIKE '%B%'", 1),
        ("CONCAT(x + 1, ' %')", "4 %"),
        ("CONCAT(n, NULL, x * 2)", "Abc6"),
        ("EXTRACT(EPOCH FROM (a - b)) / 64", 46473.0),
        ("DATEDIFF(hour, b, t.a)", 826),
        ("DATEDIFF('2024-03-06 00:30:00', '2024-03-05 23:30:00')", 1),
        ("TIMESTAMPDIFF(HOUR, '2024-03-05 09:11:13', t.a)", 0),
        ("AVG(TIMESTAMPDIFF(MINUTE, t.b, t.a))", 49571.0),
        ("TIMESTAMPDIFF(DAY, b, DATE('2024-02-02'))", 2),
        ("DATE_FORMAT(a, '%Y-%m-%d %H:%i:%s')", "2024-03-05 10:11:12"),
        ("IF(x > 2, 'y', 'n')", "y"),
        ("STRING_AGG(n, ',')", "Abc"),
        ("LEN(n)", 3),
        ("NVL(n, 'x')", "Abc"),
        ("ISNULL(n, 'x')", "Abc"),
        ("POSITION('b' IN n)", 2),
    ],
)
def test_a_translated_function_gives_what_it_gives_elsewhere(written: str, expected: object) -> None:
    database = sqlite3.connect(":memory:")
    database.executescript(ROWS)
    sql = f"SELECT {written} FROM t"
    with pytest.raises(sqlite3.OperationalError) as refused:
        database.execute(sql)
    kind = ErrorKind.FUNCTION_NOT_FOUND if "no such function" in str(refused.value) else ErrorKind.SYNTAX_ERROR
    schema = Schema(database="t", dialect="sqlite", tables=())

    found = RULE.find(RuleContext(sql, schema, tree_to_change(sql, "sqlite"), error=kind))

    assert found is not None
    assert found.sql is not None
    assert database.execute(found.sql).fetchall() == [(expected,)]
    database.close()


@pytest.mark.parametrize(
    "written",
    [
        "AGE(a, b)",
        "STDDEV(x)",
        "DAYNAME(a)",
        "TIMESTAMPDIFF(MONTH, b, a)",
        "DATEDIFF('day', b, '2024-03-05')",
        "DATE_DIFF(a, b, MONTH)",
        "CONCAT_WS(' ', n, x)",
        "EXTRACT(DAY FROM (a - b))",
        "TO_DATE(a, 'DD/MM/YYYY')",
        "DATE_FORMAT(a, '%M %Y')",
        "TO_CHAR(a, 'Mon YYYY')",
        "GREATEST(x, 2)",
        "(x / 2.0)::int",
        "TRY_CAST(n AS INTEGER)",
        "RAND()",
    ],
)
def test_what_sqlite_cannot_say_in_one_way_is_left_alone(written: str) -> None:
    sql = f"SELECT {written} FROM t"
    schema = Schema(database="t", dialect="sqlite", tables=())

    assert (
        RULE.find(RuleContext(sql, schema, tree_to_change(sql, "sqlite"), error=ErrorKind.FUNCTION_NOT_FOUND)) is None
    )


def test_a_translated_function_is_told_without_its_arguments() -> None:
    sql = "SELECT YEAR(a), DATEDIFF(b, a) FROM t"
    schema = Schema(database="t", dialect="sqlite", tables=())

    found = RULE.find(RuleContext(sql, schema, tree_to_change(sql, "sqlite"), error=ErrorKind.FUNCTION_NOT_FOUND))

    assert found is not None
    assert "YEAR is not available here; STRFTIME is used" in found.detail
    assert "(" not in found.detail


def test_what_is_used_is_told_only_of_a_single_call() -> None:
    sql = "SELECT CONCAT(a, b), DATEDIFF(b, a), LEFT(a, 2) FROM t"
    schema = Schema(database="t", dialect="sqlite", tables=())

    found = RULE.find(RuleContext(sql, schema, tree_to_change(sql, "sqlite"), error=ErrorKind.FUNCTION_NOT_FOUND))

    assert found is not None
    assert sorted(found.detail.split("; ")) == [
        "CONCAT is not available here",
        "DATEDIFF is not available here",
        "LEFT is not available here",
        "SUBSTR is used",
    ]
