"""The key that is asked for, and all that is known of something."""

from __future__ import annotations

import pytest

from agent.checks.asked_details import all_details
from agent.checks.asked_keys import asked_key
from executors.base import Column, ForeignKey, Schema, Table
from executors.sql.tree import tree_to_change


def _columns(*names: str, private: str = "") -> tuple[Column, ...]:
    return tuple(Column(name=it, type="TEXT", private=it == private) for it in names)


SCHEMA = Schema(
    database="fairs",
    dialect="sqlite",
    tables=(
        Table(
            name="city", columns=_columns("City_ID", "Mayor", "Size", "Password", private="Password"),
            primary_key=("City_ID",),
        ),
        Table(
            name="fair",
            columns=_columns("Fair_ID", "Host", "Year", "paid"),
            primary_key=("Fair_ID",),
            foreign_keys=(ForeignKey(columns=("Host",), table="city", referenced=("City_ID",)),),
        ),
        Table(name="stand", columns=_columns("stand_id", "stand_details", "price"), primary_key=("stand_id",)),
    ),
)  # fmt: skip
JOINED = "fair AS f JOIN city AS c ON f.Host = c.City_ID"


@pytest.mark.parametrize(
    "question, sql, right",
    [
        ("What is the id of the city that was host last?", f"SELECT f.Fair_ID FROM {JOINED} ORDER BY f.Year DESC",
         f"SELECT c.City_ID FROM {JOINED} ORDER BY f.Year DESC"),
        ("Which city ids had a host in 2024?", "SELECT Fair_ID FROM fair WHERE Year = '2024'",
         "SELECT fair.Host FROM fair WHERE Year = '2024'"),
    ],
)  # fmt: skip
def test_is_selected_in_the_place_of_another(question: str, sql: str, right: str) -> None:
    tree = tree_to_change(sql, "sqlite")
    assert tree is not None
    assert asked_key(tree, question, SCHEMA)
    assert tree.sql("sqlite") == right


@pytest.mark.parametrize(
    "question, sql, why",
    [
        ("What is the id of the fair in each city?", f"SELECT f.Fair_ID FROM {JOINED}", "it is asked for"),
        ("Which cities had fairs?", f"SELECT f.Fair_ID FROM {JOINED}", "no id is"),
        ("What is the id of the city?", "SELECT City_ID FROM city", "it is right"),
        ("What is the id of the city?", "SELECT Host FROM fair", "that refers to it"),
        ("What is the id of the city?", "SELECT stand_id FROM stand", "no city can be told from it"),
        ("What is the id of the city?", f"SELECT f.Fair_ID, c.City_ID FROM {JOINED}", "there are two"),
        ("What is the id of the city's last fair?", f"SELECT f.Fair_ID FROM {JOINED}", "that is a fair's"),
        ("What is the id of the city council meeting?", f"SELECT f.Fair_ID FROM {JOINED}", "that is none of a city"),
        ("What is on in city id 12?", f"SELECT f.Fair_ID FROM {JOINED} WHERE c.City_ID = 12", "a filter"),
        ("Which city id 12 events are there?", f"SELECT f.Fair_ID FROM {JOINED} WHERE c.City_ID = 12", "a filter"),
        ("List the events by the id of the city.", f"SELECT f.Fair_ID FROM {JOINED} ORDER BY c.City_ID", "an order"),
        ("Which city id has a deal?", "SELECT paid FROM fair", "no id is selected"),
        ("Was ist die id der city?", f"SELECT f.Fair_ID FROM {JOINED}", "only English is understood"),
    ],
)
def test_another_key_stays(question: str, sql: str, why: str) -> None:
    tree = tree_to_change(sql, "sqlite")
    assert tree is not None
    assert asked_key(tree, question, SCHEMA) == [], why


def test_all_public_columns_are_selected_where_all_is_asked_for() -> None:
    for question in (
        "What information is there on the cities, by size?",
        "Show all details of the cities by size.",
        "Tell me everything about the cities, in the order of their size.",
    ):
        tree = tree_to_change("SELECT Mayor, Size FROM city ORDER BY Size", "sqlite")
        assert tree is not None
        assert all_details(tree, question, SCHEMA) == ["all is asked for that city has"]
        assert tree.sql("sqlite") == "SELECT City_ID, Mayor, Size FROM city ORDER BY Size"


@pytest.mark.parametrize(
    "question, sql, why",
    [
        ("What information is there on the mayors of cities?", "SELECT Mayor FROM city", "a column is named"),
        ("Which cities are there?", "SELECT Mayor FROM city", "not all is asked for"),
        ("Who leads the greatest city, according to the data?", "SELECT Mayor FROM city", "data is where to look"),
        ("Is everything about the city in order?", "SELECT Mayor FROM city", "yes or no is asked for"),
        ("Show the details of the addresses of the cities.", "SELECT Mayor FROM city", "of something else"),
        ("Show the details of the city's leader.", "SELECT Mayor FROM city", "of something that it has"),
        ("Show all details of the cities.", "SELECT DISTINCT Mayor FROM city", "there would be more rows"),
        ("Show all details of the cities.", "SELECT COUNT(*) FROM city", "it counts"),
        ("Show all details of the cities.", "SELECT * FROM city", "it is all"),
        ("Show all details of the cities.", f"SELECT c.Size FROM {JOINED}", "nobody knows of which table"),
        ("Show all details of the stands.", "SELECT price FROM stand", "a column is called so"),
        ("Show all details of the cities.", "SELECT City_ID, Mayor, Size FROM city", "no more can be shown"),
    ],
)
def test_a_list_of_columns_stays(question: str, sql: str, why: str) -> None:
    tree = tree_to_change(sql, "sqlite")
    assert tree is not None
    assert all_details(tree, question, SCHEMA) == [], why
