"""Scales in the names of columns, `investition_mio_eur`, and queries that convert them."""

from __future__ import annotations

import pytest
from grounding_facts import facts

from agent.checks.grounding.answer import check_text, compose_text
from agent.checks.grounding.evidence.facts import Facts, scales_in_name

MIO = facts("What is the total investment?", "total", [(2.14,)], "SELECT SUM(Investition_Mio_EUR) AS total FROM parks")
SMALL = facts("What is the total investment?", "total", [(0.5,)], "SELECT SUM(invest_mio_eur) AS total FROM parks")
TEUR = facts("What is the revenue?", "umsatz_teur", [(412,)], "SELECT umsatz_teur FROM firms")
EUROS = facts("What is the price?", "total_eur", [(12.5,)], "SELECT SUM(price_cents) / 100.0 AS total_eur FROM items")
WHOLE = facts("What is the total?", "total", [(2140000.0,)], "SELECT SUM(invest_mio_eur) * 1000000 AS total FROM parks")
RATIO = facts("What is the ratio?", "ratio", [(4.5,)], "SELECT SUM(a_mio) / SUM(b_mio) AS ratio FROM parks")
EACH_CUSTOMER = facts(
    "What is the revenue per customer?", "per_customer", [(4.5,)],
    "SELECT SUM(revenue_mio_eur) / SUM(customers_tsd) AS per_customer FROM firms",
)  # fmt: skip
OF_THOUSANDS = facts(
    "What is the revenue per customer?", "per_customer", [(4500.0,)],
    "SELECT SUM(revenue_eur) / SUM(customers_tsd) AS per_customer FROM firms",
)  # fmt: skip
MEAN = facts(
    "What is the average revenue?", "mean", [(45.0,)], "SELECT SUM(revenue_mio_eur) / COUNT(id) AS mean FROM firms"
)
EACH = facts(
    "What is the total investment per operator?", "operator total", [("Acme", 2.14), ("Bora", 3.5)],
    "SELECT operator, SUM(invest_mio_eur) AS total FROM parks GROUP BY operator",
)  # fmt: skip
PEOPLE = facts("What is the population?", "total", [(412,)], "SELECT SUM(population_tsd) AS total FROM cities")


@pytest.mark.parametrize(
    "name, scale",
    [
        ("Investition_Mio_EUR", 10**6),
        ("umsatz_mrd", 10**9),
        ("market_cap_bn_usd", 10**9),
        ("population_tsd", 10**3),
        ("umsatz_teur", 10**3),
        ("gross_millions", 10**6),
        ("mio_id", 0),
        ("weight_kg", 0),
        ("bn_key", 0),
    ],
)
def test_the_scale_in_a_name(name: str, scale: int) -> None:
    assert scales_in_name(name) == ({scale} if scale else set())


@pytest.mark.parametrize(
    "evidence, text",
    [
        (MIO, "Total: €2,140,000.00."),
        (SMALL, "Total: €500,000.00."),
        (TEUR, "Umsatz teur: 412."),
        (EUROS, "Total: €12.50."),
        (WHOLE, "Total: €2,140,000.00."),
        (RATIO, "Ratio: 4.5."),
        (EACH_CUSTOMER, "Per customer: €4,500.00."),
        (OF_THOUSANDS, "Per customer: €4.50."),
        (MEAN, "Mean: €45,000,000.00."),
        (PEOPLE, "Total: 412,000."),
    ],
)
def test_a_composed_answer_has_the_scale(evidence: Facts, text: str) -> None:
    assert compose_text(evidence).text == text


@pytest.mark.parametrize(
    "evidence, text, holds",
    [
        (MIO, "The total investment is 2.14 million euros.", True),
        (MIO, "The total investment is 2,140,000 euros.", True),
        (MIO, "The total investment is 2.14 euros.", False),
        (MIO, "The total investment is €2.14.", False),
        (SMALL, "The total investment is 500,000 euros.", True),
        (SMALL, "The total investment is 0.5 euros.", False),
        (EACH, "The total investment of Acme is 2.14 million euros and of Bora is 3.5 million euros.", True),
        (EACH, "The total investment of Acme is 2.14 euros and of Bora is 3.5 euros.", False),
        (EACH, "The total investment of Acme is €2.14 and of Bora is €3.5.", False),
        (TEUR, "The revenue is 412 thousand euros.", True),
        (TEUR, "The revenue is 412 TEUR.", True),
        (TEUR, "The revenue is 412 euros.", False),
        (EUROS, "The price is 12.50 euros.", True),
        (EUROS, "The price is 0.13 euros.", False),
        (WHOLE, "The total is 2.14 million euros.", True),
        (EACH_CUSTOMER, "The revenue per customer is 4,500 euros.", True),
        (EACH_CUSTOMER, "The revenue per customer is 4.5 thousand euros.", True),
        (EACH_CUSTOMER, "The revenue per customer is 4.5 euros.", False),
    ],
)
def test_amounts_are_checked_in_their_scale(evidence: Facts, text: str, holds: bool) -> None:
    assert (check_text(text, evidence).problems == ()) is holds
