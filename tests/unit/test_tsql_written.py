"""What the guard writes for SQL Server is Transact-SQL: derived tables with distinct names, orders that may be said."""

from __future__ import annotations

import pytest
from bare_names import bare

from executors import guard
from executors.base import Column, Schema, Table
from executors.errors import ErrorKind, SqlRefused


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
    assert "name of its own" in raised.value.hint


def test_a_name_that_begins_with_a_dollar_is_a_name() -> None:
    shop = Schema(database="shop", dialect="sqlserver", tables=(table("a", "$b"),))

    assert guard.check("SELECT a.[$b] FROM a", shop, row_limit=7).executable == "SELECT TOP 8 [a].[$b] FROM [a]"
