"""The guard writes valid Transact-SQL: distinct names in derived tables, and allowed orders."""

from __future__ import annotations

import pytest
from bare_names import bare
from sqlglot import exp, parse_one

from executors.base import Column, Schema, Table
from executors.dialects.table import DIALECTS
from executors.errors import ErrorKind, SqlRefused
from executors.guard import guard


def table(name: str, *columns: str) -> Table:
    return Table(name=name, columns=tuple(Column(name=column, type="int") for column in columns))


SHOP = Schema(
    database="shop", dialect="sqlserver", tables=(table("a", "id", "x", "doc"), table("b", "id", "y", "place"))
)


@pytest.mark.parametrize(("sql", "shown", "why"), [
    ("SELECT TOP 5 WITH TIES a.id, b.id FROM a JOIN b ON a.id = b.id ORDER BY a.x",
     "SELECT TOP 5 WITH TIES a.id, b.id FROM a JOIN b ON a.id = b.id ORDER BY a.x",
     "a derived table cannot have two columns of one name (8156)"),
    ("SELECT TOP 5 WITH TIES COUNT(*) FROM a GROUP BY x ORDER BY 1",
     "SELECT TOP 5 WITH TIES COUNT(*) FROM a GROUP BY x ORDER BY 1", "nor one without a name (8155)"),
    ("SELECT TOP 10 PERCENT * FROM a JOIN b ON a.id = b.id",
     "SELECT TOP 10 PERCENT * FROM a JOIN b ON a.id = b.id", "nor what a star makes of two tables"),
    ("SELECT TOP 10 PERCENT * FROM a", "SELECT TOP 7 * FROM (SELECT TOP 10 PERCENT * FROM a) AS limited", "of one"),
    ("SELECT doc FROM a UNION ALL SELECT place FROM b",
     "SELECT TOP 7 * FROM (SELECT doc FROM a UNION ALL SELECT place FROM b) AS limited",
     "xml, text and geography cannot be ordered by"),
    ("WITH c AS (SELECT doc AS d FROM a) SELECT d FROM c UNION ALL SELECT place FROM b",
     "WITH c AS (SELECT doc AS d FROM a) SELECT TOP 7 * FROM (SELECT d FROM c UNION ALL SELECT place FROM b) "
     "AS limited", "a WITH stands before the whole"),
    ("SELECT doc, doc FROM a UNION ALL SELECT y, place FROM b",
     "SELECT doc, doc FROM a UNION ALL SELECT y, place FROM b", "the executor reads no more than the cap"),
    ("SELECT DISTINCT x AS x FROM a ORDER BY x NULLS LAST",
     "SELECT TOP 7 * FROM (SELECT DISTINCT x AS x FROM a) AS ordered ORDER BY CASE WHEN x IS NULL THEN 1 ELSE 0 END, x",
     "DISTINCT is ordered by what it selects alone (145)"),
    ("SELECT DISTINCT TOP 3 x AS v, id AS id FROM a ORDER BY a.x DESC NULLS FIRST, 2",
     "SELECT TOP 3 * FROM (SELECT DISTINCT x AS v, id AS id FROM a) AS ordered "
     "ORDER BY CASE WHEN v IS NULL THEN 1 ELSE 0 END DESC, v DESC, id", "by its name, and its place"),
    ("SELECT x FROM a UNION SELECT y FROM b ORDER BY 1 NULLS LAST",
     "SELECT TOP 7 * FROM (SELECT x FROM a UNION SELECT y FROM b) AS ordered "
     "ORDER BY CASE WHEN x IS NULL THEN 1 ELSE 0 END, x", "and so is UNION (104)"),
    ("SELECT DISTINCT x FROM a ORDER BY x", "SELECT DISTINCT TOP 7 x FROM a ORDER BY x", "as the server has it"),
    ("SELECT $10, $10.50 * x AS y, -$3 AS z FROM a",
     "SELECT TOP 7 CAST(10 AS MONEY), CAST(10.50 AS MONEY) * x AS y, -CAST(3 AS MONEY) AS z FROM a", "money"),
])  # fmt: skip
def test_it_is_written_as_the_server_takes_it(sql: str, shown: str, why: str) -> None:
    assert bare(guard.check(sql, SHOP, row_limit=7).sql) == shown, why


@pytest.mark.parametrize("sql", [
    "SELECT DISTINCT x, x FROM a ORDER BY x NULLS LAST",
    "SELECT DISTINCT x + 1 FROM a ORDER BY x + 1 NULLS LAST",
    "SELECT DISTINCT x FROM a ORDER BY id NULLS LAST",
    "SELECT q.x FROM (SELECT DISTINCT TOP 3 x FROM a ORDER BY x NULLS LAST) AS q",
])  # fmt: skip
def test_what_cannot_be_said_is_refused_with_what_can(sql: str) -> None:
    with pytest.raises(SqlRefused, match="NULLS FIRST and NULLS LAST") as raised:
        guard.check(sql, SHOP, row_limit=7)

    assert raised.value.kind is ErrorKind.SYNTAX_ERROR
    assert "unique name" in raised.value.hint


@pytest.mark.parametrize(("sql", "executable"), [
    ("SELECT A.ID, Doc FROM A ORDER BY A.id", "SELECT TOP 8 [a].[id], [doc] FROM [a] ORDER BY [a].[id]"),
    ("SELECT Q.X AS Total FROM a AS q ORDER BY total",
     "SELECT TOP 8 [q].[x] AS [Total] FROM [a] AS [q] ORDER BY [Total]"),
    ("WITH Steps AS (SELECT ID AS n FROM A) SELECT s.N FROM steps AS S",
     "WITH [Steps] AS (SELECT [id] AS [n] FROM [a]) SELECT TOP 8 [S].[n] FROM [Steps] AS [S]"),
])  # fmt: skip
def test_names_are_spelled_as_they_are_called_for_the_collation_may_tell_case(sql: str, executable: str) -> None:
    assert guard.check(sql, SHOP, row_limit=7).executable == executable


def test_the_catalogue_is_asked_in_its_own_letters() -> None:
    """In a database whose collation tells case, or is Turkish, `sys.Objects` is none of its views."""
    reads = DIALECTS["sqlserver"].reads
    assert reads is not None
    queries = [text for text in reads.model_dump().values() if isinstance(text, str) and "sys." in text]
    for sql in queries:
        tree = parse_one(sql.replace("{n}", "3"), read="tsql")
        names = {name.name for name in tree.find_all(exp.Identifier)}
        assert {name for name in names if name != name.lower()} == set()


def test_a_name_that_begins_with_a_dollar_is_a_name() -> None:
    shop = Schema(database="shop", dialect="sqlserver", tables=(table("a", "$b"),))

    assert guard.check("SELECT a.[$b] FROM a", shop, row_limit=7).executable == "SELECT TOP 8 [a].[$b] FROM [a]"
