"""One row of aggregates covers all rows: a sentence cannot say "for each" without a group."""

from __future__ import annotations

import pytest

from agent.checks.grounding.answer import check_text, compose_text
from agent.checks.grounding.evidence.facts import Facts
from executors.base import QueryResult

COUNT = "SELECT COUNT(*) AS customer_count FROM customers WHERE signed_up BETWEEN '2025-01-01' AND '2025-12-31'"
MEAN = "SELECT AVG(n) AS mean FROM (SELECT country, COUNT(*) AS n FROM customers GROUP BY country) AS counts"
ENGLISH = "For each country, how many customers signed up in 2025?"


def facts(question: str, sql: str = COUNT) -> Facts:
    return Facts(question=question, result=QueryResult(columns=("customer_count",), rows=((318,),)), sql=sql)


@pytest.mark.parametrize(
    ("question", "of_each", "of_all"),
    [
        (ENGLISH, "For each country, 318 customers signed up in 2025.", "318 customers signed up in 2025."),
        (ENGLISH, "In 2025, 318 customers signed up per country.", "In 2025, 318 customers signed up."),
        (ENGLISH, "Every country had 318 customers who signed up in 2025.", "318 customers signed up in 2025."),
        (
            "Wie viele Kunden haben sich 2025 pro Land registriert?",
            "In jedem Land haben sich 2025 318 Kunden registriert.",
            "2025 haben sich 318 Kunden registriert.",
        ),
        (
            "Combien de clients se sont inscrits dans chaque pays en 2025 ?",
            "Dans chaque pays, 318 clients se sont inscrits en 2025.",
            "318 clients se sont inscrits en 2025.",
        ),
        (
            "Quanti clienti si sono iscritti in ogni paese nel 2025?",
            "In ogni paese si sono iscritti 318 clienti nel 2025.",
            "Nel 2025 si sono iscritti 318 clienti.",
        ),
        (
            "¿Cuántos clientes se registraron en cada país en 2025?",
            "En cada país se registraron 318 clientes en 2025.",
            "En 2025 se registraron 318 clientes.",
        ),
        (
            "2025년 국가별 고객은 몇 명인가요?",
            "2025년 국가별 고객은 318명입니다.",
            "2025년 고객은 318명입니다.",
        ),
    ],
)
def test_a_total_is_not_that_of_each(question: str, of_each: str, of_all: str) -> None:
    assert any("together" in it for it in check_text(of_each, facts(question)).problems)
    assert check_text(of_all, facts(question)).problems == ()


def test_a_mean_of_groups_is_of_each() -> None:
    asked = "How many customers are there in each country on average?"
    assert check_text("There are 318 customers in each country on average.", facts(asked, MEAN)).problems == ()


def test_a_composed_answer_does_not_say_each() -> None:
    assert compose_text(facts(ENGLISH)).text == "Customers (2025): 318."
