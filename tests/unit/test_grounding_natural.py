"""Sentences as a strong model writes them: examples, two amounts of a row, changes, groups, and what is left out."""

from __future__ import annotations

import pytest
from grounding_facts import facts

from agent.checks.grounding.answer import check_text

FACTS = {
    "CRUISED": facts(
        "Which guests sailed in 2022 but not in 2023?",
        "guest_name",
        (("Ada Berg",), ("Bo Dahl",), ("Cy Eng",), ("Di Foss",)),
        "SELECT g.guest_name FROM guests g WHERE EXISTS (SELECT 1 FROM sailings s WHERE s.guest_id = g.id AND "
        "s.sailed_on BETWEEN '2022-01-01' AND '2022-12-31') AND NOT EXISTS (SELECT 1 FROM sailings s "
        "WHERE s.guest_id = g.id AND s.sailed_on BETWEEN '2023-01-01' AND '2023-12-31') ORDER BY g.guest_name",
    ),
    "OPEN": facts(
        "List the open repair orders with how many days they have been open.",
        "order_id ferry days_open",
        ((8, "Ask", 61), (5, "Bru", 40), (9, "Ask", 12)),
        "SELECT o.order_id, f.ferry, o.days_open FROM repair_orders o JOIN ferries f ON f.id = o.ferry_id "
        "WHERE o.closed_on IS NULL ORDER BY o.days_open DESC",
    ),
    "QUARTERS": facts(
        "Show the quarterly passengers of 2023 and the change from the previous quarter.",
        "quarter passengers change",
        (("2023-Q1", 41200, 1350), ("2023-Q2", 38900, -2300), ("2023-Q3", 52040, 13140)),
        "SELECT quarter, passengers, passengers - LAG(passengers) OVER (ORDER BY quarter) AS change FROM counted "
        "WHERE quarter LIKE '2023%' ORDER BY quarter",
    ),
    "GROWTH": facts(
        "Show the growth of passengers by month in percent.",
        "month passengers growth_pct",
        (("2023-01", 900, 12.5), ("2023-02", 810, -10.0)),
        "SELECT month, passengers, growth_pct FROM monthly ORDER BY month",
    ),
    "SAILED": facts(
        "How many crossings were there in 2023?",
        "n",
        ((418,),),
        "SELECT COUNT(*) AS n FROM crossings WHERE sailed_on >= '2023-01-01' AND sailed_on < '2024-01-01' "
        "AND state <> 'aborted'",
    ),
    "ABORTED": facts(
        "How many crossings were there in 2023?",
        "n",
        ((418,),),
        "SELECT COUNT(*) AS n FROM crossings WHERE sailed_on LIKE '2023%' AND NOT state <> 'aborted'",
    ),
    "UNSAILED": facts(
        "How many crossings were there in 2023?",
        "n",
        ((418,),),
        "SELECT COUNT(*) AS n FROM crossings WHERE sailed_on LIKE '2023%' AND (state <> 'aborted' OR state IS NULL)",
    ),
    "BUGS": facts(
        "How many bugs and change requests has each ferry?",
        "ferry bugs change_requests",
        (("Ask", 7, 3), ("Bru", 2, 1)),
        "SELECT ferry, COUNT(bug) AS bugs, COUNT(request) AS change_requests FROM reports GROUP BY ferry",
    ),
    "SALES": facts(
        "How did the sales of each ferry change?",
        "ferry sales sales_change",
        (("Ask", 100, 12), ("Bru", 80, -5)),
        "SELECT ferry, sales, sales_change FROM months",
    ),
    "FARES": facts(
        "What were the total fares in 2023?",
        "total_fares",
        ((9120.5,),),
        "SELECT SUM(t.fare) AS total_fares FROM tickets t JOIN crossings c ON c.id = t.crossing_id "
        "WHERE t.state <> 'R' AND c.sailed_on BETWEEN '2023-01-01' AND '2023-12-31'",
        ("tickets", "state", "S = sold, R = refunded."),
    ),
}
TRUE = (
    ("CRUISED", "4 guests sailed in 2022 but not in 2023, including Ada Berg and Bo Dahl."),
    ("CRUISED", "There are 4 guests who sailed in 2022 but not in 2023, for example Cy Eng."),
    ("CRUISED", "4 guests sailed in 2022 but not in 2023, among them Ada Berg, Bo Dahl and Cy Eng."),
    ("OPEN", "There are 3 open repair orders."),
    ("OPEN", "There are 3 open repair orders, led by order 8 on Ask, open for 61 days."),
    ("QUARTERS", "Q1 2023 passengers were 41,200 (up 1,350 from the previous quarter), Q2 38,900 (down 2,300)."),
    (
        "QUARTERS",
        "Passengers were 41,200 in 2023-Q1 (+1,350), 38,900 in 2023-Q2 (-2,300) and 52,040 in 2023-Q3 (+13,140).",
    ),
    ("GROWTH", "Passengers grew by 12.5% in January 2023 and fell by 10% in February 2023."),
    ("GROWTH", "Growth was 12.5% in January 2023 and -10% in February 2023."),
    ("SAILED", "There were 418 crossings in 2023, not counting aborted ones."),
    ("SAILED", "In 2023, there were 418 crossings (aborted crossings excluded)."),
)
FALSE = (
    ("CRUISED", "3 guests sailed in 2022 but not in 2023, including Ada Berg and Bo Dahl."),
    ("CRUISED", "2 guests sailed in 2022 but not in 2023, including Ada Berg and Bo Dahl."),
    ("CRUISED", "4 guests sailed in 2022 but not in 2023, including Eva Gran."),
    ("CRUISED", "4 guests sailed in 2023 but not in 2022, including Ada Berg."),
    ("CRUISED", "4 ferries sailed in 2022 but not in 2023, including Ada Berg."),
    ("OPEN", "There are 3 ferries with open repair orders."),
    ("OPEN", "There are 3 open repair orders, led by order 9 on Ask, open for 12 days."),
    ("QUARTERS", "Q1 2023 had 41,200 passengers (down 1,350 from the previous quarter) and Q2 38,900 (up 2,300)."),
    ("QUARTERS", "Passengers were 41,200 in 2023-Q1 (+2,300), 38,900 in 2023-Q2 (-1,350)."),
    ("QUARTERS", "Passengers were 41,200 in 2023-Q1 (+1,350), 38,900 in 2023-Q2 (+2,300)."),
    ("GROWTH", "Passengers fell by 12.5% in January 2023 and fell by 10% in February 2023."),
    ("GROWTH", "Passengers grew by 12.5% in January 2023 and grew by 10% in February 2023."),
    ("GROWTH", "Passengers grew by 10% in February 2023."),
    ("SAILED", "There were 418 crossings in 2023, not counting delayed ones."),
    ("ABORTED", "There were 418 crossings in 2023, excluding aborted ones."),
    ("UNSAILED", "There were 418 crossings in 2023, excluding aborted ones."),
    ("CRUISED", "4 guests had 7 cabins in 2022 but not in 2023, including Ada Berg."),
    ("BUGS", "Bugs of Ask rose by 3."),
    ("SALES", "Sales of Ask rose to 12."),
    ("SAILED", "There were 418 crossings in 2023, including aborted ones."),
    ("SAILED", "There were 418 aborted crossings in 2023."),
    ("FARES", "Total fares in 2023, excluding refunded tickets, were 9,120.50."),  # of two tables
    ("FARES", "Total fares in 2023, excluding sold tickets, were 9,120.50."),
    ("FARES", "Total fares in 2023, excluding refunded crossings, were 9,120.50."),
)


@pytest.mark.parametrize(("name", "text"), TRUE)
def test_a_true_sentence_is_supported(name: str, text: str) -> None:
    assert check_text(text, FACTS[name]).problems == ()


@pytest.mark.parametrize(("name", "text"), FALSE)
def test_a_false_sentence_is_refused(name: str, text: str) -> None:
    assert check_text(text, FACTS[name]).problems
