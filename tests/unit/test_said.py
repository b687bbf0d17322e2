"""What the question says, looked for in the query."""

from __future__ import annotations

import pytest

from agent.checks.said import said_checks
from executors.sql.tree import tree_to_change
from rag.values import How, LinkedValue

OSLO = LinkedValue("offices", "city", "Oslo", "Oslo", "exact", 1.0)
YORK = LinkedValue("offices", "city", "York", "York", "exact", 1.0)
NEW_YORK = LinkedValue("offices", "city", "New York", "New York", "exact", 1.0)
CLERK = LinkedValue("staff", "job", "Clerk", "clerk", "case", 0.95)


@pytest.mark.parametrize(
    "question, sql, linked, found, why",
    [
        ("Who earns more than 2,500?", "SELECT n FROM s WHERE pay > 2500", (), True, "as written"),
        ("Who earns more than 2,500?", "SELECT n FROM s WHERE pay > 250", (), None, "another number"),
        ("Who got at least 15 % more?", "SELECT n FROM s WHERE raise >= 0.15", (), True, "a share"),
        ("Wer verdient mehr als 2.500 Euro?", "SELECT n FROM s WHERE pay > 2500", (), True, "as others write it"),
        ("Wer verdient mehr als 1.250.000,50?", "SELECT n FROM s WHERE pay > 1250000.5", (), True, "and more of it"),
        ("Qui gagne plus de 2,5 %?", "SELECT n FROM s WHERE raise > 2.5", (), True, "a decimal comma"),
        ("Who earns more than 2.5?", "SELECT n FROM s WHERE pay > 25", (), None, "a point is none of thousands"),
        ("Who earns over 2 million?", "SELECT n FROM s WHERE pay > 2000000", (), True, "a word for zeros"),
        ("Who earns over 2 dollars?", "SELECT n FROM s WHERE pay > 2000000", (), None, "zeros that nobody said"),
        ("Wer kam am 03.05.2024?", "SELECT n FROM s WHERE d = '2024-05-03'", (), True, "a date with points"),
        ("Who came on May 3, 2024?", "SELECT n FROM s WHERE d = '2024-05-03'", (), True, "a date, in its own way"),
        ("Who came in 2024?", "SELECT n FROM s", (), None, "a year that is nowhere"),
        ("Who works in Oslo?", "SELECT n FROM s WHERE city LIKE '%oslo%'", (OSLO,), True, "in part"),
        ("Who works in Oslo?", "SELECT n FROM s", (OSLO,), None, "a name that is nowhere"),
        ("Who works in New York?", "SELECT n FROM s WHERE c = 'New York'", (YORK, NEW_YORK), True, "a name in a name"),
        ("Is a clerk paid?", "SELECT pay FROM s", (CLERK,), True, "a plain word may be none"),
    ],
)
def test_numbers_and_names(
    question: str, sql: str, linked: tuple[LinkedValue, ...], found: bool | None, why: str
) -> None:
    tree = tree_to_change(sql, "sqlite")
    assert tree is not None
    values, _ = said_checks(question, tree, linked)
    assert values.passed is found, why


@pytest.mark.parametrize(
    "question, sql, found",
    [
        ("What is the average pay?", "SELECT AVG(pay) FROM s", True),
        ("What is the average pay?", "SELECT pay FROM s", None),
        ("What is the average pay?", "SELECT average_pay FROM s", True),
        ("How many clerks are there?", "SELECT n FROM s", None),
        ("How many clerks are there?", "SELECT SUM(n) FROM s", True),
        ("What is the pay of each job?", "SELECT job, SUM(pay) FROM s", None),
        ("Who has the highest pay?", "SELECT n FROM s WHERE pay = (SELECT MAX(pay) FROM s)", True),
        ("Who has the highest pay?", "SELECT n FROM s LIMIT 1", None),
        ("What share, in percent, are clerks?", "SELECT COUNT(*) FROM s", None),
        ("Who works here?", "SELECT n FROM s", True),
        ("How many clerks are there in different towns?", "SELECT COUNT(DISTINCT town) FROM s", None),
        ("Which clerk earns most in each town?", "SELECT n FROM s GROUP BY town ORDER BY MAX(pay) DESC LIMIT 1", None),
        ("Which clerk earns most in each town?", "SELECT n, MAX(pay) FROM s GROUP BY town LIMIT 100", True),
        ("List the clerks sorted by pay.", "SELECT n FROM s WHERE n IN (SELECT n FROM t ORDER BY pay)", None),
        ("List the clerks in ascending order of pay.", "SELECT n FROM s", None),
        ("List the clerks sorted by pay.", "SELECT n FROM s ORDER BY pay", True),
        ("Which goods were ordered by Miller?", "SELECT n FROM s WHERE y = 'Miller'", True),
        ("Which parcels are not sorted?", "SELECT n FROM s WHERE y = 0", True),
        ("List the clerks, ordered by pay.", "SELECT n FROM s", None),
        ("Which goods were ordered in 2024?", "SELECT n FROM s WHERE y = 2024", True),
        ("What share of clerks is paid?", "SELECT SUM(CASE WHEN a > 1 AND b = 'x' THEN 1 END) / COUNT(*) FROM s", None),
        ("What share of clerks is paid?", "SELECT SUM(CASE WHEN a > 1 THEN 1 END) / COUNT(*) FROM s", True),
        ("Who has the worst score?", "SELECT n FROM s ORDER BY score DESC LIMIT 1", None),
        ("Who has the worst score?", "SELECT n FROM s ORDER BY score LIMIT 1", True),
        ("Who has the highest score?", "SELECT n FROM s ORDER BY score LIMIT 1", None),
        ("Who has the least and who the most?", "SELECT n FROM s ORDER BY score LIMIT 1", True),
        ("Which jobs have at least the lowest pay?", "SELECT job FROM s WHERE pay >= (SELECT MIN(pay) FROM s)", True),
        ("Which jobs have at least 3 clerks?", "SELECT job FROM s WHERE clerks >= 3 ORDER BY pay DESC LIMIT 9", True),
    ],
)
def test_measures(question: str, sql: str, found: bool | None) -> None:
    tree = tree_to_change(sql, "sqlite")
    assert tree is not None
    _, measures = said_checks(question, tree, ())
    assert measures.passed is found


@pytest.mark.parametrize(
    "question, documented, passed",
    [
        ("What is the average DDD?", "", None),
        ("What is the average DDD?", "DDD: daily drug dose", True),
        ("What is the average DDD?", "avg_ddd", True),
        ("What is the AR of each drug?", "cars\nyear_of_arrival", None),  # two letters stand in many words
        ("What is the AR of each drug?", "cars\nar_percent", True),
        ("How many employees in the USA have an ID?", "", True),
        ("How many employees of IBM are there?", "", True),  # the query asks for it
        ("WHAT IS THE AVERAGE DDD", "", True),
        ("What is the average DDD?", "orders\ndefined_daily_dose\ncity", True),
        ("What is the average DDD?", "defined\ndaily\ndose", None),
        ("Which clerks were NEVER paid, and HOW MANY of ALL in CHF?", "", True),
        ("What is the TOTAL price of ALL ORDERS and SALES?", "", True),
    ],
)
def test_an_abbreviation_that_nothing_explains_is_not_verified(
    question: str, documented: str, passed: bool | None
) -> None:
    tree = tree_to_change("SELECT AVG(dose), COUNT(*) FROM drugs WHERE company = 'IBM'", "sqlite")
    assert tree is not None
    values, _ = said_checks(question, tree, (), (), lambda: documented)
    assert values.passed is passed
    assert ("Nothing explains" in values.detail) is (passed is None)


def test_a_text_of_several_words_that_nobody_said_is_not_verified() -> None:
    tree = tree_to_change("SELECT COUNT(*) FROM h WHERE p = 'Acme Comics' OR p = 'Big Books'", "sqlite")
    assert tree is not None
    assert said_checks("How many are there?", tree, ())[0].passed is None
    assert said_checks("How many are there of Acme and Big?", tree, ())[0].passed is True
    assert said_checks("How many are there?", tree, (), ("Ours are Acme Comics and Big Books.",))[0].passed is True


@pytest.mark.parametrize("how, passed", [("near", True), ("meaning", None)])
def test_a_value_that_only_vectors_take_for_meant_is_not_verified(how: How, passed: bool | None) -> None:
    tree = tree_to_change("SELECT COUNT(*) FROM h WHERE p = 'Acme Comics'", "sqlite")
    assert tree is not None
    linked = (LinkedValue("h", "p", "Acme Comics", "funniest", how, 0.7),)
    assert said_checks("How many of the funniest are there?", tree, linked)[0].passed is passed


def test_a_text_that_is_asked_of_one_column_or_another_is_not_verified() -> None:
    either = tree_to_change("SELECT COUNT(*) FROM h WHERE h.name = 'Alien' OR h.race = 'Alien'", "sqlite")
    two = tree_to_change("SELECT COUNT(*) FROM h WHERE h.race = 'Alien' OR h.race = 'Human'", "sqlite")
    assert either is not None
    assert two is not None
    assert said_checks("How many aliens are there?", either, ())[0].passed is None
    assert said_checks("How many aliens or humans are there?", two, ())[0].passed is True


@pytest.mark.parametrize(
    ("dialect", "sql", "found"),
    [
        ("oracle", "SELECT n FROM s GROUP BY n ORDER BY MAX(pay) DESC FETCH FIRST 1 ROWS ONLY", None),
        ("tsql", "SELECT TOP (1) n FROM s GROUP BY n ORDER BY MAX(pay) DESC", None),
        ("clickhouse", "SELECT n, town, MAX(pay) OVER () FROM s ORDER BY pay DESC LIMIT 1 BY town", True),
    ],
)
def test_one_row_is_none_for_each_in_any_dialect(dialect: str, sql: str, found: bool | None) -> None:
    tree = tree_to_change(sql, dialect)
    assert tree is not None
    assert said_checks("Which clerk earns most in each town?", tree, ())[1].passed is found


def test_columns_of_one_kind_are_asked_together() -> None:
    tree = tree_to_change("SELECT id FROM games WHERE home_team = 'Reds' OR away_team = 'Reds'", "sqlite")
    assert tree is not None
    assert said_checks("Which games did the Reds play?", tree, ())[0].passed is True
