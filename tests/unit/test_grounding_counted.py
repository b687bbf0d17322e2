"""Rows that are counted, bounds that some of them reach, sums that go on in a sentence, currencies, and causes."""

from __future__ import annotations

import pytest
from grounding_facts import facts

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.facts import Facts
from agent.checks.grounding.languages.currencies import are_same, find_currencies, find_currency

COURSES = facts(
    "Quanti iscritti ha avuto ogni corso nel 2024?",
    "course members",
    (("Yoga", 40), ("Judo", 25), ("Tennis", 15)),
    "SELECT c.name AS course, COUNT(*) AS members FROM members m JOIN courses c ON c.id = m.course_id "
    "WHERE m.year = 2024 GROUP BY c.name",
)
FERRIES = facts(
    "Wie viele Fahrgäste fuhren 2024 auf den Linien ab Kiel?",
    "von nach fahrgaeste",
    (("Kiel", "Oslo", 4100), ("Kiel", "Malmö", 2900), ("Kiel", "Riga", 800)),
    "SELECT l.von, l.nach, SUM(f.fahrgaeste) AS fahrgaeste FROM fahrten f JOIN linien l ON l.id = f.linie_id "
    "WHERE l.von = 'Kiel' AND f.jahr = 2024 GROUP BY l.von, l.nach",
)
BILLS = facts(
    "How many bills and what amount did each shop have in 2024?",
    "shop bills amount",
    (("Ash", 30, 1500000.0), ("Elm", 12, 620000.0), ("Oak", 55, 2400000.5)),
    "SELECT s.name AS shop, COUNT(*) AS bills, SUM(b.amount) AS amount FROM bills b JOIN shops s ON s.id = b.shop_id "
    "WHERE b.year = 2024 GROUP BY s.name",
    ("bills", "amount", "amount in Mexican pesos (MXN)"),
)
PASSED = facts(
    "What share of the tests passed at each lab in 2024?",
    "lab pass_rate",
    (("Ames", 0.93), ("Bonn", 0.84), ("Cork", 0.91)),
    "SELECT l.name AS lab, AVG(CASE WHEN t.passed = 1 THEN 1.0 ELSE 0 END) AS pass_rate FROM tests t "
    "JOIN labs l ON l.id = t.lab_id WHERE t.year = 2024 GROUP BY l.name",
)
RESULTS = facts(
    "What was the net result of the farm in each year from 2020 to 2023?",
    "year net_result",
    ((2020, 41), (2021, -126), (2022, -7), (2023, 88)),
    "SELECT year, net_result FROM accounts WHERE year BETWEEN 2020 AND 2023 ORDER BY year",
)
HOURS = facts(
    "Quante ore ha fatto ogni reparto nel 2024 e qual è stata la media?",
    "reparto ore media_ore",
    (("Taglio", 900, 14.5), ("Posa", 350, 11.2), ("Prova", 120, 8.1)),
    "SELECT r.nome AS reparto, SUM(o.ore) AS ore, ROUND(AVG(o.ore), 1) AS media_ore FROM straordinari o "
    "JOIN reparti r ON r.id = o.reparto_id WHERE o.anno = 2024 GROUP BY r.nome",
)
BASINS = facts(
    "2024년 수영장별 이용자는 몇 명인가요?",
    "pool visitors",
    (("한강", 300), ("남산", 120), ("서초", 80)),
    "SELECT pool, SUM(visitors) AS visitors FROM visits WHERE year = 2024 GROUP BY pool",
)


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (COURSES, "I tre corsi hanno avuto in totale 80 iscritti nel 2024."),
        (FERRIES, "Auf den drei Linien ab Kiel fuhren 2024 zusammen 7.800 Fahrgäste."),
        (FERRIES, "Insgesamt fuhren 2024 auf den drei Linien ab Kiel 7.800 Fahrgäste."),
        (FERRIES, "Nach Oslo fuhren 2024 ab Kiel 1.200 Fahrgäste mehr als nach Malmö."),
        (BILLS, "Two of the three shops had more than a million pesos in 2024: Ash and Oak."),
        (BILLS, "In 2024, Oak had the highest amount, 2,400,000.50 MXN."),
        (BILLS, "In total, the three shops had 97 bills and 4,520,000.50 Mexican pesos in 2024."),
        (BILLS, "In 2024, two of the three shops exceeded 1,000,000 pesos."),
        (PASSED, "In 2024 two of the three labs had a pass rate of the tests above 90%: Ames and Cork."),
        (PASSED, "In 2024 the highest pass rate of the tests was that of Ames, 93%."),
        (RESULTS, "The net result of the farm was a loss in two of the four years, 2021 and 2022."),
        (RESULTS, "In 2023 the farm had a profit of 88."),
        (HOURS, "Nel 2024 le ore vanno da 120 a 900."),
        (HOURS, "Nel 2024 Taglio ha fatto 550 ore più di Posa."),
        (BASINS, "2024년 이용자는 모두 합해 500명입니다."),
    ],
)
def test_true_sentences_are_supported(found: Facts, sentence: str) -> None:
    assert check_text(sentence, found).problems == ()


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (COURSES, "I quattro corsi hanno avuto in totale 80 iscritti nel 2024."),
        (COURSES, "I tre iscritti hanno avuto Yoga nel 2024."),
        (FERRIES, "Auf den vier Linien ab Kiel fuhren 2024 zusammen 7.800 Fahrgäste."),
        (FERRIES, "Nach Oslo fuhren 2024 ab Kiel 2.200 Fahrgäste mehr als nach Malmö."),
        (FERRIES, "Ab Kiel kamen 5.000 auf Oslo, 4.100 Fahrgäste fuhren 2024."),
        (BILLS, "Two of the three shops had more than a million pesos in 2024: Ash and Elm."),
        (BILLS, "Three of the three shops had more than a million pesos in 2024."),
        (BILLS, "In 2024, Oak had the highest amount, 2,400,000.50 dollars."),
        (BILLS, "In 2024, Oak had the highest amount, 2,400,000.50 Chilean pesos."),
        (BILLS, "In total, the three shops had 97 bills and 4,250,000.50 Mexican pesos in 2024."),
        (BILLS, "In total, the three shops had 97 bills and 2,400,000.50 Mexican pesos in 2024."),
        (PASSED, "In 2024 two of the three labs had a pass rate of the tests above 92%: Ames and Cork."),
        (PASSED, "In 2024 the lowest pass rate of the tests was that of Ames, 93%."),
        (RESULTS, "The net result of the farm was a loss in three of the four years."),
        (RESULTS, "The net result of the farm was a loss in two of the four years, 2020 and 2021."),
        (RESULTS, "In 2021 the farm had a profit of 126."),
        (HOURS, "Nel 2024 le ore vanno da 120 a 350."),
        (HOURS, "Nel 2024 Taglio ha fatto 450 ore più di Posa."),
        (BASINS, "2024년 이용자는 모두 합해 520명입니다."),
    ],
)
def test_false_ones_are_not(found: Facts, sentence: str) -> None:
    assert check_text(sentence, found).problems


@pytest.mark.parametrize(
    ("found", "sentence", "cause"),
    [
        (RESULTS, "The farm had a net result of 88 in 2023 due to the harvest.", "due to"),
        (FERRIES, "Nach Oslo fuhren 2024 ab Kiel 4.100 Fahrgäste wegen der Linien.", "wegen"),
        (COURSES, "A causa di Tennis, Yoga ha avuto 40 iscritti nel 2024.", "A causa d"),
        (BASINS, "비 때문에 2024년 서초 이용자는 80명이었습니다.", "때문"),
        (BASINS, "폭염으로 인해 2024년 한강 이용자는 300명이었습니다.", "로 인해"),
    ],
)
def test_a_cause_that_no_row_holds_is_refused(found: Facts, sentence: str, cause: str) -> None:
    assert any(cause.startswith(it[1:].split("”")[0]) for it in check_text(sentence, found).problems)


def test_rows_may_hold_causes() -> None:
    found = facts(
        "Why were flights late, by cause?",
        "cause flights",
        (("fog", 12), ("strike", 30)),
        "SELECT cause, COUNT(*) AS flights FROM delays GROUP BY cause",
    )
    problems = check_text("30 flights were late because of strike.", found).problems
    assert not any(it.endswith("the rows hold no cause") for it in problems)


@pytest.mark.parametrize(
    ("text", "named", "code"),
    [
        ("amount in Mexican pesos (MXN)", {"MXN"}, "MXN"),
        ("pesos", {"peso"}, "MXN"),
        ("Canadian dollars", {"CAD"}, "CAD"),
        ("price in dollars", {"dollar"}, "USD"),
        ("US$", {"USD"}, "USD"),
        ("€ or £", {"EUR", "GBP"}, ""),
        ("peso del paquete", set(), ""),
        ("trips", set(), ""),
    ],
)
def test_currencies_are_found_by_their_names(text: str, named: set[str], code: str) -> None:
    assert find_currencies(text) == named
    assert find_currency(text) == code


@pytest.mark.parametrize(
    ("said", "known", "same"),
    [
        ({"dollar"}, {"CAD"}, True),
        ({"USD"}, {"CAD"}, False),
        ({"USD"}, {"dollar"}, True),
        ({"peso"}, {"MXN"}, True),
        ({"peso"}, {"EUR"}, False),
        ({"EUR"}, {"EUR", "USD"}, True),
        ({"EUR"}, set(), False),
    ],
)
def test_a_shared_name_is_that_of_each(said: set[str], known: set[str], same: bool) -> None:
    assert are_same(said, known) is same
