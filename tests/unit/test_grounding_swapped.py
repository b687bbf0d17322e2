"""Sentences whose every word is known, in another place than in the question."""

from __future__ import annotations

import pytest
from grounding_facts import facts

from agent.checks.grounding.answer import check_text

FACTS = {
    "DENIED": facts(
        "Which cabin has a stove but no shower?",
        "cabin",
        (("Fjellbu",),),
        "SELECT cabin FROM cabins WHERE stove = 1 AND shower = 0",
    ),
    "CROSSED": facts(
        "Which cabins have red doors and green roofs?",
        "cabin",
        (("Fjellbu",), ("Skogbu",)),
        "SELECT cabin FROM cabins WHERE door = 'red' AND roof = 'green'",
    ),
    "NON": facts(
        "How many non-local guides are there?", "n", ((7,),), "SELECT COUNT(*) AS n FROM guides WHERE local = 0"
    ),
    "DATES": facts(
        "How many booking dates are there?", "n", ((6,),), "SELECT COUNT(DISTINCT booked_on) AS n FROM bookings"
    ),
    "SCORE": facts(
        "What are the name and price of the cabin with the highest score?",
        "name price",
        (("Fjellbu", 120),),
        "SELECT name, price FROM cabins ORDER BY score DESC LIMIT 1",
    ),
    "OLDEST": facts(
        "What are the first and last name of the oldest guide?",
        "first_name last_name",
        (("Ada", "Berg"),),
        "SELECT first_name, last_name FROM guides ORDER BY born_on LIMIT 1",
    ),
    "HEAVIEST": facts(
        "Who is the heaviest guide?", "name", (("Ada Berg",),), "SELECT name FROM guides ORDER BY weight DESC LIMIT 1"
    ),
    "AFTER": facts(
        "How many guides started after 2015?",
        "n",
        ((12,),),
        "SELECT COUNT(*) AS n FROM guides WHERE started_on > '2015-12-31'",
    ),
    "MOST": facts(
        "Which guide led the most tours?",
        "name",
        (("Ada Berg",),),
        "SELECT name FROM tours GROUP BY name ORDER BY COUNT(*) DESC LIMIT 1",
    ),
    "TOURS": facts(
        "How many tours did each guide lead?",
        "name tours",
        (("Ada Berg", 41), ("Bo Dahl", 40), ("Cy Eng", 12)),
        "SELECT name, COUNT(*) AS tours FROM tours GROUP BY name",
    ),
    "KEYS": facts(
        "Which tour did the guide lead, and on which boat?",
        "tour_id guide_id name",
        ((9, 3, "Ada"),),
        "SELECT tour_id, guide_id, name FROM tours",
    ),
    "KEY": facts(
        "How many tours did the guide with id 3 lead?",
        "n",
        ((9,),),
        "SELECT COUNT(*) AS n FROM tours WHERE guide_id = 3",
    ),
    "ROLE": facts(
        "Which role has the most people?",
        "role people",
        (("Tour Planner", 5), ("Boat Keeper", 3)),
        "SELECT role, COUNT(*) AS people FROM roles GROUP BY role",
    ),
    "NOT_NOW": facts(
        "How many tours did the guide Ada lead in the last 6 months, not including the current month?",
        "n",
        ((9,),),
        "SELECT COUNT(*) AS n FROM tours WHERE guide = 'Ada' AND led_on >= date('now', '-6 months')",
    ),
}
TRUE = (
    ("DENIED", "Fjellbu has a stove but no shower."),
    ("CROSSED", "Fjellbu and Skogbu have red doors and green roofs."),
    ("NON", "There are 7 non-local guides."),
    ("DATES", "There are 6 booking dates."),
    ("SCORE", "The cabin with the highest score is Fjellbu, with a price of 120."),
    ("OLDEST", "The oldest guide is Ada Berg."),
    ("HEAVIEST", "The heaviest guide is Ada Berg."),
    ("AFTER", "12 guides started after 2015."),
    ("MOST", "Ada Berg led the most tours."),
    ("TOURS", "Cy Eng had by far the fewest tours, 12."),
    ("KEY", "Guide 3 led 9 tours."),
    ("KEYS", "Ada, guide 3, led tour 9."),
    ("ROLE", "Tour Planner has the most people, 5."),
    ("NOT_NOW", "Ada led 9 tours in the last 6 months, not including the current month."),
)
FALSE = (
    ("DENIED", "Fjellbu has a shower but no stove."),
    ("CROSSED", "Fjellbu and Skogbu have green doors and red roofs."),
    ("CROSSED", "Fjellbu or Skogbu has red doors and green roofs."),
    ("NON", "There are 7 local guides."),
    ("DATES", "There are 6 bookings."),
    ("DATES", "There are 6 types of booking dates."),
    ("SCORE", "The cabin with the highest price is Fjellbu, with a price of 120."),
    ("OLDEST", "The youngest guide is Ada Berg."),
    ("HEAVIEST", "The tallest guide is Ada Berg."),
    ("HEAVIEST", "The tallest and heaviest guide is Ada Berg."),
    ("AFTER", "12 guides started in 2015."),
    ("MOST", "Ada Berg led by far the most tours."),
    ("TOURS", "Ada Berg led by far the most tours, 41."),
    ("TOURS", "Ada Berg led 41 tours in a row."),
    ("KEYS", "Ada, guide 9, led tour 3."),
    ("ROLE", "Tour Keeper has the most people, 5."),
)


@pytest.mark.parametrize(("name", "text"), TRUE)
def test_a_true_sentence_is_supported(name: str, text: str) -> None:
    assert check_text(text, FACTS[name]).problems == ()


@pytest.mark.parametrize(("name", "text"), FALSE)
def test_a_false_sentence_is_refused(name: str, text: str) -> None:
    assert check_text(text, FACTS[name]).problems
