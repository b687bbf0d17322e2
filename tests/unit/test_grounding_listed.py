"""Lists of rows: keys, keys with values, the first of many, each of them, and the order that a list claims."""

from __future__ import annotations

import pytest
from grounding_facts import facts

from agent.checks.grounding.answer import check_text

_BOATS = ("Alma", "Birk", "Cato", "Dova", "Eira", "Fenn", "Gry", "Hild")
FACTS = {
    "IDS": facts(
        "Which boats were repaired at least twice?",
        "boat_id",
        ((14,), (3,), (27,), (8,)),
        "SELECT boat_id FROM repairs GROUP BY boat_id HAVING COUNT(*) >= 2",
    ),
    "PAY": facts(
        "What are the id and wage of each skipper?",
        "skipper_id wage",
        ((131, 3300), (134, 2900), (135, 2400)),
        "SELECT skipper_id, wage FROM skippers",
    ),
    "MINUTES": facts(
        "How many minutes did each guide lead, from the most to the fewest?",
        "guide_id minutes",
        ((1, 5018), (6, 4205), (8, 3640)),
        "SELECT guide_id, SUM(minutes) AS minutes FROM tours GROUP BY guide_id ORDER BY minutes DESC",
    ),
    "TOP": facts(
        "What are the top 3 harbours by total fees? Show the number of boats and the total fees.",
        "harbour boats total_fees",
        (("Arendal", 3, 25700), ("Bodin", 4, 19850), ("Cley", 1, 12450)),
        "SELECT harbour, COUNT(DISTINCT boat_id) AS boats, SUM(fee) AS total_fees FROM stays GROUP BY harbour "
        "ORDER BY total_fees DESC LIMIT 3",
    ),
    "MANY": facts(
        "What are the ids and names of all boats?",
        "boat_id name",
        tuple((at * 7, name) for at, name in enumerate(_BOATS, 1)),
        "SELECT boat_id, name FROM boats",
    ),
    "TWINS": facts(
        "Which phone numbers do the harbours have?",
        "phone",
        (("555-0101",), ("555-0102",), ("555-0101",)),
        "SELECT phone FROM harbours",
    ),
    "EQUAL": facts(
        "How many berths does each pier have?",
        "pier berths",
        (("Nord", 2), ("Sund", 2), ("Vest", 2)),
        "SELECT pier, COUNT(*) AS berths FROM berths GROUP BY pier",
    ),
    "UNEQUAL": facts(
        "How many berths does each pier have?",
        "pier berths",
        (("Nord", 2), ("Sund", 2), ("Vest", 5)),
        "SELECT pier, COUNT(*) AS berths FROM berths GROUP BY pier",
    ),
    "CHEAPEST": facts(
        "List the boats in ascending order of price.",
        "name",
        (("Alma",), ("Birk",), ("Cato",)),
        "SELECT name FROM boats ORDER BY price",
    ),
    "LENGTHS": facts(
        "What is the length of each boat, from the longest to the shortest?",
        "name length_m",
        (("Cato", 31.5), ("Alma", 12.0), ("Birk", 9.5)),
        "SELECT name, length_m FROM boats ORDER BY length_m DESC",
    ),
    "SEX": facts(
        "What is the average age of the crew by sex?",
        "sex average_age",
        (("F", 31.5), ("M", 40.0)),
        "SELECT sex, AVG(age) AS average_age FROM crew GROUP BY sex",
    ),
    "OVER": facts(
        "Which berths are longer than 20 m?",
        "berth_no",
        ((4,), (11,), (9,)),
        "SELECT berth_no FROM berths WHERE length_m > 20",
    ),
    "MADE_UP": facts(
        "Which 2 harbours have the highest AFB?",
        "harbour AFB",
        (("Arendal", 310.5), ("Cley", 290.0)),
        "SELECT harbour, AVG(fee) AS AFB FROM stays GROUP BY harbour ORDER BY AFB DESC LIMIT 2",
    ),
}
TRUE = (
    ("IDS", "The boats that were repaired at least twice have the ids 14, 3, 27 and 8."),
    ("IDS", "Boats 14, 3, 27 and 8 were repaired at least twice."),
    ("PAY", "The skippers are 131 (wage 3300), 134 (2900) and 135 (2400)."),
    ("PAY", "The wages are 3300 for skipper 131, 2900 for skipper 134, and 2400 for skipper 135."),
    ("MINUTES", "From most to fewest minutes: 5018 for guide 1, 4205 for guide 6, and 3640 for guide 8."),
    ("TOP", "The top 3 harbours by total fees are Arendal (3 boats, 25700), Bodin (4, 19850), and Cley (1, 12450)."),
    ("MANY", "There are 8 boats; the first three are Alma (id 7), Birk (id 14) and Cato (id 21)."),
    ("MANY", "There are 8 boats in total; the first three are Alma, Birk and Cato."),
    ("EQUAL", "Nord, Sund and Vest have 2 berths each."),
    ("EQUAL", "Each of the piers Nord, Sund and Vest has 2 berths."),
    ("CHEAPEST", "In ascending order of price, the boats are Alma, Birk and Cato."),
    ("LENGTHS", "From longest to shortest, the boats are Cato (31.5 m), Alma (12 m) and Birk (9.5 m)."),
    ("SEX", "The average age is 31.5 for the female crew and 40 for the male crew."),
    ("OVER", "The berths longer than 20 m are 4, 11 and 9."),
    ("MADE_UP", "The harbours with the highest AFB are Arendal with 310.5 and Cley with 290."),
)
FALSE = (
    ("IDS", "The boats that were repaired at least twice have the ids 14, 3 and 27."),
    ("IDS", "The boats that were repaired at least twice have the ids 14, 3, 27 and 9."),
    ("IDS", "The boats that were repaired at least twice have the ids 14, 3, 27 and 27."),
    ("PAY", "The skippers are 131 (wage 2900), 134 (3300) and 135 (2400)."),
    ("PAY", "The wages are 3300 for skipper 134, 2900 for skipper 131, and 2400 for skipper 135."),
    ("MINUTES", "From fewest to most minutes: 5018 for guide 1, 4205 for guide 6, and 3640 for guide 8."),
    ("MINUTES", "The minutes are 5018 for guide 6, 4205 for guide 1, and 3640 for guide 8."),
    ("TOP", "The top 3 harbours by total fees are Arendal (4 boats, 25700), Bodin (3, 19850), and Cley (1, 12450)."),
    ("MANY", "There are 8 boats; the first three are Alma (id 7), Birk (id 21) and Cato (id 14)."),
    ("MANY", "There are 8 boats in total; the first three are Alma, Birk and Dova."),
    ("MANY", "There are 9 boats in total; the first three are Alma, Birk and Cato."),
    ("TWINS", "There are 3 different phone numbers; the first two are 555-0101 and 555-0102."),
    ("EQUAL", "Nord has the most berths, followed by Sund and Vest with 2 each."),
    ("UNEQUAL", "There are 3 piers, each with 2 berths; the first two are Nord and Sund."),
    ("UNEQUAL", "Each of the piers Nord, Sund and Vest has 2 berths."),
    ("CHEAPEST", "In ascending order of price, the boats are Cato, Birk and Alma."),
    ("CHEAPEST", "In descending order of price, the boats are Alma, Birk and Cato."),
    ("LENGTHS", "From shortest to longest, the boats are Cato (31.5 m), Alma (12 m) and Birk (9.5 m)."),
    ("LENGTHS", "From longest to shortest, the boats are Birk (9.5 m), Alma (12 m) and Cato (31.5 m)."),
    ("SEX", "The average age is 31.5 for the male crew and 40 for the female crew."),
)


@pytest.mark.parametrize(("name", "text"), TRUE)
def test_a_true_sentence_is_supported(name: str, text: str) -> None:
    assert check_text(text, FACTS[name]).problems == ()


@pytest.mark.parametrize(("name", "text"), FALSE)
def test_a_false_sentence_is_refused(name: str, text: str) -> None:
    assert check_text(text, FACTS[name]).problems
