"""The guard lets queries through, and nothing else."""

# ruff: noqa: E501  one case a line
from __future__ import annotations

import contextlib

import pytest
from guard_shop import schema
from hypothesis import given, settings
from hypothesis import strategies as st

from executors import guard
from executors.base import CheckedSql
from executors.errors import ErrorKind, SqlRefused

ALL = ("sqlite", "duckdb", "postgresql", "sqlserver")


def check(dialect: str, sql: str, row_limit: int = 500) -> CheckedSql:
    return guard.check(sql, schema(dialect), row_limit=row_limit)


def refusal(dialect: str, sql: str) -> SqlRefused:
    with pytest.raises(SqlRefused) as caught:
        check(dialect, sql)
    return caught.value


@pytest.mark.parametrize("dialect", ALL)
@pytest.mark.parametrize(
    "sql, why",
    [
        ("INSERT INTO orders VALUES (1)", "a write"),
        ("UPDATE orders SET status = 'x'", "a write"),
        ("DELETE FROM orders", "a write"),
        ("MERGE INTO orders USING customers ON true WHEN MATCHED THEN DELETE", "a write"),
        ("CREATE TABLE t (a INT)", "creates a table"),
        ("CREATE TABLE t AS SELECT * FROM orders", "creates a table from a query"),
        ("CREATE VIEW v AS SELECT 1", "creates a view"),
        ("DROP TABLE orders", "drops a table"),
        ("ALTER TABLE orders ADD COLUMN x INT", "alters a table"),
        ("TRUNCATE TABLE orders", "empties a table"),
        ("GRANT SELECT ON orders TO bob", "changes rights"),
        ("SELECT 1; DROP TABLE orders", "a write after a query"),
        ("DROP TABLE orders; SELECT 1", "a write before a query"),
        ("SELECT 1 /* ; */ ; -- nothing\n DELETE FROM orders", "a write behind comments"),
        ("/* SELECT */ DELETE FROM orders", "a comment is no SELECT"),
        ("-- SELECT 1\nDROP TABLE orders", "a commented SELECT before a write"),
        ("REPLACE INTO orders VALUES (1)", "a write"),
        ("COPY orders TO '/tmp/x.csv'", "writes a file"),
        ("VACUUM", "rewrites the database"),
    ],
)
def test_a_write_is_refused_as_one_in_every_dialect(dialect: str, sql: str, why: str) -> None:
    error = refusal(dialect, sql)
    assert error.kind is ErrorKind.NOT_READ_ONLY, why
    assert error.message.startswith("Only reading is allowed; ")


@pytest.mark.parametrize(
    "dialect, sql, why",
    [
        ("postgresql", "WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d", "a write inside a CTE"),
        ("postgresql", "WITH d AS (INSERT INTO orders VALUES (1) RETURNING *) SELECT * FROM d", "a write inside a CTE"),
        ("postgresql", "WITH d AS (UPDATE orders SET id = 1 RETURNING id) SELECT * FROM d", "a write inside a CTE"),
        ("duckdb", "WITH d AS (SELECT 1) DELETE FROM orders", "a write after a CTE"),
        ("sqlite", "WITH d AS (SELECT 1) INSERT INTO orders SELECT * FROM d", "a write after a CTE"),
        ("postgresql", "SELECT * INTO copy FROM orders", "creates a table"),
        ("sqlserver", "SELECT * INTO copy FROM orders", "creates a table"),
        ("sqlserver", "SELECT * INTO #t FROM orders", "creates a temporary table"),
        ("postgresql", "SELECT id FROM orders FOR UPDATE", "locks rows"),
        ("postgresql", "SELECT id FROM orders FOR SHARE", "locks rows"),
    ],
)
def test_a_write_inside_a_query_is_refused(dialect: str, sql: str, why: str) -> None:
    assert refusal(dialect, sql).kind is ErrorKind.NOT_READ_ONLY, why


@pytest.mark.parametrize(
    "dialect, sql, why",
    [
        ("sqlite", "PRAGMA table_info(orders)", "reads and sets the engine's switches"),
        ("sqlite", "ATTACH DATABASE '/etc/x.db' AS x", "opens another file"),
        ("sqlite", "EXPLAIN SELECT 1", "no rows of data"),
        ("duckdb", "ATTACH 'x.db'", "opens another file"),
        ("duckdb", "INSTALL httpfs", "fetches code"),
        ("duckdb", "LOAD httpfs", "loads code"),
        ("duckdb", "SET memory_limit = '1TB'", "changes a setting"),
        ("duckdb", "CALL pragma_version()", "calls a procedure"),
        ("duckdb", "DESCRIBE orders", "the catalogue"),
        ("duckdb", "SUMMARIZE orders", "no SELECT"),
        ("duckdb", "SHOW TABLES", "the catalogue"),
        ("postgresql", "DO $$ BEGIN PERFORM 1; END $$", "runs code"),
        ("postgresql", "CALL f()", "calls a procedure"),
        ("postgresql", "SET ROLE admin", "changes the role"),
        ("postgresql", "TABLE pg_user", "a SELECT without the word, on the catalogue"),
        ("postgresql", "LISTEN x", "waits"),
        ("sqlserver", "EXEC xp_cmdshell 'dir'", "runs a program"),
        ("sqlserver", "EXECUTE ('DROP TABLE orders')", "runs SQL from text"),
        ("sqlserver", "WAITFOR DELAY '01:00'", "sleeps"),
        ("sqlserver", "DECLARE @x INT", "starts a program"),
        ("sqlserver", "SELECT 1 FROM orders; EXEC xp_cmdshell 'dir'", "runs a program after a query"),
        ("sqlserver", "SELECT * FROM orders OPTION (MAXDOP 1)", "steers the server"),
        ("sqlserver", "SELECT * FROM orders WITH (TABLOCKX)", "locks the table"),
        ("sqlite", "SELECT * FROM sqlite_master", "the catalogue"),
        ("sqlite", "SELECT * FROM main.sqlite_master", "the catalogue, qualified"),
        ("sqlite", 'SELECT * FROM "SQLITE_Schema"', "the catalogue, in other letters"),
        ("sqlite", "SELECT (SELECT sql FROM sqlite_master)", "the catalogue in a subquery"),
        ("sqlite", "SELECT id FROM orders ORDER BY (SELECT 1 FROM sqlite_master)", "the catalogue in ORDER BY"),
        (
            "sqlite",
            "SELECT * FROM (WITH sqlite_master AS (SELECT 1) SELECT * FROM sqlite_master), sqlite_master",
            "scope",
        ),
        ("sqlite", "WITH sqlite_master AS (SELECT * FROM main.sqlite_master) SELECT * FROM sqlite_master", "scope"),
        ("sqlite", "SELECT * FROM pragma_table_list", "a PRAGMA as a table"),
        ("sqlite", "SELECT * FROM temp.orders", "another schema"),
        ("duckdb", "SELECT * FROM information_schema.tables", "the catalogue"),
        ("duckdb", "SELECT * FROM duckdb_settings", "the catalogue"),
        (
            "duckdb",
            "WITH pg_tables AS (SELECT * FROM pg_tables) SELECT * FROM pg_tables",
            "its own name inside is the real one",
        ),
        ("postgresql", "SELECT * FROM pg_catalog.pg_user", "the catalogue"),
        ("postgresql", "SELECT * FROM pg_shadow", "the catalogue"),
        ("postgresql", 'WITH "PG_USER" AS (SELECT 1) SELECT * FROM pg_user', "a CTE of another case is another name"),
        ("postgresql", "SELECT 'pg_user'::regclass", "the catalogue through a cast"),
        ("sqlserver", "SELECT * FROM sys.tables", "the catalogue"),
        ("sqlserver", "SELECT * FROM master.dbo.sysdatabases", "another database"),
        ("sqlserver", "SELECT * FROM [srv].[db].dbo.orders", "another server"),
        ("sqlserver", "SELECT * FROM orders FOR SYSTEM_TIME ALL", "history"),
        ("duckdb", "SELECT * FROM main.range(5)", "a function of a schema may be anybody's"),
    ],
)
def test_what_is_not_reading_the_tables_is_refused(dialect: str, sql: str, why: str) -> None:
    assert refusal(dialect, sql).kind is ErrorKind.PERMISSION, why


@pytest.mark.parametrize(
    "dialect, sql, why",
    [
        ("sqlite", "SELECT load_extension('x.so')", "loads code"),
        ("sqlite", "SELECT readfile('/etc/passwd')", "reads a file"),
        ("sqlite", "SELECT writefile('/tmp/x', 'y')", "writes a file"),
        ("sqlite", "SELECT edit('x')", "starts an editor"),
        ("sqlite", "SELECT fts3_tokenizer('x')", "hands out pointers"),
        ("sqlite", "SELECT randomblob(1000000000)", "fills the memory"),
        ("sqlite", "SELECT zeroblob(1000000000)", "fills the memory"),
        ("sqlite", "SELECT sqlite_compileoption_get(1)", "tells of the server"),
        ("sqlite", "SELECT * FROM pragma_table_info('orders')", "a PRAGMA as a function"),
        ("sqlite", "SELECT * FROM fsdir('/')", "lists files"),
        ("duckdb", "SELECT * FROM read_csv('/etc/passwd')", "reads a file"),
        ("duckdb", "SELECT * FROM read_csv_auto('/etc/passwd')", "reads a file"),
        ("duckdb", "SELECT * FROM \"read_csv\"('/etc/passwd')", "reads a file, quoted"),
        ("duckdb", "SELECT * FROM read_parquet('x.parquet')", "reads a file"),
        ("duckdb", "SELECT * FROM read_json_auto('x.json')", "reads a file"),
        ("duckdb", "SELECT content FROM read_text('/etc/passwd')", "reads a file"),
        ("duckdb", "SELECT * FROM read_blob('/etc/passwd')", "reads a file"),
        ("duckdb", "SELECT * FROM glob('/etc/*')", "lists files"),
        ("duckdb", "SELECT * FROM query('SELECT 1')", "runs SQL from text"),
        ("duckdb", "SELECT * FROM query_table('orders')", "names a table by text"),
        ("duckdb", "SELECT * FROM duckdb_secrets()", "the catalogue"),
        ("duckdb", "SELECT getenv('HOME')", "reads the environment"),
        ("duckdb", "SELECT getvariable('x')", "reads the session"),
        ("duckdb", "SELECT current_setting('threads')", "reads settings"),
        ("duckdb", "SELECT nextval('s')", "changes a sequence"),
        ("duckdb", "SELECT main.read_text('/etc/passwd')", "reads a file, qualified"),
        ("duckdb", "SELECT '/etc/passwd'.read_text()", "reads a file, as a method"),
        ("duckdb", "SELECT [x FOR x IN (SELECT content FROM read_text('/etc/passwd'))]", "in a comprehension"),
        ("duckdb", "SELECT sleep_ms(100000)", "sleeps"),
        ("duckdb", "SELECT json_execute_serialized_sql('x')", "runs SQL from text"),
        ("duckdb", "SELECT repeat('x', 1000000000)", "fills the memory"),
        ("postgresql", "SELECT pg_read_file('/etc/passwd')", "reads the server's files"),
        ("postgresql", "SELECT pg_catalog.pg_read_file('/etc/passwd')", "reads the server's files, qualified"),
        ("postgresql", "SELECT * FROM pg_ls_dir('/')", "lists the server's files"),
        ("postgresql", "SELECT * FROM ROWS FROM (pg_ls_dir('/')) AS x", "lists the server's files"),
        ("postgresql", "SELECT pg_sleep(1000)", "sleeps"),
        ("postgresql", "SELECT * FROM dblink('host=x', 'SELECT 1') AS t(a INT)", "opens a connection"),
        ("postgresql", "SELECT lo_export(1, '/tmp/x')", "writes a file"),
        ("postgresql", "SELECT lo_import('/etc/passwd')", "reads a file"),
        ("postgresql", "SELECT set_config('x', 'y', false)", "changes a setting"),
        ("postgresql", "SELECT current_setting('data_directory')", "reads settings"),
        ("postgresql", "SELECT nextval('s')", "changes a sequence"),
        ("postgresql", "SELECT query_to_xml('DELETE FROM orders', true, true, '')", "runs SQL from text"),
        ("postgresql", "SELECT pg_terminate_backend(1)", "ends other sessions"),
        ("postgresql", "SELECT current_user", "tells of the server"),
        ("postgresql", "SELECT evil.lower('x')", "a function of another schema"),
        ("sqlserver", "SELECT * FROM OPENROWSET('a', 'b', 'SELECT 1')", "opens a connection"),
        ("sqlserver", "SELECT * FROM OPENQUERY(srv, 'SELECT 1')", "opens a connection"),
        ("sqlserver", "SELECT * FROM OPENDATASOURCE('a', 'b').x.y.z", "opens a connection"),
        ("sqlserver", "SELECT * FROM fn_dblog(NULL, NULL)", "reads the log"),
        ("sqlserver", "SELECT NEXT VALUE FOR s", "changes a sequence"),
        ("sqlserver", "SELECT * FROM orders CROSS APPLY sys.dm_exec_sql_text(1)", "other sessions' queries"),
        ("sqlserver", "SELECT dbo.f(1)", "a function that may do anything"),
        ("sqlserver", "SELECT SUSER_NAME()", "tells of the server"),
    ],
)
def test_a_function_that_is_not_known_to_be_pure_is_refused(dialect: str, sql: str, why: str) -> None:
    error = refusal(dialect, sql)
    assert error.kind in {ErrorKind.FUNCTION_NOT_FOUND, ErrorKind.PERMISSION}, why


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM 'file.csv'",
        "SELECT * FROM 'x.parquet'",
        'SELECT * FROM "/etc/passwd"',
        "SELECT * FROM 's3://bucket/x.parquet'",
        "FROM 'x.json'",
        "SELECT * FROM orders JOIN 'x.csv' AS x ON true",
        "SELECT * FROM unnest((SELECT a FROM 'x.csv'))",
        "SELECT list_transform([1], lambda x: (SELECT a FROM 'x.csv'))",
        "SELECT * REPLACE ((SELECT a FROM 'x.csv') AS id) FROM orders",
        "SELECT id FROM orders QUALIFY (SELECT true FROM 'x.csv')",
        "SELECT {'a': (SELECT a FROM 'x.csv')}",
        "WITH t AS MATERIALIZED (SELECT * FROM 'x.csv') SELECT 1",
    ],
)
def test_a_file_is_no_table_in_duckdb_wherever_it_stands(sql: str) -> None:
    assert refusal("duckdb", sql).kind is ErrorKind.TABLE_NOT_FOUND


@pytest.mark.parametrize(
    "sql, kind, why",
    [
        ("", ErrorKind.SYNTAX_ERROR, "nothing"),
        (" ; ", ErrorKind.SYNTAX_ERROR, "nothing"),
        ("-- SELECT 1", ErrorKind.SYNTAX_ERROR, "a comment alone"),
        ("The answer is 42.", ErrorKind.SYNTAX_ERROR, "prose"),
        ("SELECT 1; SELECT 2", ErrorKind.SYNTAX_ERROR, "two statements"),
        ("SELECT id FROM", ErrorKind.SYNTAX_ERROR, "cut off"),
        ("SELECT id FROM orders WHERE (id = 1", ErrorKind.SYNTAX_ERROR, "an open parenthesis"),
        ("SELECT 'abc FROM orders", ErrorKind.SYNTAX_ERROR, "an open string"),
        ("SELECT id FROM orders garbage more garbage", ErrorKind.SYNTAX_ERROR, "goes on after its end"),
        ("SELECT \x00", ErrorKind.SYNTAX_ERROR, "a NUL"),
        ("SELECT ?", ErrorKind.SYNTAX_ERROR, "a parameter without a value"),
        ("SELECT :name", ErrorKind.SYNTAX_ERROR, "a parameter without a value"),
        ("SELECT " + "(" * 61 + "1" + ")" * 61, ErrorKind.RESOURCE, "nested too deeply"),
        ("SELECT " + "NOT " * 3000 + "1", ErrorKind.RESOURCE, "nested too deeply without parentheses"),
        ("SELECT " + "CASE WHEN 1 THEN " * 500 + "1" + " END" * 500, ErrorKind.RESOURCE, "nested too deeply in words"),
        ("SELECT '" + "x" * 20_000 + "'", ErrorKind.RESOURCE, "too long"),
        ("SELECT 1 FROM orders" + " CROSS JOIN orders" * 41, ErrorKind.RESOURCE, "too many joins"),
        ("SELECT 1" + " UNION SELECT 1" * 41, ErrorKind.RESOURCE, "too many set operations"),
        ("SELECT " + "1," * 9_990 + "1", ErrorKind.RESOURCE, "too many parts"),
        ("SELECT id FROM orders WHERE 1 IN customers", ErrorKind.SYNTAX_ERROR, "a table that looks like a column"),
    ],
)
def test_what_cannot_be_understood_whole_is_refused(sql: str, kind: ErrorKind, why: str) -> None:
    assert refusal("sqlite", sql).kind is kind, why


@pytest.mark.parametrize("dialect", ALL)
def test_a_refusal_says_what_was_refused_and_what_to_write(dialect: str) -> None:
    error = refusal(dialect, "drop table orders")
    assert error.message == "Only reading is allowed; DROP would change the database and was refused."
    assert error.hint == "Write one SELECT that reads the answer."


@pytest.mark.parametrize("dialect", ALL)
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
    assert check(dialect, checked.executable).sql == checked.sql


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
        ("postgresql", "SELECT name FROM public.customers WHERE name ILIKE 'a%' AND name ~ '^A'", "patterns"),
        ("sqlserver", "SELECT TOP 5 name FROM dbo.customers ORDER BY name", "TOP"),
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
    assert check(dialect, checked.executable).sql == checked.sql, why


def test_the_tables_that_are_read_are_named_once_in_order_and_as_the_schema_has_them() -> None:
    sql = "WITH t AS (SELECT * FROM Orders) SELECT * FROM t JOIN CUSTOMERS c ON c.id = t.customer_id, orders"
    assert check("sqlite", sql).tables == ("orders", "customers")


@pytest.mark.parametrize(
    "dialect, sql, shown, run",
    [
        ("sqlite", "SELECT id FROM orders", "SELECT id FROM orders LIMIT 500", "SELECT id FROM orders LIMIT 501"),
        ("sqlite", "SELECT id FROM orders LIMIT 5", "SELECT id FROM orders LIMIT 5", None),
        ("sqlite", "SELECT id FROM orders LIMIT 500", "SELECT id FROM orders LIMIT 500", None),
        (
            "sqlite",
            "SELECT id FROM orders LIMIT 501",
            "SELECT id FROM orders LIMIT 500",
            "SELECT id FROM orders LIMIT 501",
        ),
        (
            "sqlite",
            "SELECT id FROM orders LIMIT -1 OFFSET 2",
            "SELECT id FROM orders LIMIT 500 OFFSET 2",
            "SELECT id FROM orders LIMIT 501 OFFSET 2",
        ),
        ("sqlite", "SELECT COUNT(*) FROM orders", "SELECT COUNT(*) FROM orders", None),
        (
            "sqlite",
            "SELECT SUM(id) FILTER (WHERE id > 1) FROM orders",
            "SELECT SUM(id) FILTER(WHERE id > 1) FROM orders",
            None,
        ),
        (
            "sqlite",
            "SELECT MAX(id, 2) FROM orders",
            "SELECT MAX(id, 2) FROM orders LIMIT 500",
            "SELECT MAX(id, 2) FROM orders LIMIT 501",
        ),
        (
            "sqlite",
            "SELECT SUM(id) OVER () FROM orders",
            "SELECT SUM(id) OVER () FROM orders LIMIT 500",
            "SELECT SUM(id) OVER () FROM orders LIMIT 501",
        ),
        (
            "sqlite",
            "SELECT (SELECT MAX(id) FROM orders) FROM customers",
            "SELECT (SELECT MAX(id) FROM orders) FROM customers LIMIT 500",
            "SELECT (SELECT MAX(id) FROM orders) FROM customers LIMIT 501",
        ),
        ("sqlite", "SELECT 1", "SELECT 1", None),
        ("sqlite", "SELECT 1 UNION SELECT 2", "SELECT 1 UNION SELECT 2 LIMIT 500", "SELECT 1 UNION SELECT 2 LIMIT 501"),
        (
            "sqlite",
            "SELECT COUNT(*) FROM orders GROUP BY status",
            "SELECT COUNT(*) FROM orders GROUP BY status LIMIT 500",
            "SELECT COUNT(*) FROM orders GROUP BY status LIMIT 501",
        ),
        (
            "sqlite",
            "SELECT id FROM orders LIMIT (SELECT 9999)",
            "SELECT * FROM (SELECT id FROM orders LIMIT (SELECT 9999)) AS limited LIMIT 500",
            "SELECT * FROM (SELECT id FROM orders LIMIT (SELECT 9999)) AS limited LIMIT 501",
        ),
        ("duckdb", "SELECT unnest([1, 2])", "SELECT UNNEST([1, 2]) LIMIT 500", "SELECT UNNEST([1, 2]) LIMIT 501"),
        (
            "duckdb",
            "SELECT id FROM orders LIMIT 90%",
            "SELECT * FROM (SELECT id FROM orders LIMIT 90 PERCENT) AS limited LIMIT 500",
            "SELECT * FROM (SELECT id FROM orders LIMIT 90 PERCENT) AS limited LIMIT 501",
        ),
        (
            "postgresql",
            "SELECT id FROM orders LIMIT ALL",
            "SELECT id FROM orders LIMIT 500",
            "SELECT id FROM orders LIMIT 501",
        ),
        (
            "postgresql",
            "SELECT id FROM orders FETCH FIRST 3 ROWS ONLY",
            "SELECT id FROM orders FETCH FIRST 3 ROWS ONLY",
            None,
        ),
        (
            "postgresql",
            "SELECT id FROM orders FETCH FIRST 3 ROWS WITH TIES",
            "SELECT * FROM (SELECT id FROM orders FETCH FIRST 3 ROWS WITH TIES) AS limited LIMIT 500",
            "SELECT * FROM (SELECT id FROM orders FETCH FIRST 3 ROWS WITH TIES) AS limited LIMIT 501",
        ),
        ("sqlserver", "SELECT id FROM orders", "SELECT TOP 500 id FROM orders", "SELECT TOP 501 id FROM orders"),
        (
            "sqlserver",
            "SELECT DISTINCT status FROM orders",
            "SELECT DISTINCT TOP 500 status FROM orders",
            "SELECT DISTINCT TOP 501 status FROM orders",
        ),
        ("sqlserver", "SELECT TOP 5 id FROM orders", "SELECT TOP 5 id FROM orders", None),
        (
            "sqlserver",
            "SELECT TOP (9000) id FROM orders",
            "SELECT TOP 500 id FROM orders",
            "SELECT TOP 501 id FROM orders",
        ),
        (
            "sqlserver",
            "SELECT id FROM orders ORDER BY id OFFSET 5 ROWS",
            "SELECT id FROM orders ORDER BY id OFFSET 5 ROWS FETCH NEXT 500 ROWS ONLY",
            "SELECT id FROM orders ORDER BY id OFFSET 5 ROWS FETCH NEXT 501 ROWS ONLY",
        ),
        (
            "sqlserver",
            "SELECT id FROM orders UNION SELECT id FROM customers",
            "SELECT id FROM orders UNION SELECT id FROM customers ORDER BY 1 OFFSET 0 ROWS FETCH NEXT 500 ROWS ONLY",
            "SELECT id FROM orders UNION SELECT id FROM customers ORDER BY 1 OFFSET 0 ROWS FETCH NEXT 501 ROWS ONLY",
        ),
        ("sqlserver", "SELECT COUNT(*) AS n FROM orders", "SELECT COUNT(*) AS n FROM orders", None),
    ],
)
def test_rows_are_capped_in_the_dialects_own_words(dialect: str, sql: str, shown: str, run: str | None) -> None:
    checked = check(dialect, sql)
    assert checked.sql == shown
    assert checked.executable == (run or shown)
    assert checked.row_limit == 500


@pytest.mark.parametrize("dialect", ALL)
@pytest.mark.parametrize(
    "sql, kind, message, hint",
    [
        (
            "SELECT price FROM order_items",
            ErrorKind.COLUMN_NOT_FOUND,
            "There is no column price.",
            "order_items has only: order_id, product_id, quantity, unit_price. Nearest: unit_price.",
        ),
        (
            "SELECT o.email FROM orders o",
            ErrorKind.COLUMN_NOT_FOUND,
            "o has no column email.",
            "email is in customers: add JOIN customers ON o.customer_id = customers.id.",
        ),
        (
            "SELECT customers.name FROM orders",
            ErrorKind.COLUMN_NOT_FOUND,
            "customers is not in FROM, so customers.name cannot be read.",
            "The query reads: orders. Add JOIN customers ON orders.customer_id = customers.id.",
        ),
        (
            "SELECT name FROM customers, products",
            ErrorKind.AMBIGUOUS_COLUMN,
            "Column name is in more than one table.",
            "Say which: customers.name or products.name.",
        ),
        (
            "SELECT id FROM ordrs",
            ErrorKind.TABLE_NOT_FOUND,
            "There is no table ordrs.",
            "Nearest: orders, order_items.",
        ),
        (
            "WITH t AS (SELECT id AS a FROM orders) SELECT b FROM t",
            ErrorKind.COLUMN_NOT_FOUND,
            "There is no column b.",
            "",
        ),
        (
            "SELECT t.c FROM (SELECT id AS a, status FROM orders) AS t",
            ErrorKind.COLUMN_NOT_FOUND,
            "t has no column c.",
            "t has only: a, status.",
        ),
        (
            "SELECT id FROM orders WHERE EXISTS (SELECT 1 FROM customers WHERE nothing = 1)",
            ErrorKind.COLUMN_NOT_FOUND,
            "There is no column nothing.",
            "customers has only: id, name, email, country.",
        ),
        (
            "SELECT id FROM elsewhere.orders",
            ErrorKind.TABLE_NOT_FOUND,
            "There is no elsewhere.orders here: write a table's name alone.",
            "Nearest: orders, order_items.",
        ),
    ],
)
def test_a_name_that_does_not_exist_is_refused_with_what_would_mend_it(
    dialect: str, sql: str, kind: ErrorKind, message: str, hint: str
) -> None:
    error = refusal(dialect, sql)
    assert (error.kind, error.message) == (kind, message)
    assert hint in error.hint


def test_a_double_quoted_word_that_is_no_column_is_text_in_sqlite() -> None:
    assert check("sqlite", 'SELECT id FROM orders WHERE status = "open"').sql.startswith(
        "SELECT id FROM orders WHERE status = 'open'"
    )


def test_a_double_quoted_word_that_is_shown_was_meant_as_a_column() -> None:
    error = refusal("sqlite", 'SELECT "stauts" FROM orders')
    assert error.kind is ErrorKind.COLUMN_NOT_FOUND
    assert "Nearest: status" in error.hint


def test_without_name_checks_all_else_still_holds() -> None:
    unknown = "SELECT a FROM nowhere"
    assert guard.check(unknown, schema("duckdb"), row_limit=9, check_names=False).sql.endswith("LIMIT 9")
    with pytest.raises(SqlRefused):
        guard.check("SELECT * FROM read_csv('x')", schema("duckdb"), row_limit=9, check_names=False)


def test_a_reference_to_a_cte_is_written_as_the_cte_is() -> None:
    # The Kelvin sign is a k to Python, and none to SQLite: the real table of that name must stay out of reach.
    sql = 'WITH "pragma_foreign_\u212aey_list" AS (SELECT 1) SELECT * FROM pragma_foreign_key_list'
    assert "FROM pragma_foreign_key_list" not in check("sqlite", sql).sql


_WORDS = """SELECT FROM WHERE GROUP BY ORDER LIMIT ( ) , ; . * = + - -> :: : [ ] { } ' " ` @ $ ? # % id orders o name
'x' "y" 1 2.5 AS WITH RECURSIVE UNION ALL JOIN ON USING CASE WHEN THEN END CAST INT OVER PARTITION ROWS NOT IN IS NULL
LIKE DATE INTERVAL EXTRACT VALUES PIVOT FOR LATERAL unnest count DISTINCT FILTER WITHIN INSERT INTO DELETE TOP -- /* */"""


@pytest.mark.parametrize("dialect", ALL)
@settings(max_examples=150, deadline=None)
@given(words=st.lists(st.sampled_from(_WORDS.split()), max_size=25))
def test_whatever_is_written_is_let_through_or_refused(dialect: str, words: list[str]) -> None:
    with contextlib.suppress(SqlRefused):
        checked = check(dialect, "SELECT " + " ".join(words))
        assert ";" not in checked.sql


@pytest.mark.parametrize(
    "dialect, sql, why",
    [
        ("sqlite", "SELECT printf('%.*c', 2000000000, 'x')", "two gigabytes of text, and nothing interrupts it"),
        ("sqlite", "SELECT printf('%2000000000d', 1)", "the same by a width"),
        ("sqlite", "SELECT printf(status, 1) FROM orders", "a pattern that a row decides"),
        ("duckdb", "SELECT repeat('x', 1000000000)", "beyond the memory limit"),
        ("duckdb", "SELECT repeat('x', order_id * 1000000) FROM orders", "a length that a row decides"),
        ("postgresql", "SELECT lpad('x', 1000000000)", "the same by padding"),
        ("sqlserver", "SELECT REPLICATE('x', 1000000000)", "the same in T-SQL"),
    ],
)
def test_refuses_text_of_any_length(dialect: str, sql: str, why: str) -> None:
    assert refusal(dialect, sql).kind in {ErrorKind.PERMISSION, ErrorKind.FUNCTION_NOT_FOUND}


@pytest.mark.parametrize(
    "dialect, sql",
    [
        ("sqlite", "SELECT printf('%.2f', 1.234)"),
        ("duckdb", "SELECT lpad('7', 2, '0')"),
        ("sqlserver", "SELECT FORMAT(1234, 'N0')"),
    ],
)
def test_lets_text_of_a_written_length_through(dialect: str, sql: str) -> None:
    assert check(dialect, sql).sql
