"""The rows behind an aggregate are derived from its syntax tree, and they are the rows that it was made of."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from executors.records.raw_records import derive

Run = Callable[[str], list[tuple[Any, ...]]]

DERIVED = [
    # what is selected
    ("sqlite", "SELECT COUNT(*) FROM t", "SELECT t.* FROM t"),
    ("sqlite", "SELECT COUNT(1) AS n FROM orders o WHERE o.paid", "SELECT o.* FROM orders AS o WHERE o.paid"),
    ("duckdb", "SELECT COUNT(o.*) FROM o JOIN c USING (id)", "SELECT o.* FROM o JOIN c USING (id)"),
    ("sqlite", "SELECT city, SUM(x) FROM t GROUP BY city", "SELECT city, x FROM t"),
    ("tsql", "SELECT SUM(x) AS s, city FROM dbo.t GROUP BY city", "SELECT city, x FROM dbo.t"),
    ("postgres", "SELECT AVG(qty * price), MAX(qty) FROM t", "SELECT qty, price FROM t"),
    ("sqlite", "SELECT COUNT(*) FROM t GROUP BY city", "SELECT city FROM t"),
    ("sqlite", "SELECT city FROM t GROUP BY city ORDER BY COUNT(*) DESC LIMIT 1",
     "SELECT city FROM t JOIN (SELECT city AS answer_key_1 FROM t GROUP BY city ORDER BY COUNT(*) DESC "
     "LIMIT 1) AS answer_groups ON answer_groups.answer_key_1 IS city"),
    ("sqlite", "SELECT city FROM t GROUP BY city ORDER BY SUM(x) DESC LIMIT 1",
     "SELECT city, x FROM t JOIN (SELECT city AS answer_key_1 FROM t GROUP BY city ORDER BY SUM(x) DESC "
     "LIMIT 1) AS answer_groups ON answer_groups.answer_key_1 IS city"),
    ("sqlite", "SELECT SUM(CASE WHEN a = 1 THEN x ELSE 0 END) FROM t", "SELECT x, a FROM t"),
    ("sqlite", "SELECT name, MAX(pay) FROM t", "SELECT name, pay FROM t"),
    ("postgres", "SELECT c.id, c.name, SUM(o.x) FROM c JOIN o ON o.cid = c.id GROUP BY c.id",
     "SELECT c.id, c.name, o.x FROM c JOIN o ON o.cid = c.id"),
    ("sqlite", "SELECT SUM(count), MAX(\"sum\") FROM t", 'SELECT count, "sum" FROM t'),
    # grouping keys
    ("sqlite", "SELECT substr(d, 1, 7) AS m, SUM(x) FROM t GROUP BY m", "SELECT SUBSTRING(d, 1, 7) AS m, x FROM t"),
    ("sqlite", "SELECT SUM(x), a + 1 AS b FROM t GROUP BY 2", "SELECT a + 1 AS b, x FROM t"),
    ("sqlite", "SELECT SUM(x) FROM t GROUP BY a + 1", "SELECT a + 1, x FROM t"),
    ("sqlite", "SELECT upper(d) AS d, SUM(x) FROM t GROUP BY d", "SELECT UPPER(d) AS d, x FROM t"),
    ("sqlite", "SELECT City, SUM(x) AS city FROM t GROUP BY CITY", "SELECT City, x FROM t"),
    ("sqlite", "SELECT AVG(x) AS x FROM t GROUP BY x", "SELECT x FROM t"),
    ("duckdb", "SELECT a, b, SUM(x) FROM t GROUP BY ALL", "SELECT a, b, x FROM t"),
    ("postgres", "SELECT CASE WHEN a < 18 THEN 'y' ELSE 'o' END AS g, AVG(x) FROM t GROUP BY 1",
     "SELECT CASE WHEN a < 18 THEN 'y' ELSE 'o' END AS g, x FROM t"),
    ("postgres", "SELECT a, b, SUM(x) FROM t GROUP BY ROLLUP (a, b)", "SELECT a, b, x FROM t"),
    ("duckdb", "SELECT a, GROUPING(b), SUM(x) FROM t GROUP BY CUBE (a, b)", "SELECT a, b, x FROM t"),
    ("postgres", "SELECT SUM(x) FROM t GROUP BY GROUPING SETS ((a, b), (c), ())", "SELECT a, b, c, x FROM t"),
    ("tsql", "SELECT a, SUM(x) AS s FROM t GROUP BY a WITH ROLLUP", "SELECT a, x FROM t"),
    ("postgres", 'SELECT "City", SUM("X") FROM "T" GROUP BY "City"', 'SELECT "City", "X" FROM "T"'),
    ("tsql", "SELECT [City Name], COUNT_BIG(*) AS n FROM [T] GROUP BY [City Name]", "SELECT [City Name] FROM [T]"),
    # what is dropped, and what stays
    ("tsql", "SELECT TOP 3 a, SUM(x) AS s FROM t GROUP BY a ORDER BY s DESC",
     "SELECT a, x FROM t JOIN (SELECT TOP 3 a AS answer_key_1 FROM t GROUP BY a ORDER BY SUM(x) DESC) AS "
     "answer_groups ON (answer_groups.answer_key_1 = a OR (answer_groups.answer_key_1 IS NULL AND a IS "
     "NULL))"),
    ("tsql", "SELECT a, AVG(x) AS m FROM t GROUP BY a ORDER BY a OFFSET 5 ROWS FETCH NEXT 5 ROWS ONLY",
     "SELECT a, x FROM t JOIN (SELECT a AS answer_key_1 FROM t GROUP BY a ORDER BY a OFFSET 5 ROWS FETCH "
     "NEXT 5 ROWS ONLY) AS answer_groups ON (answer_groups.answer_key_1 = a OR "
     "(answer_groups.answer_key_1 IS NULL AND a IS NULL))"),
    ("postgres", "SELECT a, SUM(x) FROM t GROUP BY a LIMIT 3 OFFSET 2",
     "SELECT a, x FROM t JOIN (SELECT a AS answer_key_1 FROM t GROUP BY a LIMIT 3 OFFSET 2) AS "
     "answer_groups ON answer_groups.answer_key_1 IS NOT DISTINCT FROM a"),
    ("postgres", "SELECT a, SUM(x) FROM t GROUP BY a FETCH FIRST 3 ROWS WITH TIES",
     "SELECT a, x FROM t JOIN (SELECT a AS answer_key_1 FROM t GROUP BY a FETCH FIRST 3 ROWS WITH TIES) "
     "AS answer_groups ON answer_groups.answer_key_1 IS NOT DISTINCT FROM a"),
    ("sqlite", "SELECT a, SUM(x) FROM t GROUP BY a HAVING COUNT(y) > 3",
     "SELECT a, x, y FROM t JOIN (SELECT a AS answer_key_1 FROM t GROUP BY a HAVING COUNT(y) > 3) AS "
     "answer_groups ON answer_groups.answer_key_1 IS a"),
    ("sqlite", "SELECT a, SUM(x) AS s FROM t GROUP BY a HAVING s > 3 AND a = 'b'",
     "SELECT a, x FROM t JOIN (SELECT a AS answer_key_1 FROM t GROUP BY a HAVING SUM(x) > 3 AND a = 'b') "
     "AS answer_groups ON answer_groups.answer_key_1 IS a WHERE a = 'b'"),
    ("sqlite", "SELECT DISTINCT SUM(x) FROM t GROUP BY a", "SELECT a, x FROM t"),
    ("sqlite", "SELECT c.n, COUNT(o.id) FROM c LEFT JOIN o ON o.cid = c.id WHERE c.a OR c.b GROUP BY c.n",
     "SELECT c.n, o.id FROM c LEFT JOIN o ON o.cid = c.id WHERE c.a OR c.b"),
    ("sqlite", "WITH p AS (SELECT * FROM t WHERE ok) SELECT SUM(x) FROM p",
     "WITH p AS (SELECT * FROM t WHERE ok) SELECT x FROM p"),
    ("tsql", "WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT SUM(n) AS s FROM r",
     "WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r"),
    ("sqlite", "WITH t AS (SELECT * FROM t WHERE ok) SELECT COUNT(*) FROM t",
     "WITH t AS (SELECT * FROM t WHERE ok) SELECT t.* FROM t"),
    # kinds of aggregates
    ("sqlite", "SELECT COUNT(DISTINCT city) FROM t", "SELECT city FROM t"),
    ("sqlite", "SELECT total(x), group_concat(DISTINCT n) FROM t", "SELECT x, n FROM t"),
    ("duckdb", "SELECT arg_max(name, price), max_by(a, b) FROM t", "SELECT name, price, a, b FROM t"),
    ("duckdb", "SELECT quantile_cont(x, 0.5), list(y ORDER BY z), histogram(w) FROM t", "SELECT x, y, z, w FROM t"),
    ("postgres", "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM t", "SELECT x FROM t"),
    ("postgres", "SELECT string_agg(n, ',' ORDER BY k), array_agg(m), every(b) FROM t", "SELECT n, k, m, b FROM t"),
    ("tsql", "SELECT STRING_AGG(n, ',') WITHIN GROUP (ORDER BY k), STDEV(x) FROM t", "SELECT n, k, x FROM t"),
    ("duckdb", "SELECT MIN(COLUMNS(*)) FROM t", "SELECT t.* FROM t"),
    ("duckdb", "SELECT SUM(x) AS s, s / 2 AS half FROM t", "SELECT x FROM t"),
    # FILTER
    ("sqlite", "SELECT SUM(x) FILTER (WHERE a = 1) FROM t WHERE b = 2", "SELECT x FROM t WHERE b = 2 AND a = 1"),
    ("postgres", "SELECT SUM(x) FILTER (WHERE a = 1), SUM(x) FILTER (WHERE a = 2) FROM t WHERE b = 2",
     "SELECT x, a FROM t WHERE b = 2 AND (a = 1 OR a = 2)"),
    ("duckdb", "SELECT SUM(x) FILTER (WHERE a = 1), SUM(x) FROM t", "SELECT x, a FROM t"),
    # windows
    ("duckdb", "SELECT m, SUM(x) AS s, LAG(SUM(x)) OVER (ORDER BY m) FROM t GROUP BY m", "SELECT m, x FROM t"),
    ("duckdb", "SELECT a, SUM(x) AS s FROM t GROUP BY a QUALIFY RANK() OVER (ORDER BY s) = 1",
     "SELECT a, x FROM t JOIN (SELECT a AS answer_key_1 FROM t GROUP BY a QUALIFY RANK() OVER (ORDER BY "
     "SUM(x)) = 1) AS answer_groups ON answer_groups.answer_key_1 IS NOT DISTINCT FROM a"),
    ("tsql", "SELECT DISTINCT a, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x) OVER (PARTITION BY a) AS m FROM t",
     "SELECT a, x FROM t"),
    # an aggregate inside of what is read
    ("sqlite", "WITH m AS (SELECT a, SUM(x) AS s FROM t GROUP BY a) SELECT * FROM m ORDER BY s DESC LIMIT 1",
     "WITH m AS (SELECT a, SUM(x) AS s FROM t GROUP BY a) SELECT a, x FROM t JOIN (SELECT m.a AS "
     "answer_key_1 FROM m ORDER BY s DESC LIMIT 1) AS answer_groups ON answer_groups.answer_key_1 IS a"),
    ("sqlite", "WITH m AS (SELECT upper(a) AS k, SUM(x) AS s FROM t GROUP BY 1) SELECT s FROM m WHERE k = 'B' AND s "
     "> 3",
     "WITH m AS (SELECT UPPER(a) AS k, SUM(x) AS s FROM t GROUP BY 1) SELECT UPPER(a) AS k, x FROM t JOIN "
     "(SELECT m.k AS answer_key_1 FROM m WHERE k = 'B' AND s > 3) AS answer_groups ON "
     "answer_groups.answer_key_1 IS UPPER(a)"),
    ("sqlite", "WITH p AS (SELECT * FROM t WHERE ok), m AS (SELECT a, SUM(x) AS s FROM p "
     "GROUP BY a), r AS (SELECT a AS b, s FROM m) SELECT b FROM r WHERE b > 3",
     "WITH p AS (SELECT * FROM t WHERE ok) SELECT a, x FROM p WHERE a > 3"),
    ("duckdb", "WITH m AS (SELECT a, SUM(x) AS s FROM t GROUP BY a), r AS (SELECT *, LAG(s) OVER (ORDER BY a) AS p "
     "FROM m) SELECT s - p FROM r WHERE a = 3", "SELECT a, x FROM t"),
    ("postgres", "SELECT s FROM (SELECT a, SUM(x) AS s FROM t GROUP BY a) AS m(k) WHERE k = 3",
     "SELECT a, x FROM t WHERE a = 3"),
    ("postgres", "WITH m(k) AS (SELECT a, SUM(x) AS s FROM t GROUP BY a) SELECT c.n, m.s FROM c JOIN m ON c.k = m.k",
     "SELECT c.n, m.x FROM c JOIN (SELECT a AS k, x FROM t) AS m ON c.k = m.k"),
    ("postgres", "(SELECT a, b FROM u ORDER BY b LIMIT 1) UNION ALL SELECT a, SUM(x) FROM t GROUP BY a",
     "(SELECT a, b FROM u ORDER BY b LIMIT 1) UNION ALL SELECT a, x FROM t"),
    ("postgres", "WITH m(k, s) AS (SELECT a, SUM(x) FROM t GROUP BY a) SELECT s FROM m WHERE k = 3",
     "SELECT a, x FROM t WHERE a = 3"),
    ("sqlite", "SELECT AVG(s) FROM (SELECT a, SUM(x) AS s FROM t GROUP BY a)", "SELECT a, x FROM t"),
    ("tsql", "SELECT TOP 1 * FROM (SELECT a, SUM(x) AS s FROM dbo.t GROUP BY a) AS q ORDER BY s DESC",
     "SELECT a, x FROM dbo.t JOIN (SELECT TOP 1 q.a AS answer_key_1 FROM (SELECT a AS a, SUM(x) AS s FROM "
     "dbo.t GROUP BY a) AS q ORDER BY s DESC) AS answer_groups ON (answer_groups.answer_key_1 = a OR "
     "(answer_groups.answer_key_1 IS NULL AND a IS NULL))"),
    ("sqlite", "SELECT COUNT(*) FROM (SELECT DISTINCT a FROM t)", "SELECT * FROM (SELECT DISTINCT a FROM t)"),
    ("postgres", "SELECT SUM(x) FROM (SELECT x FROM a UNION ALL SELECT x FROM b) AS u",
     "SELECT x FROM (SELECT x FROM a UNION ALL SELECT x FROM b) AS u"),
    ("postgres", "SELECT SUM(b) FROM (VALUES (1, 2)) AS v(a, b)", "SELECT b FROM (VALUES (1, 2)) AS v(a, b)"),
    # an aggregate joined to other rows
    ("tsql", "WITH s AS (SELECT cid, SUM(x) AS t FROM o GROUP BY cid) SELECT c.n, s.t FROM c LEFT JOIN s "
     "ON c.id = s.cid",
     "SELECT c.n, s.x FROM c LEFT JOIN (SELECT cid AS cid, x AS x FROM o) AS s ON c.id = s.cid"),
    ("sqlite", "SELECT n, t FROM c JOIN (SELECT cid, COUNT(id) AS t FROM o GROUP BY cid) AS s ON id = cid",
     "SELECT n, s.id_2 FROM c JOIN (SELECT cid, id AS id_2 FROM o) AS s ON id = cid"),
    ("postgres", "SELECT c.f, AVG(s.t) FROM c JOIN (SELECT cid, SUM(x) AS t FROM o GROUP BY cid) s ON c.id = s.cid "
     "GROUP BY 1",
     "SELECT c.f, s.x FROM c JOIN (SELECT cid, x FROM o) AS s ON c.id = s.cid"),
    ("tsql", "SELECT c.n, z.s FROM c CROSS APPLY (SELECT SUM(x) AS s FROM o WHERE o.cid = c.id) AS z",
     "SELECT c.n, z.x FROM c CROSS APPLY (SELECT x FROM o WHERE o.cid = c.id) AS z"),
    ("sqlite", "SELECT COUNT(*) FROM o JOIN (SELECT cid, MAX(d) AS l FROM o GROUP BY cid) m "
     "ON o.cid = m.cid AND o.d = m.l",
     "SELECT o.* FROM o JOIN (SELECT cid, MAX(d) AS l FROM o GROUP BY cid) AS m ON o.cid = m.cid AND o.d = m.l"),
    ("sqlite", "SELECT a, SUM(x) * 100.0 / (SELECT SUM(x) FROM t) FROM t GROUP BY a", "SELECT a, x FROM t"),
    ("duckdb", "WITH m AS (SELECT a, SUM(x) AS s FROM t GROUP BY a) SELECT p.s - q.s FROM m p JOIN m q ON p.a = q.a "
     "+ 1",
     "WITH m AS (SELECT a, SUM(x) AS s FROM t GROUP BY a) SELECT a, x FROM t JOIN (SELECT p.a AS "
     "answer_key_1 FROM m AS p JOIN m AS q ON p.a = q.a + 1 UNION SELECT q.a AS answer_key_1 FROM m AS p "
     "JOIN m AS q ON p.a = q.a + 1) AS answer_groups ON answer_groups.answer_key_1 IS NOT DISTINCT FROM a"),
    ("sqlite", "WITH m AS (SELECT a, SUM(x) AS s FROM t GROUP BY a) SELECT (SELECT s FROM m WHERE a = 1) - (SELECT "
     "s FROM m WHERE a = 2)",
     "WITH m AS (SELECT a, SUM(x) AS s FROM t GROUP BY a) SELECT a, x FROM t JOIN (SELECT m.a AS "
     "answer_key_1 FROM m WHERE a = 1 UNION SELECT m.a AS answer_key_1 FROM m WHERE a = 2) AS "
     "answer_groups ON answer_groups.answer_key_1 IS a"),
    # UNION
    ("duckdb", "SELECT 'a' AS k, COUNT(*) FROM t WHERE a UNION ALL SELECT 'b', COUNT(*) FROM t WHERE b",
     "SELECT 'a' AS k, t.* FROM t WHERE a UNION ALL SELECT 'b', t.* FROM t WHERE b"),
    ("postgres", "SELECT a, SUM(x) FROM t GROUP BY a UNION ALL SELECT 'all', SUM(x) FROM t",
     "SELECT a, x FROM t UNION ALL SELECT 'all', x FROM t"),
]  # fmt: skip


@pytest.mark.parametrize("dialect, sql, expected", DERIVED)
def test_the_rows_behind_an_aggregate_are_selected(dialect: str, sql: str, expected: str) -> None:
    found = derive(sql, dialect)

    assert (found.sql, found.reason, found.needed) == (expected, "", True)


NO_AGGREGATE = "the query has no aggregate: its rows are the records"
NOT_DERIVED = [
    ("sqlite", "SELECT o.id, o.x FROM o JOIN (SELECT cid FROM o GROUP BY cid HAVING COUNT(*) > 3) s ON s.cid = o.cid",
     False, NO_AGGREGATE),
    ("sqlite", "SELECT c.n, s.t FROM c JOIN (SELECT cid, SUM(x) AS t FROM o GROUP BY cid) s ON c.id = s.cid "
     "WHERE c.f = 1 AND s.t > 9", True, "cannot be distinguished"),  # without a schema: what tells rows of c apart?
    ("sqlite", "SELECT 'a' AS k, SUM(x) FROM t UNION SELECT 'b', SUM(y) FROM u ORDER BY 2 LIMIT 1", True,
     "chooses among the rows of a UNION"),
    ("postgres", "SELECT a, SUM(x) FROM t GROUP BY ROLLUP (a) HAVING SUM(x) > 3", True, "subtotals"),
    ("duckdb", "SELECT DISTINCT SUM(x) FROM t GROUP BY a LIMIT 1", True, "DISTINCT"),
    ("sqlite", "WITH m AS (SELECT a, SUM(x) AS s FROM t GROUP BY a) SELECT COUNT(*) FROM m p JOIN m q ON p.s < q.s",
     True, "compares an aggregate with itself"),
    # its rows are the records
    ("sqlite", "SELECT a FROM t WHERE b > 1 ORDER BY a LIMIT 3", False, NO_AGGREGATE),
    ("sqlite", "SELECT DISTINCT city FROM t", False, NO_AGGREGATE),
    ("sqlite", "SELECT count, \"sum\" FROM t", False, NO_AGGREGATE),  # columns that are called like functions
    ("sqlite", "SELECT max(a, b) FROM t", False, NO_AGGREGATE),  # SQLite's MAX of several values is no aggregate
    ("duckdb", "SELECT a, SUM(x) OVER (PARTITION BY a) FROM t", False, NO_AGGREGATE),
    ("duckdb", "SELECT a FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY x) = 1", False, NO_AGGREGATE),
    ("postgres", "SELECT n FROM p WHERE price > (SELECT AVG(price) FROM p)", False, NO_AGGREGATE),
    ("sqlite", "SELECT n FROM c WHERE id IN (SELECT cid FROM o GROUP BY cid HAVING COUNT(*) > 3)", False, NO_AGGREGATE),
    ("sqlite", "SELECT n, x, (SELECT AVG(x) FROM t) FROM t", False, NO_AGGREGATE),
    ("sqlite", "SELECT o.id FROM o JOIN (SELECT c, MAX(d) AS l FROM o GROUP BY c) m ON o.c = m.c AND o.d = m.l", False,
     NO_AGGREGATE),
    ("tsql", "SELECT a FROM t UNION SELECT b FROM u", False, NO_AGGREGATE),
    ("postgres", "VALUES (1, 2)", False, "only a single SELECT has records behind it"),
    ("sqlite", "DELETE FROM t", False, "only a single SELECT has records behind it"),
    ("sqlite", "SELECT SUM(x) FROM t; SELECT 1", False, "only a single SELECT has records behind it"),
    ("sqlite", "", False, "only a single SELECT has records behind it"),
    ("sqlite", "SELECT SUM( FROM", False, "the query cannot be parsed"),
    ("sqlite", "SELECT 'open", False, "the query cannot be parsed"),
    # it aggregates, but not one set of rows
    ("sqlite", "SELECT (SELECT COUNT(*) FROM a) AS a, (SELECT COUNT(*) FROM b) AS b", True, "several aggregates"),
    ("sqlite", "WITH a AS (SELECT k, SUM(x) AS s FROM t GROUP BY k), b AS (SELECT k, SUM(x) AS s FROM u GROUP BY k) "
     "SELECT a.s - b.s FROM a JOIN b ON a.k = b.k", True, "several aggregates"),
    ("postgres", "SELECT n, (SELECT COUNT(*) FROM o WHERE o.cid = c.id) FROM c", True, "correlated"),
    ("duckdb", "PIVOT t ON a USING SUM(b)", True, "PIVOT"),
    ("tsql", "SELECT * FROM (SELECT a, b, c FROM t) AS s PIVOT(SUM(c) FOR b IN ([x], [y])) AS p", True, "PIVOT"),
    ("postgres", "WITH RECURSIVE d(n) AS (SELECT SUM(x) FROM t UNION ALL SELECT n + 1 FROM d WHERE n < 9) SELECT n "
     "FROM d", True, "recursive"),
    ("sqlite", "SELECT COUNT(*)", True, "no table"),
    ("duckdb", "WITH a AS (SELECT * FROM t) SELECT p.n, z.s FROM a p JOIN (WITH a AS (SELECT * FROM u) "
     "SELECT k, SUM(x) AS s FROM a GROUP BY k) z ON z.k = p.k", True, "share a name"),
    ("sqlite", "SELECT c.n, z.s FROM c JOIN (SELECT k, SUM(x) AS s FROM t GROUP BY k UNION SELECT k, SUM(x) FROM u "
     "GROUP BY k) z ON z.k = c.k", True, "UNION of aggregates"),
    ("sqlite", "SELECT COUNT(*) FROM a UNION ALL SELECT COUNT(*) FROM b", True, "different numbers of columns"),
    ("sqlite", "SELECT SUM(x) FROM a UNION ALL SELECT MAX(y - z) FROM b", True, "different numbers of columns"),
    ("postgres", "SELECT a FROM t GROUP BY a INTERSECT SELECT a FROM u GROUP BY a", True, "INTERSECT"),
]  # fmt: skip


@pytest.mark.parametrize("dialect, sql, needed, reason", NOT_DERIVED)
def test_where_no_query_is_derived_it_says_why(dialect: str, sql: str, needed: bool, reason: str) -> None:
    found = derive(sql, dialect)

    assert found.sql is None
    assert found.needed is needed
    assert reason in found.reason


def test_a_query_nested_beyond_reason_is_not_derived_and_does_not_raise() -> None:
    found = derive(f"SELECT SUM({'(' * 5000}x{')' * 5000}) FROM t", "sqlite")

    assert (found.sql, found.reason) == (None, "the query is nested too deeply")


@pytest.mark.parametrize("dialect, sql, expected", DERIVED)
def test_what_was_derived_has_nothing_left_to_derive(dialect: str, sql: str, expected: str) -> None:
    again = derive(expected, dialect)

    assert (again.needed, again.reason) == (False, NO_AGGREGATE)


# ------------------------------------------------------------------------------------------- on real data

_TABLES = (
    "CREATE TABLE customers (id INTEGER, name VARCHAR, country VARCHAR)",
    "CREATE TABLE orders (id INTEGER, customer_id INTEGER, day VARCHAR, status VARCHAR, amount INTEGER)",
)


def _rows() -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    chance = random.Random(7)
    customers = [(n, f"name {n}", chance.choice(["FR", "DE", "IT"])) for n in range(1, 13)]
    orders = [
        (
            n,
            chance.choice([*range(1, 11), None]),  # two customers never order, some orders are a guest's
            f"2024-{chance.randint(1, 6):02}-{chance.randint(1, 28):02}",
            chance.choice(["paid", "open", "void"]),
            chance.choice([None, *range(5, 500)]),
        )
        for n in range(1, 121)
    ]
    return customers, orders


@pytest.fixture(scope="module", params=["sqlite", "duckdb"])
def engine(request: pytest.FixtureRequest) -> Iterator[tuple[str, Run]]:
    """A dialect, and what runs a query on real rows in it."""
    if request.param == "sqlite":
        connection: Any = sqlite3.connect(":memory:")
    else:
        import duckdb

        connection = duckdb.connect(":memory:")
    for statement in _TABLES:
        connection.execute(statement)
    for table, rows in zip(("customers", "orders"), _rows(), strict=True):
        connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    yield request.param, lambda sql: connection.execute(sql).fetchall()
    connection.close()


_MONTHLY = "WITH m AS (SELECT substr(day, 1, 7) AS month, SUM(amount) AS s FROM orders GROUP BY substr(day, 1, 7)) "
_SPENT = "(SELECT customer_id, SUM(amount) AS t FROM orders GROUP BY customer_id)"
# The aggregate query, and the same aggregate made anew from nothing but the derived rows.
RECOMPUTED = [
    ("SELECT COUNT(*) FROM orders", "SELECT COUNT(*) FROM raw"),
    ("SELECT COUNT(*) FROM orders WHERE status = 'paid'", "SELECT COUNT(*) FROM raw"),
    ("SELECT SUM(amount), MIN(amount), MAX(amount) FROM orders", "SELECT SUM(amount), MIN(amount), MAX(amount) "
     "FROM raw"),
    ("SELECT COUNT(amount) FROM orders", "SELECT COUNT(amount) FROM raw"),
    ("SELECT AVG(amount) FROM orders WHERE status <> 'void'", "SELECT AVG(amount) FROM raw"),
    ("SELECT COUNT(DISTINCT customer_id) FROM orders", "SELECT COUNT(DISTINCT customer_id) FROM raw"),
    ("SELECT status, SUM(amount) FROM orders GROUP BY status", "SELECT status, SUM(amount) FROM raw GROUP BY status"),
    ("SELECT status, COUNT(*) FROM orders GROUP BY 1", "SELECT status, COUNT(*) FROM raw GROUP BY status"),
    ("SELECT substr(day, 1, 7) AS month, SUM(amount) FROM orders GROUP BY month",
     "SELECT month, SUM(amount) FROM raw GROUP BY month"),
    ("SELECT substr(day, 1, 4) AS day, SUM(amount) AS amount FROM orders GROUP BY substr(day, 1, 4)",
     "SELECT day, SUM(amount) FROM raw GROUP BY day"),
    ("SELECT customer_id FROM orders GROUP BY customer_id HAVING SUM(amount) > 2500",
     "SELECT customer_id FROM raw GROUP BY customer_id HAVING SUM(amount) > 2500"),
    ("SELECT status, COUNT(id) FROM orders GROUP BY status HAVING status <> 'open' AND COUNT(id) > 1",
     "SELECT status, COUNT(id) FROM raw GROUP BY status"),
    ("SELECT status FROM orders GROUP BY status ORDER BY SUM(amount) DESC LIMIT 1",
     "SELECT status FROM raw GROUP BY status ORDER BY SUM(amount) DESC LIMIT 1"),
    ("SELECT SUM(CASE WHEN status = 'paid' THEN amount ELSE 0 END) FROM orders",
     "SELECT SUM(amount) FROM raw WHERE status = 'paid'"),
    ("SELECT SUM(amount) FILTER (WHERE status = 'paid') FROM orders", "SELECT SUM(amount) FROM raw"),
    ("SELECT COUNT(amount) FILTER (WHERE status = 'paid'), COUNT(amount) FILTER (WHERE status = 'open') FROM orders",
     "SELECT SUM(status = 'paid'), SUM(status = 'open') FROM raw WHERE amount IS NOT NULL AND status <> 'void'"),
    ("SELECT SUM(amount) FILTER (WHERE status = 'paid'), SUM(amount) FROM orders",
     "SELECT SUM(CASE WHEN status = 'paid' THEN amount END), SUM(amount) FROM raw"),
    ("SELECT c.country, SUM(o.amount) FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.country",
     "SELECT country, SUM(amount) FROM raw GROUP BY country"),
    ("SELECT c.name, COUNT(o.id) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.name",
     "SELECT name, COUNT(id) FROM raw GROUP BY name"),
    ("WITH p AS (SELECT * FROM orders WHERE status = 'paid') SELECT customer_id, MAX(amount) FROM p "
     "GROUP BY customer_id",
     "SELECT customer_id, MAX(amount) FROM raw GROUP BY customer_id"),
    (_MONTHLY + "SELECT * FROM m ORDER BY s DESC LIMIT 1",
     "SELECT month, SUM(amount) AS s FROM raw GROUP BY month ORDER BY s DESC LIMIT 1"),
    (_MONTHLY + "SELECT s FROM m WHERE month = '2024-03'", "SELECT SUM(amount) FROM raw"),
    (_MONTHLY + ", r AS (SELECT month AS mm, s FROM m) SELECT mm, s FROM r WHERE mm > '2024-04'",
     "SELECT month, SUM(amount) FROM raw GROUP BY month"),
    (_MONTHLY + ", r AS (SELECT month, s, RANK() OVER (ORDER BY s) AS k FROM m) SELECT month FROM r WHERE k = 1",
     "SELECT month FROM raw GROUP BY month ORDER BY SUM(amount) LIMIT 1"),
    (_MONTHLY + ", r AS (SELECT month, s - LAG(s) OVER (ORDER BY month) AS d FROM m) SELECT d FROM r "
     "WHERE month = '2024-02'",
     "SELECT SUM(CASE month WHEN '2024-02' THEN amount WHEN '2024-01' THEN -amount END) FROM raw"),
    (_MONTHLY + "SELECT b.s - a.s FROM m a JOIN m b ON a.month = '2024-01' AND b.month = '2024-02'",
     "SELECT SUM(CASE month WHEN '2024-02' THEN amount WHEN '2024-01' THEN -amount END) FROM raw"),
    (f"SELECT AVG(t) FROM {_SPENT} AS s",
     "SELECT AVG(t) FROM (SELECT SUM(amount) AS t FROM raw GROUP BY customer_id) AS s"),
    ("SELECT MAX(n) FROM (SELECT country, COUNT(*) AS n FROM customers GROUP BY country) AS q",
     "SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM raw GROUP BY country) AS q"),
    (f"SELECT c.name, s.t FROM customers c JOIN {_SPENT} s ON s.customer_id = c.id WHERE c.country = 'FR'",
     "SELECT name, SUM(amount) FROM raw GROUP BY name"),
    ("SELECT name, n FROM customers JOIN (SELECT customer_id, COUNT(id) AS n FROM orders GROUP BY customer_id) AS s "
     "ON id = customer_id", "SELECT name, COUNT(id_2) FROM raw GROUP BY name"),
    ("SELECT COUNT(*) FROM orders o JOIN (SELECT status, AVG(amount) AS a FROM orders GROUP BY status) m "
     "ON m.status = o.status WHERE o.amount > m.a", "SELECT COUNT(*) FROM raw"),
    ("SELECT SUM(amount) FROM orders WHERE amount > (SELECT AVG(amount) FROM orders)", "SELECT SUM(amount) FROM raw"),
    ("SELECT status, SUM(amount) * 100 / (SELECT SUM(amount) FROM orders) FROM orders GROUP BY status",
     "SELECT status, SUM(amount) * 100 / (SELECT SUM(amount) FROM raw) FROM raw GROUP BY status"),
    ("SELECT 'paid' AS k, SUM(amount) FROM orders WHERE status = 'paid' "
     "UNION ALL SELECT 'open', SUM(amount) FROM orders WHERE status = 'open'", "SELECT k, SUM(amount) FROM raw "
     "GROUP BY k"),
    ("SELECT status, SUM(amount) FROM orders GROUP BY status UNION ALL SELECT 'all', SUM(amount) FROM orders",
     "SELECT status, SUM(amount) FROM raw GROUP BY status"),
    ("SELECT COUNT(*) FROM (SELECT DISTINCT customer_id, status FROM orders) AS d", "SELECT COUNT(*) FROM raw"),
    ("SELECT DISTINCT status, SUM(amount) OVER (PARTITION BY status) FROM orders",
     "SELECT status, SUM(amount) FROM raw GROUP BY status"),
    ("WITH orders AS (SELECT * FROM main.orders WHERE status = 'open') SELECT COUNT(*) FROM orders",
     "SELECT COUNT(*) FROM raw"),
]  # fmt: skip


def _comparable(rows: list[tuple[Any, ...]]) -> list[str]:
    """Rows in one order, numbers as numbers: engines differ in the type that a sum has."""
    return sorted(repr([v if v is None or isinstance(v, str) else round(float(v), 6) for v in row]) for row in rows)


@pytest.mark.parametrize("sql, again", RECOMPUTED)
def test_the_derived_rows_give_the_same_aggregate_again(engine: tuple[str, Run], sql: str, again: str) -> None:
    dialect, run = engine
    raw = derive(sql, dialect).sql
    assert raw is not None

    recomputed = run(f"WITH raw AS ({raw}) {again}")

    assert _comparable(recomputed) == _comparable(run(sql))
    assert len(recomputed) > 0


GROUPED_IN_ONE_ENGINE = [
    ("SELECT arg_max(day, amount) FROM orders WHERE amount < 400", "SELECT arg_max(day, amount) FROM raw"),
    ("SELECT quantile_cont(amount, 0.5) FROM orders", "SELECT quantile_cont(amount, 0.5) FROM raw"),
    ("SELECT status, SUM(amount) FROM orders GROUP BY ALL", "SELECT status, SUM(amount) FROM raw GROUP BY ALL"),
    ("SELECT status, COUNT(id) FROM orders GROUP BY ROLLUP (status)",
     "SELECT status, COUNT(id) FROM raw GROUP BY ROLLUP (status)"),
    ("SELECT status, SUM(amount) AS s FROM orders GROUP BY status QUALIFY ROW_NUMBER() OVER (ORDER BY s) = 1",
     "SELECT status, SUM(amount) AS s FROM raw GROUP BY status ORDER BY s LIMIT 1"),
]  # fmt: skip


@pytest.mark.parametrize("engine", ["duckdb"], indirect=True)
@pytest.mark.parametrize("sql, again", GROUPED_IN_ONE_ENGINE)
def test_the_same_holds_for_what_only_duckdb_can_say(engine: tuple[str, Run], sql: str, again: str) -> None:
    test_the_derived_rows_give_the_same_aggregate_again(engine, sql, again)
