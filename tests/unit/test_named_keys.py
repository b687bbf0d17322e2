"""Names in the place of keys that nobody asked for by number."""

from __future__ import annotations

import pytest

from agent.checks.named_keys import name_keys
from executors.base import Column, ForeignKey, Schema, Table
from executors.sql.tree import tree_to_change


def _table(name: str, *columns: str, **references: str) -> Table:
    texts = {"name", "colour", "full_name", "motto", "code"}
    return Table(
        name=name,
        columns=tuple(
            Column(name=it, type="TEXT" if it in texts else "INTEGER", nullable=it == "trim_id") for it in columns
        ),
        primary_key=("id",),
        foreign_keys=tuple(ForeignKey(columns=(it,), table=to, referenced=("id",)) for it, to in references.items()),
    )


SCHEMA = Schema(
    database="s",
    dialect="sqlite",
    tables=(
        _table("colours", "id", "colour"),
        _table("clubs", "id", "name", "motto"),
        _table("towns", "id", "full_name", "motto"),
        _table(
            "shirts",
            "id",
            "club_id",
            "colour_id",
            "trim_id",
            "town_id",
            club_id="clubs",
            colour_id="colours",
            trim_id="colours",
            town_id="towns",
        ),
    ),
)


@pytest.mark.parametrize(
    "question, sql, named, why",
    [
        (
            "Which clubs have shirts?",
            "SELECT DISTINCT club_id FROM shirts",
            "SELECT DISTINCT clubs.name FROM shirts JOIN clubs ON shirts.club_id = clubs.id",
            "of two texts the one called name",
        ),
        (
            "Show the trim colour of each shirt.",
            "SELECT s.trim_id FROM shirts AS s",
            "SELECT colours.colour FROM shirts AS s LEFT JOIN colours ON s.trim_id = colours.id",
            "no row is lost for want of a key",
        ),
        (
            "List the colours with their number of shirts, please: how often is each there?".replace("number", "count"),
            "SELECT s.colour_id, COUNT(*) AS n FROM shirts AS s GROUP BY s.colour_id ORDER BY s.colour_id",
            "SELECT colours.colour, COUNT(*) AS n FROM shirts AS s JOIN colours ON s.colour_id = colours.id"
            " GROUP BY s.colour_id, colours.colour ORDER BY colours.colour",
            "groups stay those of the key",
        ),
        (
            "What are the colours of shirts?",
            "SELECT s.colour_id FROM shirts AS s JOIN colours AS c ON c.id = s.colour_id WHERE c.id > 2",
            "SELECT c.colour FROM shirts AS s JOIN colours AS c ON c.id = s.colour_id WHERE c.id > 2",
            "read from where it is joined already",
        ),
    ],
)
def test_are_selected(question: str, sql: str, named: str, why: str) -> None:
    tree = tree_to_change(sql, "sqlite")
    assert tree is not None
    assert name_keys(tree, question, SCHEMA), why
    assert tree.sql("sqlite") == named


@pytest.mark.parametrize(
    "question, sql, why",
    [
        ("Which club ids have shirts?", "SELECT club_id FROM shirts", "it was asked for"),
        ("Which shirts are there?", "SELECT club_id FROM shirts", "nobody speaks of clubs"),
        ("Which towns have shirts?", "SELECT town_id FROM shirts", "two texts, neither of which names it"),
        ("Which colours are there?", "SELECT id FROM colours", "it leads nowhere"),
        ("Which colours are there?", "SELECT COUNT(DISTINCT colour_id) FROM shirts", "a count"),
        (
            "Show the trim colour of red shirts.",
            "SELECT s.trim_id FROM shirts AS s JOIN colours ON s.colour_id = colours.id WHERE colours.colour = 'red'",
            "the other table is read already, for another key",
        ),
        ("Welche Vereine haben Trikots?", "SELECT club_id FROM shirts", "not English"),
    ],
)
def test_are_not_guessed(question: str, sql: str, why: str) -> None:
    tree = tree_to_change(sql, "sqlite")
    assert tree is not None
    assert name_keys(tree, question, SCHEMA) == [], why
    assert tree.sql("sqlite") == sql
