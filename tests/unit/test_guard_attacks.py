"""Attacks by name: each is refused, with a schema and without one, before any database could see it."""

# ruff: noqa: E501  one attack a line
from __future__ import annotations

import pytest
from guard_shop import schema

from executors.errors import SqlRefused
from executors.guard import guard

EVERY = (
    "sqlite",
    "duckdb",
    "postgresql",
    "sqlserver",
    "mysql",
    "mariadb",
    "clickhouse",
    "oracle",
    "hana",
    "databricks",
)

# Those that need no words of one engine: each is tried in every dialect.
COMMON = [
    ("a second statement", "SELECT 1; DROP TABLE orders"),
    ("a second statement without a space", "SELECT 1;DELETE FROM orders"),
    ("a second statement after a comment", "SELECT 1 -- ;\n; UPDATE orders SET id = 1"),
    ("a write behind an empty statement", ";; DELETE FROM orders"),
    ("a write in a CTE", "WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d"),
    ("a write in a CTE of a CTE", "WITH a AS (WITH b AS (UPDATE orders SET id = 1 RETURNING id) SELECT * FROM b) SELECT * FROM a"),
    ("a write after a CTE", "WITH d AS (SELECT 1) DELETE FROM orders"),
    ("a write in a subquery", "SELECT * FROM (INSERT INTO orders VALUES (1) RETURNING id) AS x"),
    ("a write in brackets", "(DELETE FROM orders)"),
    ("a write whose word is cut by a comment", "DEL/**/ETE FROM orders"),
    ("a write in other letters", "dElEtE FrOm orders"),
    ("a write behind a byte order mark", "\ufeffDELETE FROM orders"),
    ("a table made by a query", "CREATE TABLE loot AS SELECT * FROM customers"),
    ("a temporary table", "CREATE TEMPORARY TABLE loot AS SELECT 1"),
    ("a query into a table", "SELECT * INTO loot FROM customers"),
    ("a locked row", "SELECT * FROM orders FOR UPDATE"),
    ("a locked row in a subquery", "SELECT * FROM (SELECT * FROM orders FOR UPDATE) AS x"),
    ("a right", "GRANT ALL ON orders TO public"),
    ("a user", "CREATE USER eve"),
    ("a setting", "SET x = 1"),
    ("a transaction ended", "COMMIT"),
    ("a procedure", "CALL evil()"),
    ("a plan that runs a write", "EXPLAIN ANALYZE DELETE FROM orders"),
    ("a sequence, as SQL has it", "SELECT NEXT VALUE FOR numbers"),
    ("a file over a function", "SELECT pg_read_file('/etc/passwd')"),
    ("a file over another function", "SELECT load_file('/etc/passwd')"),
    ("a file as rows", "SELECT * FROM read_csv('/etc/passwd')"),
    ("a connection", "SELECT * FROM dblink('host=evil', 'SELECT 1') AS t(a int)"),
    ("a linked server", "SELECT * FROM OPENQUERY(srv, 'DELETE FROM t')"),
    ("sleep", "SELECT pg_sleep(100)"),
    ("sleep by another name", "SELECT sleep(100)"),
    ("a million hashes", "SELECT benchmark(100000000, md5('x'))"),
    ("a program", "EXEC xp_cmdshell 'dir'"),
    ("a program in a query", "SELECT xp_cmdshell('dir')"),
    ("a library", "SELECT load_extension('evil.so')"),
    ("text run as SQL", "SELECT query_to_xml('DELETE FROM orders', true, true, '')"),
    ("a lock with a name", "SELECT get_lock('x', 100)"),
    ("a function nobody knows", "SELECT surely_harmless(id) FROM orders"),
    ("a function of a schema", "SELECT evil.lower_('x')"),
    ("a name in place of a parameter", "SELECT * FROM :t"),
    ("a query too long to read", "SELECT '" + "x" * 20_001 + "'"),
    ("a query too deep to read", "SELECT " + "(" * 200 + "1" + ")" * 200),
]  # fmt: skip

OWN = [
    ("sqlite", "another file", "ATTACH DATABASE '/tmp/x.db' AS x"),
    ("sqlite", "a switch", "PRAGMA writable_schema = 1"),
    ("sqlite", "a switch as a table", "SELECT * FROM pragma_writable_schema(1)"),
    ("sqlite", "memory", "SELECT zeroblob(2000000000)"),
    ("sqlite", "memory by a width", "SELECT printf('%2000000000d', 1)"),
    ("sqlite", "a file of the shell", "SELECT writefile('/tmp/x', 'y')"),
    ("sqlite", "a pointer", "SELECT fts3_tokenizer('simple')"),
    ("duckdb", "a file as a table", "SELECT * FROM '/etc/passwd'"),
    ("duckdb", "a file with a name of its own", "SELECT * FROM 'data.parquet' AS orders"),
    ("duckdb", "an address as a table", "SELECT * FROM 'https://evil/x.csv'"),
    ("duckdb", "a bucket as a table", "FROM 's3://bucket/x.parquet'"),
    ("duckdb", "a folder as a table", "SELECT * FROM 'data/*.csv'"),
    ("duckdb", "a file as text", "SELECT content FROM read_text('/etc/passwd')"),
    ("duckdb", "a file as a method", "SELECT '/etc/passwd'.read_text()"),
    ("duckdb", "a file in a list", "SELECT [x FOR x IN (SELECT content FROM read_text('/etc/passwd'))]"),
    ("duckdb", "a file over an extension", "SELECT * FROM st_read('x.shp')"),
    ("duckdb", "another server", "SELECT * FROM postgres_scan('host=evil', 'public', 't')"),
    ("duckdb", "text as a query", "SELECT * FROM query('SELECT 1')"),
    ("duckdb", "text as a table", "SELECT * FROM query_table('customers')"),
    ("duckdb", "the environment", "SELECT getenv('HOME')"),
    ("duckdb", "an extension", "INSTALL httpfs"),
    ("duckdb", "a secret", "SELECT * FROM duckdb_secrets()"),
    ("duckdb", "a copy", "COPY orders TO '/tmp/x.csv'"),
    ("duckdb", "memory, one inside the other", "SELECT repeat(repeat('x', 9999), 9999)"),
    ("duckdb", "memory, one after the other", "WITH a AS (SELECT repeat('x', 9999) AS x) SELECT repeat(x, 9999) FROM a"),
    ("duckdb", "memory by a list", "SELECT list_resize([1], 1000000000)"),
    ("duckdb", "memory by numbers in a list", "SELECT range(1000000000)"),
    ("duckdb", "memory by numbers in a list, from somewhere", "SELECT range(x) FROM (SELECT 1000000000 AS x)"),
    ("duckdb", "memory by numbers in a list, multiplied", "SELECT generate_series(1, 1000 * 1000000)"),
    ("duckdb", "memory by seconds in a list", "SELECT range(DATE '1000-01-01', DATE '9000-01-01', INTERVAL 1 SECOND)"),
    ("duckdb", "memory by a list of rows", "SELECT * FROM unnest(range(1000000000)) AS t(x)"),
    ("duckdb", "the log", "SELECT write_log('x')"),
    ("postgresql", "a program over COPY", "COPY (SELECT 1) TO PROGRAM 'sh'"),
    ("postgresql", "a large object", "SELECT lo_import('/etc/passwd')"),
    ("postgresql", "a large object written", "SELECT lo_export(1, '/tmp/x')"),
    ("postgresql", "a file, qualified", "SELECT pg_catalog.pg_read_file('x')"),
    ("postgresql", "a file, in quotes", "SELECT \"pg_read_file\"('x')"),
    ("postgresql", "a file, by its letters' numbers", "SELECT U&\"pg\\005fread_file\"('x')"),
    ("postgresql", "a folder in ROWS FROM", "SELECT * FROM ROWS FROM (pg_ls_dir('/')) AS x"),
    ("postgresql", "a folder in LATERAL", "SELECT * FROM orders, LATERAL pg_ls_dir('/') AS d"),
    ("postgresql", "a setting over a function", "SELECT set_config('role', 'postgres', false)"),
    ("postgresql", "another session's end", "SELECT pg_terminate_backend(1)"),
    ("postgresql", "a lock over a function", "SELECT pg_advisory_lock(1)"),
    ("postgresql", "a sequence over a function", "SELECT nextval('s'::regclass)"),
    ("postgresql", "code", "DO $$ BEGIN DELETE FROM orders; END $$"),
    ("postgresql", "text run as SQL, for statistics", "SELECT * FROM ts_stat('SELECT 1')"),
    ("postgresql", "text run as SQL, for a pivot", "SELECT * FROM crosstab('SELECT 1,2,3') AS t(a int)"),
    ("postgresql", "an XML of a whole database", "SELECT database_to_xml(true, true, '')"),
    ("postgresql", "an operator that hides a call", "SELECT 1 OPERATOR(pg_catalog.pg_sleep(1)) 2"),
    ("postgresql", "an operator that hides a string", "SELECT 1 OPERATOR(public.'+; DROP TABLE orders; --') 2"),
    ("postgresql", "an operator of quoted letters", 'SELECT 1 OPERATOR("a;b".+) 2'),
    ("postgresql", "a dollar quote", "SELECT $x$ $x$; DROP TABLE orders; SELECT $x$ $x$"),
    ("postgresql", "an escape string", "SELECT E'\\'; DROP TABLE orders; --'; DELETE FROM orders"),
    ("postgresql", "a nested comment", "SELECT 1 /* /* */ ; */ ; DROP TABLE orders"),
    ("postgresql", "memory", "SELECT repeat('x', 1000000000)"),
    ("postgresql", "memory by an array", "SELECT array_fill(0, ARRAY[100000000])"),
    ("postgresql", "a psql command", "\\copy orders to 'x'"),
    ("postgresql", "a message to others", "SELECT pg_notify('x', 'y')"),
    ("postgresql", "a raster from an address", "SELECT st_fromgdalraster('x')"),
    ("postgresql", "a file as a field of a text", "SELECT ('/etc/passwd'::text).pg_read_file"),
    ("postgresql", "sleep as a field of a number", "SELECT (10::float8).pg_sleep"),
    ("postgresql", "a file as a field of an element", "SELECT (ARRAY['/etc/passwd'])[1].pg_read_file"),
    ("postgresql", "a folder as a field of a column", "SELECT (status).pg_ls_dir FROM orders"),
    ("postgresql", "a folder as a field of a query", "SELECT ((SELECT '/'::text)).pg_ls_dir"),
    ("postgresql", "a folder as a field of a column of a query", "SELECT (x).pg_ls_dir FROM (SELECT '/'::text AS x) AS q"),
    ("postgresql", "sleep as a column of UNNEST", "SELECT x.pg_sleep FROM unnest(ARRAY[10::float8]) AS x"),
    ("postgresql", "sleep as a column of numbers", "SELECT x.pg_sleep FROM generate_series(1, 2.5) AS x"),
    ("postgresql", "sleep as a column of numbers with a name", "SELECT x.pg_sleep FROM generate_series(1, 2.5) AS x(a)"),
    ("postgresql", "sleep as a column of a function without a name", "SELECT abs.pg_sleep FROM abs(10::float8)"),
    ("postgresql", "sleep as a column of LATERAL", "SELECT o.id FROM orders o, LATERAL abs(10::float8) AS x WHERE x.pg_sleep IS NULL"),
    ("postgresql", "sleep as a column that another of that name has", "SELECT (SELECT x.pg_sleep FROM unnest(ARRAY[9.5]) AS x) FROM unnest(ARRAY[1]) AS x(pg_sleep)"),
    ("postgresql", "sleep as a column in other letters", 'SELECT x.pg_sleep FROM unnest(ARRAY[9.5]) AS x("PG_SLEEP")'),
    ("postgresql", "sleep as a name that is not the column's", "SELECT pg_sleep.pg_sleep FROM unnest(ARRAY[9.5]) AS pg_sleep(a)"),
    ("postgresql", "sleep as a column of a cast in FROM", "SELECT x.pg_sleep FROM CAST(9.5 AS float8) AS x"),
    ("postgresql", "a setting as a field", "SELECT ('data_directory'::text).current_setting"),
    ("postgresql", "a lock as a field", "SELECT (5::bigint).pg_advisory_lock"),
    ("postgresql", "a field that nobody knows", "SELECT (id).surely_harmless FROM orders"),
    ("postgresql", "an operator of another schema", "SELECT 1 OPERATOR(evil.+) 2"),
    ("postgresql", "an operator of another schema in quotes", 'SELECT 1 OPERATOR("evil".+) 2'),
    ("postgresql", "a way to sample that nobody knows", "SELECT * FROM orders TABLESAMPLE evil(1)"),
    ("sqlserver", "a bulk file", "SELECT * FROM OPENROWSET(BULK 'C:\\x.txt', SINGLE_CLOB) AS x"),
    ("sqlserver", "another server by name", "SELECT * FROM OPENDATASOURCE('a', 'b').x.dbo.t"),
    ("sqlserver", "SQL from text", "EXECUTE ('DROP TABLE orders')"),
    ("sqlserver", "SQL from text by a procedure", "sp_executesql N'DROP TABLE orders'"),
    ("sqlserver", "a wait", "WAITFOR DELAY '00:10'"),
    ("sqlserver", "a statement without a semicolon", "SELECT 1 DROP TABLE orders"),
    ("sqlserver", "a statement that looks like a name", "SELECT 1 DELETE FROM orders"),
    ("sqlserver", "a statement that looks like a column's name", "SELECT id REVERT FROM orders"),
    ("sqlserver", "a statement behind brackets", "SELECT (1) CHECKPOINT"),
    ("sqlserver", "a statement behind a text", "SELECT 'x' RECONFIGURE"),
    ("sqlserver", "a statement that looks like a table's name", "SELECT id FROM orders SHUTDOWN"),
    ("sqlserver", "a lock by a hint", "SELECT * FROM orders WITH (TABLOCKX, HOLDLOCK)"),
    ("sqlserver", "a lock by a hint beside a harmless one", "SELECT * FROM orders WITH (NOLOCK, UPDLOCK)"),
    ("sqlserver", "a function called like a method", "SELECT dbo.value(1, 'int')"),
    ("sqlserver", "a method that changes", "SELECT x.modify('delete /a') FROM t"),
    ("sqlserver", "a variable set", "SELECT @x = id FROM orders"),
    ("sqlserver", "a variable added to", "SELECT @x += 1"),
    ("sqlserver", "a document that is open", "SELECT * FROM OPENXML(@h, '/r') WITH (a int)"),
    ("sqlserver", "a model", "SELECT * FROM PREDICT(MODEL = @m, DATA = orders AS d) WITH (x float) AS p"),
    ("sqlserver", "a table in a variable", "SELECT * FROM @t"),
    ("sqlserver", "memory", "SELECT REPLICATE('x', 1000000000)"),
    ("sqlserver", "the server's name", "SELECT @@SERVERNAME"),
    ("mysql", "a comment that is run", "SELECT 1 /*!50000 INTO OUTFILE '/tmp/x' */"),
    ("mariadb", "a comment that is run by MariaDB alone", "SELECT 1 /*M!100100 INTO OUTFILE '/tmp/x' */"),
    ("mysql", "a file dumped", "SELECT name FROM customers INTO DUMPFILE '/tmp/x'"),
    ("oracle", "a function without brackets", "SELECT dbms_flashback.get_system_change_number FROM dual"),
    ("oracle", "a function of another schema without brackets", "SELECT evil.package.name FROM orders"),
    ("oracle", "a sequence in quotes", 'SELECT numbers."NEXTVAL" FROM dual'),
    ("oracle", "a sequence as a column", "SELECT numbers.nextval FROM dual"),
    ("hana", "a sequence as a column", "SELECT numbers.NEXTVAL FROM dummy"),
    ("sqlserver", "a wait behind a query without a semicolon", "SELECT 1 WAITFOR DELAY '0:0:5'"),
    ("postgresql", "a lock that is shared", "SELECT * FROM orders FOR KEY SHARE NOWAIT"),
    ("postgresql", "files as rows beside others", "SELECT * FROM ROWS FROM (pg_ls_dir('/'), generate_series(1, 2))"),
    ("postgresql", "sleep in a filter of an aggregate", "SELECT count(*) FILTER (WHERE pg_sleep(1) IS NULL) FROM orders"),
    ("postgresql", "sleep in the order of a window", "SELECT sum(amount) OVER (ORDER BY pg_sleep(1)) FROM orders"),
    ("postgresql", "sleep in a limit", "SELECT * FROM orders LIMIT (SELECT pg_sleep(1)::int)"),
    ("clickhouse", "a file inside of a view", "SELECT * FROM view(SELECT * FROM url('http://x', 'CSV'))"),
    ("duckdb", "a query by its text", "FROM query('SELECT 1')"),
    ("duckdb", "a table by its text", "FROM query_table('orders')"),
    ("mysql", "a file written", "SELECT * FROM orders INTO OUTFILE '/tmp/x'"),
    ("mysql", "a blob written", "SELECT 'x' INTO DUMPFILE '/tmp/x'"),
    ("mysql", "a variable filled", "SELECT id INTO @x FROM orders"),
    ("mysql", "a variable set", "SELECT @x := 1"),
    ("mysql", "a variable set inside", "SELECT id FROM orders WHERE (@x := id) > 1"),
    ("mysql", "a path of the server", "SELECT @@datadir"),
    ("mysql", "the newest id", "SELECT LAST_INSERT_ID(5)"),
    ("mysql", "a handler", "HANDLER orders OPEN"),
    ("mysql", "SQL from text", "PREPARE s FROM 'DROP TABLE orders'"),
    ("mysql", "a share lock", "SELECT * FROM orders LOCK IN SHARE MODE"),
    ("mysql", "an error that tells", "SELECT extractvalue(1, concat('~', (SELECT 1)))"),
    ("mariadb", "a comment that MariaDB runs", "SELECT 1 /*M! ; DROP TABLE orders */"),
    ("mariadb", "a sequence", "SELECT NEXTVAL(s)"),
    ("mariadb", "a sequence, as SQL has it", "SELECT PREVIOUS VALUE FOR s"),
    ("mariadb", "memory by a format", "SELECT SFORMAT('{:>999999999}', 1)"),
    ("clickhouse", "an address", "SELECT * FROM url('http://evil/', CSV, 'a String')"),
    ("clickhouse", "a file", "SELECT * FROM file('/etc/passwd', LineAsString)"),
    ("clickhouse", "a file as a table", "SELECT * FROM `/etc/passwd`"),
    ("clickhouse", "another server", "SELECT * FROM remote('evil', system.one)"),
    ("clickhouse", "a bucket", "SELECT * FROM s3('http://x/y.csv')"),
    ("clickhouse", "a program", "SELECT * FROM executable('x.sh', CSV, 'a String')"),
    ("clickhouse", "a file written", "SELECT 1 INTO OUTFILE '/tmp/x'"),
    ("clickhouse", "a setting", "SELECT 1 SETTINGS readonly = 0"),
    ("clickhouse", "a setting inside", "SELECT * FROM (SELECT 1 SETTINGS max_execution_time = 0)"),
    ("clickhouse", "a dictionary", "SELECT dictGet('d', 'a', 1)"),
    ("clickhouse", "a table by its name's text", "SELECT joinGet('t', 'a', 1)"),
    ("clickhouse", "a table by a parameter", "SELECT * FROM {t:Identifier}"),
    ("clickhouse", "a pause a row", "SELECT sleepEachRow(1) FROM numbers(1000)"),
    ("clickhouse", "memory", "SELECT arrayWithConstant(1000000000, 1)"),
    ("clickhouse", "memory by padding", "SELECT leftPad('x', 1000000000)"),
    ("oracle", "another database", "SELECT * FROM orders@evil"),
    ("oracle", "another database's function", "SELECT f@evil(1) FROM dual"),
    ("oracle", "an address", "SELECT utl_http.request('http://evil/') FROM dual"),
    ("oracle", "an address by its type", "SELECT httpuritype('http://evil/').getclob() FROM dual"),
    ("oracle", "an outer entity", "SELECT xmltype('<!DOCTYPE r [<!ENTITY % x SYSTEM \"http://evil/\"> %x;]>') FROM dual"),
    ("oracle", "a wait", "SELECT dbms_pipe.receive_message('x', 10) FROM dual"),
    ("oracle", "SQL from text", "SELECT dbms_xmlgen.getxml('SELECT * FROM x') FROM dual"),
    ("oracle", "SQL in XQuery", "SELECT * FROM XMLTABLE('fn:collection(\"oradb:/HR/EMP\")')"),
    ("oracle", "rows without end", "SELECT LEVEL FROM dual CONNECT BY 1 = 1"),
    ("oracle", "a variable of the client", "SELECT * FROM &t"),
    ("oracle", "a script of the client", "@evil.sql"),
    ("oracle", "the session", "SELECT sys_context('USERENV', 'IP_ADDRESS') FROM dual"),
    ("oracle", "a variable filled", "SELECT id BULK COLLECT INTO ids FROM orders"),
    ("oracle", "a function in a WITH", "WITH FUNCTION f RETURN NUMBER IS BEGIN RETURN 1; END; SELECT f FROM dual"),
    ("databricks", "files", "SELECT * FROM read_files('s3://b/x')"),
    ("databricks", "a file as a table", "SELECT * FROM csv.`/mnt/x.csv`"),
    ("databricks", "a table's files", "SELECT * FROM delta.`s3://b/t`"),
    ("databricks", "a table by text", "SELECT * FROM IDENTIFIER('a' || 'b')"),
    ("databricks", "a column by text", "SELECT IDENTIFIER('id') FROM orders"),
    ("databricks", "a program", "SELECT TRANSFORM (id) USING 'cat' FROM orders"),
    ("databricks", "code of Java", "SELECT java_method('java.lang.Runtime', 'exit')"),
    ("databricks", "code of Java by another name", "SELECT reflect('java.lang.System', 'getenv')"),
    ("databricks", "a secret", "SELECT secret('scope', 'key')"),
    ("databricks", "another server", "SELECT * FROM remote_query('c', query => 'SELECT 1')"),
    ("databricks", "a model", "SELECT ai_query('m', 'x')"),
    ("databricks", "pasted text", "SELECT * FROM ${table}"),
    ("databricks", "the environment inside of a text", "SELECT '${env:HOME}'"),
    ("databricks", "the environment inside of a name", "SELECT id AS `${env:HOME}` FROM orders"),
    ("hana", "a procedure", "CALL SYS.X()"),
    ("hana", "a sequence in quotes", 'SELECT numbers."NEXTVAL" FROM dummy'),
    ("hana", "the session", "SELECT SESSION_CONTEXT('APPLICATION') FROM DUMMY"),
]  # fmt: skip


def refused(dialect: str, sql: str, *, check_names: bool) -> str:
    with pytest.raises(SqlRefused) as caught:
        guard.check(sql, schema(dialect), row_limit=10, check_names=check_names, open_parameters=True)
    return caught.value.message


@pytest.mark.parametrize("check_names", [True, False], ids=["with a schema", "without"])
@pytest.mark.parametrize("dialect", EVERY)
@pytest.mark.parametrize("sql", [sql for _, sql in COMMON], ids=[name for name, _ in COMMON])
def test_refuses_in_every_dialect(sql: str, dialect: str, check_names: bool) -> None:
    assert refused(dialect, sql, check_names=check_names)


@pytest.mark.parametrize("check_names", [True, False], ids=["with a schema", "without"])
@pytest.mark.parametrize(
    "dialect, sql", [(dialect, sql) for dialect, _, sql in OWN], ids=[f"{dialect}: {name}" for dialect, name, _ in OWN]
)
def test_refuses_what_only_this_engine_has(dialect: str, sql: str, check_names: bool) -> None:
    assert refused(dialect, sql, check_names=check_names)


@pytest.mark.parametrize(
    "dialect, sql, why",
    [
        ("postgresql", "SELECT pg_sleep(9)", "The function pg_sleep is not available here: it waits."),
        ("mysql", "SELECT load_file('x')", "The function load_file is not available here: it reads or writes files."),
        ("clickhouse", "SELECT * FROM url('x')", "The function url is not available as a table: it opens connections."),
        ("sqlserver", "SELECT * FROM OPENXML(@h, 'r') WITH T", "The function OPENXML is not available here: it reads what another statement has opened."),
        ("oracle", "SELECT * FROM t@l", "What has an @ behind its name is in another database."),
        ("mysql", "SELECT @x := 1", "Only reading is allowed; a query may not set the variable @x."),
        ("sqlserver", "SELECT * FROM orders WITH (UPDLOCK)", "The table hint UPDLOCK is not allowed in a query."),
        ("clickhouse", "SELECT 1 SETTINGS readonly = 0", "A query may not change the setting readonly."),
        ("duckdb", "SELECT * FROM 'x.csv'", "'x.csv' is a file, and no table."),
        ("mysql", "SELECT 1 INTO OUTFILE '/x'", "Only reading is allowed; INTO OUTFILE would change the database and was refused."),
        ("mysql", "SELECT 1 /*!50000 INTO @a */", "A comment that the server would run is not allowed: /*!50000 INTO @a"),
        ("oracle", "SELECT s.nextval FROM dual", "The function NEXTVAL is not available here: it changes a sequence."),
        ("sqlserver", "SELECT 1 WAITFOR DELAY '0:0:5'", "The function WAITFOR is not available here: it waits."),
        ("postgresql", "SELECT surely_harmless(1)", "The function surely_harmless is not available here."),
    ],
)  # fmt: skip
def test_says_what_was_refused_and_why(dialect: str, sql: str, why: str) -> None:
    assert refused(dialect, sql, check_names=False) == why


@pytest.mark.parametrize("dialect", EVERY)
@pytest.mark.parametrize(
    "sql, why",
    [
        ('SELECT p."update" FROM products p', "a column that is called update"),
        ("SELECT id FROM orders WHERE status = 'drop table'", "a text that says DROP TABLE"),
        ("SELECT id FROM orders WHERE status = 'x; DELETE FROM orders; --'", "a text with a statement in it"),
        ("SELECT id FROM orders WHERE status LIKE '%delete%'", "a pattern that says delete"),
        ("SELECT name AS deleted, id AS insert_id FROM customers", "names that begin with such words"),
        ("SELECT id /* DROP TABLE orders */ FROM orders -- DELETE", "comments that say DROP and DELETE"),
        ("SELECT COUNT(*) AS updates FROM orders WHERE status IN ('insert', 'update', 'grant')", "texts that are such words"),
        ("SELECT REPLACE(name, 'a', 'b') FROM customers", "REPLACE, the function"),
        ("WITH truncated AS (SELECT id FROM orders) SELECT id FROM truncated", "a CTE that is called truncated"),
    ],
)  # fmt: skip
def test_lets_through_what_only_looks_like_one(dialect: str, sql: str, why: str) -> None:
    quote = {"mysql": "`", "mariadb": "`", "clickhouse": "`", "databricks": "`"}.get(dialect, '"')
    checked = guard.check(sql.replace('"', quote), schema(dialect), row_limit=10)
    assert "DROP TABLE" not in checked.executable, why
    assert guard.check(checked.executable, schema(dialect), row_limit=11).executable, why


@pytest.mark.parametrize("word", ["delete", "update", "insert", "drop", "grant", "truncate"])
@pytest.mark.parametrize("dialect", EVERY)
def test_a_table_may_be_called_like_a_write(dialect: str, word: str) -> None:
    table = schema(dialect).tables[0].model_copy(update={"name": word})
    shop = schema(dialect).model_copy(update={"tables": (table,)})
    checked = guard.check(f"SELECT COUNT(*) AS n FROM {shop.quote_name(word)}", shop, row_limit=10)
    assert checked.tables == (word,)
