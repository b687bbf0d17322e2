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
    ],
)
def test_go_where_nothing_is_read(sql: str, alias: str, left: str | None, why: str) -> None:
    tree = parse_one(sql)
    assert isinstance(tree, exp.Select)
    assert bool(drop_unused_joins(tree, alias)) is (left is not None), why
    assert tree.sql() == (left or sql)
