"""Past queries as examples: what of their time a question is shown."""

from __future__ import annotations

import pytest

from agent.databases.knowledge.examples import Example, make_examples
from rag.docs.documents import make_document

OF_2023 = "SELECT SUM(amount) FROM orders WHERE status <> 'X' AND day >= '2023-01-01' AND day < '2024-01-01'"


def examples(asked: str, past: str, sql: str) -> list[tuple[str, str]]:
    found = make_examples(asked, [make_document("query", past, sql=sql)], "duckdb")
    return [(it.question, it.sql) for it in found]


def test_a_question_without_a_time_sees_none() -> None:
    assert examples("What is our revenue?", "How much revenue did we make in 2023?", OF_2023) == [
        ("How much revenue did we make?", "SELECT SUM(amount) FROM orders WHERE status <> 'X'")
    ]


@pytest.mark.parametrize(
    "asked", ["What was the revenue in 2024?", "Revenue of March?", "What was last month's revenue?"]
)
def test_a_question_with_a_time_sees_theirs(asked: str) -> None:
    assert examples(asked, "How much revenue did we make in 2023?", OF_2023) == [
        ("How much revenue did we make in 2023?", OF_2023)
    ]


@pytest.mark.parametrize(
    ("past", "sql", "shown"),
    [
        (
            "How many units came back in May 2024?",
            "SELECT SUM(n) FROM r WHERE d >= '2024-05-01'",
            "How many units came back?",
        ),
        ("Umsatz im Jahr 2023?", "SELECT SUM(a) FROM o WHERE YEAR(d) = 2023", "Umsatz?"),
        ("Chiffre d'affaires en 2023 ?", "SELECT SUM(a) FROM o WHERE YEAR(d) = 2023", "Chiffre d'affaires ?"),
    ],
)
def test_the_words_before_a_time_go_with_it(past: str, sql: str, shown: str) -> None:
    ((question, query),) = examples("How many are there?", past, sql)

    assert question == shown
    assert "WHERE" not in query


@pytest.mark.parametrize(
    ("past", "sql"),
    [
        ("Revenue of 2023 against 2024?", "SELECT SUM(CASE WHEN d >= '2023-01-01' THEN a END) FROM o WHERE s = 1"),
        ("Orders of last month?", "SELECT COUNT(*) FROM o WHERE d >= '2025-05-01'"),
        ("Orders of 2023?", "SELECT COUNT(* FROM o"),
        ("How many did not order in 2023?", "SELECT COUNT(*) FROM c WHERE NOT (year = 2023 AND late = 1)"),
        ("Which were open in 2023?", "SELECT id FROM o WHERE closed IS NULL OR closed >= '2023-01-01'"),
        ("Which cost more than 2000 in 2023?", "SELECT name FROM p WHERE price > 2000 AND YEAR(d) = 2023"),
        ("Revenue in 2023?", "SELECT SUM(a) FROM o WHERE day LIKE '2023-%'"),
        ("Revenue in March 2023?", "SELECT SUM(a) FROM o WHERE YEAR(d) = 2023 AND MONTH(d) = 3"),
        ("What is the growth in 2023 against 2022?", "SELECT SUM(a) FROM o WHERE YEAR(d) = 2023"),
    ],
)
def test_a_query_that_is_about_times_is_left_out(past: str, sql: str) -> None:
    assert examples("How many are there?", past, sql) == []


def test_the_other_conditions_of_a_query_inside_stay() -> None:
    sql = "SELECT COUNT(*) FROM c WHERE NOT EXISTS(SELECT 1 FROM o WHERE o.c = c.id AND s = 'x' AND d >= '2023-01-01')"

    assert examples("How many are there?", "How many customers did not order in 2023?", sql) == [
        ("How many customers did not order?", sql.replace(" AND d >= '2023-01-01'", ""))
    ]


def test_a_day_that_defines_a_term_stays() -> None:
    """The question has no time, and its query has one all the same."""
    sql = "SELECT COUNT(DISTINCT customer_id) FROM orders WHERE day >= '2025-04-01'"

    assert make_examples(
        "How many are there?", [make_document("query", "How many active customers?", sql=sql)], "duckdb"
    ) == (Example(question="How many active customers?", sql=sql),)
