"""Queries run with quoted names, spelled as the engine resolves them unquoted."""

from __future__ import annotations

import sqlite3

import duckdb
import pytest
from bare_names import bare

from executors.base import CheckedSql, Column, Schema, Table
from executors.dialects.row import RESERVED, NameCase
from executors.dialects.table import DIALECTS
from executors.guard import guard
from executors.guard.write import check_write

WORDS = ("open", "close", "percent", "plan", "file", "public", "schema", "rule", "function", "current", "identity")


def prices(dialect: str, *names: str) -> Schema:
    upper = DIALECTS[dialect].case is NameCase.UPPER
    columns = (Column(name=name.upper() if upper else name, type="int") for name in names or WORDS)
    table = Table(name="PRICES" if upper else "prices", columns=tuple(columns))
    return Schema(database="shop", dialect=dialect, tables=(table,))


def checked(sql: str, schema: Schema) -> CheckedSql:
    return guard.check(sql, schema, row_limit=5)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("word", WORDS)
def test_a_reserved_word_runs_as_a_name(dialect: str, word: str) -> None:
    schema = prices(dialect)
    before, after = {"sqlite": ("`", "`"), "clickhouse": ('"', '"')}.get(dialect, DIALECTS[dialect].quote)

    query = checked(f"SELECT p.{word} FROM prices AS p WHERE {word} > 1 ORDER BY {word}", schema)

    folded = DIALECTS[dialect].fold(word)
    assert query.executable.count(f"{before}{folded}{after}") == 3
    assert bare(query.executable).count(folded) == 3


@pytest.mark.parametrize(("dialect", "sql", "executable"), [
    ("sqlserver", "SELECT open, close FROM prices", "SELECT TOP 6 [open], [close] FROM [prices]"),
    ("postgresql", "WITH Rule AS (SELECT Open FROM prices) SELECT COUNT(*) AS N FROM rule",
     'WITH "rule" AS (SELECT "open" FROM "prices") SELECT COUNT(*) AS "n" FROM "rule"'),
    ("oracle", "SELECT p.open, ROWNUM FROM prices p WHERE ROWNUM < 3",
     'SELECT "P"."OPEN", ROWNUM FROM "PRICES" "P" WHERE ROWNUM < 3 FETCH FIRST 6 ROWS ONLY'),
    ("oracle", "SELECT 1 AS x FROM dual", 'SELECT 1 AS "X" FROM dual FETCH FIRST 6 ROWS ONLY'),
    ("hana", "SELECT open FROM prices AS p", 'SELECT "OPEN" FROM "PRICES" AS "P" LIMIT 6'),
    ("postgresql", "SELECT ctid, open FROM prices", 'SELECT ctid, "open" FROM "prices" LIMIT 6'),
    ("sqlserver", "SELECT DATEADD(month, 1, GETDATE()) AS at, p.* FROM prices p WITH (NOLOCK)",
     "SELECT TOP 6 DATEADD(month, 1, GETDATE()) AS [at], [p].* FROM [prices] AS [p]"),
    ("sqlserver", "SELECT q.[we]]ird] FROM (SELECT open AS [we]]ird] FROM prices) AS q",
     "SELECT TOP 6 [q].[we]]ird] FROM (SELECT [open] AS [we]]ird] FROM [prices]) AS [q]"),
    ("mysql", "SELECT a.plan FROM prices a JOIN prices b USING (plan)",
     "SELECT `a`.`plan` FROM `prices` AS `a` JOIN `prices` AS `b` USING (`plan`) LIMIT 6"),
    ("sqlite", "SELECT plan COLLATE NOCASE AS p FROM prices",
     "SELECT `plan` COLLATE NOCASE AS `p` FROM `prices` LIMIT 6"),
    ("duckdb", "SELECT list_transform([1], lambda x : x + 1) AS l FROM prices ORDER BY ALL",
     'SELECT LIST_TRANSFORM([1], LAMBDA x : x + 1) AS "l" FROM "prices" ORDER BY ALL LIMIT 6'),
])  # fmt: skip
def test_names_are_quoted_and_words_of_the_engine_are_not(dialect: str, sql: str, executable: str) -> None:
    assert checked(sql, prices(dialect)).executable == executable


@pytest.mark.parametrize(("dialect", "sql", "shown"), [
    ("sqlserver", "SELECT open, day FROM prices", "SELECT TOP 5 [open], day FROM prices"),
    ("postgresql", "SELECT open, day FROM prices", "SELECT open, day FROM prices LIMIT 5"),
    ("postgresql", "SELECT User FROM prices", 'SELECT "user" FROM prices LIMIT 5'),
    ("mysql", "SELECT COUNT(*) AS Rank FROM prices", "SELECT COUNT(*) AS `Rank` FROM prices"),
])  # fmt: skip
def test_people_see_quotes_where_the_engine_demands_them(dialect: str, sql: str, shown: str) -> None:
    if "User" in sql:
        sql = sql.replace("User", '"user"')
    assert checked(sql, prices(dialect, "open", "day", "user")).sql == shown


def test_the_schema_shows_reserved_words_in_quotes() -> None:
    assert [prices("sqlserver").quote_name(word) for word in WORDS] == [f"[{word}]" for word in WORDS]
    assert prices("duckdb").quote_name("plan") == "plan"


def test_a_column_that_is_gone_from_sqlite_is_no_text() -> None:
    shop = sqlite3.connect(":memory:")
    shop.execute("CREATE TABLE prices (open INTEGER)")
    shop.execute("INSERT INTO prices VALUES (1)")

    with pytest.raises(sqlite3.OperationalError, match="no such column: gone"):
        shop.execute(checked("SELECT gone FROM prices", prices("sqlite", "open", "gone")).executable)
    shop.close()


def test_an_expression_keeps_its_title() -> None:
    shop = sqlite3.connect(":memory:")
    shop.execute("CREATE TABLE prices (open INTEGER, plan INTEGER)")
    sql = "SELECT SUM(open), plan + 1, COUNT(*) FROM prices UNION SELECT MAX(open), 2, 3 FROM prices"

    found = shop.execute(checked(sql, prices("sqlite", "open", "plan")).executable)

    assert [column[0] for column in found.description] == ["SUM(open)", "plan + 1", "COUNT(*)"]
    shop.close()


def test_a_write_is_quoted_too() -> None:
    write = check_write("UPDATE prices SET close = 1 WHERE open = 2", prices("sqlserver"), row_limit=5)

    assert write.sql == "UPDATE prices SET [close] = 1 WHERE [open] = 2"
    assert write.runs == "UPDATE [prices] SET [close] = 1 WHERE [open] = 2"


# -- the lists of words, for what people read -----------------------------------------------------------------


def test_the_words_of_duckdb_are_its_own() -> None:
    query = "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category IN ('reserved', 'type_function')"
    with duckdb.connect() as connection:
        assert {word for (word,) in connection.execute(query).fetchall()} - RESERVED == DIALECTS["duckdb"].reserved


def _needs_quotes_in_sqlite(word: str) -> bool:
    shop = sqlite3.connect(":memory:")
    try:
        shop.execute(f'CREATE TABLE t ("{word}" INTEGER)')
        shop.execute(f"SELECT t.{word} AS {word} FROM t WHERE {word} = 7 ORDER BY {word}")
    except sqlite3.OperationalError:
        return True
    finally:
        shop.close()
    return False


def test_the_words_of_sqlite_are_those_that_its_parser_refuses() -> None:
    dialects = ("sqlite", "sqlserver", "mysql", "mariadb", "postgresql")
    anywhere = (RESERVED, *(DIALECTS[name].reserved for name in dialects))
    refused = {word for words in anywhere for word in words if _needs_quotes_in_sqlite(word)}

    assert refused - RESERVED <= DIALECTS["sqlite"].reserved


def test_the_words_of_sql_server_are_those_of_its_documentation() -> None:
    """Transact-SQL's "Reserved keywords", as SQLAlchemy keeps them."""
    from sqlalchemy.dialects.mssql.base import RESERVED_WORDS

    assert {word.lower() for word in RESERVED_WORDS} <= DIALECTS["sqlserver"].reserved | RESERVED
