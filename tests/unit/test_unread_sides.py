"""Sides of an OR that look for the same in tables that are not read."""

from __future__ import annotations

import pytest
from small_tables import table

from executors.base import Schema
from executors.sql.unread_sides import drop_unread_sides

SCHEMA = Schema(database="s", dialect="sqlite", tables=tuple(table(it, "id", "x") for it in ("student", "b", "c")))
IN_2024 = "BETWEEN '2024-01-01' AND '2024-12-31'"


@pytest.mark.parametrize(
    "sql, left",
    [
        ("SELECT name FROM dorm WHERE gender = 'F' OR student.sex = 'F'", "SELECT name FROM dorm WHERE gender = 'F'"),
        (
            f"SELECT 1 FROM a WHERE (a.x {IN_2024} OR b.y {IN_2024} OR a.z {IN_2024}) AND a.n > 1",
            f"SELECT 1 FROM a WHERE (a.x {IN_2024} OR a.z {IN_2024}) AND a.n > 1",
        ),
        (
            "SELECT 1 FROM a WHERE EXISTS(SELECT 1 FROM b WHERE a.x = 'u' OR c.x = 'u' OR b.x = 'u')",
            "SELECT 1 FROM a WHERE EXISTS(SELECT 1 FROM b WHERE a.x = 'u' OR b.x = 'u')",
        ),
    ],
)
def test_are_dropped(sql: str, left: str) -> None:
    mend = drop_unread_sides(sql, SCHEMA)
    assert mend is not None
    assert mend.sql == left


@pytest.mark.parametrize(
    "sql, why",
    [
        ("SELECT 1 FROM a WHERE a.x = 'u' OR b.x = 'v'", "something else is looked for"),
        ("SELECT 1 FROM a WHERE b.x = 'u' OR c.x = 'u'", "nothing would be left"),
        ("SELECT 1 FROM a WHERE a.x = 'u' AND b.x = 'u'", "both are to hold"),
        ("SELECT 1 FROM a WHERE a.x = 'u' OR a.y = 'u'", "both can be read"),
        ("SELECT 1 FROM a WHERE a.x > a.y OR a.x > b.y", "no value is looked for"),
        ("SELECT 1 FROM a WHERE a.x > 5 OR b.x < 5", "the same number, and not the same condition"),
        ("SELECT 1 FROM a WHERE a.x = 'u' OR z.x = 'u'", "no table is called so: it may be a part of a record"),
        ("SELECT 1 FROM", "it does not parse"),
    ],
)
def test_others_stay(sql: str, why: str) -> None:
    assert drop_unread_sides(sql, SCHEMA) is None, why


def test_a_table_that_is_asked_for_is_not_left_out() -> None:
    sql = "SELECT name FROM dorm WHERE dorm.town = 'Bonn' OR student.town = 'Bonn'"

    assert drop_unread_sides(sql, SCHEMA, "Dorms or students in Bonn?") is None
    assert drop_unread_sides(sql, SCHEMA, "Dorms in Bonn?") is not None
