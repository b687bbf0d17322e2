"""The guard refuses statements that are not queries, and queries with side effects."""

# ruff: noqa: E501  one case a line
from __future__ import annotations

import contextlib

import pytest
from guard_shop import DIALECTS, check, refusal
from hypothesis import given, settings
from hypothesis import strategies as st

from executors.errors import ErrorKind, SqlRefused


@pytest.mark.parametrize("dialect", DIALECTS)
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
        ("duckdb", "SUMMARIZE 'orders.csv'", "a file"),
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
        ("sqlserver", "SELECT * FROM orders FOR JSON AUTO", "one text of rows that the cap cut"),
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
        ("SELECT FORM orders", ErrorKind.SYNTAX_ERROR, "a FROM that was misspelt"),
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


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_refusal_says_what_was_refused_and_what_to_write(dialect: str) -> None:
    error = refusal(dialect, "drop table orders")
    assert error.message == "Only reading is allowed; DROP would change the database and was refused."
    assert error.hint == "Write one SELECT that reads the answer."


_WORDS = """SELECT FROM WHERE GROUP BY ORDER LIMIT ( ) , ; . * = + - -> :: : [ ] { } ' " ` @ $ ? # % id orders o name
'x' "y" 1 2.5 AS WITH RECURSIVE UNION ALL JOIN ON USING CASE WHEN THEN END CAST INT OVER PARTITION ROWS NOT IN IS NULL
LIKE DATE INTERVAL EXTRACT VALUES PIVOT FOR LATERAL unnest count DISTINCT FILTER WITHIN INSERT INTO DELETE TOP -- /* */"""


@pytest.mark.parametrize("dialect", DIALECTS)
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
