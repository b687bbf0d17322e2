"""Sentences that give a true number another base, rate, rank, mean or noun than the question asks for."""

from __future__ import annotations

import pytest
from grounding_facts import facts

from agent.checks.grounding.answer import check_text

FACTS = {
    "SEATS": facts(
        "What percentage of the sold seats is still unpaid?",
        "unpaid_pct",
        ((12.4,),),
        "SELECT ROUND(100.0 * SUM(CASE WHEN paid = 0 THEN 1 ELSE 0 END) / COUNT(*), 1) AS unpaid_pct FROM seats",
    ),
    "JOINED": facts(
        "What percentage of the members who joined in 2023 borrowed a book in the same year?",
        "pct",
        ((64.2,),),
        "SELECT ROUND(100.0 * SUM(b.n > 0) / COUNT(*), 1) AS pct FROM members m LEFT JOIN borrowed b ON b.member_id = "
        "m.id WHERE m.joined_on BETWEEN '2023-01-01' AND '2023-12-31'",
    ),
    "INCOME": facts(
        "What share of total income did each theatre have?",
        "theatre income_pct",
        (("Odeon", 61.5), ("Palace", 38.5)),
        "SELECT theatre, ROUND(100.0 * SUM(income) / SUM(SUM(income)) OVER (), 1) AS income_pct FROM shows "
        "GROUP BY theatre",
    ),
    "THIRD": facts(
        "Which theatre had the third highest income?",
        "theatre income",
        (("Odeon", 4180.5),),
        "SELECT theatre, SUM(price) AS income FROM seats GROUP BY theatre ORDER BY income DESC LIMIT 1 OFFSET 2",
    ),
    "MEDIAN": facts(
        "What is the median price of a seat?",
        "median_price",
        ((31.5,),),
        "SELECT AVG(price) AS median_price FROM (SELECT price FROM seats ORDER BY price LIMIT 2 OFFSET 40)",
    ),
    "DIFFERENT": facts(
        "How many different members borrowed from each library?",
        "library members",
        (("Main", 52), ("North", 18)),
        "SELECT l.name AS library, COUNT(DISTINCT b.member_id) AS members FROM libraries l "
        "JOIN borrowings b ON b.library_id = l.id GROUP BY l.name",
    ),
    "PER": facts(
        "What is the average fare per crossing by passenger class?",
        "class fare",
        (("Lounge", 48.2), ("Deck", 21.75)),
        "SELECT p.class, SUM(t.fare) / COUNT(DISTINCT t.crossing_id) AS fare FROM tickets t "
        "JOIN passengers p ON p.id = t.passenger_id GROUP BY p.class",
    ),
    "RATE": facts(
        "Which harbour has the highest income per ferry?",
        "harbour income_per_ferry",
        (("Bergen", 8120.4),),
        "SELECT harbour, SUM(fare) / COUNT(DISTINCT ferry_id) AS income_per_ferry FROM tickets GROUP BY harbour "
        "ORDER BY income_per_ferry DESC LIMIT 1",
    ),
    "TENTH": facts(
        "Which ferries cost more in repairs than 20% of their price?",
        "ferry repairs",
        (("Ask", 91000), ("Bru", 77500)),
        "SELECT f.ferry, SUM(r.cost) AS repairs FROM ferries f JOIN repairs r ON r.ferry_id = f.id "
        "GROUP BY f.ferry, f.price HAVING SUM(r.cost) > 0.2 * f.price ORDER BY repairs DESC",
    ),
}
TRUE = (
    ("SEATS", "12.4% of the sold seats are still unpaid."),
    ("SEATS", "12.4% of the seats that were sold are still unpaid."),
    ("JOINED", "64.2% of the members who joined in 2023 borrowed a book in the same year."),
    ("JOINED", "The share of members who joined in 2023 and borrowed a book in the same year is 64.2%."),
    ("INCOME", "Odeon had 61.5% of total income and Palace 38.5%."),
    ("INCOME", "Odeon had 61.5% of the total and Palace 38.5%."),
    ("THIRD", "The third highest income was that of Odeon, 4,180.50."),
    ("THIRD", "Odeon had the 3rd highest income, with 4,180.50."),
    ("MEDIAN", "The median price of a seat is 31.50."),
    ("DIFFERENT", "52 different members borrowed from Main and 18 from North."),
    ("DIFFERENT", "Main had 52 members and North had 18."),
    ("PER", "The average fare per crossing is 48.20 for Lounge and 21.75 for Deck."),
    ("PER", "The average fare is 48.20 for Lounge and 21.75 for Deck."),
    ("RATE", "Bergen has the highest income per ferry, 8,120.40."),
    ("TENTH", "2 ferries cost more in repairs than 20% of their price: Ask (91,000) and Bru (77,500)."),
    ("TENTH", "Ask (91,000) and Bru (77,500) cost more than 20% of their price in repairs."),
)
FALSE = (
    ("SEATS", "12.4% of the books are still unpaid."),
    ("SEATS", "12.4% of the seats are still unpaid."),
    ("JOINED", "64.2% of the members borrowed a book in 2023."),
    ("JOINED", "64.2% of the members who borrowed a book in 2023 joined in the same year."),
    ("INCOME", "Odeon had 61.5% of all shows and Palace 38.5%."),
    ("THIRD", "Odeon had the highest income, 4,180.50."),
    ("THIRD", "The second highest income was that of Odeon, 4,180.50."),
    ("MEDIAN", "The average price of a seat is 31.50."),
    ("MEDIAN", "The mean price of a seat is 31.50."),
    ("DIFFERENT", "Main had 52 borrowings and North had 18."),
    ("PER", "The average fare per passenger is 48.20 for Lounge and 21.75 for Deck."),
    ("PER", "The average fare per ticket is 48.20 for Lounge and 21.75 for Deck."),
    ("RATE", "Bergen has the highest income, 8,120.40."),
    ("RATE", "Bergen has the highest income per crossing, 8,120.40."),
    ("TENTH", "2 ferries cost more in repairs than their price: Ask (91,000) and Bru (77,500)."),
    ("TENTH", "2 ferries cost 20% of their price in repairs: Ask (91,000) and Bru (77,500)."),
    ("TENTH", "2 ferries cost less in repairs than 20% of their price: Ask (91,000) and Bru (77,500)."),
)


@pytest.mark.parametrize(("name", "text"), TRUE)
def test_a_true_sentence_is_supported(name: str, text: str) -> None:
    assert check_text(text, FACTS[name]).problems == ()


@pytest.mark.parametrize(("name", "text"), FALSE)
def test_a_false_sentence_is_refused(name: str, text: str) -> None:
    assert check_text(text, FACTS[name]).problems
