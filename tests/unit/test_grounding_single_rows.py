"""Sentences about one row: keys, columns in a list, times of day, and words in the place of the question's."""

from __future__ import annotations

import pytest

from agent.checks.grounding.answer import check_text, compose_text
from agent.checks.grounding.evidence.facts import Facts
from agent.checks.grounding.question.omissions import YEAR_LEFT_OUT
from executors.base import JsonValue, QueryResult


def facts(question: str, row: dict[str, JsonValue], sql: str) -> Facts:
    return Facts(question=question, result=QueryResult(columns=tuple(row), rows=(tuple(row.values()),)), sql=sql)


VEHICLE = facts(
    "What is the id of the vehicle that was repaired most often?",
    {"vehicle_id": 13},
    "SELECT vehicle_id FROM repairs GROUP BY vehicle_id ORDER BY COUNT(*) DESC LIMIT 1",
)
KEY_AND_NAME = facts(
    "What are the id and name of the depot with the most repairs?",
    {"id": 7, "name": "North"},
    "SELECT d.id, d.name FROM depots d JOIN repairs r ON r.depot_id = d.id GROUP BY d.id "
    "ORDER BY COUNT(*) DESC LIMIT 1",
)
KEY_OF_COURSE = facts(
    "What is the id of the pupil who joined course 301 last?",
    {"pupil_id": 171},
    "SELECT pupil_id FROM entries WHERE course_id = 301 ORDER BY joined_on DESC LIMIT 1",
)
KEY_AND_AGE = facts(
    "What are the id and age of the oldest driver?",
    {"driver_id": 13, "age": 64},
    "SELECT driver_id, age FROM drivers ORDER BY age DESC LIMIT 1",
)
ENDS = facts(
    "What are the maximum and minimum fare?",
    {"MAX(fare)": 421.8, "MIN(fare)": 98.7},
    "SELECT MAX(fare), MIN(fare) FROM trips",
)
MEASURES = facts(
    "What are the height and weight of Ada?",
    {"height": 170, "weight": 62},
    "SELECT height, weight FROM people WHERE name = 'Ada'",
)
CLAIM = facts(
    "What is the amount claimed in the claim with the least amount settled? Show both.",
    {"amount_settled": 930, "amount_claimed": 49743},
    "SELECT amount_settled, amount_claimed FROM claims ORDER BY amount_settled LIMIT 1",
)
BALANCES = facts(
    "Find the checking balance and the savings balance of Brown.",
    {"balance": 10, "balance_2": 20},
    "SELECT c.balance, s.balance FROM accounts a JOIN checking c ON c.id = a.id JOIN savings s ON s.id = a.id "
    "WHERE a.name = 'Brown'",
)
CODES = facts(
    "What are the largest and the smallest depot codes?",
    {"MAX(depot_code)": "980", "MIN(depot_code)": "172"},
    "SELECT MAX(depot_code), MIN(depot_code) FROM depots",
)
STORED = facts("When was the file stored?", {"stored_at": "1986-10-14 17:53:39"}, "SELECT stored_at FROM files")
DEAR = facts(
    "How many products cost more than 50 euros?",
    {"products": 10},
    "SELECT COUNT(*) AS products FROM products WHERE price > 50",
)
KINDS = facts(
    "How many different kinds of clients are supported?",
    {"COUNT(DISTINCT client)": 8},
    "SELECT COUNT(DISTINCT client) FROM support",
)
LONG = facts(
    "How many countries do not have a track longer than 3000?",
    {"COUNT(*)": 4},
    "SELECT COUNT(*) FROM countries WHERE id NOT IN (SELECT country_id FROM tracks WHERE length > 3000)",
)
ATTENDEES = facts(
    "What is the average number of attendees of the shows?",
    {"AVG(attendees)": 1649.5},
    "SELECT AVG(attendees) FROM shows",
)
ABOVE = facts(
    "How many accounts have a balance higher than the average balance?",
    {"COUNT(*)": 5},
    "SELECT COUNT(*) FROM accounts WHERE balance > (SELECT AVG(balance) FROM accounts)",
)
INVESTOR = facts(
    "Which investors have at least two companies?",
    {"investor": "Ada"},
    "SELECT investor FROM stakes GROUP BY investor HAVING COUNT(*) >= 2",
)
STOCK = facts(
    "What is the price of the product with the highest stock?",
    {"price": 5, "stock": 12},
    "SELECT price, stock FROM products ORDER BY stock DESC LIMIT 1",
)
BOX = facts(
    "What are the height and weight of box 4?", {"height": 170, "weight": 62}, "SELECT height, weight FROM boxes"
)
CRATE = facts(
    "What are the sizes of crate B7?",
    {"length": 80, "width": 120, "height": 45},
    "SELECT length, width, height FROM crates WHERE code = 'B7'",
)
FLIGHT = facts(
    "When did the flight leave and land?",
    {"left_at": "2023-05-04 08:15:00", "landed_at": "2023-05-05 11:40:00"},
    "SELECT left_at, landed_at FROM flights WHERE id = 1",
)
SAME_DAY = facts(
    "When did the flight leave and land?",
    {"left_at": "2023-05-04 08:15:00", "landed_at": "2023-05-04 11:40:00"},
    "SELECT left_at, landed_at FROM flights WHERE id = 1",
)
LAST = facts(
    "When was the last order before 2024-03-01 18:00?",
    {"ordered_at": "2024-02-29 09:30:00"},
    "SELECT MAX(ordered_at) AS ordered_at FROM orders WHERE ordered_at < '2024-03-01 18:00'",
)
EARLY = facts(
    "How many flights leave before 9:00?", {"COUNT(*)": 7}, "SELECT COUNT(*) FROM flights WHERE left_at < '09:00'"
)
SOLD = facts(
    "Who sold the most tickets?",
    {"name": "Ada", "tickets": 40},
    "SELECT name, SUM(tickets) AS tickets FROM sales GROUP BY name ORDER BY tickets DESC LIMIT 1",
)
SCORE = facts("What is the highest score?", {"MAX(score)": 98}, "SELECT MAX(score) FROM games")
YEAR = facts("What was it in 2024?", {"n": 3}, 'SELECT COUNT("2024") AS n FROM rides')
KEYS = facts(
    "Among the pilots with a licence, how many of them are older than 50?",
    {"COUNT(p.id)": 56},
    "SELECT COUNT(p.id) FROM pilot p JOIN licence l ON l.pilot_id = p.id WHERE p.age > 50",
)
PERSONS = facts(
    "How many persons are not members?",
    {"COUNT(*)": 3},
    "SELECT COUNT(*) FROM people WHERE id NOT IN (SELECT person_id FROM members)",
)


@pytest.mark.parametrize(
    "evidence, text",
    [
        pytest.param(VEHICLE, "The id of the vehicle that was repaired most often is 13.", id="key"),
        pytest.param(
            KEY_AND_NAME, "The depot with the most repairs has an id of 7 and a name of North.", id="and-name"
        ),
        pytest.param(
            KEY_AND_NAME, "The id and name of the depot with the most repairs are 7 and North.", id="key-in-a-list"
        ),
        pytest.param(
            KEY_OF_COURSE, "The id of the pupil who joined course 301 last is 171.", id="key-after-a-condition"
        ),
        pytest.param(KEY_AND_AGE, "The oldest driver has the id 13 and an age of 64.", id="key-and-measure"),
        pytest.param(ENDS, "The maximum and minimum fare are 421.8 and 98.7.", id="ends"),
        pytest.param(MEASURES, "The height and weight of Ada are 170 and 62.", id="measures"),
        pytest.param(
            CLAIM,
            "The amount claimed in the claim with the least amount settled is 49743, and the amount settled is 930.",
            id="label-of-a-superlative",
        ),
        pytest.param(BALANCES, "The checking balance of Brown is 10 and the savings balance is 20.", id="tables"),
        pytest.param(STORED, "The file was stored on 1986-10-14 at 17:53:39.", id="time"),
        pytest.param(STORED, "The file was stored on October 14, 1986 at 5:53 PM.", id="half-of-the-day"),
        pytest.param(DEAR, "There are 10 products that cost more than 50 euros.", id="unit-of-a-condition"),
        pytest.param(KINDS, "There are 8 different kinds of clients supported.", id="kinds"),
        pytest.param(
            LONG, "There are 4 countries that do not have a track longer than 3000.", id="bound-of-a-condition"
        ),
        pytest.param(ATTENDEES, "The average number of attendees of the shows is 1649.5.", id="average"),
        pytest.param(STOCK, "The price of the product with the highest stock (12) is 5.", id="number-of-a-superlative"),
        pytest.param(BOX, "The height and weight of box 4 are 170 and 62.", id="number-of-the-question"),
        pytest.param(BOX, "The height is 170 and the weight is 62 for box 4.", id="no-list"),
        pytest.param(
            CRATE, "The length and width of crate B7 are 80 and 120, and the height is 45.", id="list-and-more"
        ),
        pytest.param(
            FLIGHT, "The flight left on 2023-05-04 at 08:15 and landed on 2023-05-05 at 11:40.", id="times-beside-days"
        ),
        pytest.param(
            LAST, "The last order before 2024-03-01 18:00 was on 2024-02-29 at 09:30.", id="time-of-a-condition"
        ),
        pytest.param(EARLY, "7 flights leave before 9:00.", id="time-of-the-question"),
        pytest.param(SOLD, "Ada sold a total of 40 tickets.", id="total-of-the-most"),
        pytest.param(SCORE, "The score is 98 at most.", id="most-as-a-bound"),
        pytest.param(KEYS, "There are 56 pilots with a licence who are older than 50.", id="keys-counted"),
        pytest.param(PERSONS, "There are 3 persons who are not members.", id="denial-of-the-question"),
    ],
)
def test_true_sentences_are_accepted(evidence: Facts, text: str) -> None:
    assert check_text(text, evidence).problems == ()


@pytest.mark.parametrize(
    "evidence, text",
    [
        pytest.param(VEHICLE, "The id of the vehicle that was repaired most often is 14.", id="another-key"),
        pytest.param(KEY_AND_AGE, "The id of the oldest driver is 64.", id="age-for-key"),
        pytest.param(KEY_AND_AGE, "The age of the oldest driver is 13.", id="key-for-age"),
        pytest.param(
            facts(
                "What are the id, age and salary of the oldest clerk?",
                {"id": 17, "age": 63, "salary": 5200},
                "SELECT id, age, salary FROM clerks ORDER BY age DESC LIMIT 1",
            ),
            "The id of the oldest clerk is 5200.",
            id="salary-for-key",
        ),
        pytest.param(ENDS, "The maximum and minimum fare are 98.7 and 421.8.", id="ends-swapped"),
        pytest.param(MEASURES, "The height and weight of Ada are 62 and 170.", id="measures-swapped"),
        pytest.param(
            CLAIM, "The amount claimed in the claim with the least amount settled is 930.", id="label-of-a-superlative"
        ),
        pytest.param(
            BALANCES, "The checking balance of Brown is 20 and the savings balance is 10.", id="tables-swapped"
        ),
        pytest.param(CODES, "The largest depot code is 172, and the smallest depot code is 980.", id="codes-swapped"),
        pytest.param(STORED, "The file was stored on 1986-10-14 18:53:39.", id="another-hour"),
        pytest.param(STORED, "The file was stored on October 14, 1986 at 6:53 PM.", id="another-half-of-the-day"),
        pytest.param(DEAR, "There are 10 euros.", id="condition-counted"),
        pytest.param(ATTENDEES, "The number of attendees of the shows is 1649.5.", id="average-left-out"),
        pytest.param(
            ABOVE, "There are 5 accounts with a balance higher than the total balance.", id="total-for-average"
        ),
        pytest.param(INVESTOR, "Ada has at most two companies.", id="at-most-for-at-least"),
        pytest.param(STOCK, "The price of the product with the highest stock (5) is 12.", id="number-of-a-superlative"),
        pytest.param(BOX, "The height and weight of box 4 are 62 and 170.", id="number-of-the-question"),
        pytest.param(BOX, "The height and weight of box 4 are 62 cm and 170 kg.", id="units-in-a-list"),
        pytest.param(
            CRATE, "The length and width of crate B7 are 120 and 80, and the height is 45.", id="list-and-more"
        ),
        pytest.param(KEY_AND_AGE, "The age and id of the oldest driver are 13 and 64.", id="key-in-a-list"),
        pytest.param(
            FLIGHT, "The flight left on 2023-05-04 at 11:40 and landed on 2023-05-05 at 08:15.", id="times-swapped"
        ),
        pytest.param(
            LAST, "The last order before 2024-03-01 18:00 was on 2024-02-29 at 18:00.", id="time-of-the-question"
        ),
        pytest.param(KEYS, "There are 56 licences of pilots who are older than 50.", id="another-table-counted"),
        pytest.param(PERSONS, "There are not 3 persons who are not members.", id="denied-number"),
        pytest.param(PERSONS, "It is not so that 3 persons are not members.", id="two-denials"),
    ],
)
def test_false_sentences_are_refused(evidence: Facts, text: str) -> None:
    assert check_text(text, evidence).problems


@pytest.mark.parametrize(
    "evidence, text",
    [
        pytest.param(ENDS, "Maximum fare: 421.8; minimum fare: 98.7.", id="english"),
        pytest.param(
            facts(
                "Wie hoch ist der durchschnittliche Preis?",
                {"avg(p.preis)": 4.5},
                "SELECT avg(p.preis) FROM produkte p",
            ),
            "Durchschnitt von preis: 4,5.",
            id="german",
        ),
        pytest.param(
            facts("What is the total price?", {"SUM(price * 2)": 9}, "SELECT SUM(price * 2) FROM products"),
            "Result: 9.",
            id="calculation",
        ),
        pytest.param(
            facts("How far is it?", {"SUM(distance_km)": 3}, "SELECT SUM(distance_km) FROM trips"),
            "Total distance: 3 km.",
            id="unit",
        ),
        pytest.param(facts("How many?", {"SUM(1)": 3}, "SELECT SUM(1) FROM trips"), "Result: 3.", id="no-column"),
        pytest.param(BALANCES, "Checking balance (Brown): 10; savings balance: 20.", id="tables"),
    ],
)
def test_a_column_without_a_name_is_called_by_what_it_computes(evidence: Facts, text: str) -> None:
    assert compose_text(evidence).text == text


def test_a_column_without_a_word_in_its_name_is_no_error() -> None:
    assert check_text("There are 3 rides.", YEAR).text == "There are 3 rides."


def test_each_of_several_rows_may_have_its_denial() -> None:
    evidence = Facts(
        question="Which customers have not ordered?",
        result=QueryResult(columns=("name",), rows=(("Ada",), ("Bo",))),
        sql="SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders)",
    )
    assert check_text("Ada has not ordered. Bo has not ordered.", evidence).problems == ()


BUSIEST_MONTH = "SELECT strftime('%Y-%m', day) AS month, COUNT(*) AS n FROM trips {} GROUP BY 1 ORDER BY n DESC LIMIT 1"


@pytest.mark.parametrize(
    ("question", "where", "sentence", "is_whole"),
    [
        ("Which month has the most trips?", "", "The month with the most trips is December.", False),
        ("Which month has the most trips?", "", "The month with the most trips is December 2024.", True),
        ("Which month of 2024 has the most trips?", "", "The month of 2024 with the most trips is December.", True),
        (
            "Which month has the most trips?",
            "WHERE day >= '2024-01-01' AND day < '2025-01-01'",
            "The month with the most trips is December.",
            True,
        ),
        (
            "Which month has the most trips?",
            "WHERE day >= '2023-07-01' AND day <= '2025-06-30'",
            "The month with the most trips is December.",
            False,
        ),
        (
            "Which month has the most trips?",
            "WHERE day > '2023-12-31' AND day < '2025-01-01 00:00:00'",
            "The month with the most trips is December.",
            True,
        ),
        (
            "Which month of last year has the most trips?",
            "",
            "The month of last year with the most trips is December.",
            True,
        ),
        (
            "In welchem Monat gab es die meisten Fahrten?",
            "",
            "Die meisten Fahrten gab es im Dezember.",
            False,
        ),
        ("Quel mois a le plus de trajets ?", "", "Le mois qui a le plus de trajets est décembre 2024.", True),
    ],
)
def test_a_month_keeps_the_year_of_its_row(question: str, where: str, sentence: str, is_whole: bool) -> None:
    evidence = facts(question, {"month": "2024-12", "n": 900}, BUSIEST_MONTH.format(where))
    assert (check_text(sentence, evidence).problems == ()) == is_whole


def test_a_birthday_needs_no_year() -> None:
    evidence = facts(
        "When is Ada's birthday?", {"born_on": "1990-05-03"}, "SELECT born_on FROM people WHERE name = 'Ada'"
    )

    assert not any(YEAR_LEFT_OUT in it for it in check_text("Ada's birthday is May 3.", evidence).problems)
