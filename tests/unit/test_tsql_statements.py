"""Every statement that is sent to SQL Server from here is T-SQL: a parser of it reads each one whole."""

# ruff: noqa: E501  one case a line
from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
import sqlglot
from guard_shop import schema
from sqlglot import exp

from agent.checks.rules.lookup import look_up
from executors.base import CheckedSql, QueryResult
from executors.dialects.table import DIALECTS
from executors.engines.common.servers import catalogue, statements
from executors.guard import guard
from executors.guard.write import check_write
from executors.records.raw_records import derive
from executors.sql.tree import tree_to_change

ROW = DIALECTS["sqlserver"]
SHOP = schema("sqlserver")


def read(sql: str) -> exp.Expr:
    """The tree of a statement, nothing of which was taken unread. Also: nothing of another dialect is in it."""
    tree = sqlglot.parse_one(sql, read="tsql")
    assert not list(tree.find_all(exp.Command)), sql
    assert not re.search(
        r"\b(LIMIT|TRUE|FALSE|ILIKE|NULLS (FIRST|LAST))\b|::|`", re.sub(r"'[^']*'|\[[^\]]*\]", "", sql)
    ), sql
    return tree


# -- the session and the catalogue ---------------------------------------------------------------------------


@pytest.mark.parametrize("sql", [
    *ROW.session.setup,
    *ROW.session.read_only,
    *ROW.session.wishes,
    *ROW.session.begin,
    ROW.session.timeout.format(ms=30000, s=30),
    "SELECT 1",  # the pool's ping
    *(probe.sql for probe in ROW.probes),
])  # fmt: skip
def test_the_session_speaks_tsql(sql: str) -> None:
    read(sql)


def sent_for_a_schema() -> list[str]:
    """What reading a schema of one table sends, where the server has no statistics of it."""
    sent: list[str] = []
    answers: dict[str, Sequence[Sequence[Any]]] = {
        "SCHEMA_NAME": [("dbo",)],
        "AS row_count": [("sales", "odd ]name", 0, None, 10)],
        "is_nullable": [("sales", "odd ]name", "te]xt", "nvarchar(10)", 1, None)],
    }

    def fetch(sql: str, plain: str = "") -> Sequence[Sequence[Any]]:
        sent.extend(filter(None, (sql, plain)))
        return next((rows for part, rows in answers.items() if part in sql), [])

    catalogue.read(fetch, "shop", ROW, samples=3)
    return sent


SCHEMA_QUERIES = sent_for_a_schema()


def test_a_schema_is_one_round_of_queries_and_one_of_first_rows() -> None:
    assert len(SCHEMA_QUERIES) == 10, "two of them where others are refused"
    assert SCHEMA_QUERIES[-1] == "SELECT TOP (1000) SUBSTRING([te]]xt], 1, 41) FROM [sales].[odd ]]name]"


@pytest.mark.parametrize("sql", SCHEMA_QUERIES)
def test_the_catalogue_is_asked_in_tsql(sql: str) -> None:
    assert isinstance(read(sql), exp.Select)
    statements.require_one(sql, ROW)


@pytest.mark.parametrize("query, columns", [
    (ROW.reads.default_schema, 1), (ROW.reads.tables, 5), (ROW.reads.columns, 6), (ROW.reads.primary_keys, 3),
    (ROW.reads.foreign_keys, 7), (ROW.reads.samples.replace("{n}", "3"), 4),
] if ROW.reads else [])  # fmt: skip
def test_the_catalogue_queries_give_the_columns_that_are_read(query: str, columns: int) -> None:
    assert len(read(query).expressions) == columns


# -- what the guard writes anew ------------------------------------------------------------------------------

QUERIES = [
    ("SELECT * FROM orders", "TOP 11", "a cap of its own"),
    ("SELECT TOP 5 id FROM orders ORDER BY id", "TOP 5", "its own is kept"),
    ("SELECT TOP (500) id FROM orders", "TOP 11", "its own is too much"),
    ("SELECT TOP 10 PERCENT id FROM orders ORDER BY id", "TOP 11", "a share is cut outside"),
    ("SELECT TOP 3 WITH TIES id FROM orders ORDER BY total_amount", "WITH TIES", "ties are cut outside"),
    ("SELECT DISTINCT status FROM orders", "TOP 11", "DISTINCT goes first"),
    ("SELECT id FROM orders ORDER BY id OFFSET 5 ROWS", "FETCH NEXT 11 ROWS ONLY", "TOP excludes OFFSET"),
    ("SELECT id FROM orders ORDER BY id OFFSET 5 ROWS FETCH NEXT 3 ROWS ONLY", "FETCH NEXT 3 ROWS ONLY", "its own"),
    ("SELECT id FROM orders UNION ALL SELECT id FROM products", "SELECT TOP 11 * FROM (SELECT [id]", "TOP is of one SELECT"),
    ("SELECT id FROM orders EXCEPT SELECT id FROM products ORDER BY id", "FETCH NEXT 11 ROWS ONLY", "a set with an order"),
    ("WITH t AS (SELECT status, COUNT(*) AS n FROM orders GROUP BY status) SELECT * FROM t WHERE n > 1", "TOP 11", "a CTE"),
    ("SELECT COUNT(*) FROM orders", "COUNT(*)", "one row needs no cap"),
    ("SELECT [category name], [update] FROM products", "[category name]", "names that need quotes"),
    ("SELECT DATEADD(month, -1, created_at), DATEDIFF(day, created_at, GETDATE()) FROM orders", "DATEADD(", "units are words"),
    ("SELECT DATETRUNC(month, created_at) AS m, SUM(total_amount) FROM orders GROUP BY DATETRUNC(month, created_at)", "DATETRUNC(", "by month"),
    ("SELECT FORMAT(created_at, 'yyyy-MM') AS m, COUNT(*) AS n FROM orders GROUP BY FORMAT(created_at, 'yyyy-MM')", "FORMAT(", "by month, as text"),
    ("SELECT STRING_AGG(name, ', ') WITHIN GROUP (ORDER BY name) FROM customers", "WITHIN GROUP", "joined text"),
    ("SELECT IIF(id > 1, 'a', N'b'), CASE WHEN id = 1 THEN 1 ELSE 0 END, ISNULL(name, 'x') FROM customers", "CASE WHEN", "choices"),
    ("SELECT CAST(total_amount AS decimal(10, 2)), TRY_CAST(status AS int), CONVERT(varchar(10), created_at, 120) FROM orders", "CAST(", "conversions"),
    ("SELECT name, ROW_NUMBER() OVER (PARTITION BY country ORDER BY id DESC) AS place FROM customers", "OVER (", "windows"),
    ("SELECT c.name FROM customers AS c WHERE EXISTS (SELECT 1 FROM orders AS o WHERE o.customer_id = c.id)", "EXISTS", "a subquery"),
    ("SELECT a.id, b.id FROM orders a FULL OUTER JOIN products b ON a.id = b.id", "FULL OUTER JOIN", "joins"),
    ("SELECT name + ' ' + country, LEN(name) % 2 FROM customers WHERE name LIKE '[A-C]%' ESCAPE '!'", "LIKE", "texts"),
    ("SELECT YEAR(created_at) AS y, AVG(1.0 * total_amount) FROM orders GROUP BY YEAR(created_at) HAVING COUNT(*) > 1 ORDER BY y DESC", "HAVING", "grouped"),
]  # fmt: skip


@pytest.mark.parametrize("sql, has, why", QUERIES)
def test_what_the_guard_writes_is_tsql(sql: str, has: str, why: str) -> None:
    checked = guard.check(sql, SHOP, row_limit=10)

    for written in (checked.sql, checked.executable):
        assert isinstance(read(written), exp.Query), why
        statements.require_one(written, ROW)
    assert has in checked.executable, why


# -- the rows behind an aggregate ----------------------------------------------------------------------------


@pytest.mark.parametrize("sql", [
    "SELECT SUM(total_amount) FROM orders WHERE status = 'paid'",
    "SELECT status, COUNT(*) AS n FROM orders GROUP BY status HAVING COUNT(*) > 1",
    "SELECT TOP 1 DATETRUNC(month, created_at) AS m, SUM(total_amount) AS t FROM orders GROUP BY DATETRUNC(month, created_at) ORDER BY t DESC",
    "SELECT c.country, AVG(o.total_amount) FROM customers AS c JOIN orders AS o ON o.customer_id = c.id GROUP BY c.country",
    "WITH paid AS (SELECT * FROM orders WHERE status = 'paid') SELECT MAX(total_amount) FROM paid",
    "SELECT COUNT(DISTINCT [category name]) FROM products WHERE [update] = 1",
])  # fmt: skip
def test_raw_records_are_asked_in_tsql(sql: str) -> None:
    raw = derive(sql, ROW.sqlglot)

    assert raw.sql is not None, raw.reason
    read(raw.sql)
    checked = guard.check(raw.sql, SHOP, row_limit=200)
    read(checked.executable)
    statements.require_one(checked.executable, ROW)


# -- what the checks ask -------------------------------------------------------------------------------------


class Recorder:
    """A database that remembers what it was asked, and holds nothing."""

    dialect = "sqlserver"

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def check(self, sql: str, row_limit: int) -> CheckedSql:
        read(sql)
        return guard.check(sql, SHOP, row_limit=row_limit)

    async def run(self, query: CheckedSql, timeout_s: float | None = None) -> QueryResult:
        self.asked.append(query.executable)
        return QueryResult(columns=("x",), rows=())


async def test_a_value_is_looked_for_in_tsql() -> None:
    database = Recorder()
    tree = tree_to_change("SELECT name FROM products WHERE [category name] = 'it''s'", "tsql")
    assert tree is not None

    await look_up(tree, SHOP, database)  # type: ignore[arg-type]

    assert database.asked[0] == "SELECT DISTINCT TOP 2 [category name] FROM [products] WHERE [category name] = 'it''s'"
    assert "LOWER(TRIM([category name])) = LOWER(TRIM('it''s'))" in database.asked[1], "how else it is spelled"
    assert "[category name] FROM" in database.asked[2], "what is nearest"
    assert len(database.asked) == 3 + 4, "and whether another column has it"
    for sql in database.asked:
        read(sql)


# -- writes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sql", [
    "UPDATE orders SET status = 'open', total_amount = total_amount * 1.1 WHERE id = 3",
    "UPDATE [products] SET [category name] = N'Büro' WHERE [update] = 0 AND name LIKE 'P%'",
    "DELETE FROM orders WHERE status = 'open' AND created_at < DATEADD(year, -1, GETDATE())",
    "INSERT INTO customers (id, name, country) VALUES (4, 'Dan', 'DE'), (5, N'Élise', NULL)",
    "INSERT INTO customers (id, name) SELECT id + 100, name FROM customers WHERE country = 'DE'",
])  # fmt: skip
def test_a_write_and_its_preview_are_tsql(sql: str) -> None:
    write = check_write(sql, SHOP, row_limit=5)

    assert isinstance(read(write.sql), exp.Update | exp.Delete | exp.Insert)
    if write.preview is not None:
        read(write.preview.executable)
        statements.require_one(write.preview.executable, ROW)
