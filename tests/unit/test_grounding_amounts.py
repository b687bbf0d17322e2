"""Amounts of a model's sentence that names no currency are written as a composed answer writes them."""

from __future__ import annotations

import pytest

from agent.checks.grounding.answer import check_written
from agent.checks.grounding.evidence.facts import Facts
from executors.base import QueryResult
from rag.docs.documents import make_document


@pytest.mark.parametrize(
    ("question", "sentence", "text"),
    [
        ("What was the revenue?", "The revenue was 643160.9.", "The revenue was €643,160.90."),
        ("What was the revenue?", "The revenue was 643,160.9.", "The revenue was €643,160.90."),
        ("Wie hoch war der Umsatz?", "Der Umsatz war 643160,9.", "Der Umsatz war 643.160,90 €."),
        ("What was the revenue?", "The revenue was 643,160.9 euros.", "The revenue was 643,160.9 euros."),
        ("What was the revenue?", "The revenue was about 643,161.", "The revenue was about 643,161."),
    ],
)
def test_an_amount_gets_the_currency_of_its_column(question: str, sentence: str, text: str) -> None:
    rows = QueryResult(columns=("revenue",), rows=((643160.9,),))
    docs = (make_document("column", "what was sold, in euros", table="sales", column="revenue"),)
    facts = Facts(question, rows, "SELECT SUM(revenue) AS revenue FROM sales", documents=docs)
    checked = check_written(sentence, facts)
    assert not checked.problems
    assert checked.text == text
    assert [checked.text[it.start : it.end] for it in checked.numbers] == [it.text for it in checked.numbers]


def test_the_name_of_a_column_that_is_added_up_says_its_currency() -> None:
    rows = QueryResult(columns=("average",), rows=((1293.0355,),))
    facts = Facts("What is the average bill?", rows, 'SELECT AVG("Amount (€)") AS average FROM bills', "duckdb")
    checked = check_written("The average bill is 1293.04 euros.", facts)
    assert not checked.problems
    assert facts.columns[0].currency == "EUR"


@pytest.mark.parametrize(
    ("query", "currency", "why"),
    [
        ("SELECT SUM(price_eur * quantity) AS total FROM bills", "EUR", "a quantity has none"),
        ("SELECT SUM(price_eur + fee_usd) AS total FROM bills", "", "two are none"),
        ("SELECT SUM(price_eur * 1.1) AS total_usd FROM bills", "USD", "its own name says what it was changed to"),
        ("SELECT COUNT(price_eur) AS n FROM bills", "", "a number of them is no amount"),
    ],
)
def test_the_currency_of_what_is_computed(query: str, currency: str, why: str) -> None:
    name = query.partition(" AS ")[2].split()[0]
    facts = Facts("What is it?", QueryResult(columns=(name,), rows=((12.5,),)), query)
    assert facts.columns[0].currency == currency, why
