"""Texts of a query, and the stored values that they mean."""

from __future__ import annotations

import pytest
from small_tables import table

from executors.base import Schema
from executors.sql.literals import meant_value, move_filters, replace_values, text_filters
from executors.sql.tree import tree_to_change


@pytest.mark.parametrize(
    "said, stored, meant, why",
    [
        ("berlin", ["Berlin", "Bonn"], "Berlin", "another case"),
        ("Malaga", ["Málaga", "Madrid"], "Málaga", "an accent"),
        ("T-shirt", ["T Shirt", "Skirt"], "T Shirt", "punctuation"),
        ("Ice cream", ["Icecream", "Cake"], "Icecream", "a space"),
        ("Laptops", ["Laptop", "Phone"], "Laptop", "a plural"),
        ("Battery", ["Batteries", "Bags"], "Batteries", "a singular"),
        ("women", ["Female", "Male"], "Female", "a word of the same meaning"),
        ("Completed", ["C", "X", "S"], "C", "a code"),
        ("Fri", ["Friday", "Monday"], "Friday", "an abbreviation"),
        ("New York", ["NY", "CA"], "NY", "first letters"),
        ("yes", ["Y", "N"], "Y", "yes and no"),
        ("Acme", ["Acme Tools Ltd", "Bolt Ltd"], "Acme Tools Ltd", "a part of a name"),
        ("the Bolt company", ["Acme", "Bolt"], "Bolt", "a name among other words"),
        ("Philadephia", ["Philadelphia", "Phoenix"], "Philadelphia", "a slip"),
        ("S", ["Small", "Silver"], None, "two begin so"),
        ("Bolt", ["Bolt Ltd", "Bolt Inc"], None, "two have it"),
        ("Rome", ["Paris", "Oslo"], None, "none is like it"),
        ("C", [f"C{n}" for n in range(30)], None, "one letter of many values"),
        ("SKU-1024", ["SKU-1023", "SKU-1025"], None, "a number is no slip"),
        ("--", ["a", "b"], None, "no words at all"),
        ("Non-human", ["Human", "God"], None, "the opposite"),
        ("not paid", ["Not Paid", "Paid"], "Not Paid", "what is stored of it"),
        ("paid", ["Not paid", "Open"], None, "the opposite of what is stored"),
        ("no", ["Y", "N"], "N", "no, by itself"),
    ],
)
def test_the_stored_value_that_a_text_means(said: str, stored: list[str], meant: str | None, why: str) -> None:
    assert meant_value(said, stored) == meant, why


SCHEMA = Schema(database="s", dialect="sqlite", tables=(table("people", "city", "sex"), table("jobs", "title")))


def test_texts_are_replaced_where_their_column_is_compared_and_nowhere_else() -> None:
    tree = tree_to_change(
        "SELECT 'women' FROM people AS p WHERE p.sex IN ('women', 'men') AND city = 'women'", "sqlite"
    )
    assert tree is not None

    changes = replace_values(tree, SCHEMA, {("people", "sex", "women"): "F"})

    assert tree.sql("sqlite") == "SELECT 'women' FROM people AS p WHERE p.sex IN ('F', 'men') AND city = 'women'"
    assert changes == ["sex: 'women' -> 'F'"]


def test_a_text_is_asked_of_the_column_that_holds_it() -> None:
    tree = tree_to_change("SELECT COUNT(*) FROM people AS p WHERE p.sex = 'oslo' AND p.city = 'clerk'", "sqlite")
    assert tree is not None
    places = {
        ("people", "sex", "oslo"): ("people", "city", "Oslo"),
        ("people", "city", "clerk"): ("jobs", "title", "Clerk"),
    }

    changes = move_filters(tree, SCHEMA, places)

    assert tree.sql("sqlite") == "SELECT COUNT(*) FROM people AS p WHERE p.city = 'Oslo' AND jobs.title = 'Clerk'"
    assert changes == ["p.sex = 'oslo' -> p.city = 'Oslo'", "p.city = 'clerk' -> jobs.title = 'Clerk'"]


def test_the_table_that_holds_a_text_is_read_instead_of_one_that_is_read_alone() -> None:
    tree = tree_to_change(
        "SELECT name FROM people WHERE city = (SELECT title FROM jobs WHERE title = 'Oslo')", "sqlite"
    )
    assert tree is not None
    schema = SCHEMA.model_copy(update={"tables": (*SCHEMA.tables, table("towns", "title", "town"))})

    changes = move_filters(tree, schema, {("jobs", "title", "Oslo"): ("towns", "town", "Oslo")})

    assert tree.sql("sqlite") == (
        "SELECT name FROM people WHERE city = (SELECT title FROM towns WHERE towns.town = 'Oslo')"
    )
    assert changes[0] == "towns in the place of jobs"


def test_a_table_is_not_read_instead_where_it_lacks_what_else_is_filtered_on() -> None:
    tree = tree_to_change("SELECT title FROM jobs WHERE title = 'Oslo' AND grade = 'A'", "sqlite")
    assert tree is not None
    tables = (table("jobs", "title", "grade"), table("towns", "title", "town"))
    schema = SCHEMA.model_copy(update={"tables": tables})

    move_filters(tree, schema, {("jobs", "title", "Oslo"): ("towns", "town", "Oslo")})

    assert tree.sql("sqlite") == "SELECT title FROM jobs WHERE towns.town = 'Oslo' AND grade = 'A'"  # a join follows


@pytest.mark.parametrize(
    ("filtered", "spoken"), [("eye_id", frozenset()), ("eye", frozenset({"heroes"}))], ids=["a key", "asked for"]
)
def test_a_table_that_is_asked_for_or_whose_key_was_compared_is_read_further(
    filtered: str, spoken: frozenset[str]
) -> None:
    tree = tree_to_change(f"SELECT id FROM heroes WHERE {filtered} = 'Blue'", "sqlite")
    assert tree is not None
    tables = (table("heroes", "id", "eye", "eye_id", eye_id="colours"), table("colours", "id", "colour"))
    schema = SCHEMA.model_copy(update={"tables": tables})

    move_filters(tree, schema, {("heroes", filtered, "Blue"): ("colours", "colour", "Blue")}, spoken)

    assert tree.sql("sqlite") == "SELECT id FROM heroes WHERE colours.colour = 'Blue'"  # a join follows


def test_only_texts_of_real_tables_are_filters() -> None:
    tree = tree_to_change("SELECT * FROM (SELECT 'x' AS city) AS t WHERE t.city = 'y' AND 3 = 4", "sqlite")
    assert tree is not None
    assert text_filters(tree, SCHEMA) == []
