"""Joins that nothing needs any more."""

from __future__ import annotations

import pytest
from sqlglot import exp, parse_one

from executors.sql.unused_joins import drop_unused_joins

FAR = "FROM a JOIN b ON a.id = b.a_id JOIN c ON b.c_id = c.id"


@pytest.mark.parametrize(
    "sql, alias, left, why",
    [
        (f"SELECT a.x {FAR}", "c", "SELECT a.x FROM a", "nor what only led there"),
        (f"SELECT a.x, b.y {FAR}", "c", "SELECT a.x, b.y FROM a JOIN b ON a.id = b.a_id", "that is read"),
        (f"SELECT a.x {FAR} WHERE c.z > 1", "c", None, "it is read"),
        (f"SELECT a.x {FAR}", "b", None, "it leads to another"),
        (f"SELECT x {FAR}", "c", None, "nobody can tell of which table x is"),
        (
            f"SELECT COUNT(*) AS n {FAR} ORDER BY n",
            "c",
            "SELECT COUNT(*) AS n FROM a ORDER BY n",
            "an alias is no column",
        ),
        (f"SELECT a.x {FAR} WHERE EXISTS(SELECT 1 FROM d WHERE d.id = c.id)", "c", None, "a subquery reads it"),
        (f"SELECT a.x {FAR}", "a", None, "it is no join"),
        (f"SELECT * {FAR}", "c", None, "a star reads all"),
        (f"SELECT COUNT(*) {FAR}", "c", "SELECT COUNT(*) FROM a", "a count reads no column"),
        (f"SELECT a.x {FAR} JOIN d USING (d_id)", "c", None, "which table has d_id is not said"),
        (f"SELECT a.x {FAR} NATURAL JOIN d", "c", None, "nor what is called the same"),
        ("SELECT a.x FROM a LEFT JOIN c ON a.id = c.id", "c", "SELECT a.x FROM a", "it keeps the rows as they are"),
        ("SELECT a.x FROM a RIGHT JOIN c ON a.id = c.id", "c", None, "it has rows of its own"),
        ("SELECT a.x FROM a FULL JOIN c ON a.id = c.id", "c", None, "the same"),
        ("SELECT a.x FROM a SEMI JOIN c ON a.id = c.id", "c", None, "it is a condition"),
        ("SELECT a.x FROM a ANTI JOIN c ON a.id = c.id", "c", None, "the same"),
        (
            "SELECT a.x FROM a JOIN Bills AS b ON a.id = b.a_id JOIN c ON b.c_id = c.id",
            "c",
            "SELECT a.x FROM a JOIN Bills AS b ON a.id = b.a_id",
            "who has bills is asked",
        ),
    ],
)
def test_go_where_nothing_is_read(sql: str, alias: str, left: str | None, why: str) -> None:
    tree = parse_one(sql)
    assert isinstance(tree, exp.Select)
    drop_unused_joins(tree, alias, {"bills"})
    assert tree.sql() == (left or sql)
