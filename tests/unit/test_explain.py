"""The explanation of a query in words, for each dialect."""

from __future__ import annotations

import pytest

from agent.present.explain.query import explain


def case(sql: str, said: str, dialect: str = "sqlite") -> tuple[str, str, str]:
    return sql, said, dialect


READING = [
    case("SELECT * FROM orders", "Reads orders. Gives all columns."),
    case("SELECT order_id, ordered_at FROM orders", "Reads orders. Gives order id and ordered at."),
    case("SELECT unitPrice AS price FROM OrderItems", "Reads order items. Gives unit price (as price)."),
    case('SELECT "a-b" FROM "my table"', 'Reads my table. Gives "a-b".'),
    case("SELECT 1 AS one", "Gives 1 (as one)."),
    case("SELECT quantity * price AS value FROM items", "Reads items. Gives quantity × price (as value)."),
    case("SELECT amount::int AS whole FROM orders", "Reads orders. Gives amount (as a whole number) (as whole).",
         "postgresql"),
    case("SELECT LOWER(name), LENGTH(name) FROM customers",
         "Reads customers. Gives name in lower case and the length of name."),
    case("SELECT soundex(name) AS s FROM customers", "Reads customers. Gives `SOUNDEX(name)` (as s).", "mysql"),
    case("SELECT * EXCLUDE (note) FROM orders", "Reads orders. Gives `* EXCLUDE (note)`.", "duckdb"),
    case("SELECT a, b, c, d, e, f, g, h, i, j, k, l, m, n FROM t",
         "Reads t. Gives a, b, c, d, e, f, g, h, i, j, k, l and 2 more values."),
]  # fmt: skip

TIMES = [
    case("SELECT AVG(JULIANDAY(a) - JULIANDAY(b)) AS stay FROM t",
         "Reads t. Over all rows, gives the average of (the days from b to a) (as stay)."),
    case("SELECT CAST(CAST(STRFTIME('%s', a) AS REAL) / 86400 AS INTEGER) "
         "- CAST(CAST(STRFTIME('%s', b) AS REAL) / 86400 AS INTEGER) AS d FROM t",
         "Reads t. Gives the days from b to a (as d)."),
    case("SELECT CAST((CAST(STRFTIME('%s', a) AS REAL) - CAST(STRFTIME('%s', b) AS REAL)) / 3600 AS INTEGER) FROM t",
         "Reads t. Gives the hours from b to a."),
    case("SELECT (a - b) / 60 FROM t", "Reads t. Gives (a − b) ÷ 60."),
    case("SELECT a FROM t WHERE b < DATE('now')", "Reads t, and keeps the rows where b is before today. Gives a."),
    case("SELECT a FROM t WHERE b < NOW() AND c >= CURRENT_DATE - INTERVAL 3 MONTH",
         "Reads t, and keeps the rows where b is before now and c is today − 3 months or later. Gives a.", "duckdb"),
]  # fmt: skip

FILTERS = [
    ("status = 'shipped'", "status is 'shipped'"),
    ("status <> 'X'", "status is other than 'X'"),
    ("amount >= 10 AND amount < 20.5", "amount is at least 10 and amount is less than 20.5"),
    ("10 < amount", "amount is more than 10"),
    ("amount BETWEEN 10 AND 20", "amount is between 10 and 20"),
    ("amount NOT BETWEEN -1 AND 20", "amount is not between −1 and 20"),
    ("status IN ('C')", "status is 'C'"),
    ("status IN ('C', 'S')", "status is one of 'C', 'S'"),
    ("status NOT IN ('C', 'S')", "status is none of 'C', 'S'"),
    ("id IN (1, 2, 3, 4, 5, 6, 7, 8, 9)", "id is one of 1, 2, 3, 4, 5, 6, and 3 more values"),
    ("name LIKE '%an%'", "name contains 'an'"),
    ("name LIKE 'An%'", "name starts with 'An'"),
    ("name NOT LIKE '%a'", "name does not end with 'a'"),
    ("name LIKE 'A_a%'", "`name LIKE 'A_a%'`"),
    ("name LIKE 'A!%' ESCAPE '!'", "`name LIKE 'A!%' ESCAPE '!'`"),
    ("note IS NULL", "note has no value"),
    ("note IS NOT NULL", "note has a value"),
    ("paid", "paid is true"),
    ("NOT paid", "it is false that (paid is true)"),
    ("a = 1 OR b = 2 AND c = 3", "either a is 1 or (b is 2 and c is 3)"),
    ("(a = 1 OR b = 2) AND c = 3", "(either a is 1 or b is 2) and c is 3"),
    ("NOT (a = 1 OR b = 2)", "it is false that (either a is 1 or b is 2)"),
    ("a = NULL", "`a = NULL`"),
    ("(a, b) IN ((1, 2))", "`(a, b) IN ((1, 2))`"),
    # time
    ("d >= '2024-01-01' AND d < '2025-01-01'", "d is in 2024"),
    ("d >= '2024-01-01' AND d < '2024-04-01'", "d is from January to March 2024"),
    ("d < '2025-07-01' AND d >= '2024-07-01'", "d is from July 2024 to June 2025"),
    ("d >= '2022-01-01' AND d < '2025-01-01'", "d is from 2022 to 2024"),
    ("d >= '2024-02-01' AND d < '2024-03-01'", "d is in February 2024"),
    ("d >= '2024-02-28' AND d < '2024-02-29'", "d is on 2024-02-28"),
    ("d >= '2024-01-01' AND a = 1 AND d < '2024-02-01'", "d is in January 2024 and a is 1"),
    ("d >= '2024-01-01' AND e < '2024-02-01'", "d is 2024-01-01 or later and e is before 2024-02-01"),
    ("d >= '2024-01-02' AND d < '2024-02-01'", "d is 2024-01-02 or later and d is before 2024-02-01"),
    ("d >= '2024-02-01' AND d < '2024-01-01'", "d is 2024-02-01 or later and d is before 2024-01-01"),
    ("d > '2024-01-31'", "d is later than 2024-01-31"),
    ("d <= '2024-01-31'", "d is not later than 2024-01-31"),
    ("d BETWEEN '2024-01-01' AND '2024-01-31'", "d is between 2024-01-01 and 2024-01-31"),
    ("d = '2023-02-30'", "d is '2023-02-30'"),
    ("strftime('%Y', d) = '2024'", "the year of d is '2024'"),
    # subqueries
    ("price > (SELECT AVG(price) FROM t)", "price is more than (the average of price in t)"),
    ("id IN (SELECT a FROM u WHERE b > 2)", "id is among (a in u where b is more than 2)"),
    ("id NOT IN (SELECT a FROM u)", "id is not among (a in u)"),
    ("EXISTS (SELECT 1 FROM u WHERE u.a = t.id)", "there is a row in u where a of u is id of t"),
    ("NOT EXISTS (SELECT 1 FROM u WHERE u.a = t.id)", "there is no row in u where a of u is id of t"),
    ("EXISTS (SELECT COUNT(*) FROM u)", "`EXISTS(SELECT COUNT(*) FROM u)`"),
    ("id IN (SELECT a FROM u ORDER BY b LIMIT 3)", "`id IN (SELECT a FROM u ORDER BY b LIMIT 3)`"),
]  # fmt: skip

JOINS = [
    case("SELECT o.id, c.name FROM orders o JOIN customers c ON c.id = o.customer_id",
         "Reads orders, joined with customers where id of customers is customer id of orders. "
         "Gives id of orders and name of customers."),
    case("SELECT name FROM orders LEFT JOIN customers USING (customer_id)",
         "Reads orders, joined with customers with the same customer id (rows without a match are kept). Gives name."),
    case("SELECT a FROM t RIGHT JOIN u ON t.x = u.x",
         "Reads t, joined with u where x of t is x of u (rows of u without a match are kept). Gives a."),
    case("SELECT a FROM t FULL JOIN u ON t.x = u.x",
         "Reads t, joined with u where x of t is x of u (rows of both sides without a match are kept). Gives a."),
    case("SELECT a FROM t, u", "Reads t, in every combination with u. Gives a."),
    case("SELECT a FROM t SEMI JOIN u ON t.x = u.x",
         "Reads t, only those with a match in u where x of t is x of u. Gives a.", "duckdb"),
    case("SELECT a FROM t NATURAL JOIN u", "Reads t, joined by `NATURAL JOIN u`. Gives a."),
    case("SELECT e.name, m.name AS boss FROM employees e JOIN employees m ON e.manager_id = m.id WHERE m.id <> 1",
         "Reads employees (as e), joined with employees (as m) where manager id of e is id of m, "
         "and keeps the rows where id of m is other than 1. Gives name of e and name of m (as boss)."),
]  # fmt: skip

COMPUTING = [
    case("SELECT COUNT(*) FROM orders", "Reads orders. Over all rows, gives the number of rows."),
    case("SELECT COUNT(*) FROM orders WHERE a = 1",
         "Reads orders, and keeps the rows where a is 1. Over all of these rows, gives the number of rows."),
    case("SELECT COUNT(note), COUNT(DISTINCT customer_id) AS buyers FROM orders",
         "Reads orders. Over all rows, gives the number of rows with a value of note and "
         "the number of different values of customer id (as buyers)."),
    case("SELECT MIN(price), MAX(price), AVG(price * 2) FROM products",
         "Reads products. Over all rows, gives the lowest price, the highest price and the average of (price × 2)."),
    case("SELECT country, COUNT(*) AS n FROM customers GROUP BY country HAVING COUNT(*) > 5 ORDER BY n DESC LIMIT 3",
         "Reads customers. For each country, gives the number of rows (as n). "
         "Keeps only the groups where the number of rows is more than 5. "
         "Sorts by n (highest first) and keeps the first 3 rows."),
    case("SELECT COUNT(*) FROM t GROUP BY a, b", "Reads t. For each combination of a and b, gives the number of rows."),
    case("SELECT a FROM t GROUP BY a", "Reads t. Gives each different a once."),
    case("SELECT strftime('%Y-%m', d) AS month, SUM(x) AS total FROM t GROUP BY 1 ORDER BY 2",
         "Reads t. For each month (the year and month of d), gives the sum of x (as total). "
         "Sorts by total (lowest first)."),
    case("SELECT strftime('%Y-%m', d) AS month, SUM(x) FROM t GROUP BY month",
         "Reads t. For each month, gives the year and month of d (as month) and the sum of x."),
    case("SELECT EXTRACT(YEAR FROM d) AS y, COUNT(*) FROM t GROUP BY EXTRACT(YEAR FROM d)",
         "Reads t. For each y (the year of d), gives the number of rows.", "postgresql"),
    case("SELECT a, SUM(x) FROM t GROUP BY ROLLUP (a)",
         "Reads t. For each group of `ROLLUP (a)`, gives a and the sum of x.", "postgresql"),
    case("SELECT SUM(CASE WHEN status = 'X' THEN 1 ELSE 0 END) * 100.0 / COUNT(*) AS share FROM orders",
         "Reads orders. Over all rows, gives (the number of rows where status is 'X') × 100.0 ÷ the number of rows "
         "(as share)."),
    case("SELECT SUM(CASE WHEN status = 'C' THEN amount END) FROM orders",
         "Reads orders. Over all rows, gives the sum of amount where status is 'C'."),
    case("SELECT SUM(CASE WHEN status = 'C' THEN amount ELSE 5 END) AS s FROM orders",
         "Reads orders. Over all rows, gives the sum of (amount where status is 'C', otherwise 5) (as s)."),
    case("SELECT count(*) FILTER (WHERE a > 1) AS n FROM t",
         "Reads t. Over all rows, gives the number of rows where a is more than 1 (as n).", "postgresql"),
    case("SELECT CASE status WHEN 'C' THEN 'done' ELSE 'open' END AS state FROM orders",
         "Reads orders. Gives ('done' where status is 'C', otherwise 'open') (as state)."),
    case("SELECT ROUND(COALESCE(SUM(x), 0), 2) AS x FROM t",
         "Reads t. Over all rows, gives the sum of x (0 where there is no value) (rounded to 2 decimals) (as x)."),
    case("SELECT CAST(COUNT(CASE WHEN a = 'x' THEN 1 END) AS REAL) / COUNT(*) AS share FROM t",
         "Reads t. Over all rows, gives (the number of rows where a is 'x') (as a number) ÷ the number of rows "
         "(as share)."),
    case("SELECT string_agg(name, ', ') FROM t", "Reads t. Gives `STRING_AGG(name, ', ')`.", "postgresql"),
]  # fmt: skip

CUTTING = [
    case("SELECT DISTINCT country FROM customers", "Reads customers. Gives each different country once."),
    case("SELECT DISTINCT a, b FROM t", "Reads t. Gives each different combination of a and b once."),
    case("SELECT DISTINCT ON (a) a, b FROM t ORDER BY a, b DESC",
         "Reads t. For each a, takes the first row only, and gives a and b. Sorts by a then b (descending).",
         "postgresql"),
    case("SELECT a FROM t LIMIT 5", "Reads t. Gives a. Keeps at most 5 rows."),
    case("SELECT a FROM t ORDER BY a LIMIT 1", "Reads t. Gives a. Sorts by a and keeps the first 1 row."),
    case("SELECT TOP 5 WITH TIES a FROM t ORDER BY a DESC",
         "Reads t. Gives a. Sorts by a (descending) and keeps the first 5 rows, and those equal to the last.",
         "sqlserver"),
    case("SELECT TOP 5 PERCENT a FROM t ORDER BY a",
         "Reads t. Gives a. Sorts by a and keeps the first 5 percent of the rows.", "sqlserver"),
    case("SELECT a FROM t ORDER BY a OFFSET 10 ROWS FETCH NEXT 5 ROWS ONLY",
         "Reads t. Gives a. Sorts by a and leaves out the first 10 rows and keeps the next 5 rows.", "sqlserver"),
    case("SELECT a FROM t FETCH FIRST 4 ROWS ONLY", "Reads t. Gives a. Keeps at most 4 rows.", "oracle"),
    case("SELECT a FROM t ORDER BY 1 LIMIT 2 + 1", "Reads t. Gives a. Sorts by a and keeps `LIMIT 2 + 1`.", "duckdb"),
]  # fmt: skip

STEPS = [
    case("WITH per_month AS (SELECT date_trunc('month', d) AS month, SUM(x) AS total FROM sales GROUP BY 1) "
         "SELECT month, LAG(total) OVER (ORDER BY month) AS before FROM per_month ORDER BY month",
         "First, per month: reads sales. For each month (the start of the month of d), gives the sum of x (as total). "
         "Finally, reads per month. Gives month and total of the row before it by month (as before). Sorts by month.",
         "postgresql"),
    case("WITH a AS (SELECT x FROM t), b AS (SELECT x FROM a) SELECT * FROM b",
         "First, a: reads t. Gives x. Then, b: reads a. Gives x. Finally, reads b. Gives all columns."),
    case("SELECT * FROM (SELECT a FROM t), (SELECT b FROM u)",
         "First, subquery 1: reads t. Gives a. Then, subquery 2: reads u. Gives b. "
         "Finally, reads subquery 1, in every combination with subquery 2. Gives all columns."),
    case("SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM t GROUP BY a) AS counts",
         "First, counts: reads t. For each a, gives the number of rows (as n). "
         "Finally, reads counts. Over all rows, gives the average of n."),
    case("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT i FROM n",
         "First, n (its columns: i): builds up its rows step by step. It begins: gives 1. "
         "It goes on, until there are no new rows: reads n, and keeps the rows where i is less than 9. Gives i + 1. "
         "Finally, reads n. Gives i.", "postgresql"),
    case("WITH n AS (SELECT 1 AS i UNION ALL SELECT i FROM n) SELECT i FROM n",
         "First, n: puts the rows of 2 queries together. Query 1: gives 1 (as i). Query 2: reads n. Gives i. "
         "Finally, reads n. Gives i.", "postgresql"),
    case("SELECT a FROM t UNION ALL SELECT b FROM u ORDER BY 1 LIMIT 10",
         "Puts the rows of 2 queries together. Query 1: reads t. Gives a. Query 2: reads u. Gives b. "
         "Of all of this, it sorts by a and keeps the first 10 rows."),
    case("SELECT a FROM t UNION SELECT b FROM u UNION SELECT c FROM v",
         "Puts the rows of 3 queries together, each different row once. "
         "Query 1: reads t. Gives a. Query 2: reads u. Gives b. Query 3: reads v. Gives c."),
    case("SELECT a FROM t INTERSECT SELECT a FROM u",
         "Keeps the rows that both of 2 queries give. Query 1: reads t. Gives a. Query 2: reads u. Gives a."),
    case("SELECT a FROM t EXCEPT SELECT a FROM u",
         "Takes 2 queries, and keeps the rows of the first one that the second one does not give. "
         "Query 1: reads t. Gives a. Query 2: reads u. Gives a."),
    case("SELECT a, RANK() OVER (PARTITION BY b ORDER BY SUM(x) DESC) AS r FROM t GROUP BY a, b",
         "Reads t. For each combination of a and b, gives "
         "the rank (equal ones share it) by the sum of x (highest first) within each b (as r)."),
    case("SELECT d, SUM(x) OVER (ORDER BY d) AS running, SUM(x) OVER () AS whole FROM t",
         "Reads t. Gives d, the sum of x up to each row by d (as running) and "
         "the sum of x over all of the rows (as whole)."),
    case("SELECT AVG(x) OVER (ORDER BY d ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS m FROM t",
         "Reads t. Gives `AVG(x) OVER (ORDER BY d ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)` (as m)."),
    case("SELECT a FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY b ORDER BY c) = 1",
         "Reads t. Gives a. Keeps only the rows where (the number of the row by c within each b) is 1.", "duckdb"),
    case("SELECT a FROM t TABLESAMPLE SYSTEM (10)", "Takes the rows of `SELECT a FROM t TABLESAMPLE SYSTEM (10)`.",
         "postgresql"),
]  # fmt: skip


@pytest.mark.parametrize("sql, said, dialect", [*READING, *TIMES, *JOINS, *COMPUTING, *CUTTING, *STEPS])
def test_a_query_in_words(sql: str, said: str, dialect: str) -> None:
    assert explain(sql, dialect) == said


@pytest.mark.parametrize("condition, said", FILTERS)
def test_a_filter_in_words(condition: str, said: str) -> None:
    assert explain(f"SELECT a FROM t WHERE {condition}", "sqlite") == (
        f"Reads t, and keeps the rows where {said}. Gives a."
    )


@pytest.mark.parametrize("condition, said, dialect", [
    ("name ILIKE 'an%'", "name starts with 'an' in whatever case", "postgresql"),
    ("d >= DATE '2024-01-01' AND d < DATE '2024-02-01'", "d is in January 2024", "postgresql"),
    ("d >= CAST('2024-01-01' AS DATE)", "d is 2024-01-01 or later", "sqlserver"),
    ("d > NOW() - INTERVAL 3 MONTH", "d is later than now − 3 months", "mysql"),
    ("d >= CURRENT_DATE - INTERVAL '1 day'", "d is today − 1 day or later", "postgresql"),
    ("a = ANY(ARRAY[1, 2])", "`a = ANY(ARRAY[1, 2])`", "postgresql"),
    ("a IS DISTINCT FROM 2", "`a IS DISTINCT FROM 2`", "postgresql"),
    ("toYear(d) = 2024", "the year of d is 2024", "clickhouse"),
    ("YEAR(d) = 2024", "the year of d is 2024", "sqlserver"),
    ("active = TRUE", "active is true", "duckdb"),
])  # fmt: skip
def test_a_filter_of_one_dialect_in_words(condition: str, said: str, dialect: str) -> None:
    assert f"and keeps the rows where {said}." in explain(f"SELECT a FROM t WHERE {condition}", dialect)


@pytest.mark.parametrize("draft, sql, ending, dialect", [
    ("SELECT a FROM t", "SELECT a FROM t LIMIT 500", "Gives a.", "sqlite"),
    ("SELECT a FROM t LIMIT 900", "SELECT a FROM t LIMIT 500", "Keeps at most 500 rows.", "sqlite"),
    ("SELECT a FROM t", "SELECT TOP 500 a FROM t", "Gives a.", "sqlserver"),
    ("SELECT a FROM t UNION SELECT b FROM u",
     "SELECT a FROM t UNION SELECT b FROM u ORDER BY 1 OFFSET 0 ROWS FETCH NEXT 500 ROWS ONLY",
     "Query 2: reads u. Gives b.", "sqlserver"),
    ("SELECT TOP 5 WITH TIES a FROM t ORDER BY a",
     "SELECT TOP 500 * FROM (SELECT TOP 5 WITH TIES a FROM t ORDER BY a) AS limited",
     "keeps the first 5 rows, and those equal to the last.", "sqlserver"),
    ("SELECT a FROM (", "SELECT a FROM t LIMIT 500", "Keeps at most 500 rows.", "sqlite"),
])  # fmt: skip
def test_the_guards_limit_is_none_of_the_querys(draft: str, sql: str, ending: str, dialect: str) -> None:
    said = explain(sql, dialect, draft)
    assert said.endswith(ending)
    assert "limited" not in said


def test_long_sql_is_cut_and_a_long_explanation_says_so() -> None:
    assert len(explain(f"SELECT coalesce({', '.join(['a'] * 200)}) FROM t", "sqlite")) < 200
    steps = ", ".join(f"s{n} AS (SELECT a, b, c FROM t WHERE a = {n} AND b = 'some value')" for n in range(40))
    said = explain(f"WITH {steps} SELECT a FROM s0", "sqlite")
    assert said.endswith("The SQL says the rest.")
    assert len(said) < 2_100
