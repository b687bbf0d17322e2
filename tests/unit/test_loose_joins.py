"""Joins that one side of an OR alone is about."""

from __future__ import annotations

import pytest

from executors.base import Schema
from executors.sql.loose_joins import needed_by_one_side
from executors.sql.tree import tree_to_change

SCHEMA = Schema(database="s", dialect="sqlite", tables=())
JOINED = "SELECT c.name FROM city AS c {} JOIN weather AS w ON w.city_id = c.id WHERE {}"


def test_keep_the_rows_that_pass_the_other_side() -> None:
    condition = "w.feb > w.jun OR EXISTS(SELECT 1 FROM hosts AS h WHERE h.city_id = c.id)"
    tree = tree_to_change(JOINED.format("INNER", condition), "sqlite")
    assert tree is not None

    assert needed_by_one_side(tree, SCHEMA) == ["rows without weather may pass the other side of OR: LEFT JOIN"]
    assert tree.sql("sqlite") == JOINED.format("LEFT", condition)


@pytest.mark.parametrize(
    "sql, why",
    [
        (JOINED.format("", "w.feb > 1 OR w.jun > 1"), "both sides need it"),
        (JOINED.format("", "w.feb > 1 AND c.size > 1"), "there is no OR"),
        (JOINED.format("", "(w.feb > 1 OR c.size > 1) AND c.id > 1"), "OR is not the whole condition"),
        (JOINED.format("", "c.size > 1 OR c.id = 1"), "neither needs it: it is a condition of its own"),
        (JOINED.format("", "w.feb IS NULL OR c.size > 1"), "a missing one would pass"),
        (JOINED.format("", "NOT w.feb > 1 OR c.size > 1"), "denied"),
        (JOINED.format("LEFT", "w.feb > 1 OR c.size > 1"), "it is one"),
        (JOINED.format("", "feb > 1 OR c.size > 1"), "whose column it is, is open"),
        (JOINED.format("", "w.feb > 1 OR c.size > 1").replace("c.name", "w.feb"), "it is selected"),
        (JOINED.format("", "w.feb > 1 OR c.size > 1").replace("c.name", "COUNT(*)"), "rows are counted"),
    ],
)
def test_others_stay(sql: str, why: str) -> None:
    tree = tree_to_change(sql, "sqlite")
    assert tree is not None
    before = tree.sql("sqlite")

    assert needed_by_one_side(tree, SCHEMA) == [], why
    assert tree.sql("sqlite") == before
