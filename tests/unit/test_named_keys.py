"""Names in the place of keys that nobody asked for by number."""

from __future__ import annotations

import pytest
from small_tables import table

from agent.checks.named_keys import name_keys
from executors.base import Column, ForeignKey, Schema, Table
from executors.dialects import DIALECTS
from executors.guard import check
from executors.sql.tree import tree_to_change

SECRET = Column(name="secret_id", type="INTEGER", private=True)
SCHEMA = Schema(
    database="s",
    dialect="sqlite",
    tables=(
        table("colours", "id", "colour"),
        table("clubs", "id", "name", "motto"),
        table("towns", "id", "full_name", "motto"),
        table("orders", "id", "state", "amount INTEGER"),
        table("tiers", "id", "code"),
        table("town", "id", "full_name"),
        table("halls", "id", "town INTEGER", "size INTEGER", town="town"),
        table("members", "id", "name", "club_id", club_id="clubs"),
        table("returns", "id", "order_id", "tier_id", SECRET, order_id="orders", tier_id="tiers", secret_id="clubs"),
        table(
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
            "SELECT DISTINCT clubs.name FROM shirts LEFT JOIN clubs ON shirts.club_id = clubs.id",
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
            "SELECT colours.colour, COUNT(*) AS n FROM shirts AS s LEFT JOIN colours ON s.colour_id = colours.id"
            " GROUP BY s.colour_id, colours.colour ORDER BY colours.colour",
            "groups stay those of the key",
        ),
        (
            "What are the colours of shirts?",
            "SELECT s.colour_id FROM shirts AS s JOIN colours AS c ON c.id = s.colour_id WHERE c.id > 2",
            "SELECT c.colour FROM shirts AS s JOIN colours AS c ON c.id = s.colour_id WHERE c.id > 2",
            "read from where it is joined already",
        ),
        (
            "Which clubs have most shirts? Show the count.",
            "SELECT s.club_id AS club, COUNT(*) AS N FROM shirts AS s GROUP BY club ORDER BY n DESC",
            "SELECT clubs.name AS club, COUNT(*) AS N FROM shirts AS s LEFT JOIN clubs ON s.club_id = clubs.id"
            " GROUP BY s.club_id, clubs.name ORDER BY n DESC",
            "clubs of one name stay two, also where they are grouped by an alias",
        ),
        (
            "Which clubs have how many shirts?",
            "SELECT s.club_id, COUNT(*) FROM shirts AS s GROUP BY 1 ORDER BY 1",
            "SELECT clubs.name, COUNT(*) FROM shirts AS s LEFT JOIN clubs ON s.club_id = clubs.id"
            " GROUP BY s.club_id, clubs.name ORDER BY 1",
            "or by a place",
        ),
        (
            "Which clubs have how many shirts?",
            "SELECT s.club_id, COUNT(*) FROM shirts AS s GROUP BY club_id ORDER BY club_id",
            "SELECT clubs.name, COUNT(*) FROM shirts AS s LEFT JOIN clubs ON s.club_id = clubs.id"
            " GROUP BY s.club_id, clubs.name ORDER BY clubs.name",
            "or by the column alone",
        ),
        (
            "Which clubs have members with shirts?",
            "SELECT m.club_id, trim_id FROM members AS m JOIN shirts AS s ON s.id = m.id WHERE name > 'K'",
            "SELECT clubs.name, s.trim_id FROM members AS m JOIN shirts AS s ON s.id = m.id"
            " LEFT JOIN clubs ON m.club_id = clubs.id WHERE m.name > 'K'",
            "a bare name stays that of the table that was read",
        ),
        (
            "Which clubs have shirts?",
            "SELECT club_id AS id FROM shirts WHERE id > 2 ORDER BY id",
            "SELECT clubs.name AS id FROM shirts LEFT JOIN clubs ON shirts.club_id = clubs.id"
            " WHERE shirts.id > 2 ORDER BY id",
            "a column in WHERE is no alias",
        ),
        (
            "Which town has which size?",
            "SELECT town, size FROM halls",
            "SELECT town.full_name, halls.size FROM halls LEFT JOIN town ON halls.town = town.id",
            "a key that is called as the table it leads to",
        ),
        (
            "What are the tiers of returns?",
            "SELECT tier_id FROM returns",
            "SELECT tiers.code FROM returns LEFT JOIN tiers ON returns.tier_id = tiers.id",
            "a table of codes",
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
        ("Which orders were there returns of?", "SELECT order_id FROM returns", "a state is no name"),
        ("Which clubs returned something?", "SELECT secret_id FROM returns", "a private key"),
        (
            "Which clubs have shirts?",
            "WITH clubs AS (SELECT 1 AS id) SELECT s.club_id FROM shirts AS s",
            "its name is taken",
        ),
        (
            "Which clubs have shirts?",
            "SELECT s.club_id FROM shirts AS s JOIN shirts AS t ON s.id = t.trim_id WHERE town_id > 1",
            "whose town, cannot be told",
        ),
        ("Which clubs have shirts?", "SELECT club_id + 0 FROM shirts GROUP BY club_id + 0", "no bare key"),
        ("Which clubs have shirts?", "SELECT club_id FROM shirts GROUP BY club_id + 0", "grouped by something else"),
        ("Welche Vereine haben Trikots?", "SELECT club_id FROM shirts", "not English"),
    ],
)
def test_are_not_guessed(question: str, sql: str, why: str) -> None:
    tree = tree_to_change(sql, "sqlite")
    assert tree is not None
    assert name_keys(tree, question, SCHEMA) == [], why
    assert tree.sql("sqlite") == sql


def _schema(dialect: str, to: Table, *, private: bool = False, key: tuple[str, ...] = ("id",)) -> Schema:
    columns = tuple(it.model_copy(update={"private": private and it.name == "name"}) for it in to.columns)
    owner = table("shirts", "id", "club_id").model_copy(
        update={"foreign_keys": (ForeignKey(columns=("club_id",), table=to.name, referenced=("id",)),)}
    )
    to = to.model_copy(update={"columns": columns, "primary_key": key})
    return Schema(database="s", dialect=dialect, tables=(owner, to))


@pytest.mark.parametrize("dialect", ["postgresql", "sqlserver", "oracle", "mysql", "sqlite"])
@pytest.mark.parametrize("called", ["order", "My Clubs", "Clubs"])
def test_names_are_written_so_that_the_guard_reads_them(dialect: str, called: str) -> None:
    schema = _schema(dialect, table(called, "id", "name"))
    name = DIALECTS[dialect].sqlglot
    tree = tree_to_change("SELECT s.club_id FROM shirts AS s", name)
    assert tree is not None
    assert name_keys(tree, "Which clubs have shirts?", schema)
    assert set(check(tree.sql(name), schema, row_limit=10).tables) == {"shirts", called}


@pytest.mark.parametrize(
    "schema, why",
    [
        (
            _schema("sqlite", table("clubs", "id", "name", "motto"), private=True),
            "the name is private, the motto none",
        ),
        (_schema("sqlite", table("clubs", "id", "name"), key=("id", "season")), "several rows have the key"),
    ],
)
def test_no_name_is_better_than_a_wrong_one(schema: Schema, why: str) -> None:
    tree = tree_to_change("SELECT club_id FROM shirts", "sqlite")
    assert tree is not None
    assert name_keys(tree, "Which clubs have shirts?", schema) == [], why


def test_a_comma_keeps_a_table_from_the_condition_of_a_further_join() -> None:
    tree = tree_to_change("SELECT s.club_id FROM shirts AS s, towns AS t", "postgres")
    assert tree is not None
    schema = SCHEMA.model_copy(update={"dialect": "postgresql"})
    assert name_keys(tree, "Which clubs have shirts?", schema) == []
