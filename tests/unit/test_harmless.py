"""Harmless statements of every dialect: few are refused, and the meaning does not change."""

from __future__ import annotations

import duckdb
import pytest
from guard_shop import duckdb_shop
from guard_shop import schema as shop

from agent.databases.database import find_hidden_columns
from bench.harmless import MOST_REFUSED, main, refusal, sets, statements
from executors.base import Column, Schema, Table
from executors.errors import SqlRefused
from executors.guard.guard import check

# Forms, each of which stands for its kind: dialect, what was written, what runs.
FORMS = [
    ("postgresql", "TABLE customers", 'SELECT * FROM "customers" LIMIT 11'),
    ("mysql", "TABLE customers ORDER BY id", "SELECT * FROM `customers` ORDER BY `id` LIMIT 11"),
    ("duckdb", "SUMMARIZE orders", 'SELECT * FROM (SUMMARIZE SELECT * FROM "orders") LIMIT 11'),
    (
        "duckdb",
        "PIVOT orders ON status USING count(*) GROUP BY id ORDER BY id",
        'SELECT * FROM (PIVOT "orders" ON "status" USING COUNT(*) GROUP BY "id") ORDER BY "id" LIMIT 11',
    ),
    (
        "hana",
        "SELECT SUBSTR_REGEXPR('[^@]+' IN EMAIL OCCURRENCE 2) FROM CUSTOMERS",
        'SELECT SUBSTR_REGEXPR(\'[^@]+\' IN "EMAIL" OCCURRENCE 2) FROM "CUSTOMERS" LIMIT 11',
    ),
    (
        "hana",
        "SELECT NAME FROM CUSTOMERS WHERE NAME LIKE_REGEXPR '^a' FLAG 'i' WITH HINT (NO_CS_JOIN)",
        'SELECT "NAME" FROM "CUSTOMERS" WHERE "NAME" LIKE_REGEXPR \'^a\' FLAG \'i\' LIMIT 11',
    ),
    ("mysql", "SELECT !id + 5 AS x FROM orders", "SELECT (NOT `id`) + 5 AS `x` FROM `orders` LIMIT 11"),
    ("hana", "WITH HINT (A) AS (SELECT ID FROM ORDERS) SELECT A FROM HINT", None),
    (
        "oracle",
        "SELECT c.details.color FROM PRODUCTS c",
        'SELECT "C"."DETAILS"."color" FROM "PRODUCTS" "C" FETCH FIRST 11 ROWS ONLY',
    ),
    ("databricks", "SELECT window.end FROM orders GROUP BY window(created_at, '1 day')", None),
    ("mariadb", "SELECT seq FROM seq_1_to_10_step_2", "SELECT `seq` FROM `seq_1_to_10_step_2` LIMIT 11"),
    ("mariadb", "SELECT GROUP_CONCAT(name ORDER BY id SEPARATOR ', ' LIMIT 3) FROM customers", None),
    ("sqlserver", "SELECT TRY_PARSE(status AS date USING 'de-DE') FROM orders", None),
    ("oracle", "SELECT TO_NUMBER(NAME DEFAULT 0 ON CONVERSION ERROR) FROM CUSTOMERS", None),
    ("oracle", "SELECT LPAD(' ', 2 * (LEVEL - 1)) FROM ORDERS CONNECT BY PRIOR ID = CUSTOMER_ID", None),
    ("postgresql", "SELECT status, count(*) FROM orders GROUP BY 1 ORDER BY count DESC", None),
]
REFUSED = [
    ("mariadb", "SELECT * FROM seq_1_to_x"),
    ("mysql", "SELECT * FROM seq_1_to_10"),
    ("oracle", "SELECT x.details.color FROM products c"),
    ("duckdb", "SUMMARIZE 'customers.csv'"),
    ("duckdb", "PIVOT secrets ON status USING count(*)"),
    ("duckdb", "SUMMARIZE secrets"),
    ("duckdb", "SUMMARIZE orders; DROP TABLE orders"),
    ("duckdb", "PIVOT orders ON status) UNION SELECT 1 FROM (VALUES (1)"),
    ("postgresql", "TABLE secrets"),
    ("postgresql", "TABLE pg_authid"),
    ("mysql", "TABLE mysql.user"),
    ("oracle", "SELECT LPAD(' ', 2 * ROWNUM) FROM ORDERS"),
    ("oracle", "SELECT LPAD(' ', 99999 * LEVEL) FROM ORDERS START WITH ID = 1 CONNECT BY PRIOR ID = CUSTOMER_ID"),
    ("postgresql", "SELECT 1 UNION TABLE pg_shadow"),
    ("sqlite", "SELECT NOT status ISNULL + id FROM orders"),
    ("databricks", "SELECT x FROM unnest(array(1, 2)) AS x"),
    ("databricks", "SELECT t.x FROM orders o, unnest(o.tags) AS t(x)"),
    ("mysql", "SELECT * FROM orders CROSS APPLY .dm_exec_sql_text(1)"),
    ("mysql", "SELECT * FROM orders CROSS APPLY..dm_exec_sql_text(1)"),
]


@pytest.mark.parametrize("name", sets())
def test_of_statements_that_harm_nobody_hardly_any_is_refused(name: str) -> None:
    asked = statements(name)
    refused = [(dialect, sql, why) for dialect, sql in asked if (why := refusal(sql, dialect))]

    assert len({dialect for dialect, _ in asked}) == 10
    assert len(refused) <= MOST_REFUSED * len(asked), refused


def test_the_sets_hold_enough() -> None:
    counts = {name: len(statements(name)) for name in sets()}

    assert counts["first"] >= 300
    assert counts["second"] >= 300
    assert counts["third"] == 100
    assert main([]) == 0


def _schema(dialect: str) -> Schema:
    found = shop(dialect)
    if dialect not in ("oracle", "hana"):
        return found
    tables = [
        it.model_copy(
            update={
                "name": it.name.upper(),
                "columns": tuple(c.model_copy(update={"name": c.name.upper()}) for c in it.columns),
                "primary_key": (),
                "foreign_keys": (),
            }
        )
        for it in found.tables
    ]
    return found.model_copy(update={"tables": tuple(tables)})


@pytest.mark.parametrize(("dialect", "sql", "runs"), FORMS)
def test_a_form_runs(dialect: str, sql: str, runs: str | None) -> None:
    checked = check(sql, _schema(dialect), row_limit=10)

    assert runs is None or checked.executable == runs
    assert check(checked.sql, _schema(dialect), row_limit=10).executable


@pytest.mark.parametrize(("dialect", "sql"), REFUSED)
def test_what_looks_like_one_does_not(dialect: str, sql: str) -> None:
    with pytest.raises(SqlRefused):
        check(sql, _schema(dialect), row_limit=10)


@pytest.mark.parametrize(
    "sql",
    [
        "TABLE customers",
        "SUMMARIZE orders",
        "SUMMARIZE SELECT status FROM orders",
        "PIVOT orders ON status USING sum(total_amount) GROUP BY customer_id ORDER BY customer_id",
        "UNPIVOT order_items ON quantity, product_id INTO NAME k VALUE v",
    ],
)
def test_what_runs_gives_the_same_rows(sql: str) -> None:
    with duckdb_shop() as connection:
        wanted = connection.execute(sql).fetchall()
        found = connection.execute(check(sql, shop("duckdb"), row_limit=100).executable).fetchall()

    assert wanted
    assert sorted(map(repr, found)) == sorted(map(repr, wanted))


@pytest.mark.parametrize(
    ("sql", "runs"),
    [
        ("TABLE people", True),
        ("SUMMARIZE people", True),
        ("SELECT max(min) FROM (SUMMARIZE people)", True),
        ("UNPIVOT (SELECT id::text AS id, * EXCLUDE (id) FROM people) ON COLUMNS(*) INTO NAME n VALUE v", True),
        ("PIVOT people ON city USING count(*)", True),
        ("PIVOT people ON email USING count(*)", False),
        ("PIVOT people ON city USING max(email)", False),
        ("SUMMARIZE SELECT email FROM people", False),
        ("SUMMARIZE SELECT p FROM people p", True),
    ],
)
def test_a_short_form_shows_no_private_column(sql: str, runs: bool) -> None:
    columns = ("id", "email", "city")
    table = Table(name="people", columns=tuple(Column(name=it, type="TEXT", private=it == "email") for it in columns))
    schema = Schema(database="shop", dialect="duckdb", tables=(table,))
    hidden = find_hidden_columns(schema, "How many people are there?")
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE people (id INT, email TEXT, city TEXT)")
        connection.execute("INSERT INTO people VALUES (1, 'canary@mail.example', 'Bonn')")
        try:
            found = connection.execute(check(sql, schema, row_limit=10, hidden=hidden).executable)
        except SqlRefused:
            assert not runs
            return
        told = f"{found.description}{found.fetchall()}"

    assert runs
    assert "canary" not in told
