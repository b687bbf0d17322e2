"""Oracle, SAP HANA and Databricks without a server: what is let through and how it is written, what is refused, what the
catalogue queries give, and what the drivers' errors mean."""

# ruff: noqa: E501  one case a line
from __future__ import annotations

from typing import Any

import duckdb
import pytest
import sqlglot
from guard_shop import duckdb_shop
from guard_shop import schema as duckdb_schema

from executors import guard
from executors.base import Column, ForeignKey, Schema, Table
from executors.dialects import DIALECTS, Case, Limit, match_error
from executors.errors import ErrorKind, SqlRefused
from executors.raw_records import derive
from executors.server import catalogue, statements
from executors.sql import diagnose, grammar, mend

NAMES = ("oracle", "hana", "databricks")


def shop(dialect: str) -> Schema:
    """The shop as that server's catalogue spells it."""
    spelled = str.lower if dialect == "databricks" else str.upper
    return Schema(
        database="shop",
        dialect=dialect,
        tables=(
            _table(spelled, "customers", "id name email country"),
            _table(spelled, "orders", "id customer_id total status created_at tags", customer_id="customers"),
            _table(spelled, "order_items", "order_id product_id quantity unit_price", order_id="orders"),
        ),
    )


def _table(spelled: Any, name: str, columns: str, **references: str) -> Table:
    names = [spelled(column) for column in columns.split()]
    keys = (
        ForeignKey(columns=(spelled(column),), table=spelled(table), referenced=(spelled("id"),))
        for column, table in references.items()
    )
    return Table(
        name=spelled(name),
        columns=tuple(Column(name=column, type="TEXT") for column in names),
        primary_key=(names[0],),
        foreign_keys=tuple(keys),
    )


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
    ("oracle", "SELECT USER FROM dual", ErrorKind.COLUMN_NOT_FOUND, "the server's user"),
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
    ("hana", "SELECT * FROM orders WITH HINT (NO_CS_JOIN)", ErrorKind.SYNTAX_ERROR, "a hint that is no comment"),
    ("hana", "SELECT * FROM \"sales\".\"f\"('x')", ErrorKind.PERMISSION, "a function of a schema"),
    ("databricks", "SELECT * FROM csv.`/path/x.csv`", ErrorKind.TABLE_NOT_FOUND, "reads files"),
    ("databricks", "SELECT * FROM parquet.`s3://bucket/x`", ErrorKind.TABLE_NOT_FOUND, "reads files"),
    ("databricks", "SELECT * FROM `/path/x.csv`", ErrorKind.TABLE_NOT_FOUND, "reads files"),
    ("databricks", "SELECT * FROM read_files('/path')", ErrorKind.FUNCTION_NOT_FOUND, "reads files"),
    ("databricks", "TABLE orders", ErrorKind.PERMISSION, "no SELECT"),
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
        assert checked.executable == f"{before}6{after}", why


# ------------------------------------------------------------------------------------------------ the rows


@pytest.mark.parametrize(
    "name, case, limit, months_ago, month",
    [
        ("oracle", Case.UPPER, Limit.FETCH, "ADD_MONTHS(SYSDATE, -2)", "TRUNC(col, 'MM')"),
        ("hana", Case.UPPER, Limit.LIMIT, "ADD_MONTHS(CURRENT_DATE, -2)", "ADD_DAYS(LAST_DAY(ADD_MONTHS(col, -1)), 1)"),
        ("databricks", Case.ANY, Limit.LIMIT, "add_months(current_date(), -2)", "date_trunc('MONTH', col)"),
    ],
)  # fmt: skip
def test_the_rows_say_how_it_is_written(name: str, case: Case, limit: Limit, months_ago: str, month: str) -> None:
    row = DIALECTS[name]
    assert (row.case, row.limit) == (case, limit)
    assert (row.months_ago.format(n=2), row.truncate_month.format(column="col")) == (months_ago, month)
    spelled = "created_at" if case is Case.ANY else "CREATED_AT"
    sql = (
        f"SELECT {row.truncate_month.format(column=spelled)} FROM orders WHERE {spelled} > {row.months_ago.format(n=2)}"
    )
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
    assert DIALECTS[dialect].quoted(name) == quoted


@pytest.mark.parametrize("name", NAMES)
def test_what_runs_is_one_statement_for_the_server_too(name: str) -> None:
    checked = guard.check("SELECT name FROM customers WHERE name = 'a;b--c'", shop(name), row_limit=5)
    statements.require_one(checked.executable, DIALECTS[name])


# ------------------------------------------------------------------------------------------------ errors

ERRORS = [
    ("oracle", "ORA-00942", 'ORA-00942: table or view "HR"."ORDRS" does not exist\nHelp: https://x', ErrorKind.TABLE_NOT_FOUND, "ORDRS"),
    ("oracle", "ORA-00942", "ORA-00942: table or view does not exist", ErrorKind.TABLE_NOT_FOUND, None),
    ("oracle", "ORA-00904", 'ORA-00904: "PRICE": invalid identifier', ErrorKind.COLUMN_NOT_FOUND, "PRICE"),
    ("oracle", "ORA-00904", 'ORA-00904: "O"."PRICE": invalid identifier', ErrorKind.COLUMN_NOT_FOUND, "PRICE"),
    ("oracle", "ORA-00918", "ORA-00918: column ambiguously defined", ErrorKind.AMBIGUOUS_COLUMN, None),
    ("oracle", "ORA-00918", "ORA-00918: ID: column ambiguously specified - appears in O and C", ErrorKind.AMBIGUOUS_COLUMN, "ID"),
    ("oracle", "ORA-00933", "ORA-00933: SQL command not properly ended", ErrorKind.SYNTAX_ERROR, None),
    ("oracle", "ORA-03049", "ORA-03049: SQL keyword 'LIMIT' is not syntactically valid following '...'", ErrorKind.SYNTAX_ERROR, None),
    ("oracle", "ORA-00936", "ORA-00936: missing expression", ErrorKind.SYNTAX_ERROR, None),
    ("oracle", "ORA-00907", "ORA-00907: missing right parenthesis", ErrorKind.SYNTAX_ERROR, None),
    ("oracle", "ORA-01756", "ORA-01756: quoted string not properly terminated", ErrorKind.SYNTAX_ERROR, None),
    ("oracle", "ORA-00979", "ORA-00979: not a GROUP BY expression", ErrorKind.GROUPING, None),
    ("oracle", "ORA-00937", "ORA-00937: not a single-group group function", ErrorKind.GROUPING, None),
    ("oracle", "ORA-01722", "ORA-01722: invalid number", ErrorKind.TYPE_MISMATCH, None),
    ("oracle", "ORA-01861", "ORA-01861: literal does not match format string", ErrorKind.TYPE_MISMATCH, None),
    ("oracle", "ORA-00932", "ORA-00932: inconsistent datatypes: expected NUMBER got DATE", ErrorKind.TYPE_MISMATCH, None),
    ("oracle", "ORA-01427", "ORA-01427: single-row subquery returns more than one row", ErrorKind.TYPE_MISMATCH, None),
    ("oracle", "ORA-01031", "ORA-01031: insufficient privileges", ErrorKind.PERMISSION, None),
    ("oracle", "ORA-01456", "ORA-01456: may not perform insert, delete, update operation inside a READ ONLY transaction", ErrorKind.NOT_READ_ONLY, None),
    ("oracle", "ORA-01013", "ORA-01013: user requested cancel of current operation", ErrorKind.TIMEOUT, None),
    ("oracle", "DPY-4024", "DPY-4024: call timeout of 5000 ms exceeded", ErrorKind.TIMEOUT, None),
    ("oracle", "ORA-04036", "ORA-04036: PGA memory used by the instance exceeds PGA_AGGREGATE_LIMIT", ErrorKind.RESOURCE, None),
    ("oracle", "ORA-01652", "ORA-01652: unable to extend temp segment by 128 in tablespace TEMP", ErrorKind.RESOURCE, None),
    ("hana", "259", "(259, 'invalid table name:  Could not find table/view ORDRS in schema SALES: line 1 col 15 (at pos 14)')", ErrorKind.TABLE_NOT_FOUND, "ORDRS"),
    ("hana", "362", "(362, 'invalid schema name: SALE: line 1 col 15 (at pos 14)')", ErrorKind.TABLE_NOT_FOUND, None),
    ("hana", "260", "(260, 'invalid column name: PRICE: line 1 col 8 (at pos 7)')", ErrorKind.COLUMN_NOT_FOUND, "PRICE"),
    ("hana", "260", "(260, 'invalid column name: O.PRICE: line 1 col 8 (at pos 7)')", ErrorKind.COLUMN_NOT_FOUND, "PRICE"),
    ("hana", "268", "(268, 'column ambiguously defined: ID: line 1 col 8 (at pos 7)')", ErrorKind.AMBIGUOUS_COLUMN, "ID"),
    ("hana", "328", "(328, 'invalid name of function or procedure: DATE_TRUNC: line 1 col 8 (at pos 7)')", ErrorKind.FUNCTION_NOT_FOUND, "DATE_TRUNC"),
    ("hana", "257", "(257, 'sql syntax error: incorrect syntax near \"FORM\": line 1 col 11 (at pos 11)')", ErrorKind.SYNTAX_ERROR, None),
    ("hana", "276", "(276, 'missing aggregation or grouping: line 1 col 8')", ErrorKind.GROUPING, None),
    ("hana", "277", "(277, \"not a GROUP BY expression: 'ORDERS.ID' must be in group by clause\")", ErrorKind.GROUPING, None),
    ("hana", "275", "(275, 'aggregate function not allowed: line 1 col 30')", ErrorKind.GROUPING, None),
    ("hana", "266", "(266, 'inconsistent datatype: only numeric type is available for aggregation function')", ErrorKind.TYPE_MISMATCH, None),
    ("hana", "339", "(339, 'invalid number:  [6930] attribute value is not a number')", ErrorKind.TYPE_MISMATCH, None),
    ("hana", "304", "(304, 'division by zero undefined:  at function /()')", ErrorKind.TYPE_MISMATCH, None),
    ("hana", "305", "(305, 'single-row query returns more than one row')", ErrorKind.TYPE_MISMATCH, None),
    ("hana", "258", "(258, 'insufficient privilege: Detailed info for this error can be found with guid')", ErrorKind.PERMISSION, None),
    ("hana", "613", "(613, 'execution aborted by timeout')", ErrorKind.TIMEOUT, None),
    ("hana", "139", "(139, 'current operation cancelled by request and transaction rolled back')", ErrorKind.TIMEOUT, None),
    ("hana", "4", "(4, 'cannot allocate enough memory')", ErrorKind.RESOURCE, None),
    ("databricks", "INSUFFICIENT_PERMISSIONS", "[INSUFFICIENT_PERMISSIONS] Insufficient privileges: User does not have SELECT on Table 'x'", ErrorKind.PERMISSION, None),
    ("databricks", "OPERATION_CANCELED", "[OPERATION_CANCELED] Operation has been canceled. SQLSTATE: HY008", ErrorKind.TIMEOUT, None),
    ("databricks", "TABLE_OR_VIEW_NOT_FOUND", "[TABLE_OR_VIEW_NOT_FOUND] The table or view `main`.`sales`.`ordrs` cannot be found.", ErrorKind.TABLE_NOT_FOUND, "ordrs"),
]  # fmt: skip


@pytest.mark.parametrize("dialect, code, message, kind, name", ERRORS)
def test_code_and_message_mean_the_same(
    dialect: str, code: str, message: str, kind: ErrorKind, name: str | None
) -> None:
    assert DIALECTS[dialect].codes[code] is kind
    found, names = match_error(dialect, message)
    assert (found, names.get("name")) == (kind, name)


@pytest.mark.parametrize(
    "dialect, message, sql, hint",
    [
        ("oracle", 'ORA-00904: "O"."NAME": invalid identifier', "SELECT o.name FROM orders o", "NAME is in CUSTOMERS: add JOIN CUSTOMERS ON o.CUSTOMER_ID = CUSTOMERS.ID."),
        ("oracle", 'ORA-00942: table or view "HR"."ORDER_ITEM" does not exist', "SELECT 1 FROM order_item", "Nearest: ORDER_ITEMS"),
        ("hana", "(260, 'invalid column name: O.NAME: line 1 col 8 (at pos 7)')", "SELECT o.name FROM orders AS o", "NAME is in CUSTOMERS: add JOIN CUSTOMERS ON o.CUSTOMER_ID = CUSTOMERS.ID."),
        ("hana", "(328, 'invalid name of function or procedure: DATE_TRUNC: line 1 col 8')", "SELECT 1 FROM orders", "In SAP HANA write TO_VARCHAR(col, 'YYYY-MM')."),
    ],
)  # fmt: skip
def test_an_error_comes_with_what_would_mend_it(dialect: str, message: str, sql: str, hint: str) -> None:
    found = diagnose.sql_failed(message, sql, shop(dialect)).hint
    assert hint.lower() in found.lower().replace('"o"', "o")


@pytest.mark.parametrize("dialect", NAMES)
def test_a_column_of_the_wrong_table_is_mended(dialect: str) -> None:
    mended = mend.mend_columns("SELECT o.name FROM orders o JOIN customers c ON c.id = o.customer_id", shop(dialect))
    assert mended is not None
    assert guard.check(mended.sql, shop(dialect), row_limit=5).sql.startswith("SELECT c.name FROM orders")


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
    checked = guard.check(raw.sql, shop(dialect), row_limit=5)
    assert "GROUP BY" not in checked.sql
    assert checked.executable.endswith("FETCH FIRST 6 ROWS ONLY" if dialect == "oracle" else "LIMIT 6")


# ------------------------------------------------------------------------------------------------ the catalogue

ORACLE_CATALOGUE = """
CREATE TABLE all_users (username VARCHAR, oracle_maintained VARCHAR);
INSERT INTO all_users VALUES ('SHOP', 'N'), ('HR', 'N'), ('SYS', 'Y');
CREATE TABLE all_tables (owner VARCHAR, table_name VARCHAR, num_rows BIGINT, nested VARCHAR, secondary VARCHAR, dropped VARCHAR);
INSERT INTO all_tables VALUES ('SHOP', 'ORDERS', 7, 'NO', 'N', 'NO'), ('SHOP', 'LINES', NULL, 'NO', 'N', 'NO'),
  ('HR', 'STAFF', 2, 'NO', 'N', 'NO'), ('SYS', 'USER$', 9, 'NO', 'N', 'NO'), ('SHOP', 'MLOG$_ORDERS', 1, 'NO', 'N', 'NO');
CREATE TABLE all_views (owner VARCHAR, view_name VARCHAR);
INSERT INTO all_views VALUES ('SHOP', 'PAID');
CREATE TABLE all_tab_comments (owner VARCHAR, table_name VARCHAR, comments VARCHAR);
INSERT INTO all_tab_comments VALUES ('SHOP', 'ORDERS', 'What was bought'), ('SHOP', 'PAID', NULL);
CREATE TABLE all_tab_columns (owner VARCHAR, table_name VARCHAR, column_name VARCHAR, data_type VARCHAR, char_length INT,
  data_precision INT, data_scale INT, nullable VARCHAR, column_id INT);
INSERT INTO all_tab_columns VALUES ('SHOP', 'ORDERS', 'TOTAL', 'NUMBER', 0, 10, 2, 'Y', 3),
  ('SHOP', 'ORDERS', 'ID', 'NUMBER', 0, NULL, 0, 'N', 1), ('SHOP', 'ORDERS', 'YEAR', 'NUMBER', 0, NULL, 0, 'N', 2),
  ('SHOP', 'LINES', 'ORDER_YEAR', 'NUMBER', 0, NULL, 0, 'N', 1), ('SHOP', 'LINES', 'ORDER_ID', 'NUMBER', 0, NULL, 0, 'N', 2),
  ('SHOP', 'PAID', 'STATUS', 'VARCHAR2', 20, NULL, NULL, 'Y', 1), ('HR', 'STAFF', 'NAME', 'VARCHAR2', 9, NULL, NULL, 'Y', 1);
CREATE TABLE all_col_comments (owner VARCHAR, table_name VARCHAR, column_name VARCHAR, comments VARCHAR);
INSERT INTO all_col_comments VALUES ('SHOP', 'ORDERS', 'TOTAL', 'in euros');
CREATE TABLE all_constraints (owner VARCHAR, constraint_name VARCHAR, constraint_type VARCHAR, r_owner VARCHAR, r_constraint_name VARCHAR);
INSERT INTO all_constraints VALUES ('SHOP', 'PK_O', 'P', NULL, NULL), ('SHOP', 'FK_L', 'R', 'SHOP', 'PK_O');
CREATE TABLE all_cons_columns (owner VARCHAR, constraint_name VARCHAR, table_name VARCHAR, column_name VARCHAR, position INT);
INSERT INTO all_cons_columns VALUES ('SHOP', 'PK_O', 'ORDERS', 'ID', 2), ('SHOP', 'PK_O', 'ORDERS', 'YEAR', 1),
  ('SHOP', 'FK_L', 'LINES', 'ORDER_ID', 2), ('SHOP', 'FK_L', 'LINES', 'ORDER_YEAR', 1);
CREATE TABLE all_tab_col_statistics (owner VARCHAR, table_name VARCHAR, column_name VARCHAR, histogram VARCHAR);
INSERT INTO all_tab_col_statistics VALUES ('HR', 'STAFF', 'NAME', 'FREQUENCY');
CREATE TABLE all_tab_histograms (owner VARCHAR, table_name VARCHAR, column_name VARCHAR, endpoint_number BIGINT, endpoint_actual_value VARCHAR);
INSERT INTO all_tab_histograms VALUES ('HR', 'STAFF', 'NAME', 2, 'Ann'), ('HR', 'STAFF', 'NAME', 9, 'Bob'),
  ('HR', 'STAFF', 'NAME', 10, 'Cem'), ('HR', 'STAFF', 'NAME', 13, 'Dea');
"""

HANA_CATALOGUE = """
CREATE SCHEMA SYS;
CREATE TABLE SYS.TABLES (schema_name VARCHAR, table_name VARCHAR, comments VARCHAR, is_user_defined_type VARCHAR);
INSERT INTO SYS.TABLES VALUES ('SHOP', 'ORDERS', 'What was bought', 'FALSE'), ('SHOP', 'LINES', NULL, 'FALSE'),
  ('HR', 'STAFF', NULL, 'FALSE'), ('SYS', 'X', NULL, 'FALSE'), ('_SYS_STATISTICS', 'Y', NULL, 'FALSE'), ('SHOP', 'T_TYPE', NULL, 'TRUE');
CREATE TABLE SYS.VIEWS (schema_name VARCHAR, view_name VARCHAR, comments VARCHAR, is_valid VARCHAR);
INSERT INTO SYS.VIEWS VALUES ('SHOP', 'PAID', NULL, 'TRUE'), ('SHOP', 'BROKEN', NULL, 'FALSE');
CREATE TABLE SYS.M_TABLES (schema_name VARCHAR, table_name VARCHAR, record_count BIGINT);
INSERT INTO SYS.M_TABLES VALUES ('SHOP', 'ORDERS', 7);
CREATE TABLE SYS.TABLE_COLUMNS (schema_name VARCHAR, table_name VARCHAR, column_name VARCHAR, position INT, data_type_name VARCHAR,
  length INT, scale INT, is_nullable VARCHAR, comments VARCHAR);
INSERT INTO SYS.TABLE_COLUMNS VALUES ('SHOP', 'ORDERS', 'TOTAL', 3, 'DECIMAL', 10, 2, 'TRUE', 'in euros'),
  ('SHOP', 'ORDERS', 'ID', 1, 'INTEGER', 10, 0, 'FALSE', NULL), ('SHOP', 'ORDERS', 'YEAR', 2, 'INTEGER', 10, 0, 'FALSE', NULL),
  ('SHOP', 'LINES', 'ORDER_YEAR', 1, 'INTEGER', 10, 0, 'FALSE', NULL), ('SHOP', 'LINES', 'ORDER_ID', 2, 'INTEGER', 10, 0, 'FALSE', NULL),
  ('HR', 'STAFF', 'NAME', 1, 'NVARCHAR', 9, NULL, 'TRUE', NULL), ('SYS', 'X', 'Z', 1, 'INTEGER', 10, 0, 'TRUE', NULL);
CREATE TABLE SYS.VIEW_COLUMNS (schema_name VARCHAR, view_name VARCHAR, column_name VARCHAR, position INT, data_type_name VARCHAR,
  length INT, scale INT, is_nullable VARCHAR, comments VARCHAR);
INSERT INTO SYS.VIEW_COLUMNS VALUES ('SHOP', 'PAID', 'STATUS', 1, 'NVARCHAR', 20, NULL, 'TRUE', NULL);
CREATE TABLE SYS.CONSTRAINTS (schema_name VARCHAR, table_name VARCHAR, column_name VARCHAR, position INT, is_primary_key VARCHAR);
INSERT INTO SYS.CONSTRAINTS VALUES ('SHOP', 'ORDERS', 'ID', 2, 'TRUE'), ('SHOP', 'ORDERS', 'YEAR', 1, 'TRUE'), ('SHOP', 'ORDERS', 'TOTAL', 1, 'FALSE');
CREATE TABLE SYS.REFERENTIAL_CONSTRAINTS (schema_name VARCHAR, table_name VARCHAR, column_name VARCHAR, position INT, constraint_name VARCHAR,
  referenced_schema_name VARCHAR, referenced_table_name VARCHAR, referenced_column_name VARCHAR);
INSERT INTO SYS.REFERENTIAL_CONSTRAINTS VALUES ('SHOP', 'LINES', 'ORDER_ID', 2, 'FK_L', 'SHOP', 'ORDERS', 'ID'),
  ('SHOP', 'LINES', 'ORDER_YEAR', 1, 'FK_L', 'SHOP', 'ORDERS', 'YEAR');
"""

UNITY_CATALOGUE = """
CREATE SCHEMA unity;
CREATE TABLE unity.tables (table_schema VARCHAR, table_name VARCHAR, table_type VARCHAR, comment VARCHAR);
INSERT INTO unity.tables VALUES ('SHOP', 'ORDERS', 'MANAGED', 'What was bought'), ('SHOP', 'LINES', 'EXTERNAL', NULL),
  ('SHOP', 'PAID', 'VIEW', NULL), ('HR', 'STAFF', 'MANAGED', NULL), ('information_schema', 'tables', 'VIEW', NULL);
CREATE TABLE unity.columns (table_schema VARCHAR, table_name VARCHAR, column_name VARCHAR, full_data_type VARCHAR, is_nullable VARCHAR,
  comment VARCHAR, ordinal_position INT);
INSERT INTO unity.columns VALUES ('SHOP', 'ORDERS', 'TOTAL', 'decimal(10,2)', 'YES', 'in euros', 2), ('SHOP', 'ORDERS', 'ID', 'int', 'NO', NULL, 0),
  ('SHOP', 'ORDERS', 'YEAR', 'int', 'NO', NULL, 1), ('SHOP', 'LINES', 'ORDER_YEAR', 'int', 'NO', NULL, 0),
  ('SHOP', 'LINES', 'ORDER_ID', 'int', 'NO', NULL, 1), ('SHOP', 'PAID', 'STATUS', 'string', 'YES', NULL, 0), ('HR', 'STAFF', 'NAME', 'string', 'YES', NULL, 0);
CREATE TABLE unity.table_constraints (constraint_schema VARCHAR, constraint_name VARCHAR, table_schema VARCHAR, table_name VARCHAR, constraint_type VARCHAR);
INSERT INTO unity.table_constraints VALUES ('SHOP', 'PK_O', 'SHOP', 'ORDERS', 'PRIMARY KEY'), ('SHOP', 'FK_L', 'SHOP', 'LINES', 'FOREIGN KEY');
CREATE TABLE unity.referential_constraints (constraint_catalog VARCHAR, constraint_schema VARCHAR, constraint_name VARCHAR,
  unique_constraint_catalog VARCHAR, unique_constraint_schema VARCHAR, unique_constraint_name VARCHAR);
INSERT INTO unity.referential_constraints VALUES ('main', 'SHOP', 'FK_L', 'main', 'SHOP', 'PK_O');
CREATE TABLE unity.key_column_usage (constraint_catalog VARCHAR, constraint_schema VARCHAR, constraint_name VARCHAR, table_schema VARCHAR,
  table_name VARCHAR, column_name VARCHAR, ordinal_position INT, position_in_unique_constraint INT);
INSERT INTO unity.key_column_usage VALUES ('main', 'SHOP', 'PK_O', 'SHOP', 'ORDERS', 'YEAR', 1, NULL), ('main', 'SHOP', 'PK_O', 'SHOP', 'ORDERS', 'ID', 2, NULL),
  ('main', 'SHOP', 'FK_L', 'SHOP', 'LINES', 'ORDER_ID', 2, 2), ('main', 'SHOP', 'FK_L', 'SHOP', 'LINES', 'ORDER_YEAR', 1, 1);
"""


@pytest.mark.parametrize(
    "dialect, made, total, status",
    [
        ("oracle", ORACLE_CATALOGUE, "NUMBER(10,2)", "VARCHAR2(20)"),
        ("hana", HANA_CATALOGUE, "DECIMAL(10,2)", "NVARCHAR(20)"),
        ("databricks", UNITY_CATALOGUE, "decimal(10,2)", "string"),
    ],
)
def test_the_catalogue_queries_read_a_catalogue(dialect: str, made: str, total: str, status: str) -> None:
    """The server's views are made of tables in DuckDB, and the queries are translated to its words."""
    server, row = duckdb.connect(), DIALECTS[dialect]
    assert row.reads is not None
    server.execute(made)

    def fetch(sql: str) -> list[Any]:
        if sql == row.reads.default_schema:  # type: ignore[union-attr]
            return [("SHOP",)]
        if "JSON_ARRAYAGG" in sql:  # the one call that has no translation
            sql = sql.replace("JSON_ARRAYAGG(value ORDER BY place)", "list(value ORDER BY place)")
        translated = sqlglot.transpile(sql, read=row.sqlglot, write="duckdb")[0]
        return server.execute(translated.replace("information_schema.", "unity.")).fetchall()

    found = catalogue.read(fetch, "shop", row, samples=2 if dialect == "oracle" else 0)
    assert {t.name: (t.namespace, t.is_view) for t in found.tables} == {
        "ORDERS": ("", False), "LINES": ("", False), "PAID": ("", True), "HR.STAFF": ("HR", False),
    }  # fmt: skip
    orders, lines, paid = found.table("orders"), found.table("lines"), found.table("paid")
    assert orders is not None
    assert lines is not None
    assert paid is not None
    assert [column.name for column in orders.columns] == ["ID", "YEAR", "TOTAL"]
    assert orders.columns[2] == Column(name="TOTAL", type=total, nullable=True, comment="in euros")
    assert not orders.columns[0].nullable
    assert paid.columns[0].type == status
    assert orders.comment == "What was bought"
    assert orders.row_count == (None if dialect == "databricks" else 7)
    assert orders.primary_key == ("YEAR", "ID")
    key = ForeignKey(columns=("ORDER_YEAR", "ORDER_ID"), table="ORDERS", referenced=("YEAR", "ID"))
    assert lines.foreign_keys == (key,)
    if dialect == "oracle":
        staff = found.table("HR.STAFF")
        assert staff is not None
        assert staff.columns[0].samples == ("Bob", "Dea")  # seven and three of thirteen rows


@pytest.mark.parametrize("dialect", NAMES)
def test_the_catalogue_queries_are_the_dialects_own(dialect: str) -> None:
    """Each is one SELECT that the dialect's parser reads whole, with as many columns as it is to give."""
    reads = DIALECTS[dialect].reads
    assert reads is not None
    wanted = {"default_schema": 1, "tables": 5, "columns": 6, "primary_keys": 3, "foreign_keys": 7, "samples": 4}
    for name, count in wanted.items():
        sql = getattr(reads, name).replace("{n}", "3")
        if sql:
            (tree,) = sqlglot.parse(sql, read=dialect)
            assert isinstance(tree, sqlglot.exp.Select)
            assert len(tree.expressions) == count, name
    rows = reads.first_rows.format(columns=reads.head.format(column="A", n=9), table="T", n=5)
    assert sqlglot.transpile(rows, read=dialect, write=dialect) == [rows]


# ------------------------------------------------------------------------------------------------ for every dialect


def test_an_element_of_what_a_call_gives_is_not_an_array() -> None:
    sql = "SELECT list(id ORDER BY id DESC)[1], (array_agg(id ORDER BY id))[2] FROM orders"
    checked = guard.check(sql, duckdb_schema("duckdb"), row_limit=5)
    assert duckdb_shop().execute(checked.sql).fetchall() == duckdb_shop().execute(sql).fetchall() == [(5, 2)]
