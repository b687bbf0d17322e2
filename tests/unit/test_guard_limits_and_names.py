"""Rows are capped in each dialect, and unknown names are reported with a suggestion."""

from __future__ import annotations

import pytest
from bare_names import bare
from guard_shop import DIALECTS, check, refusal, schema

from executors.errors import ErrorKind, SqlRefused
from executors.guard import guard


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
        (
            "mysql",
            "SELECT COUNT(*), MAX(id) FROM orders GROUP BY status LIMIT (SELECT 9999)",
            "SELECT * FROM (SELECT COUNT(*), MAX(id) FROM orders GROUP BY status LIMIT (SELECT 9999)) AS limited "
            "LIMIT 500",
            "SELECT * FROM (SELECT COUNT(*), MAX(id) FROM orders GROUP BY status LIMIT (SELECT 9999)) AS limited "
            "LIMIT 501",
        ),
        (
            "postgresql",
            "SELECT id, id FROM orders LIMIT (SELECT 9999)",
            "SELECT * FROM (SELECT id, id FROM orders LIMIT (SELECT 9999)) AS limited LIMIT 500",
            "SELECT * FROM (SELECT id, id FROM orders LIMIT (SELECT 9999)) AS limited LIMIT 501",
        ),
        (
            "mysql",
            "SELECT id, id FROM orders LIMIT (SELECT 9999)",
            "SELECT id, id FROM orders LIMIT (SELECT 9999)",
            None,
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
            "SELECT TOP 500 * FROM (SELECT id FROM orders UNION SELECT id FROM customers) AS limited",
            "SELECT TOP 501 * FROM (SELECT id FROM orders UNION SELECT id FROM customers) AS limited",
        ),
        ("sqlserver", "SELECT COUNT(*) AS n FROM orders", "SELECT COUNT(*) AS n FROM orders", None),
    ],
)
def test_rows_are_capped_in_the_dialects_own_words(dialect: str, sql: str, shown: str, run: str | None) -> None:
    checked = check(dialect, sql)
    assert checked.sql == shown
    assert bare(checked.executable) == (run or shown)
    assert checked.row_limit == 500


@pytest.mark.parametrize("dialect", DIALECTS)
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
            "SELECT id FROM elsewhere.orders AS o",
            ErrorKind.TABLE_NOT_FOUND,
            "There is no elsewhere.orders here: write a table's name alone.",
            "Nearest: orders, order_items.",
        ),
    ],
)
def test_a_name_that_does_not_exist_is_refused_with_what_would_repair_it(
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


def test_quotes_are_explained_only_where_a_word_may_be_text() -> None:
    compared = refusal("duckdb", 'SELECT id FROM orders WHERE status = "open"')
    shown = refusal("duckdb", 'SELECT "stauts" FROM orders')
    assert "If it is text, write it in 'single' quotes." in compared.hint
    assert "single" not in shown.hint


def test_without_name_checks_all_else_still_holds() -> None:
    unknown = "SELECT a FROM nowhere"
    assert guard.check(unknown, schema("duckdb"), row_limit=9, check_names=False).sql.endswith("LIMIT 9")
    with pytest.raises(SqlRefused):
        guard.check("SELECT * FROM read_csv('x')", schema("duckdb"), row_limit=9, check_names=False)


@pytest.mark.parametrize("dialect, name", [
    ("sqlite", "sqlite_master"), ("duckdb", "information_schema.tables"), ("postgresql", "pg_stats"),
    ("postgresql", "pg_catalog.pg_class"), ("sqlserver", "INFORMATION_SCHEMA.TABLES"),
    ("mysql", "information_schema.COLUMNS"), ("clickhouse", "system.tables"), ("oracle", "all_tables"),
])  # fmt: skip
def test_a_catalogue_is_read_only_where_it_is_listed(dialect: str, name: str) -> None:
    sql, shop = f"SELECT c.*, o.id FROM {name} AS c CROSS JOIN orders AS o WHERE c.anything = 1", schema(dialect)
    sql = sql.replace(" AS ", " ") if dialect == "oracle" else sql
    for listed in (frozenset[str](), frozenset({"another", f"x.{name.lower()}"})):
        with pytest.raises(SqlRefused) as raised:
            guard.check(sql, shop, row_limit=10, catalogue=listed)
        assert raised.value.kind in (ErrorKind.PERMISSION, ErrorKind.TABLE_NOT_FOUND)

    checked = guard.check(sql, shop, row_limit=10, catalogue=frozenset({name.lower()}))

    assert name.lower() in bare(checked.executable).lower()
    assert checked.tables == ("orders",)


def test_what_is_listed_as_a_catalogue_and_is_none_stays_unknown() -> None:
    with pytest.raises(SqlRefused, match="There is no table secrets"):
        guard.check("SELECT * FROM secrets", schema("sqlite"), row_limit=10, catalogue=frozenset({"secrets"}))
