"""Conditions that nobody asked for."""

from __future__ import annotations

import pytest

from agent.checks.unasked import drop_unasked
from executors.sql.tree import tree_to_change

HEROES = "SELECT p.name FROM heroes AS h JOIN publishers AS p ON h.publisher_id = p.id WHERE {}"


@pytest.mark.parametrize(
    "question, condition, kept, why",
    [
        ("Which publisher has most heroes?", "p.name IN ('Acme Comics', 'Big Books')", "", "names nobody said"),
        (
            "Which publisher has tall heroes?",
            "p.name = 'Acme Comics' AND h.height > 190",
            "h.height > 190",
            "one of two",
        ),
        ("How many heroes are there?", "h.born >= '2020-01-01'", "", "a year, and no time was spoken of"),
        ("How many heroes are there?", "STRFTIME('%Y', h.born) = '2020'", "", "the same"),
        (
            "Which publisher has heroes with Super Strength?",
            "h.trait = 'Strength' AND h.power = 'Super Strength'",
            "h.power = 'Super Strength'",
            "it was said only within a longer name",
        ),
    ],
)
def test_are_taken_out(question: str, condition: str, kept: str, why: str) -> None:
    tree = tree_to_change(HEROES.format(condition), "sqlite")
    assert tree is not None
    assert drop_unasked(tree, question, ()), why
    assert tree.sql("sqlite") == HEROES.format(kept).removesuffix(" WHERE ")


@pytest.mark.parametrize(
    "question, known, condition, why",
    [
        ("How many heroes does Acme Comics have?", "", "p.name = 'Acme Comics'", "it was said"),
        ("How many heroes does acme have?", "", "p.name = 'Acme Comics'", "in part"),
        ("How many blue heroes are there?", "Blue: skin is 'Deep Water'", "h.skin = 'Deep Water'", "the docs say so"),
        ("How many women are there?", "", "h.sex = 'F'", "one word may be a code"),
        (
            "Which heroes with Strength have Super Strength?",
            "",
            "h.trait = 'Strength' AND h.power = 'Super Strength'",
            "said by itself as well",
        ),
        ("How many heroes were born last year?", "", "h.born >= '2020-01-01'", "worked out from what was said"),
        ("How many heroes are there?", "", "h.height > 190 OR p.name = 'Acme Comics'", "half of an OR"),
        ("How many heroes were born in March?", "", "h.born >= '2020-03-01'", "of some year"),
        ("Welche Helden sind unsterblich?", "", "h.trait = 'Eternal Life'", "said in another language"),
        ("Wie viele Helden kamen letzten Sommer?", "", "h.born >= '2020-01-01'", "a time in another language"),
        ("How many heroes are there?", "", "h.born > (SELECT MIN(born) FROM heroes)", "no text"),
    ],
)
def test_are_not_what_was_said_or_may_have_been_meant(question: str, known: str, condition: str, why: str) -> None:
    tree = tree_to_change(HEROES.format(condition), "sqlite")
    assert tree is not None
    assert drop_unasked(tree, question, (known,)) == [], why
    assert tree.sql("sqlite") == HEROES.format(condition)


@pytest.mark.parametrize("condition", ["p.name = 'Acme Comics'", "h.born >= '2020-01-01'"])
def test_what_docs_or_comments_name_is_left(condition: str) -> None:
    tree = tree_to_change(HEROES.format(condition), "sqlite")
    assert tree is not None
    docs = "Own heroes: publisher Acme Comics, born in 2020 or later."
    assert drop_unasked(tree, "How many heroes of our own are there?", (), lambda: docs) == []
    assert drop_unasked(tree, "How many heroes of our own are there?", (), lambda: "other docs") != []


def test_a_join_of_what_the_question_is_about_stays() -> None:
    tree = tree_to_change(
        "SELECT h.name FROM heroes AS h JOIN prizes AS p ON p.hero_id = h.id WHERE p.name = 'Big Medal'", "sqlite"
    )
    assert tree is not None
    assert drop_unasked(tree, "Which heroes have prizes?", ()) == ["nobody asked for p.name = 'Big Medal'"]
    assert tree.sql("sqlite") == "SELECT h.name FROM heroes AS h JOIN prizes AS p ON p.hero_id = h.id"
