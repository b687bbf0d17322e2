"""Numbers beside rows that are named in other ways: a quarter, an end, a form of the name, in a list, by a property."""

from __future__ import annotations

import pytest
from grounding_facts import facts

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.facts import Facts


def revenue(question: str) -> Facts:
    rows = (("North", 1200), ("South", 900), ("East", 640), ("West", 450), ("Centre", 310), ("Coast", 200))
    sql = "SELECT region, SUM(revenue) AS revenue FROM sales WHERE year = 2024 GROUP BY region"
    return facts(question, "region revenue", rows, sql)


REVENUE = revenue("What was the revenue by region in 2024?")
UMSATZ = revenue("Wie hoch war der Umsatz pro Region im Jahr 2024?")
KOREAN = revenue("2024년 지역별 매출은 얼마였나요?")
MONTHS = facts(
    "How many orders were placed per month in 2024?",
    "month orders",
    tuple((f"2024-{at:02}", count) for at, count in enumerate((100, 120, 90, 150, 160, 180), 1)),
    "SELECT month, COUNT(*) AS orders FROM orders WHERE year = 2024 GROUP BY month ORDER BY month",
)
YEARS = facts(
    "How many orders were placed per month?",
    "month orders",
    tuple((f"{year}-{at:02}", year - 2000 + at) for year in (2023, 2024) for at in (1, 2, 3)),
    "SELECT month, COUNT(*) AS orders FROM orders GROUP BY month ORDER BY month",
)
PLAYERS = facts(
    "Which players scored in the season?",
    "player team points",
    (("Okafor", "Harbour City", 21), ("Sato", "Harbour City", 19), ("Brandt", "Red Hills", 20)),
    "SELECT player, team, points FROM players",
)
COVERS = facts(
    "Combien de couverts chaque café a-t-il servis ?",
    "cafe mon sat",
    (("Phare", 51, 97), ("Pont", 38, 160)),
    "SELECT cafe, SUM(mon) AS mon, SUM(sat) AS sat FROM covers GROUP BY cafe",
)
SPECIES = facts(
    "How many animals were adopted?",
    "species adopted",
    (("cat", 315), ("dog", 304)),
    "SELECT species, SUM(adopted) AS adopted FROM animals GROUP BY species",
)
TICKETS = facts(
    "¿Cuántos tickets hay por prioridad?",
    "priority tickets",
    (("urgent", 48), ("normal", 402)),
    "SELECT priority, COUNT(*) AS tickets FROM tickets GROUP BY priority",
)


@pytest.mark.parametrize(
    ("held", "true", "false"),
    [
        (
            MONTHS,
            "The second quarter of 2024 had 490 orders in total.",
            "The first quarter of 2024 had 490 orders in total.",
        ),
        (
            MONTHS,
            "Orders rose by 80 from the first to the last month of 2024.",
            "Orders fell by 80 from the first to the last month of 2024.",
        ),
        (YEARS, "In 2024, 78 orders were placed in total.", "In 2023, 78 orders were placed in total."),
        (
            REVENUE,
            "In 2024, North's revenue of 1,200 was 6 times the 200 of Coast.",
            "In 2024, North's revenue of 200 was 6 times the 1,200 of Coast.",
        ),
        (
            REVENUE,
            "In 2024, only two regions, North and South, had revenue above 800.",
            "In 2024, only two regions, North and East, had revenue above 800.",
        ),
        (UMSATZ, "North lag 2024 beim Umsatz um 300 vor South.", "North lag 2024 beim Umsatz um 260 vor South."),
        (
            UMSATZ,
            "2024 hatten drei der sechs Regionen einen Umsatz über 500.",
            "2024 hatten vier der sechs Regionen einen Umsatz über 500.",
        ),
        (
            UMSATZ,
            "Der Umsatz von North war 2024 sechsmal so hoch wie der von Coast.",
            "Der Umsatz von North war 2024 fünfmal so hoch wie der von Coast.",
        ),
        (KOREAN, "2024년 North와 South의 매출 합계는 2,100입니다.", "2024년 North와 South의 매출 합계는 2,200입니다."),
        (KOREAN, "2024년 North와 South의 매출 차이는 300입니다.", "2024년 North와 South의 매출 차이는 400입니다."),
        (KOREAN, "2024년 North의 매출은 전체의 32.4%입니다.", "2024년 North의 매출은 전체의 42.4%입니다."),
        (PLAYERS, "Two players are from Harbour City.", "Three players are from Harbour City."),
        (
            COVERS,
            "Pont a servi 122 couverts de plus le samedi que le lundi.",
            "Pont a servi 132 couverts de plus le samedi que le lundi.",
        ),
        (
            SPECIES,
            "More cats than dogs were adopted: 315 compared with 304.",
            "More dogs than cats were adopted: 315 compared with 304.",
        ),
        (TICKETS, "Hay 48 tickets urgentes.", "Hay 402 tickets urgentes."),
    ],
)
def test_a_number_stands_beside_its_rows(held: Facts, true: str, false: str) -> None:
    assert check_text(true, held).problems == ()
    assert check_text(false, held).problems


@pytest.mark.parametrize(
    ("held", "text"),
    [
        (PLAYERS, "Two regions sold more than Okafor and Sato."),
        (REVENUE, "In 2024, three regions, North and South, had revenue above 800."),
        (REVENUE, "In 2024, the revenue of North was 2,100."),
        (KOREAN, "2024년 North의 매출은 2,100입니다."),
    ],
)
def test_what_names_other_rows_is_refused(held: Facts, text: str) -> None:
    assert check_text(text, held).problems
