"""Oracle, SAP HANA and Databricks without a server: accepted queries and their rewritten form, and refusals."""

# ruff: noqa: E501  one case a line
from __future__ import annotations

import pytest
import sqlglot
from bare_names import bare
from guard_shop import duckdb_shop
from guard_shop import schema as duckdb_schema
from spelled_shop import NAMES, shop

from executors.dialects.row import Limit, NameCase
from executors.dialects.table import DIALECTS
from executors.engines.common.servers import statements
from executors.errors import ErrorKind, SqlRefused
from executors.guard import guard
from executors.records.raw_records import derive
from executors.sql import grammar

# ------------------------------------------------------------------------------------------------ what passes

ORACLE = [
    ("SELECT TO_CHAR(o.created_at, 'YYYY-MM') AS m, SUM(total) FROM orders o GROUP BY TO_CHAR(o.created_at, 'YYYY-MM') ORDER BY 1 FETCH FIRST 5 ROWS ONLY", "same"),
    ("SELECT TRUNC(created_at, 'MM'), ADD_MONTHS(SYSDATE, -2), SYSTIMESTAMP, CURRENT_DATE FROM orders FETCH FIRST 5 ROWS ONLY", "same"),
    ("SELECT NVL(total, 0), NVL2(total, 1, 2), DECODE(status, 'paid', 1, 0), COALESCE(total, 0) FROM orders FETCH FIRST 5 ROWS ONLY", "same"),
    ("SELECT id FROM orders WHERE created_at >= DATE '2024-01-31' AND created_at < TIMESTAMP '2024-02-01 10:00:00' FETCH FIRST 5 ROWS ONLY", "same"),
    ("SELECT created_at + INTERVAL '2' MONTH, created_at - 7, NUMTODSINTERVAL(3, 'DAY') FROM orders FETCH FIRST 5 ROWS ONLY", "same"),
    ("SELECT EXTRACT(YEAR FROM created_at), MONTHS_BETWEEN(SYSDATE, created_at), LAST_DAY(created_at) FROM orders FETCH FIRST 5 ROWS ONLY", "same"),
    ("SELECT TO_DATE('2024-01-31', 'YYYY-MM-DD'), TO_NUMBER('1.5'), TO_TIMESTAMP('2024', 'YYYY') FROM dual FETCH FIRST 5 ROWS ONLY", "same"),
    ("SELECT c.id FROM customers c, orders o WHERE c.id = o.customer_id (+) FETCH FIRST 5 ROWS ONLY", "same"),
    ("SELECT c.name, COUNT(o.id) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.name HAVING COUNT(o.id) > 1 FETCH FIRST 5 ROWS ONLY", "same"),
    ("SELECT LISTAGG(name, ', ') WITHIN GROUP (ORDER BY name) FROM customers", "same"),
    ("SELECT id FROM orders MINUS SELECT id FROM customers FETCH FIRST 5 ROWS ONLY", "same"),
    ("SELECT id FROM orders EXCEPT SELECT id FROM customers FETCH FIRST 5 ROWS ONLY", "SELECT id FROM orders MINUS SELECT id FROM customers FETCH FIRST 5 ROWS ONLY"),
    ("WITH RECURSIVE n (i) AS (SELECT 1 FROM dual UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n FETCH FIRST 5 ROWS ONLY", "WITH n(i) AS (SELECT 1 FROM dual UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n FETCH FIRST 5 ROWS ONLY"),
    ("SELECT id FROM orders ORDER BY total DESC NULLS LAST OFFSET 10 ROWS FETCH NEXT 5 ROWS ONLY", "same"),
    ("SELECT id FROM orders WHERE ROWNUM <= 5 FETCH FIRST 5 ROWS ONLY", "same"),
    ("SELECT MAX(id) KEEP (DENSE_RANK LAST ORDER BY created_at) FROM orders FETCH FIRST 5 ROWS ONLY", "same"),
    ("SELECT RATIO_TO_REPORT(total) OVER (PARTITION BY status), SUM(total) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM orders FETCH FIRST 5 ROWS ONLY", "same"),
    ("SELECT LAG(total) OVER (ORDER BY id), ROW_NUMBER() OVER (PARTITION BY status ORDER BY id) FROM orders FETCH FIRST 5 ROWS ONLY", "same"),
    ("SELECT CAST(total AS VARCHAR2(10)), CAST(total AS NUMBER(10,2)), CAST(created_at AS TIMESTAMP WITH TIME ZONE) FROM orders FETCH FIRST 5 ROWS ONLY", "same"),
    ("SELECT q'[it's]', 'it''s', name || 'x', SUBSTR(name, 1, 2), INSTR(name, 'a'), LENGTH(name) FROM customers FETCH FIRST 5 ROWS ONLY", "SELECT 'it''s', 'it''s', name || 'x', SUBSTR(name, 1, 2), INSTR(name, 'a'), LENGTH(name) FROM customers FETCH FIRST 5 ROWS ONLY"),
    ("SELECT name FROM customers WHERE REGEXP_LIKE(name, '^A') AND email IS NULL FETCH FIRST 5 ROWS ONLY", "same"),
    ("SELECT * FROM (SELECT status, total FROM orders) PIVOT(SUM(total) FOR status IN ('paid' AS paid, 'open' AS opn)) FETCH FIRST 5 ROWS ONLY", "same"),
    ("SELECT status, COUNT(*) FROM orders GROUP BY ROLLUP (status) FETCH FIRST 5 ROWS ONLY", "same"),
    ("SELECT c.name, x.n FROM customers c CROSS APPLY (SELECT COUNT(*) AS n FROM orders o WHERE o.customer_id = c.id) x FETCH FIRST 5 ROWS ONLY", "same"),
    ("SELECT MEDIAN(total), STATS_MODE(status), PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY total) FROM orders", "same"),
    ("SELECT \"ID\", o.\"STATUS\" FROM \"ORDERS\" o FETCH FIRST 5 ROWS ONLY", "same"),
    ("SELECT /*+ FULL(o) */ id FROM orders o FETCH FIRST 5 ROWS ONLY", "SELECT id FROM orders o FETCH FIRST 5 ROWS ONLY"),
    ("SELECT MOD(id, 2), ROUND(total, 1), TRUNC(total), id / 2 FROM orders FETCH FIRST 5 ROWS ONLY", "same"),
]  # fmt: skip

HANA = [
    ("SELECT TO_VARCHAR(created_at, 'YYYY-MM') AS m, SUM(total) FROM orders GROUP BY TO_VARCHAR(created_at, 'YYYY-MM') ORDER BY 1 LIMIT 5", "same"),
    ("SELECT ADD_MONTHS(CURRENT_DATE, -2), ADD_DAYS(CURRENT_DATE, 1), CURRENT_TIMESTAMP, NOW() FROM DUMMY LIMIT 5", "same"),
    ("SELECT DAYS_BETWEEN(created_at, CURRENT_DATE), YEAR(created_at), MONTHNAME(created_at), EXTRACT(YEAR FROM created_at) FROM orders LIMIT 5", "same"),
    ("SELECT ADD_DAYS(LAST_DAY(ADD_MONTHS(created_at, -1)), 1) FROM orders LIMIT 5", "same"),
    ("SELECT IFNULL(total, 0), COALESCE(total, 0), NULLIF(status, ''), MAP(status, 'paid', 1, 0) FROM orders LIMIT 5", "same"),
    ("SELECT id FROM orders WHERE created_at >= DATE '2024-01-31' AND created_at < TO_DATE('2024-02-01', 'YYYY-MM-DD') LIMIT 5", "same"),
    ("SELECT TOP 5 id FROM orders ORDER BY total DESC", "SELECT id FROM orders ORDER BY total DESC LIMIT 5"),
    ("SELECT id FROM orders ORDER BY id LIMIT 5 OFFSET 10", "same"),
    ("SELECT STRING_AGG(name, ', ' ORDER BY name) FROM customers", "same"),
    ("SELECT c.name, COUNT(o.id) FROM customers AS c LEFT JOIN orders AS o ON o.customer_id = c.id GROUP BY c.name HAVING COUNT(o.id) > 1 LIMIT 5", "same"),
    ("SELECT id FROM orders MINUS SELECT id FROM customers LIMIT 5", "SELECT id FROM orders EXCEPT SELECT id FROM customers LIMIT 5"),
    ("SELECT id FROM orders UNION ALL SELECT id FROM customers LIMIT 5", "same"),
    ("SELECT CAST(total AS NVARCHAR(10)), CAST(total AS DECIMAL(10,2)), CAST(created_at AS SECONDDATE), TO_DECIMAL(total, 10, 2) FROM orders LIMIT 5", "same"),
    ("SELECT name || 'x', LEFT(name, 2), SUBSTRING(name, 1, 2), LOCATE(name, 'a'), LENGTH(name), UPPER(name) FROM customers LIMIT 5", "same"),
    ("SELECT MEDIAN(total), STDDEV(total), VAR(total), COUNT(DISTINCT status) FROM orders", "same"),
    ("SELECT ROW_NUMBER() OVER (PARTITION BY status ORDER BY total DESC), LAG(total) OVER (ORDER BY id) FROM orders LIMIT 5", "same"),
    ("SELECT SUM(total) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM orders LIMIT 5", "same"),
    ("SELECT customer_id FROM orders ORDER BY customer_id NULLS LAST LIMIT 5", "same"),
    ("SELECT CASE WHEN total > 10 THEN 'big' ELSE 'small' END FROM orders LIMIT 5", "same"),
    ("SELECT status, COUNT(*) FROM orders GROUP BY GROUPING SETS (status, (status, customer_id)) LIMIT 5", "same"),
    ("WITH t AS (SELECT status, SUM(total) AS s FROM orders GROUP BY status) SELECT status FROM t WHERE s > 10 LIMIT 5", "same"),
    ("SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders) LIMIT 5", "same"),
    ("SELECT name FROM customers AS c WHERE EXISTS(SELECT 1 FROM orders AS o WHERE o.customer_id = c.id) LIMIT 5", "same"),
    ("SELECT \"ID\" FROM \"ORDERS\" WHERE status LIKE 'p%' ESCAPE '\\' LIMIT 5", "same"),
    ("SELECT MOD(id, 2), ROUND(total, 1), NDIV0(total, 0), id / 2 FROM orders LIMIT 5", "same"),
    ("SELECT generated_period_start FROM SERIES_GENERATE_DATE('INTERVAL 1 DAY', '2024-01-01', '2024-02-01') LIMIT 5", "same"),
]  # fmt: skip

DATABRICKS = [
    ("SELECT DATE_TRUNC('MONTH', created_at) AS m, SUM(total) FROM orders GROUP BY ALL ORDER BY 1 LIMIT 5", "same"),
    ("SELECT DATEADD(MONTH, 2, created_at), DATEDIFF(DAY, created_at, CURRENT_DATE), TIMESTAMPDIFF(MONTH, created_at, NOW()) FROM orders LIMIT 5", "same"),
    ("SELECT (ARRAY(1, 2))[0], tags[0], TRANSFORM(tags, t -> UPPER(t)) FROM orders LIMIT 5", "same"),
    ("SELECT o.tags:items[0].name FROM orders AS o LIMIT 5", "same"),
    ("SELECT id FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY status ORDER BY id) = 1 LIMIT 5", "same"),
    ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n LIMIT 5", "same"),
    ("SELECT name FROM customers WHERE name = 'it''s' LIMIT 5", "SELECT name FROM customers WHERE name = 'it\\'s' LIMIT 5"),
    ("SELECT DATE_ADD(created_at, 3), ADD_MONTHS(created_at, 1), TRY_DIVIDE(total, 0), total::STRING FROM orders LIMIT 5", "SELECT DATE_ADD(created_at, 3), ADD_MONTHS(created_at, 1), TRY_DIVIDE(total, 0), CAST(total AS STRING) FROM orders LIMIT 5"),
]  # fmt: skip


@pytest.mark.parametrize(
    "dialect, sql, written",
    [
        (dialect, sql, written)
        for dialect, cases in (("oracle", ORACLE), ("hana", HANA), ("databricks", DATABRICKS))
        for sql, written in cases
    ],
)
def test_a_query_keeps_its_functions_types_and_shape(dialect: str, sql: str, written: str) -> None:
    assert guard.check(sql, shop(dialect), row_limit=5).sql == (sql if written == "same" else written)


@pytest.mark.parametrize("dialect, sql", [(d, s) for d, c in (("oracle", ORACLE), ("hana", HANA)) for s, _ in c])
def test_what_is_written_reads_the_same_again(dialect: str, sql: str) -> None:
    once = guard.check(sql, shop(dialect), row_limit=5).sql
    assert guard.check(once, shop(dialect), row_limit=5).sql == once


# ------------------------------------------------------------------------------------------------ what does not

REFUSED = [
    ("oracle", "BEGIN NULL; END;", ErrorKind.PERMISSION, "a PL/SQL block"),
    ("oracle", "DECLARE x NUMBER; BEGIN x := 1; END;", ErrorKind.PERMISSION, "a PL/SQL block"),
    ("oracle", "EXECUTE IMMEDIATE 'DROP TABLE orders'", ErrorKind.PERMISSION, "text run as SQL"),
    ("oracle", "CALL clean_up()", ErrorKind.PERMISSION, "a procedure"),
    ("oracle", "MERGE INTO orders o USING customers c ON (o.id = c.id) WHEN MATCHED THEN UPDATE SET o.total = 1", ErrorKind.NOT_READ_ONLY, "a write"),
    ("oracle", "SELECT * FROM orders FOR UPDATE", ErrorKind.NOT_READ_ONLY, "locks rows"),
    ("oracle", "SELECT * FROM orders FOR UPDATE NOWAIT", ErrorKind.NOT_READ_ONLY, "locks rows"),
    ("oracle", "SELECT * FROM orders@remote", ErrorKind.PERMISSION, "another database"),
    ("oracle", 'SELECT * FROM orders@"remote.example"', ErrorKind.PERMISSION, "another database"),
    ("oracle", "SELECT f@remote(1) FROM dual", ErrorKind.PERMISSION, "another database's function"),
    ("oracle", "SELECT s.NEXTVAL FROM dual", ErrorKind.FUNCTION_NOT_FOUND, "moves a sequence on"),
    ("oracle", "SELECT hr.s.NEXTVAL FROM dual", ErrorKind.FUNCTION_NOT_FOUND, "moves a sequence on"),
    ("oracle", "SELECT hr.pkg.wipe FROM orders", ErrorKind.FUNCTION_NOT_FOUND, "a function needs no brackets here"),
    ("oracle", "SELECT wipe FROM orders", ErrorKind.COLUMN_NOT_FOUND, "a function needs no brackets here"),
    ("oracle", "SELECT NEXT VALUE FOR s FROM dual", ErrorKind.FUNCTION_NOT_FOUND, "moves a sequence on"),
    ("oracle", "SELECT UTL_HTTP.REQUEST('http://x') FROM dual", ErrorKind.FUNCTION_NOT_FOUND, "reaches the network"),
    ("oracle", "SELECT DBMS_RANDOM.VALUE(1, 2) FROM dual", ErrorKind.FUNCTION_NOT_FOUND, "a package"),
    ("oracle", "SELECT DBMS_XMLGEN.GETXML('SELECT 1 FROM dual') FROM dual", ErrorKind.FUNCTION_NOT_FOUND, "text run as SQL"),
    ("oracle", "SELECT SYS_CONTEXT('USERENV', 'OS_USER') FROM dual", ErrorKind.FUNCTION_NOT_FOUND, "the server's user"),
    ("oracle", "SELECT HTTPURITYPE('http://x').getClob() FROM dual", ErrorKind.FUNCTION_NOT_FOUND, "reaches the network"),
    ("oracle", "SELECT BFILENAME('D', 'x') FROM dual", ErrorKind.FUNCTION_NOT_FOUND, "the server's files"),
    ("oracle", "SELECT * FROM TABLE(f(1))", ErrorKind.FUNCTION_NOT_FOUND, "a function that makes rows"),
    ("oracle", "SELECT * FROM orders MODEL DIMENSION BY (id) MEASURES (total) RULES (total[1] = 2)", ErrorKind.SYNTAX_ERROR, "MODEL"),
    ("oracle", "SELECT LEVEL FROM dual CONNECT BY LEVEL <= 100000000", ErrorKind.PERMISSION, "rows without end"),
    ("oracle", "WITH FUNCTION f RETURN NUMBER IS BEGIN RETURN 1; END; SELECT f FROM dual", ErrorKind.PERMISSION, "PL/SQL in WITH"),
    ("oracle", "SELECT * FROM all_users", ErrorKind.PERMISSION, "describes the database"),
    ("oracle", "SELECT * FROM sys.user$", ErrorKind.PERMISSION, "describes the database"),
    ("oracle", "SELECT * FROM v$session", ErrorKind.PERMISSION, "describes the database"),
    ("oracle", "SELECT id FROM orders WHERE id = :1", ErrorKind.SYNTAX_ERROR, "a variable"),
    ("oracle", "SELECT CEILING(total) FROM orders", ErrorKind.FUNCTION_NOT_FOUND, "could be a schema's own function"),
    ("oracle", "SELECT nothing FROM dual", ErrorKind.COLUMN_NOT_FOUND, "dual has none"),
    ("hana", "SELECT * FROM orders FOR UPDATE", ErrorKind.NOT_READ_ONLY, "locks rows"),
    ("hana", "CALL clean_up()", ErrorKind.PERMISSION, "a procedure"),
    ("hana", "DO BEGIN DELETE FROM orders; END", ErrorKind.PERMISSION, "SQLScript"),
    ("hana", "UPSERT orders VALUES (1)", ErrorKind.NOT_READ_ONLY, "a write"),
    ("hana", "EXPORT orders INTO '/tmp'", ErrorKind.NOT_READ_ONLY, "writes files"),
    ("hana", "SELECT s.NEXTVAL FROM DUMMY", ErrorKind.FUNCTION_NOT_FOUND, "moves a sequence on"),
    ("hana", "SELECT sales.s.NEXTVAL FROM DUMMY", ErrorKind.FUNCTION_NOT_FOUND, "moves a sequence on"),
    ("hana", "SELECT SESSION_CONTEXT('APPLICATION') FROM DUMMY", ErrorKind.FUNCTION_NOT_FOUND, "the session"),
    ("hana", "SELECT CURRENT_USER FROM DUMMY", ErrorKind.FUNCTION_NOT_FOUND, "the server's user"),
    ("hana", "SELECT * FROM SYS.TABLES", ErrorKind.PERMISSION, "describes the database"),
    ("hana", "SELECT * FROM M_CONNECTIONS", ErrorKind.PERMISSION, "describes the database"),
    ("hana", "SELECT * FROM orders WITH HINT NO_CS_JOIN", ErrorKind.SYNTAX_ERROR, "a hint without brackets"),
    ("hana", "SELECT * FROM \"sales\".\"f\"('x')", ErrorKind.PERMISSION, "a function of a schema"),
    ("databricks", "SELECT * FROM csv.`/path/x.csv`", ErrorKind.TABLE_NOT_FOUND, "reads files"),
    ("databricks", "SELECT * FROM parquet.`s3://bucket/x`", ErrorKind.TABLE_NOT_FOUND, "reads files"),
    ("databricks", "SELECT * FROM `/path/x.csv`", ErrorKind.TABLE_NOT_FOUND, "reads files"),
    ("databricks", "SELECT * FROM read_files('/path')", ErrorKind.FUNCTION_NOT_FOUND, "reads files"),
    ("databricks", "DESCRIBE TABLE orders", ErrorKind.PERMISSION, "no SELECT"),
    ("databricks", "DESCRIBE orders", ErrorKind.PERMISSION, "no SELECT"),
    ("databricks", "CACHE TABLE orders", ErrorKind.SYNTAX_ERROR, "no SELECT"),
    ("databricks", "ADD JAR '/x.jar'", ErrorKind.SYNTAX_ERROR, "runs code"),
    ("databricks", "SET spark.sql.ansi.enabled = false", ErrorKind.PERMISSION, "changes the session"),
    ("databricks", "SELECT TRANSFORM(id) USING 'cat' FROM orders", ErrorKind.FUNCTION_NOT_FOUND, "runs a program"),
    ("databricks", "SELECT TRANSFORM(id) USING 'cat' AS (x) FROM orders", ErrorKind.FUNCTION_NOT_FOUND, "runs a program"),
    ("databricks", "MAP id USING 'cat' FROM orders", ErrorKind.FUNCTION_NOT_FOUND, "runs a program"),
    ("databricks", "FROM orders INSERT INTO customers SELECT id", ErrorKind.PERMISSION, "a write"),
    ("databricks", "SELECT java_method('java.lang.System', 'exit', 1)", ErrorKind.FUNCTION_NOT_FOUND, "runs code"),
    ("databricks", "SELECT reflect('java.lang.System', 'getenv')", ErrorKind.FUNCTION_NOT_FOUND, "runs code"),
    ("databricks", "SELECT secret('scope', 'key')", ErrorKind.FUNCTION_NOT_FOUND, "a secret"),
    ("databricks", "SELECT ai_query('model', name) FROM customers", ErrorKind.FUNCTION_NOT_FOUND, "sends data out"),
    ("databricks", "SELECT http_request(conn => 'c') FROM orders", ErrorKind.FUNCTION_NOT_FOUND, "reaches the network"),
    ("databricks", "SELECT main.tools.wipe(id) FROM orders", ErrorKind.FUNCTION_NOT_FOUND, "a function of a schema"),
    ("databricks", "SELECT * FROM IDENTIFIER('orders')", ErrorKind.FUNCTION_NOT_FOUND, "a name out of text"),
    ("databricks", "SELECT * FROM orders@v1", ErrorKind.PERMISSION, "an earlier state"),
    ("databricks", "SELECT ${x} FROM orders", ErrorKind.PERMISSION, "a variable"),
    ("databricks", "SELECT * FROM system.access.audit", ErrorKind.PERMISSION, "describes the database"),
    ("databricks", "SELECT * FROM information_schema.tables", ErrorKind.PERMISSION, "describes the database"),
    ("databricks", "SELECT * FROM other.sales.orders", ErrorKind.TABLE_NOT_FOUND, "another catalog"),
    *((name, "SELECT 1 AS x FROM orders; DELETE FROM orders", ErrorKind.NOT_READ_ONLY, "two statements") for name in NAMES),
    *((name, "WITH t AS (DELETE FROM orders RETURNING id) SELECT id FROM t", ErrorKind.NOT_READ_ONLY, "a write in a CTE") for name in ("oracle",)),
    *((name, "DROP TABLE orders", ErrorKind.NOT_READ_ONLY, "DDL") for name in NAMES),
    *((name, "GRANT SELECT ON orders TO x", ErrorKind.NOT_READ_ONLY, "rights") for name in NAMES),
    *((name, "SELECT * INTO copy FROM orders", ErrorKind.NOT_READ_ONLY, "makes a table") for name in ("oracle", "hana")),
    *((name, "SELECT REPEAT('x', 100000000) FROM orders", kind, "text without end") for name, kind in (("databricks", ErrorKind.PERMISSION), ("oracle", ErrorKind.FUNCTION_NOT_FOUND))),
    *((name, "SELECT RPAD('x', 100000000) FROM orders", ErrorKind.PERMISSION, "text without end") for name in NAMES),
]  # fmt: skip


@pytest.mark.parametrize("dialect, sql, kind, why", REFUSED)
def test_refuses(dialect: str, sql: str, kind: ErrorKind, why: str) -> None:
    with pytest.raises(SqlRefused) as caught:
        guard.check(sql, shop(dialect), row_limit=5)
    assert caught.value.kind is kind, f"{why}: {caught.value.message}"


@pytest.mark.parametrize("dialect, sql", [(d, s) for d, s, _, _ in REFUSED if "seq" not in s and "DBMS" not in s])
def test_refuses_again_what_reaches_outside_with_names_unchecked(dialect: str, sql: str) -> None:
    """With the check of names off, what is left to refuse by is the list of nodes and of functions."""
    reaches = ("@", "UTL_", "HTTP", "BFILE", "USING 'cat'", "java", "reflect", "secret", "ai_query", "read_files")
    if any(word in sql for word in reaches):
        with pytest.raises(SqlRefused):
            guard.check(sql, shop(dialect), row_limit=5, check_names=False)


# ------------------------------------------------------------------------------------------------ limits

LIMITS = [
    ("oracle", "SELECT id FROM orders", "SELECT id FROM orders FETCH FIRST 5 ROWS ONLY", "none of its own"),
    ("oracle", "SELECT id FROM orders LIMIT 3", "SELECT id FROM orders FETCH FIRST 3 ROWS ONLY", "another dialect's word"),
    ("oracle", "SELECT TOP 3 id FROM orders", "SELECT id FROM orders FETCH FIRST 3 ROWS ONLY", "another dialect's word"),
    ("oracle", "SELECT id FROM orders ORDER BY id FETCH FIRST 900 ROWS ONLY", "SELECT id FROM orders ORDER BY id FETCH FIRST 5 ROWS ONLY", "over the cap"),
    ("oracle", "SELECT id FROM orders FETCH FIRST ROW ONLY", "SELECT id FROM orders FETCH FIRST ROWS ONLY", "one row"),
    ("oracle", "SELECT id FROM orders ORDER BY id OFFSET 3 ROWS", "SELECT id FROM orders ORDER BY id OFFSET 3 ROWS FETCH FIRST 5 ROWS ONLY", "after an offset"),
    ("oracle", "SELECT id FROM orders FETCH FIRST 10 PERCENT ROWS ONLY", "SELECT * FROM (SELECT id FROM orders FETCH FIRST 10 PERCENT ROWS ONLY) limited FETCH FIRST 5 ROWS ONLY", "a share"),
    ("oracle", "SELECT id FROM orders ORDER BY id FETCH FIRST 3 ROWS WITH TIES", "SELECT * FROM (SELECT id FROM orders ORDER BY id FETCH FIRST 3 ROWS WITH TIES) limited FETCH FIRST 5 ROWS ONLY", "ties"),
    ("oracle", "SELECT id FROM orders UNION SELECT id FROM customers", "SELECT id FROM orders UNION SELECT id FROM customers FETCH FIRST 5 ROWS ONLY", "of the whole"),
    ("oracle", "SELECT COUNT(*) FROM orders", "SELECT COUNT(*) FROM orders", "one row"),
    ("hana", "SELECT id FROM orders", "SELECT id FROM orders LIMIT 5", "none of its own"),
    ("hana", "SELECT TOP 900 id FROM orders", "SELECT id FROM orders LIMIT 5", "over the cap"),
    ("hana", "SELECT id FROM orders LIMIT 900 OFFSET 3", "SELECT id FROM orders LIMIT 5 OFFSET 3", "after an offset"),
    ("databricks", "SELECT id FROM orders", "SELECT id FROM orders LIMIT 5", "none of its own"),
    ("databricks", "SELECT id FROM orders LIMIT ALL", "SELECT id FROM orders LIMIT 5", "all"),
    ("databricks", "SELECT EXPLODE(tags) FROM orders", "SELECT EXPLODE(tags) FROM orders LIMIT 5", "rows out of one"),
    ("databricks", "SELECT EXPLODE(ARRAY(1, 2))", "SELECT EXPLODE(ARRAY(1, 2)) LIMIT 5", "rows out of none"),
]  # fmt: skip


@pytest.mark.parametrize("dialect, sql, written, why", LIMITS)
def test_the_limit_is_said_in_the_dialects_words(dialect: str, sql: str, written: str, why: str) -> None:
    checked = guard.check(sql, shop(dialect), row_limit=5)
    assert checked.sql == written, why
    if "5" in written:
        before, after = written.rsplit("5", 1)
        assert bare(checked.executable).lower() == f"{before}6{after}".lower(), why


# ------------------------------------------------------------------------------------------------ the rows


@pytest.mark.parametrize(
    "name, case, limit, earlier, month",
    [
        ("oracle", NameCase.UPPER, Limit.FETCH, "ADD_MONTHS(SYSDATE, -2)", "TRUNC(col, 'MM')"),
        ("hana", NameCase.UPPER, Limit.LIMIT, "ADD_MONTHS(CURRENT_DATE, -2)", "ADD_DAYS(LAST_DAY(ADD_MONTHS(col, -1)), 1)"),
        ("databricks", NameCase.ANY, Limit.LIMIT, "add_months(current_date(), -2)", "date_trunc('MONTH', col)"),
    ],
)  # fmt: skip
def test_the_rows_say_how_it_is_written(name: str, case: NameCase, limit: Limit, earlier: str, month: str) -> None:
    row = DIALECTS[name]
    assert (row.case, row.limit) == (case, limit)
    assert row.truncate_month.format(column="col") == month
    spelled = "created_at" if case is NameCase.ANY else "CREATED_AT"
    sql = f"SELECT {row.truncate_month.format(column=spelled)} FROM orders WHERE {spelled} > {earlier}"
    assert guard.check(sql, shop(name), row_limit=5).tables


@pytest.mark.parametrize("name", NAMES)
def test_what_is_offered_instead_of_a_function_may_be_called(name: str) -> None:
    row = DIALECTS[name]
    for offered in row.instead.values():
        for tree in sqlglot.parse(
            f"SELECT {offered.partition(', or')[0]}", read="postgres" if "||" in offered else row.sqlglot
        ):
            plain = grammar.parse(grammar.tokenize(tree.sql(row.sqlglot), row.sqlglot), "", row.sqlglot) if tree else []
            for node in (found for part in plain for found in part.find_all(sqlglot.exp.Anonymous)):
                assert row.may_call(node.name.lower(), in_from=False), offered


@pytest.mark.parametrize("name", NAMES)
def test_no_name_is_both_listed_and_offered_something_else_for(name: str) -> None:
    row = DIALECTS[name]
    assert not {word for word in row.instead if row.may_call(word, in_from=False)} - {"month", "year", "day"}


@pytest.mark.parametrize(
    "dialect, name, quoted",
    [
        ("oracle", "ORDERS", "ORDERS"),
        ("oracle", "orders", '"orders"'),
        ("oracle", "Order Items", '"Order Items"'),
        ("oracle", "ORDER", '"ORDER"'),
        ("hana", "orderItems", '"orderItems"'),
        ("hana", "BESTELLUNGEN", "BESTELLUNGEN"),
        ("databricks", "unit price", "`unit price`"),
        ("databricks", "a`b", "`a``b`"),
        ("databricks", "Orders", "Orders"),
    ],
)
def test_a_name_is_quoted_where_the_engine_would_read_another(dialect: str, name: str, quoted: str) -> None:
    assert DIALECTS[dialect].quote_name(name) == quoted


@pytest.mark.parametrize("name", NAMES)
def test_what_runs_is_one_statement_for_the_server_too(name: str) -> None:
    checked = guard.check("SELECT name FROM customers WHERE name = 'a;b--c'", shop(name), row_limit=5)
    statements.require_one(checked.executable, DIALECTS[name])


# ------------------------------------------------------------------------------------------------ raw records

RAW = [
    ("oracle", "SELECT TRUNC(o.created_at, 'MM') AS m, SUM(o.total) FROM orders o WHERE o.created_at > DATE '2024-01-31' GROUP BY TRUNC(o.created_at, 'MM')"),
    ("oracle", "SELECT status, STATS_MODE(total) FROM orders GROUP BY status FETCH FIRST 3 ROWS ONLY"),
    ("hana", "SELECT TO_VARCHAR(created_at, 'YYYY-MM'), COUNT(*) FROM orders GROUP BY TO_VARCHAR(created_at, 'YYYY-MM') LIMIT 3"),
    ("hana", "SELECT STRING_AGG(name, ', ') FROM customers WHERE IFNULL(country, 'x') = 'DE'"),
    ("databricks", "SELECT date_trunc('MONTH', created_at), try_sum(total) FROM orders GROUP BY ALL"),
]  # fmt: skip


@pytest.mark.parametrize("dialect, sql", RAW)
def test_the_rows_behind_an_aggregate_pass_the_guard(dialect: str, sql: str) -> None:
    raw = derive(guard.check(sql, shop(dialect), row_limit=5).sql, DIALECTS[dialect].sqlglot)
    assert raw.sql is not None, raw.reason
    assert raw.count is not None
    assert guard.check(raw.count, shop(dialect), row_limit=1).sql
    checked = guard.check(raw.sql, shop(dialect), row_limit=5)
    shown, joined, groups = checked.sql.partition(" JOIN (SELECT ")
    assert "GROUP BY" not in shown
    assert bool(joined) == ("GROUP BY" in sql)  # the guard's own limit chooses groups, as far as one knows
    assert not joined or "answer_key_1" in groups
    assert checked.executable.endswith("FETCH FIRST 6 ROWS ONLY" if dialect == "oracle" else "LIMIT 6")


# ------------------------------------------------------------------------------------------------ for every dialect


def test_an_element_of_what_a_call_gives_is_not_an_array() -> None:
    sql = "SELECT list(id ORDER BY id DESC)[1], (array_agg(id ORDER BY id))[2] FROM orders"
    checked = guard.check(sql, duckdb_schema("duckdb"), row_limit=5)
    assert duckdb_shop().execute(checked.sql).fetchall() == duckdb_shop().execute(sql).fetchall() == [(5, 2)]
