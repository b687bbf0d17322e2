"""The guard for writes lets one INSERT, UPDATE or DELETE of one table through, and nothing else."""

from __future__ import annotations

import pytest
from guard_shop import duckdb_shop, schema, sqlite_shop

from executors.base import CheckedWrite, Column, Schema, Table
from executors.dialects.table import DIALECTS
from executors.errors import ErrorKind, SqlRefused
from executors.guard.write import check_write

ALL = tuple(DIALECTS)


def check(dialect: str, sql: str, row_limit: int = 100) -> CheckedWrite:
    return check_write(sql, schema(dialect), row_limit=row_limit)


def refusal(dialect: str, sql: str) -> SqlRefused:
    with pytest.raises(SqlRefused) as caught:
        check(dialect, sql)
    return caught.value


@pytest.mark.parametrize("dialect", ALL)
@pytest.mark.parametrize(
    "sql, kind, table",
    [
        ("UPDATE orders SET status = 'paid' WHERE id = 2", "update", "orders"),
        (
            "update orders set status = upper(status), total_amount = total_amount * 1.1 where customer_id = 1;",
            "update",
            "orders",
        ),
        ("UPDATE orders SET orders.status = 'paid' WHERE orders.id = 2", "update", "orders"),
        ("UPDATE orders SET customer_id = (SELECT MIN(id) FROM customers) WHERE id = 4", "update", "orders"),
        (
            "UPDATE orders SET status = 'x' WHERE customer_id IN (SELECT id FROM customers WHERE country = 'DE')",
            "update",
            "orders",
        ),
        ("DELETE FROM orders WHERE status = 'open' AND total_amount IS NULL", "delete", "orders"),
        (
            "DELETE FROM orders WHERE EXISTS (SELECT 1 FROM customers WHERE customers.id = orders.customer_id)",
            "delete",
            "orders",
        ),
        ("INSERT INTO customers (id, name) VALUES (9, 'Zed'), (10, NULL)", "insert", "customers"),
        ("INSERT INTO customers VALUES (9, 'Zed', NULL, 'DE')", "insert", "customers"),
        ("INSERT INTO customers (id, name) SELECT id, status FROM orders WHERE id > 3", "insert", "customers"),
    ],
)
def test_lets_a_change_of_rows_through_in_every_dialect(dialect: str, sql: str, kind: str, table: str) -> None:
    checked = check(dialect, sql)
    assert (checked.kind, checked.table) == (kind, table)
    assert check(dialect, checked.sql) == checked, "what is written anew passes again, and stays the same"


@pytest.mark.parametrize(
    "sql, preview",
    [
        ("UPDATE orders SET status = 'paid' WHERE id = 2", "SELECT * FROM orders WHERE id = 2 LIMIT 100"),
        ("DELETE FROM orders WHERE status = 'open'", "SELECT * FROM orders WHERE status = 'open' LIMIT 100"),
        ("INSERT INTO customers (id) SELECT id FROM orders", "SELECT id FROM orders LIMIT 100"),
        ("INSERT INTO customers (id) VALUES (1)", None),
    ],
)
def test_the_preview_is_a_query_for_the_rows_that_would_change(sql: str, preview: str | None) -> None:
    checked = check("sqlite", sql)
    assert (checked.preview.sql if checked.preview else None) == preview


def test_a_preview_has_the_words_of_its_dialect() -> None:
    preview = check("sqlserver", "DELETE FROM orders WHERE id = 2").preview
    assert preview is not None
    assert preview.sql == "SELECT TOP 100 * FROM orders WHERE id = 2"


@pytest.mark.parametrize("dialect", ALL)
@pytest.mark.parametrize(
    "sql, why",
    [
        ("DROP TABLE orders", "DDL"),
        ("ALTER TABLE orders ADD COLUMN x INT", "DDL"),
        ("CREATE TABLE t (a INT)", "DDL"),
        ("TRUNCATE TABLE orders", "every row, without a WHERE"),
        ("GRANT SELECT ON orders TO bob", "rights"),
        ("DELETE FROM orders WHERE id = 1; DROP TABLE orders", "DDL behind a change"),
    ],
)
def test_what_holds_the_rows_is_never_changed(dialect: str, sql: str, why: str) -> None:
    error = refusal(dialect, sql)
    assert error.kind is ErrorKind.NOT_READ_ONLY, why
    assert "never allowed" in error.message


@pytest.mark.parametrize("dialect", ALL)
@pytest.mark.parametrize(
    "sql, why",
    [
        ("SELECT * FROM orders", "changes nothing"),
        ("", "nothing at all"),
        ("UPDATE orders SET status = 'x' WHERE id = 1; DELETE FROM orders WHERE id = 1", "two statements"),
        ("MERGE INTO orders USING customers ON orders.id = customers.id WHEN MATCHED THEN DELETE", "MERGE"),
        ("REPLACE INTO orders VALUES (1)", "deletes what is in the way"),
        (
            "INSERT INTO orders VALUES (1, 1, 1, 'x', 'y') ON CONFLICT (id) DO UPDATE SET status = 'x'",
            "an update in disguise",
        ),
        ("INSERT INTO orders VALUES (1, 1, 1, 'x', 'y') RETURNING id", "answers rows"),
        ("INSERT INTO orders DEFAULT VALUES", "says no values"),
        ("INSERT INTO customers VALUES (9, 'Zed')", "two values for four columns"),
        ("INSERT INTO customers (id, name) VALUES (9)", "one value for two columns"),
        ("INSERT INTO customers (id, id) VALUES (9, 10)", "a column twice"),
        ("INSERT INTO customers (id, nope) VALUES (9, 1)", "no such column"),
        ("INSERT INTO nope (id) VALUES (9)", "no such table"),
        ("INSERT INTO customers (id) VALUES ((SELECT id FROM nope))", "reads no table of the schema"),
        ("INSERT INTO customers (id) SELECT nope FROM orders", "no such column in the query"),
        ("WITH d AS (SELECT 1 AS id) DELETE FROM orders WHERE id IN (SELECT id FROM d)", "a WITH before it"),
        ("UPDATE orders SET nope = 1 WHERE id = 1", "no such column"),
        ("UPDATE orders SET id = 1, ID = 2 WHERE id = 1", "a column twice"),
        ("UPDATE orders SET status = 'x' WHERE nope = 1", "no such column in the condition"),
        ("UPDATE orders SET (id, status) = (1, 'x') WHERE id = 1", "a list of columns"),
        ("UPDATE orders SET status = 'x' FROM customers WHERE customers.id = orders.customer_id", "a second table"),
        ("UPDATE orders, customers SET status = 'x' WHERE orders.id = 1", "two tables"),
        ("UPDATE orders AS o SET status = 'x' WHERE o.id = 1", "an alias"),
        (
            "UPDATE customers SET email = 'x' WHERE id IN (SELECT id FROM information_schema.tables)",
            "reads the catalogue",
        ),
        ("DELETE FROM orders USING customers WHERE customers.id = orders.customer_id", "a second table"),
        ("DELETE orders FROM orders JOIN customers ON orders.id = customers.id WHERE orders.id = 1", "a join"),
        ("DELETE FROM orders WHERE id = 1 ORDER BY id LIMIT 1", "which row, is left to the engine"),
        ("DELETE FROM nope WHERE id = 1", "no such table"),
        ("DELETE FROM elsewhere.orders WHERE id = 1", "another schema"),
        ("DELETE FROM orders WHERE id = :id", "a parameter"),
        ("UPDATE orders SET status = pg_read_file('/etc/passwd') WHERE id = 1", "reads a file"),
        ("UPDATE orders SET status = load_extension('x') WHERE id = 1", "loads code"),
        ("UPDATE orders SET status = 'x' WHERE id = sleep(5)", "waits"),
    ],
)
def test_refuses_in_every_dialect(dialect: str, sql: str, why: str) -> None:
    error = refusal(dialect, sql)
    assert error.kind is not ErrorKind.NOT_READ_ONLY, f"{why}: the model may write it differently"
    assert error.message.endswith((".", "?")) or error.kind is ErrorKind.SYNTAX_ERROR


@pytest.mark.parametrize(
    "dialect, sql, why",
    [
        ("sqlite", "INSERT OR REPLACE INTO orders VALUES (1, 1, 1, 'x', 'y')", "deletes what is in the way"),
        ("sqlite", "INSERT OR IGNORE INTO orders VALUES (1, 1, 1, 'x', 'y')", "leaves rows out silently"),
        ("sqlite", "UPDATE OR REPLACE orders SET id = 1 WHERE id = 2", "deletes what is in the way"),
        ("sqlite", "UPDATE orders SET rowid = 7 WHERE id = 1", "the engine's own column"),
        ("sqlite", "DELETE FROM sqlite_master WHERE name = 'orders'", "the catalogue"),
        ("duckdb", "INSERT INTO orders BY NAME SELECT 1 AS id", "columns that nobody wrote"),
        ("duckdb", "UPDATE products SET details.a = 1 WHERE id = 1", "a field of a column"),
        ("postgresql", "DELETE FROM ONLY orders WHERE id = 1", "half of a table"),
        (
            "postgresql",
            "DELETE FROM orders WHERE id IN (WITH d AS (DELETE FROM customers RETURNING id) SELECT id FROM d)",
            "a change inside",
        ),
        ("postgresql", "UPDATE orders SET status = 'x' WHERE CURRENT OF c", "a cursor"),
        ("postgresql", "INSERT INTO customers (id) SELECT id FROM orders FOR UPDATE", "locks rows"),
        ("sqlserver", "UPDATE TOP (1) orders SET status = 'x' WHERE id > 0", "which row, is left to the engine"),
        ("sqlserver", "DELETE TOP (1) FROM orders WHERE id > 0", "which row, is left to the engine"),
        ("sqlserver", "DELETE FROM orders OUTPUT deleted.id WHERE id = 1", "answers rows"),
        ("sqlserver", "UPDATE orders WITH (TABLOCKX) SET status = 'x' WHERE id = 1", "locks the table"),
        ("sqlserver", "INSERT INTO orders (id) EXEC xp_cmdshell 'dir'", "runs a program"),
    ],
)
def test_refuses_what_one_dialect_has(dialect: str, sql: str, why: str) -> None:
    assert refusal(dialect, sql).kind is not ErrorKind.NOT_READ_ONLY, why


@pytest.mark.parametrize("dialect", ALL)
@pytest.mark.parametrize("statement", ["DELETE FROM orders", "UPDATE orders SET status = 'x'"])
@pytest.mark.parametrize(
    "where, why",
    [
        ("", "no condition"),
        ("WHERE 1 = 1", "constants only"),
        ("WHERE 'a' < 'b' AND 2 > 1", "constants only"),
        ("WHERE id = id", "a column and itself"),
        ("WHERE (orders.id >= orders.id)", "a column and itself"),
        ("WHERE id = 3 OR 1 = 1", "one side is always so"),
        ("WHERE NOT (1 = 0 AND id = 3)", "the same, turned around"),
        ("WHERE id IS NULL OR id IS NOT NULL", "a condition and its opposite"),
        ("WHERE status = 'x' OR id = 2 OR status <> 'x'", "a condition and its opposite"),
        ("WHERE NOT (id < 3 AND id >= 3)", "a condition and its opposite"),
        ("WHERE status LIKE '%'", "any text"),
        ("WHERE EXISTS (SELECT 1 FROM customers WHERE country = 'DE')", "says nothing of the row"),
        ("WHERE 1 IN (SELECT id FROM customers)", "says nothing of the row"),
        ("WHERE 3 < (SELECT COUNT(*) FROM orders)", "says nothing of the row, though of its table"),
    ],
)
def test_a_condition_must_choose_rows(dialect: str, statement: str, where: str, why: str) -> None:
    error = refusal(dialect, f"{statement} {where}")
    assert error.kind is ErrorKind.PERMISSION, why
    assert "every row" in error.message


@pytest.mark.parametrize(
    "where, why",
    [
        ("1 = 1 AND id = 3", "one side chooses"),
        ("NOT (id = 3 OR 1 = 0)", "one side chooses, turned around"),
        ("id = 3 OR status = 'x'", "both sides choose"),
        ("id = customer_id", "two columns"),
        ("status LIKE '%a%'", "some texts"),
        ("EXISTS (SELECT 1 FROM customers WHERE id = customer_id)", "looks at the row around it"),
        ("EXISTS (SELECT 1 FROM customers c WHERE c.id = orders.customer_id)", "looks at the row around it"),
        ("id = (SELECT MAX(id) FROM orders)", "a column and a query"),
    ],
)
def test_a_condition_that_chooses_rows_passes(where: str, why: str) -> None:
    assert check("sqlite", f"DELETE FROM orders WHERE {where}").kind == "delete", why


def test_a_long_condition_is_read_in_one_go() -> None:
    anyone = " OR ".join(f"id = {number}" for number in range(900))
    assert check("duckdb", f"DELETE FROM orders WHERE {anyone}").kind == "delete"
    assert refusal("duckdb", f"DELETE FROM orders WHERE {'NOT (' * 100} id = 1 {')' * 100}").kind is ErrorKind.RESOURCE


def test_a_view_is_not_changed() -> None:
    view = Table(name="paid", columns=(Column(name="id", type="INTEGER"),), is_view=True)
    with pytest.raises(SqlRefused, match="a view"):
        check_write(
            "DELETE FROM paid WHERE id = 1", Schema(database="shop", dialect="sqlite", tables=(view,)), row_limit=9
        )


def test_text_in_double_quotes_becomes_the_text_that_sqlite_takes_it_for() -> None:
    checked = check("sqlite", 'UPDATE orders SET status = "paid" WHERE status = "open"')
    assert checked.sql == "UPDATE orders SET status = 'paid' WHERE status = 'open'"
    assert refusal("duckdb", 'UPDATE orders SET status = "paid" WHERE id = 1').kind is ErrorKind.COLUMN_NOT_FOUND


@pytest.mark.parametrize(
    "sql, count, left",
    [
        (
            "UPDATE orders SET status = 'sent' WHERE status = 'paid'",
            3,
            "SELECT COUNT(*) FROM orders WHERE status = 'sent'",
        ),
        (
            'UPDATE products SET "update" = 5 WHERE "category name" = \'food\'',
            1,
            'SELECT COUNT(*) FROM products WHERE "update" = 5',
        ),
        ("DELETE FROM orders WHERE id NOT IN (2, 5)", 3, "SELECT COUNT(*) + 1 FROM orders"),
        (
            "INSERT INTO customers (id, name) SELECT id + 100, status FROM orders",
            5,
            "SELECT COUNT(*) FROM customers WHERE id > 100",
        ),
        (
            "INSERT INTO customers (id) VALUES ((SELECT MAX(id) + 1 FROM customers))",
            1,
            "SELECT COUNT(*) FROM customers WHERE id = 4",
        ),
    ],
)
def test_what_passes_runs_and_does_what_it_says(sql: str, count: int, left: str) -> None:
    in_sqlite, in_duckdb = sqlite_shop(), duckdb_shop()
    assert in_sqlite.execute(check("sqlite", sql).sql).rowcount == count
    assert in_duckdb.execute(check("duckdb", sql).sql).fetchall() == [(count,)]
    assert in_sqlite.execute(left).fetchall() == in_duckdb.execute(left).fetchall() == [(count,)]
    in_sqlite.close()
    in_duckdb.close()
