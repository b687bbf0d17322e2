"""Syntax of single engines that was once misread: it runs and keeps its meaning."""

# ruff: noqa: E501  one case a line
from __future__ import annotations

import pytest
from guard_shop import schema

from executors.errors import SqlRefused
from executors.guard import guard
from fuzz.shop import shop_schema


def written(dialect: str, sql: str) -> str:
    return guard.check(sql, schema(dialect), row_limit=9, check_names=False).sql


@pytest.mark.parametrize("dialect, sql, shown", [
    ("postgresql", r"SELECT E'\\'", r"SELECT e'\\'"),
    ("postgresql", r"SELECT E'a\\b' AS x, E'\\\\'", r"SELECT e'a\\b' AS x, e'\\\\'"),
    ("postgresql", "SELECT a FROM t WHERE 3 > ALL(ARRAY[1,2])", "SELECT a FROM t WHERE 3 > ALL (ARRAY[1, 2]) LIMIT 9"),
    ("postgresql", "SELECT a FROM t WHERE 3 = SOME(ARRAY[1,2])", "SELECT a FROM t WHERE 3 = ANY(ARRAY[1, 2]) LIMIT 9"),
    ("postgresql", "SELECT a FROM t WHERE a <> ALL('{1,2}'::int[])", "SELECT a FROM t WHERE a <> ALL (CAST('{1,2}' AS INT[])) LIMIT 9"),
    ("postgresql", "SELECT substring(a similar '%#\"b#\"_' escape '#') FROM t", "SELECT SUBSTRING(a FROM '%#\"b#\"_' FOR '#') FROM t LIMIT 9"),
    ("postgresql", "SELECT substring(a similar (b || '%') escape '#'), a LIKE 'x' ESCAPE '#' FROM t", "SELECT SUBSTRING(a FROM (b || '%') FOR '#'), a LIKE 'x' ESCAPE '#' FROM t LIMIT 9"),
    ("mariadb", "SELECT a, count(*) FROM t GROUP BY a DESC", "SELECT a, COUNT(*) FROM t GROUP BY a ORDER BY a DESC LIMIT 9"),
    ("mariadb", "SELECT a FROM t GROUP BY a DESC, f(b), c ASC HAVING count(*) > 1", None),
    ("mariadb", "SELECT a FROM t GROUP BY a DESC ORDER BY count(*)", "SELECT a FROM t GROUP BY a ORDER BY COUNT(*) LIMIT 9"),
    ("mysql", "SELECT a FROM t GROUP BY concat(a, b) DESC LIMIT 3", "SELECT a FROM t GROUP BY CONCAT(a, b) ORDER BY CONCAT(a, b) DESC LIMIT 3"),
    ("databricks", "SELECT * FROM t LATERAL VIEW OUTER explode(b) x AS y", "SELECT * FROM t LATERAL VIEW OUTER EXPLODE(b) x AS y LIMIT 9"),
    ("clickhouse", "SELECT a, b FROM t ORDER BY a WITH FILL INTERPOLATE", "SELECT a, b FROM t ORDER BY a WITH FILL INTERPOLATE () LIMIT 9"),
    ("clickhouse", "SELECT a, b FROM t ORDER BY a WITH FILL STEP 1 INTERPOLATE (b AS b + 1)", "SELECT a, b FROM t ORDER BY a WITH FILL STEP 1 INTERPOLATE (b AS b + 1) LIMIT 9"),
    ("clickhouse", "SELECT a FROM (SELECT [1] AS a) AS t ARRAY JOIN t.*", "SELECT a FROM (SELECT [1] AS a) AS t ARRAY JOIN t.* LIMIT 9"),
    ("clickhouse", "SELECT s, t.* FROM x ARRAY JOIN t", "SELECT s, t.* FROM x ARRAY JOIN t LIMIT 9"),
    ("sqlserver", "SELECT 1 /* a /* b */ c */ AS x", "SELECT 1 AS x"),
])  # fmt: skip
def test_they_run(dialect: str, sql: str, shown: str | None) -> None:
    if shown is None:
        with pytest.raises(SqlRefused, match="f is not available"):
            written(dialect, sql)
    else:
        assert written(dialect, sql) == shown
        assert written(dialect, shown) == shown


@pytest.mark.parametrize("dialect, sql", [
    ("postgresql", r"SELECT 1 \set x"),
    ("postgresql", r"SELECT E'\'; DROP TABLE t; --"),
    ("sqlserver", "SELECT 1 /* a /* b */ ; DROP TABLE t"),
    ("sqlserver", "SELECT 1 /* /* */ */ ; DROP TABLE t"),
    ("mariadb", "SELECT a FROM t GROUP BY a DESC INTO OUTFILE 'x'"),
    ("postgresql", "SELECT substring(a similar (SELECT pg_read_file('x')) escape '#') FROM t"),
    ("postgresql", "SELECT 1 > ALL(pg_sleep(9))"),
    ("clickhouse", "SELECT a FROM t ORDER BY a WITH FILL INTERPOLATE (b AS file('x'))"),
])  # fmt: skip
def test_nothing_hostile_passes_for_them(dialect: str, sql: str) -> None:
    with pytest.raises(SqlRefused):
        written(dialect, sql)


@pytest.mark.parametrize("dialect, sql, shown", [
    ("postgresql", "SELECT x.tag, x.n FROM orders AS o, unnest(string_to_array(o.status, ' ')) WITH ORDINALITY AS x(tag, n)", "x.n"),
    ("sqlserver", "SELECT u.attr, u.val FROM (SELECT id, name, category FROM products) AS p UNPIVOT(val FOR attr IN (name, category)) AS u", "u.attr"),
    ("sqlserver", "SELECT s.[2024] FROM orders PIVOT(SUM(total_amount) FOR status IN ([2023], [2024])) AS s", "s.[2024]"),
    ("sqlserver", "SELECT DATEPART(iso_week, created_at) FROM orders GROUP BY DATEPART(iso_week, created_at)", "iso_week"),
    ("sqlserver", "SELECT REPLICATE('0', 5 - LEN(status)) + status FROM orders", "REPLICATE('0', 5 - LEN(status))"),
    ("sqlite", "SELECT count(*) FROM orders INDEXED BY orders_by_date WHERE id > 1", "FROM orders WHERE"),
    ("mysql", "SELECT INTERVAL(id, 1, 10, 20), count(*) FROM orders GROUP BY 1", "INTERVAL(id, 1, 10, 20)"),
    ("mariadb", "SELECT created_at + INTERVAL 1 DAY, INTERVAL(5, 1) FROM orders", "INTERVAL(5, 1)"),
    ("hana", "SELECT name FROM customers WHERE name LIKE_REGEXPR '^A' AND NOT name LIKE_REGEXPR 'z$'", "LIKE_REGEXPR '^A' AND NOT"),
    ("hana", "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY total_amount) FROM orders", "PERCENTILE_CONT(0.5)"),
])  # fmt: skip
def test_what_analysts_write_of_known_tables_runs(dialect: str, sql: str, shown: str) -> None:
    assert shown in guard.check(sql, shop_schema(dialect), row_limit=9).sql


@pytest.mark.parametrize("dialect, sql", [
    ("sqlserver", "SELECT REPLICATE('0', 99999 - LEN(status)) FROM orders"),
    ("sqlserver", "SELECT REPLICATE('0', 5 - id) FROM orders"),
    ("sqlserver", "SELECT REPLICATE('0', LEN(status) - 5) FROM orders"),
    ("sqlserver", "SELECT REPLICATE(REPLICATE(REPLICATE('0', 9000 - LEN(status)), 9000 - LEN(status)), 9) FROM orders"),
    ("postgresql", "SELECT x.pg_sleep FROM unnest(ARRAY[9.0]) WITH ORDINALITY AS x(tag, n)"),
    ("mysql", "SELECT INTERVAL(sleep(9), 1) FROM orders"),
    ("mysql", "SELECT INTERVAL((SELECT pin FROM secrets), 1) FROM orders"),
    ("hana", "SELECT name FROM customers WHERE name LIKE_REGEXPR (SELECT pin FROM secrets)"),
    ("sqlserver", "SELECT u.secret FROM secrets UNPIVOT(val FOR attr IN (a, b)) AS u"),
])  # fmt: skip
def test_and_nothing_that_is_like_it(dialect: str, sql: str) -> None:
    with pytest.raises(SqlRefused):
        guard.check(sql, shop_schema(dialect), row_limit=9)
