"""The table of dialects classifies each driver's messages."""

from __future__ import annotations

import sqlite3
from typing import Literal

import duckdb
import pytest
from guard_shop import duckdb_shop, sqlite_shop
from sqlglot import exp

from executors.base import Schema
from executors.dialects.row import Limit
from executors.dialects.table import DIALECTS, match_error
from executors.errors import ErrorKind
from executors.sql import grammar
from executors.sql.names.diagnose import sql_failed

SQLITE = [
    ("SELECT price FROM orders", ErrorKind.COLUMN_NOT_FOUND, "price"),
    ("SELECT o.price FROM orders o", ErrorKind.COLUMN_NOT_FOUND, "o.price"),
    ("SELECT * FROM customers JOIN orders USING (status)", ErrorKind.COLUMN_NOT_FOUND, "status"),
    ("SELECT * FROM nowhere", ErrorKind.TABLE_NOT_FOUND, "nowhere"),
    ("SELECT id FROM orders, customers", ErrorKind.AMBIGUOUS_COLUMN, "id"),
    ("SELECT date_trunc('month', created_at) FROM orders", ErrorKind.FUNCTION_NOT_FOUND, "date_trunc"),
    ("SELECT lower()", ErrorKind.TYPE_MISMATCH, "lower"),
    ("SELECT id FROM orders LIMIT 'a'", ErrorKind.TYPE_MISMATCH, None),
    ("SELECT json_extract('x', '$.a')", ErrorKind.TYPE_MISMATCH, None),
    ("SELECT id FROM orders WHERE sum(id) > 1", ErrorKind.GROUPING, "sum"),
    ("SELECT id FROM orders WHERE row_number() OVER () = 1", ErrorKind.GROUPING, "row_number"),
    ("SELECT id FROM orders ORDER BY 5", ErrorKind.GROUPING, None),
    ("SELECT id, FROM orders", ErrorKind.SYNTAX_ERROR, None),
    ("SELECT id FROM", ErrorKind.SYNTAX_ERROR, None),
    ("SELECT 'abc", ErrorKind.SYNTAX_ERROR, None),
    ("SELECT (SELECT id, status FROM orders)", ErrorKind.SYNTAX_ERROR, None),
    ("SELECT 1 UNION SELECT 1, 2", ErrorKind.SYNTAX_ERROR, None),
    ("SELECT load_extension('x')", ErrorKind.PERMISSION, None),
    ("SELECT zeroblob(2000000000)", ErrorKind.RESOURCE, None),
]

DUCKDB = [
    ("SELECT price FROM orders", ErrorKind.COLUMN_NOT_FOUND, "price"),
    ("SELECT o.price FROM orders o", ErrorKind.COLUMN_NOT_FOUND, "price"),
    ("SELECT * FROM customers JOIN orders USING (status)", ErrorKind.COLUMN_NOT_FOUND, "status"),
    ("SELECT * FROM nowhere", ErrorKind.TABLE_NOT_FOUND, "nowhere"),
    ("SELECT * FROM other.orders", ErrorKind.TABLE_NOT_FOUND, "other.orders"),
    ("SELECT x.id FROM orders", ErrorKind.TABLE_NOT_FOUND, "x"),
    ("SELECT id FROM orders, customers", ErrorKind.AMBIGUOUS_COLUMN, "id"),
    ("SELECT dateadd('day', 1, created_at) FROM orders", ErrorKind.FUNCTION_NOT_FOUND, "dateadd"),
    ("SELECT * FROM nothing(1)", ErrorKind.FUNCTION_NOT_FOUND, "nothing"),
    ("SELECT year(status) FROM orders", ErrorKind.TYPE_MISMATCH, "year"),
    ("SELECT strftime(status, '%Y') FROM orders", ErrorKind.TYPE_MISMATCH, "strftime"),
    ("SELECT sum(status) FROM orders", ErrorKind.TYPE_MISMATCH, "sum"),
    ("SELECT status::INT FROM orders", ErrorKind.TYPE_MISMATCH, None),
    ("SELECT id FROM orders WHERE created_at > 5", ErrorKind.TYPE_MISMATCH, None),
    ("SELECT 9999999999::INT", ErrorKind.TYPE_MISMATCH, None),
    ("SELECT (SELECT id FROM orders)", ErrorKind.SEVERAL_ROWS, None),
    ("SELECT id, sum(id) FROM orders GROUP BY status", ErrorKind.GROUPING, "id"),
    ("SELECT id FROM orders WHERE sum(id) > 1", ErrorKind.GROUPING, None),
    ("SELECT id FROM orders WHERE row_number() OVER () = 1", ErrorKind.GROUPING, None),
    ("SELECT sum(sum(id)) FROM orders", ErrorKind.GROUPING, None),
    ("SELECT id FROM orders ORDER BY 9", ErrorKind.GROUPING, None),
    ("SELECT id FROM", ErrorKind.SYNTAX_ERROR, None),
    ("SELECT 'abc", ErrorKind.SYNTAX_ERROR, None),
    ("SELECT 1 UNION SELECT 1, 2", ErrorKind.SYNTAX_ERROR, None),
]

# As the servers' documentation has them.
SERVERS = [
    ("postgresql", 'relation "ordrs" does not exist', ErrorKind.TABLE_NOT_FOUND, "ordrs"),
    ("postgresql", 'missing FROM-clause entry for table "c"', ErrorKind.TABLE_NOT_FOUND, "c"),
    ("postgresql", 'column "price" does not exist\nLINE 1: SELECT price', ErrorKind.COLUMN_NOT_FOUND, "price"),
    ("postgresql", "column o.price does not exist", ErrorKind.COLUMN_NOT_FOUND, "o.price"),
    ("postgresql", 'column reference "id" is ambiguous', ErrorKind.AMBIGUOUS_COLUMN, "id"),
    ("postgresql", "function strftime(unknown, date) does not exist", ErrorKind.FUNCTION_NOT_FOUND, "strftime"),
    (
        "postgresql",
        'column "o.id" must appear in the GROUP BY clause or be used in an aggregate function',
        ErrorKind.GROUPING,
        "o.id",
    ),
    ("postgresql", "aggregate functions are not allowed in WHERE", ErrorKind.GROUPING, None),
    ("postgresql", "operator does not exist: text > integer", ErrorKind.TYPE_MISMATCH, None),
    ("postgresql", 'invalid input syntax for type integer: "abc"', ErrorKind.TYPE_MISMATCH, None),
    ("postgresql", "canceling statement due to statement timeout", ErrorKind.TIMEOUT, None),
    ("postgresql", "permission denied for table salaries", ErrorKind.PERMISSION, None),
    ("postgresql", "cannot execute INSERT in a read-only transaction", ErrorKind.PERMISSION, None),
    ("postgresql", 'syntax error at or near "FORM"', ErrorKind.SYNTAX_ERROR, None),
    ("postgresql", "out of memory", ErrorKind.RESOURCE, None),
    ("sqlserver", "[42S02] Invalid object name 'ordrs'. (208)", ErrorKind.TABLE_NOT_FOUND, "ordrs"),
    ("sqlserver", "[42S22] Invalid column name 'price'. (207)", ErrorKind.COLUMN_NOT_FOUND, "price"),
    ("sqlserver", 'The multi-part identifier "c.name" could not be bound.', ErrorKind.COLUMN_NOT_FOUND, "c.name"),
    ("sqlserver", "Ambiguous column name 'id'.", ErrorKind.AMBIGUOUS_COLUMN, "id"),
    ("sqlserver", "'strftime' is not a recognized built-in function name.", ErrorKind.FUNCTION_NOT_FOUND, "strftime"),
    ("sqlserver", "Conversion failed when converting the varchar value 'a' to int.", ErrorKind.TYPE_MISMATCH, None),
    ("sqlserver", "Column 'o.id' is invalid in the select list because", ErrorKind.GROUPING, "o.id"),
    ("sqlserver", "An aggregate may not appear in the WHERE clause", ErrorKind.GROUPING, None),
    ("sqlserver", "('HYT00', 'Query timeout expired')", ErrorKind.TIMEOUT, None),
    ("sqlserver", "The SELECT permission was denied on the object 'salaries'", ErrorKind.PERMISSION, None),
    ("sqlserver", "Incorrect syntax near 'LIMIT'. (102)", ErrorKind.SYNTAX_ERROR, None),
]


@pytest.mark.parametrize(
    "dialect, message",
    [
        (
            "duckdb",
            'Binder Error: column "city" must appear in the GROUP BY clause or must be part of an aggregate function.\n'
            'Either add it to the GROUP BY list, or use ANY_VALUE("city") if the value is not important.',
        ),
        ("postgresql", 'column "city" must appear in the GROUP BY clause or be used in an aggregate function'),
    ],
)
def test_an_ungrouped_column_is_told_in_short(dialect: Literal["duckdb", "postgresql"], message: str) -> None:
    schema = Schema(database="d", dialect=dialect, tables=())
    failed = sql_failed(message, "SELECT city, COUNT(*) FROM people", schema)
    assert (failed.kind, failed.message) == (ErrorKind.GROUPING, "city is neither grouped nor aggregated.")


@pytest.mark.parametrize("sql, kind, name", SQLITE)
def test_sqlites_messages_are_classified(sql: str, kind: ErrorKind, name: str | None) -> None:
    with pytest.raises(sqlite3.Error) as caught:
        sqlite_shop().execute(sql).fetchall()
    found, names = match_error("sqlite", str(caught.value))
    assert (found, names.get("name")) == (kind, name)


@pytest.mark.parametrize("sql, kind, name", DUCKDB)
def test_duckdbs_messages_are_classified(sql: str, kind: ErrorKind, name: str | None) -> None:
    with pytest.raises(duckdb.Error) as caught:
        duckdb_shop().execute(sql).fetchall()
    found, names = match_error("duckdb", str(caught.value))
    assert (found, names.get("name")) == (kind, name)


@pytest.mark.parametrize("dialect, message, kind, name", SERVERS)
def test_the_servers_messages_are_classified(dialect: str, message: str, kind: ErrorKind, name: str | None) -> None:
    found, names = match_error(dialect, message)
    assert (found, names.get("name")) == (kind, name)


def test_an_interrupted_query_ran_out_of_time() -> None:
    shop = sqlite_shop()
    shop.set_progress_handler(lambda: 1, 1)
    with pytest.raises(sqlite3.OperationalError) as caught:
        shop.execute("SELECT count(*) FROM orders, orders").fetchall()
    assert match_error("sqlite", str(caught.value))[0] is ErrorKind.TIMEOUT


def test_a_closed_door_is_a_matter_of_permission_in_duckdb() -> None:
    shop = duckdb_shop()
    shop.execute("SET enable_external_access = false")
    with pytest.raises(duckdb.Error) as caught:
        shop.execute("SELECT * FROM read_csv('x.csv')")
    assert match_error("duckdb", str(caught.value))[0] is ErrorKind.PERMISSION


def test_a_full_memory_is_a_matter_of_resources_in_duckdb() -> None:
    shop = duckdb_shop()
    shop.execute("SET memory_limit = '1MB'")
    shop.execute("SET max_temp_directory_size = '0KB'")
    with pytest.raises(duckdb.Error) as caught:
        shop.execute("SELECT list(i) FROM range(10000000) AS r(i)").fetchall()
    assert match_error("duckdb", str(caught.value))[0] is ErrorKind.RESOURCE


def test_what_no_pattern_knows_is_other() -> None:
    assert match_error("duckdb", "The moon is full")[0] is ErrorKind.OTHER


@pytest.mark.parametrize(
    "dialect, month",
    [
        ("sqlite", "strftime('%Y-%m', col)"),
        ("duckdb", "date_trunc('month', col)"),
        ("postgresql", "date_trunc('month', col)"),
        ("sqlserver", "DATETRUNC(month, col)"),
    ],
)
def test_dates_are_written_in_the_dialects_own_words(dialect: str, month: str) -> None:
    assert DIALECTS[dialect].truncate_month.format(column="col") == month


@pytest.mark.parametrize(
    "dialect, name, quoted",
    [
        ("sqlite", "id", "id"),
        ("sqlite", "category name", '"category name"'),
        ("duckdb", 'a"b', '"a""b"'),
        ("sqlserver", "a]b c", "[a]]b c]"),
        ("postgresql", "2024", '"2024"'),
        ("postgresql", "Order", '"Order"'),
        ("postgresql", "orders", "orders"),
        ("duckdb", "Orders", "Orders"),
        ("sqlserver", "user", "[user]"),
        ("mysql", "group", "`group`"),
        ("clickhouse", "CustomerId", "CustomerId"),
    ],
)
def test_a_name_is_quoted_only_where_it_must_be(dialect: str, name: str, quoted: str) -> None:
    assert DIALECTS[dialect].quote_name(name) == quoted


LIMITS = {"sqlserver": Limit.TOP, "oracle": Limit.FETCH}


@pytest.mark.parametrize("name", DIALECTS)
def test_every_row_is_whole(name: str) -> None:
    row = DIALECTS[name]
    assert row.name == name
    assert row.hints
    assert row.limit is LIMITS.get(name, Limit.LIMIT)
    assert row.aggregates
    assert grammar.plain(row.sqlglot).generate(exp.select("a")) == "SELECT a"


@pytest.mark.parametrize("name", DIALECTS)
def test_functions_are_listed_in_small_letters(name: str) -> None:
    row = DIALECTS[name]
    listed = row.functions | row.aggregates | row.table_functions | row.units | row.formatters | row.instead.keys()
    assert [function for function in listed if function != function.lower()] == []


@pytest.mark.parametrize(
    "dialect, earlier",
    [("sqlite", "datetime('now', '-2 months')"), ("duckdb", "CURRENT_DATE - INTERVAL 2 MONTH")],
)
def test_the_examples_of_the_hints_run(dialect: str, earlier: str) -> None:
    shop = sqlite_shop() if dialect == "sqlite" else duckdb_shop()
    row = DIALECTS[dialect]
    month = row.truncate_month.format(column="created_at")
    sql = f"SELECT {month} FROM orders WHERE created_at < {earlier}"
    assert len(shop.execute(sql).fetchall()) == 5
