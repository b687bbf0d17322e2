"""The words of a sentence belong to one column: its counts, denials and orders."""

from __future__ import annotations

import pytest
from grounding_facts import facts

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.facts import Facts

HALLS = facts(
    "Which halls have a stage?",
    "name seats",
    (("Aula 3", 90), ("Dom", 40)),
    "SELECT name, seats FROM halls WHERE stage",
)
KEEPERS = facts(
    "How many saves and minutes does each keeper have?",
    "keeper saves minutes",
    (("Ruiz", 12, 900), ("Holt", 0, 180)),
    "SELECT keeper, SUM(saves) AS saves, SUM(minutes) AS minutes FROM games GROUP BY keeper",
)
RENTS = facts(
    "What are the mean and the highest rent in each town?",
    "town avg_rent max_rent",
    (("Ulm", 800, 1200), ("Bonn", 950, 1500)),
    "SELECT town, AVG(rent) AS avg_rent, MAX(rent) AS max_rent FROM flats GROUP BY town",
)
BOATS = facts(
    "Which boats have not been inspected?", "boat", (("Gull",), ("Tern",)), "SELECT boat FROM boats WHERE inspected = 0"
)
STOCK = facts(
    "How many bolts of each size are there?", "size bolts", (("Big", 30), ("Tiny", None)), "SELECT size, bolts FROM s"
)
PAGES = facts(
    "Who wrote the most pages in Danish?",
    "author pages",
    (("Ida", 210), ("Per", 100), ("Kim", 90)),
    "SELECT author, SUM(pages) AS pages FROM pages WHERE target = 'da' GROUP BY author ORDER BY pages DESC LIMIT 3",
    ("pages", "target", "da = Danish, nl = Dutch"),
)


@pytest.mark.parametrize(
    "asked, true, false",
    [
        (HALLS, "Aula 3 has 90 seats and a stage.", "Aula 3 has 90 stages."),
        (KEEPERS, "Holt has no saves in 180 minutes.", "Holt has no minutes."),
        (RENTS, "Ulm has the lowest mean rent, 800.", "In Ulm the lowest rent is 800."),
        (BOATS, "Gull and Tern have not been inspected.", "Gull and Tern have been inspected."),
        (BOATS, "Gull and Tern have not been inspected.", "None of the boats have been inspected."),
        (STOCK, "There are 30 bolts of size Big.", "There are no bolts of size Tiny."),
        (
            PAGES,
            "Ida wrote more than twice as many pages in Danish as Per.",
            "Ida wrote more than three times as many pages in Danish as Per.",
        ),
        (PAGES, "Ida wrote the most pages in Danish.", "Kim wrote the fewest pages in Danish."),
        (PAGES, "Ida wrote 210 pages in Danish.", "Ida wrote 210 pages in Dutch."),
    ],
)
def test_what_is_said_of_one_column_is_not_said_of_another(asked: Facts, true: str, false: str) -> None:
    assert check_text(true, asked).problems == ()
    assert check_text(false, asked).problems != ()
