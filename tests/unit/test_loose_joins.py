"""Joins that one side of an OR alone is about."""

from __future__ import annotations

import pytest

from executors.base import Schema
from executors.sql.loose_joins import needed_by_one_side
from executors.sql.tree import tree_to_change

SCHEMA = Schema(database="s", dialect="sqlite", tables=())
JOINED = "SELECT c.name FROM city AS c {} JOIN weather AS w ON w.city_id = c.id WHERE {}"


HOSTED = "EXISTS(SELECT 1 FROM hosts AS h WHERE h.city_id = c.id)"


@pytest.mark.parametrize("condition", [f"w.feb > w.jun OR {HOSTED}", f"(w.feb > 1 AND w.jun < 9) OR {HOSTED}"])
def test_keep_the_rows_that_pass_the_other_side(condition: str) -> None:
    tree = tree_to_change(JOINED.format("INNER", condition), "sqlite")
    assert tree is not None

    assert needed_by_one_side(tree, SCHEMA) == ["rows without weather may pass the other side of OR: LEFT JOIN"]
    assert tree.sql("sqlite") == JOINED.format("LEFT", condition)


@pytest.mark.parametrize(
    "sql, why",
    [
        (JOINED.format("", "w.feb > 1 OR w.jun > 1"), "both sides need it"),
        (JOINED.format("", f"w.feb > 1 AND {HOSTED}"), "there is no OR"),
        (JOINED.format("", f"(w.feb > 1 OR {HOSTED}) AND c.id > 1"), "OR is not the whole condition"),
        (JOINED.format("", f"c.size > 1 OR {HOSTED}"), "neither needs it: it is a condition of its own"),
        (JOINED.format("", "w.feb > 1 OR c.size > 1"), "cities with a record of their weather may be asked for"),
        (JOINED.format("", f"w.feb IS NULL OR {HOSTED}"), "a missing one would pass"),
        (JOINED.format("", f"COALESCE(w.feb, 0) < 1 OR {HOSTED}"), "a missing one would pass as zero"),
        (JOINED.format("", f"CASE WHEN w.feb > 1 THEN 0 ELSE 1 END = 1 OR {HOSTED}"), "or as something else"),
        (JOINED.format("", f"NOT w.feb > 1 OR {HOSTED}"), "denied"),
        (JOINED.format("LEFT", f"w.feb > 1 OR {HOSTED}"), "it is one"),
        (JOINED.format("", f"feb > 1 OR {HOSTED}"), "whose column it is, is open"),
        (JOINED.format("", f"w.feb > 1 OR {HOSTED}").replace("c.id WHERE", "c.id AND c.size > 1 WHERE"), "ON filters"),
        (JOINED.format("", f"w.feb > 1 OR {HOSTED}").replace("c.name", "w.feb"), "it is selected"),
        (JOINED.format("", f"w.feb > 1 OR {HOSTED}").replace("c.name", "COUNT(*)"), "rows are counted"),
        (JOINED.format("", f"w.feb > 1 OR {HOSTED}").replace("c.name", "SUM(c.size)"), "or summed"),
        (JOINED.format("", f"w.feb > 1 OR {HOSTED}") + " GROUP BY c.name", "or grouped"),
        (
            JOINED.format("", f"w.feb > 1 OR {HOSTED}").replace("WHERE", "RIGHT JOIN x ON x.i = c.id WHERE"),
            "c may miss",
        ),
    ],
)
def test_others_stay(sql: str, why: str) -> None:
    tree = tree_to_change(sql, "sqlite")
    assert tree is not None
    before = tree.sql("sqlite")

    assert needed_by_one_side(tree, SCHEMA) == [], why
    assert tree.sql("sqlite") == before
