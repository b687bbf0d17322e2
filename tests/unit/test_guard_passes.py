"""Queries that the engines accept pass the guard."""

# ruff: noqa: E501  one case a line
from __future__ import annotations

import pytest
from guard_shop import DIALECTS, check


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM orders;",
        "SELECT id /* a comment; DROP TABLE orders */ FROM orders -- and another",
        "SELECT 'drop table orders; --' AS text FROM orders",
        "SELECT count(*) FROM orders WHERE status = 'drop table'",
        "SELECT o.id, c.name FROM orders o JOIN customers AS c ON c.id = o.customer_id",
        "SELECT ORDERS.ID, Customers.NAME FROM Orders, customers WHERE orders.customer_id = CUSTOMERS.id",
        "SELECT status, SUM(total_amount) AS total FROM orders GROUP BY status HAVING SUM(total_amount) > 10 ORDER BY total DESC",
        "SELECT COUNT(DISTINCT customer_id), AVG(total_amount), MIN(id), MAX(id) FROM orders",
        "SELECT CASE WHEN total_amount > 50 THEN 'big' ELSE 'small' END AS size, COUNT(*) AS n FROM orders GROUP BY CASE WHEN total_amount > 50 THEN 'big' ELSE 'small' END",
        "SELECT id, ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY created_at DESC) AS rn FROM orders",
        "SELECT id, SUM(total_amount) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS s FROM orders",
        "SELECT id, LAG(total_amount) OVER (ORDER BY id) AS before FROM orders",
        "WITH big AS (SELECT * FROM orders WHERE total_amount > 10) SELECT status, COUNT(*) AS n FROM big GROUP BY status",
        "WITH a AS (SELECT id FROM orders), b AS (SELECT id FROM a WHERE id > 1) SELECT COUNT(*) FROM b",
        "WITH orders AS (SELECT 1 AS x) SELECT x FROM orders",
        "SELECT * FROM (SELECT customer_id, COUNT(*) AS n FROM orders GROUP BY customer_id) AS t WHERE t.n > 1",
        "SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE status = 'paid')",
        "SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)",
        "SELECT name FROM customers c WHERE (SELECT COUNT(*) FROM orders WHERE customer_id = c.id) > 1",
        "SELECT name FROM customers UNION ALL SELECT name FROM products",
        "SELECT id FROM orders EXCEPT SELECT order_id FROM order_items",
        "SELECT c.name, COALESCE(SUM(o.total_amount), 0) AS t FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.name",
        "SELECT o.*, c.name FROM orders o INNER JOIN customers c ON c.id = o.customer_id",
        "SELECT UPPER(name), LOWER(country), REPLACE(name, 'a', 'b'), TRIM(name) FROM customers",
        "SELECT CAST(total_amount AS INTEGER), ROUND(total_amount, 2), ABS(total_amount) FROM orders",
        "SELECT name FROM customers WHERE name LIKE 'A%' AND email IS NOT NULL AND country NOT IN ('DE', 'FR')",
        "SELECT id FROM orders WHERE total_amount BETWEEN 5 AND 50 OR NOT (status = 'open')",
        "SELECT NULLIF(status, 'x') AS s FROM orders ORDER BY s",
        "SELECT DISTINCT country FROM customers ORDER BY country",
        "SELECT a.id FROM orders a JOIN orders b ON a.id < b.id AND a.customer_id = b.customer_id",
        "SELECT x.n FROM (SELECT COUNT(*) AS n FROM orders) x CROSS JOIN (SELECT 1 AS one) y",
        "SELECT 1",
    ],
)
def test_a_plain_query_passes_in_every_dialect(dialect: str, sql: str) -> None:
    checked = check(dialect, sql)
    assert "--" not in checked.sql.replace("; --'", "")
    assert "/*" not in checked.sql
    assert check(dialect, checked.executable).executable == checked.executable


@pytest.mark.parametrize(
    "dialect, sql, why",
    [
        ("sqlite", 'SELECT "update", "category name" FROM products', "a column named as a statement"),
        ("sqlite", "SELECT [update] FROM products", "brackets"),
        ("sqlite", "SELECT `category name` FROM products", "backticks"),
        ("sqlite", "SELECT rowid, * FROM orders", "a column that every table has"),
        ("sqlite", "SELECT strftime('%Y-%m', created_at) AS m, count(*) FROM orders GROUP BY m", "alias in GROUP BY"),
        ("sqlite", "SELECT status AS s FROM orders WHERE s = 'paid'", "alias in WHERE"),
        ("sqlite", "SELECT status, count(*) AS n FROM orders GROUP BY 1 HAVING n > 1 ORDER BY 2 DESC", "positions"),
        ("sqlite", "SELECT julianday('now') - julianday(created_at) FROM orders", "dates"),
        ("sqlite", "SELECT date(created_at, 'start of month', '-2 months') FROM orders", "dates"),
        ("sqlite", "SELECT group_concat(DISTINCT name), total(id) FROM customers", "aggregates"),
        ("sqlite", "SELECT details ->> '$.tags[0]', json_extract(details, '$.x') FROM products", "JSON"),
        ("sqlite", "SELECT j.value FROM products, json_each(products.details, '$.tags') AS j", "JSON rows"),
        ("sqlite", "SELECT json_each.value FROM products, json_each(products.details)", "a function without an alias"),
        ("postgresql", "SELECT json_each.key FROM json_each('{}')", "a function without an alias"),
        ("duckdb", "SELECT range.range FROM range(3)", "a function without an alias"),
        (
            "sqlite",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT i FROM n",
            "recursion",
        ),
        ("sqlite", "SELECT name FROM customers JOIN orders USING (id)", "a column of both, made one"),
        ("sqlite", "SELECT * FROM (orders o JOIN customers c ON c.id = o.customer_id)", "joins in parentheses"),
        (
            "sqlite",
            "SELECT max(id, 2), iif(id > 1, 'a', 'b'), printf('%.2f', id), name || '!' FROM customers",
            "functions",
        ),
        (
            "duckdb",
            "SELECT date_trunc('month', created_at) AS m, sum(total_amount) FROM orders GROUP BY ALL ORDER BY ALL",
            "ALL",
        ),
        (
            "duckdb",
            "SELECT total_amount AS t, t * 2 AS double FROM orders WHERE t > 1",
            "aliases beside their definition",
        ),
        ("duckdb", "SELECT * EXCLUDE (status) REPLACE (id + 1 AS id) FROM orders", "stars"),
        ("duckdb", "SELECT COLUMNS('id|status') FROM orders", "columns by pattern"),
        ("duckdb", "FROM orders SELECT id", "FROM first"),
        ("duckdb", "FROM orders", "FROM alone"),
        ("duckdb", "SELECT id FROM orders QUALIFY row_number() OVER (PARTITION BY status ORDER BY id) = 1", "QUALIFY"),
        ("duckdb", "SELECT struct_pack(a := id).a, {'x': id}.x, [id, 2][1] FROM orders", "nested values"),
        ("duckdb", "SELECT s.a FROM (SELECT {'a': 1} AS s)", "a field that looks like a column of a table"),
        ("duckdb", "SELECT [x * 2 FOR x IN [1, 2, 3] IF x > 1]", "list comprehension"),
        ("duckdb", "SELECT list_filter([1, 2], x -> x > 1), list_transform([1], lambda x: x + 1)", "lambdas"),
        ("duckdb", "SELECT o FROM orders o", "a row as a value"),
        ("duckdb", "SELECT i FROM range(5) AS r(i), generate_series(1, 3)", "numbers as a table"),
        ("duckdb", "SELECT unnest([1, 2])", "a list as rows"),
        ("duckdb", "SELECT unnest(range(1, 13)), generate_series(-3, 3)", "a short list of numbers"),
        ("duckdb", "SELECT range(DATE '2024-01-01', created_at, INTERVAL 1 MONTH) FROM orders", "a list of months"),
        ("duckdb", "SELECT range(len(name) + 1) FROM customers", "a list as long as what is there"),
        (
            "duckdb",
            "SELECT c.name, n.n FROM customers c, (SELECT count(*) AS n FROM orders WHERE customer_id = c.id) n",
            "lateral",
        ),
        ("duckdb", "SELECT name.upper() FROM customers", "a method call"),
        ("duckdb", "SELECT * FROM orders PIVOT (sum(total_amount) FOR status IN ('paid', 'open'))", "PIVOT"),
        ("duckdb", "SELECT * FROM orders USING SAMPLE 50%", "a sample"),
        (
            "duckdb",
            "SELECT quantile_cont(total_amount, 0.9), median(id), arg_max(id, total_amount) FROM orders",
            "aggregates",
        ),
        (
            "duckdb",
            "SELECT created_at + INTERVAL 2 MONTH, year(created_at), strftime(created_at, '%Y') FROM orders",
            "dates",
        ),
        ("duckdb", "SELECT count(*) FILTER (WHERE status = 'paid') FROM orders", "FILTER"),
        ("duckdb", "SELECT array(SELECT id FROM orders)", "a list from a query"),
        ("postgresql", "SELECT DISTINCT ON (status) status, id FROM orders ORDER BY status, id DESC", "DISTINCT ON"),
        ("postgresql", "SELECT to_char(created_at, 'YYYY-MM'), EXTRACT(YEAR FROM created_at) FROM orders", "dates"),
        ("postgresql", "SELECT created_at::date FROM orders WHERE created_at > now() - INTERVAL '2 months'", "dates"),
        ("postgresql", "SELECT g FROM generate_series(1, 10) AS g", "numbers as a table"),
        ("postgresql", "SELECT details::jsonb -> 'tags' ->> 0 FROM products", "JSON"),
        ("postgresql", "SELECT string_agg(DISTINCT name, ', ' ORDER BY name) FROM customers", "aggregates"),
        ("postgresql", "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY total_amount) FROM orders", "aggregates"),
        (
            "postgresql",
            "SELECT c.name, l.id FROM customers c CROSS JOIN LATERAL (SELECT id FROM orders WHERE customer_id = c.id LIMIT 1) l",
            "lateral",
        ),
        ("postgresql", "SELECT (c).name, (json_each(name::json)).key FROM customers c", "fields of rows"),
        ("postgresql", "SELECT x.a, x.b FROM json_to_record('{}') AS x(a int, b text)", "columns that are named there"),
        (
            "postgresql",
            "SELECT e.value, e.ordinality FROM customers c, jsonb_array_elements(c.name::jsonb) WITH ORDINALITY e",
            "columns of a function",
        ),
        (
            "postgresql",
            "SELECT d.d, g.day FROM generate_series(1, 2) d, generate_series(1, 2) AS g(day)",
            "a function's own name",
        ),
        ("postgresql", "SELECT v.n, q.z FROM (VALUES (1)) AS v(n), (SELECT 1 AS z) q", "columns of rows"),
        (
            "postgresql",
            "SELECT id OPERATOR(pg_catalog.+) 1 FROM orders TABLESAMPLE BERNOULLI (10)",
            "an operator in full",
        ),
        ("postgresql", "SELECT name FROM public.customers WHERE name ILIKE 'a%' AND name ~ '^A'", "patterns"),
        ("sqlserver", "SELECT TOP 5 name FROM dbo.customers ORDER BY name", "TOP"),
        ("sqlserver", "SELECT id AS [delete], name AS [print] FROM customers", "names in brackets"),
        (
            "sqlserver",
            "SELECT c.id FROM customers c INNER MERGE JOIN orders o ON o.customer_id = c.id",
            "a way to join",
        ),
        (
            "oracle",
            "SELECT c.name, orders.id, (SELECT MAX(c.id) FROM dual) FROM customers c, orders",
            "columns of tables",
        ),
        (
            "sqlserver",
            "SELECT DATEADD(month, -2, GETDATE()), DATEDIFF(day, created_at, GETDATE()) FROM orders",
            "date parts",
        ),
        (
            "sqlserver",
            "SELECT YEAR(created_at), FORMAT(created_at, 'yyyy-MM'), ISNULL(total_amount, 0) FROM orders",
            "functions",
        ),
        (
            "sqlserver",
            "SELECT c.name, x.id FROM customers c CROSS APPLY (SELECT TOP 1 id FROM orders o WHERE o.customer_id = c.id) x",
            "APPLY",
        ),
        ("sqlserver", "SELECT s.value FROM customers CROSS APPLY STRING_SPLIT(name, ' ') AS s", "text as rows"),
        ("sqlserver", "SELECT name FROM customers WITH (NOLOCK)", "a hint that does no harm is dropped"),
        ("sqlserver", "SELECT CONVERT(varchar(10), created_at, 120), TRY_CAST(status AS int) FROM orders", "casts"),
        ("sqlserver", "SELECT [category name], N'x' + name FROM products", "brackets"),
    ],
)
def test_what_the_engine_takes_passes(dialect: str, sql: str, why: str) -> None:
    checked = check(dialect, sql)
    assert check(dialect, checked.executable).executable == checked.executable, why


def test_the_tables_that_are_read_are_named_once_in_order_and_as_the_schema_has_them() -> None:
    sql = "WITH t AS (SELECT * FROM Orders) SELECT * FROM t JOIN CUSTOMERS c ON c.id = t.customer_id, orders"
    assert check("sqlite", sql).tables == ("orders", "customers")


def test_a_reference_to_a_cte_is_written_as_the_cte_is() -> None:
    # The Kelvin sign is a k to Python, and none to SQLite: the real table of that name must stay out of reach.
    sql = 'WITH "pragma_foreign_\u212aey_list" AS (SELECT 1) SELECT * FROM pragma_foreign_key_list'
    assert "FROM pragma_foreign_key_list" not in check("sqlite", sql).sql
