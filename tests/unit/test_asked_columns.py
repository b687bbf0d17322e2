"""Columns of a select list that nobody asked for."""

from __future__ import annotations

import pytest
from small_tables import table

from agent.checks.asked_columns import drop_extra_columns
from executors.base import Schema
from executors.sql.tree import tree_to_change

SCHEMA = Schema(
    database="s",
    dialect="sqlite",
    tables=(
        table("clubs", "id", "name", "city"),
        table("members", "id", "club_id", "full_name", "age INTEGER", club_id="clubs"),
    ),
)
JOINED = "clubs AS c JOIN members AS m ON m.club_id = c.id"


@pytest.mark.parametrize(
    "question, sql, left",
    [
        (
            "Which club has the most members?",
            f"SELECT c.name, COUNT(*) AS n FROM {JOINED} GROUP BY c.id ORDER BY n DESC LIMIT 1",
            f"SELECT c.name FROM {JOINED} GROUP BY c.id ORDER BY COUNT(*) DESC LIMIT 1",
        ),
        (
            "Which city has the fewest clubs?",
            "SELECT city, COUNT(*) FROM clubs GROUP BY city ORDER BY COUNT(*) LIMIT 1",
            "SELECT city FROM clubs GROUP BY city ORDER BY COUNT(*) LIMIT 1",
        ),
        (
            "List the members and their clubs.",
            f"SELECT m.id, m.full_name, m.club_id, c.name FROM {JOINED}",
            f"SELECT m.full_name, c.name FROM {JOINED}",
        ),
    ],
)
def test_are_taken_out(question: str, sql: str, left: str) -> None:
    tree = tree_to_change(sql, "sqlite")
    assert tree is not None
    assert drop_extra_columns(tree, question, SCHEMA)
    assert tree.sql("sqlite") == left


@pytest.mark.parametrize(
    "question, sql, why",
    [
        (
            "Which club has the most members, and how many?",
            f"SELECT c.name, COUNT(*) AS n FROM {JOINED} GROUP BY c.id ORDER BY n DESC LIMIT 1",
            "the count is asked for",
        ),
        ("What are the ids and names of the clubs?", "SELECT id, name FROM clubs", "so are the ids"),
        ("Show the clubs.", "SELECT id FROM clubs", "nothing would be left"),
        ("Show the clubs.", "SELECT * FROM clubs", "everything is"),
        ("Show the clubs.", "SELECT DISTINCT id, name FROM clubs", "there would be fewer rows"),
        ("Which members are how old?", "SELECT id, age FROM members", "nothing else tells them apart"),
        ("Welche Vereine gibt es?", "SELECT id, name FROM clubs", "no English"),
        (
            "Which clubs have most members?",
            f"SELECT c.name, COUNT(*) FROM {JOINED} GROUP BY c.id",
            "nothing is ordered",
        ),
    ],
)
def test_are_not(question: str, sql: str, why: str) -> None:
    tree = tree_to_change(sql, "sqlite")
    assert tree is not None
    assert drop_extra_columns(tree, question, SCHEMA) == [], why
    assert tree.sql("sqlite") == sql, why
