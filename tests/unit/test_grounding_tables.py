"""Tables as people keep them: cents, quarters as columns, months as numbers, flags, places, two columns of days."""

from __future__ import annotations

import pytest

from agent.checks.grounding.answer import check_text, compose_text
from agent.checks.grounding.evidence.facts import Facts
from executors.base import JsonValue, QueryResult
from rag.docs.documents import make_document

Rows = tuple[tuple[JsonValue, ...], ...]


def facts(question: str, columns: str, rows: Rows, sql: str, **docs: str) -> Facts:
    table = sql.partition(" FROM ")[2].split()[0]
    documents = tuple(make_document("column", text, table=table, column=name) for name, text in docs.items())
    return Facts(question, QueryResult(columns=tuple(columns.split()), rows=rows), sql, documents=documents)


CENTS = facts(
    "How much did each shelf sell in May 2024?", "shelf sold", (("Tools", 250075), ("Paint", 99900)),
    "SELECT shelf, SUM(line_total) AS sold FROM lines WHERE month = '2024-05' GROUP BY shelf",
    line_total="Total of the line in US cents",
)  # fmt: skip
PRICES = facts(
    "What does each tool cost?", "tool price_cents", (("Saw", 1250), ("Axe", 4000)),
    "SELECT tool, price_cents FROM tools", price_cents="What it costs in the shop, in euro cents",
)  # fmt: skip
KILN = facts(
    "What were the lowest and highest temperatures of kiln 7 in 2023?", "coldest hottest", ((-4.5, 31.25),),
    "SELECT MIN(temp) AS coldest, MAX(temp) AS hottest FROM kilns WHERE kiln = 7 AND year = 2023",
    temp="Temperature in degrees Celsius",
)  # fmt: skip
EXAMS = facts(
    "How did the schools do in the exam?", "school candidates passed", (("Birch", 120, 90), ("Elder", 65, 39)),
    "SELECT school, candidates, passed FROM exams",
)  # fmt: skip
QUARTERS = facts(
    "How many units did each region sell per quarter in 2022?", "region q1 q2",
    (("North", 310, 290), ("South", 150, 190)),
    "SELECT region, SUM(a) AS q1, SUM(b) AS q2 FROM sales WHERE year = 2022 GROUP BY region",
)  # fmt: skip
MONTHS = facts(
    "How much rain fell each month in 2021?", "month rain_mm", ((1, 142.0), (2, 98.5), (3, 110.25)),
    "SELECT month, rain_mm FROM weather WHERE year = 2021 ORDER BY month",
)  # fmt: skip
RATES = facts(
    "What was the churn rate of each plan?", "plan churn_rate", (("Basic", 0.072), ("Plus", 0.045)),
    "SELECT plan, lost * 1.0 / members AS churn_rate FROM plans",
)  # fmt: skip
FLAGS = facts(
    "Which lines run, and are they open at night?", "line km at_night",
    (("90", 24.5, 0), ("N1", 9.5, 1), ("N2", 16.0, 1)),
    "SELECT line, km, at_night FROM lines ORDER BY km DESC", at_night="1 = night line, 0 = day line", km="Length in km",
)  # fmt: skip
PLACES = facts(
    "Who were the top 4 scorers?", "pos player points",
    ((1, "Okafor", 50), (2, "Brandt", 40), (3, "Reyes", 30), (3, "Sato", 30)),
    "SELECT RANK() OVER (ORDER BY points DESC) AS pos, player, points FROM scorers ORDER BY points DESC LIMIT 4",
)  # fmt: skip
MISSIONS = facts(
    "When did the missions launch and land?", "mission launch_date landing_date",
    (("Aquila", "2017-03-09", "2017-03-21"), ("Borea", "2018-11-02", "2018-12-01")),
    "SELECT mission, launch_date, landing_date FROM missions",
)  # fmt: skip
TICKETS = facts(
    "How many closed tickets are there per priority, and how long did they take?", "priority n_tickets avg_hours",
    (("high", 131, 9.5), ("low", 87, 40.0)),
    "SELECT priority, COUNT(*) AS n_tickets, AVG(hours) AS avg_hours FROM tickets GROUP BY priority",
    hours="Hours between creation and closing",
)  # fmt: skip
HOSTS = facts(
    "현재 서버들의 부하는 어떻게 되나요?", "host cpu_pct uptime", (("db", 91.5, 44), ("cache", 22.5, 365)),
    "SELECT host, cpu_pct, uptime FROM hosts",
)  # fmt: skip
INVOICES = facts(
    "고객 C-2207의 미납 청구서 중 2024년 6월 30일 이전에 만기된 것은 무엇인가요?", "invoice", (),
    "SELECT invoice FROM invoices WHERE customer = 'C-2207' AND paid IS NULL AND due < '2024-06-30'",
)  # fmt: skip


@pytest.mark.parametrize("rows, sentence, holds", [
    (CENTS, "Tools sold for $2,500.75 in May 2024.", True),
    (CENTS, "Tools sold for $250,075 in May 2024.", False),
    (CENTS, "In May 2024, Tools sold 2.5 times as much as Paint.", True),
    (KILN, "In 2023, the lowest temperature of kiln 7 was -4.5 °C.", True),
    (KILN, "In 2023, the lowest temperature of kiln 7 was -4.5 °F.", False),
    (EXAMS, "At Birch, 75 % of the candidates passed the exam.", True),
    (EXAMS, "At Birch, 60 % of the candidates passed the exam.", False),
    (EXAMS, "At Birch, 75 % of the candidates did not pass the exam.", False),
    (QUARTERS, "In Q1 2022, the North region sold 310 units.", True),
    (QUARTERS, "In Q2 2022, the North region sold 310 units.", False),
    (QUARTERS, "In the North region, units fell from 310 in Q1 to 290 in Q2 2022.", True),
    (QUARTERS, "In the South region, units fell from 150 in Q1 to 190 in Q2 2022.", False),
    (MONTHS, "In January 2021 it was 142 mm.", True),
    (MONTHS, "In January 2020 it was 142 mm.", False),
    (RATES, "Basic had a churn rate 2.7 percentage points higher than Plus.", True),
    (RATES, "Basic had a churn rate 3.7 percentage points higher than Plus.", False),
    (FLAGS, "Two lines are open at night: N1 and N2.", True),
    (FLAGS, "Two lines are open at night: 90 and N2.", False),
    (FLAGS, "The longest line is the 90, with 24.5 km.", True),
    (FLAGS, "The longest line is the 90, with 16 km.", False),
    (PLACES, "Reyes is third with 30 points.", True),
    (PLACES, "Sato is fourth with 30 points.", False),
    (PLACES, "The top two scorers were Okafor and Brandt.", True),
    (PLACES, "The top two scorers were Okafor (50 points) and Brandt (40).", True),
    (PLACES, "The top two scorers were Okafor (50 points) and Reyes (30).", False),
    (MISSIONS, "Borea had its launch on November 2, 2018.", True),
    (MISSIONS, "Borea had its launch on December 1, 2018.", False),
    (MISSIONS, "Borea was on December 1, 2018.", False),
    (TICKETS, "In total there are 218 closed tickets.", True),
    (TICKETS, "In total there are 219 closed tickets.", False),
    (HOSTS, "cache의 CPU는 22.5%로 가장 낮습니다.", True),
    (HOSTS, "cache의 CPU는 22.5%로 가장 높습니다.", False),
    (INVOICES, "2024년 6월 30일 이전에 만기된 고객 C-2207의 미납 청구서는 없습니다.", True),
    (INVOICES, "고객 C-2207에게는 지금까지 청구서가 한 건도 없습니다.", False),
])  # fmt: skip
def test_a_claim_of_such_a_table(rows: Facts, sentence: str, holds: bool) -> None:
    found = check_text(sentence, rows)
    assert (not found.problems) is holds, found.problems


def test_a_composed_answer_counts_money_in_its_currency() -> None:
    """Cents are written as dollars; where the name says what they are, they stay as they are, without a currency."""
    assert compose_text(CENTS).text == "Sold by shelf (May 2024): Tools: $2,500.75; Paint: $999.00."
    assert compose_text(PRICES).text == "Price cents by tool: Saw: 1,250; Axe: 4,000."


BONUSES = facts(
    "What bonus did the employees in Leipzig get in 2023?", "name bonus", (("Anja", 4200), ("Bernd", 3850)),
    "SELECT name, bonus FROM staff WHERE site = 'Leipzig' AND year = 2023",
)  # fmt: skip


@pytest.mark.parametrize("sentence, shown", [
    ("Anja got a bonus of 4,200 in 2023.", "Anja got a bonus of 4,200 in 2023 (Leipzig)."),
    ("Anja got a bonus of 4,200.", "Anja got a bonus of 4,200 (2023, Leipzig)."),
    ("In Leipzig, Anja got a bonus of 4,200.", "In Leipzig, Anja got a bonus of 4,200 (2023)."),
    ("The highest bonus in 2023 was 4,200.", ""),  # of whom, where
    ("Anja got a bonus of 3,850.", ""),
    ("No employees got a bonus in 2023.", ""),
])  # fmt: skip
def test_a_condition_that_alone_is_missing_is_added(sentence: str, shown: str) -> None:
    found = check_text(sentence, BONUSES)
    assert (not found.problems) is bool(shown)
    assert found.text == (shown or sentence)


@pytest.mark.parametrize("sentence, holds", [
    ("Oui, le véhicule 7 a un entretien en retard.", True),
    ("Non, le véhicule 7 n'a pas d'entretien en retard.", False),
])  # fmt: skip
def test_a_french_question_asks_yes_or_no_by_its_verb(sentence: str, holds: bool) -> None:
    rows = facts(
        "Le véhicule 7 a-t-il un entretien en retard ?", "retard", ((1,),), "SELECT 1 AS retard FROM v WHERE id = 7"
    )
    assert (not check_text(sentence, rows).problems) is holds


@pytest.mark.parametrize("rows, sentence, holds", [
    ((), "재직 중인 직원 두 명의 자격증이 만료되었습니다.", False),
    ((), "자격증이 만료된 직원은 없습니다.", True),
    ((("K-1", 1), ("K-2", 0)), "K-1 계약은 자동 갱신되지 않습니다.", False),
    ((("K-1", 1), ("K-2", 0)), "K-2 계약은 자동 갱신되지 않습니다.", True),
])  # fmt: skip
def test_a_korean_denial_is_of_its_own_row(rows: Rows, sentence: str, holds: bool) -> None:
    found = facts(
        "어떤 계약이 자동 갱신되나요?", "contract auto_renew", rows, "SELECT contract, auto_renew FROM contracts"
    )
    assert (not check_text(sentence, found).problems) is holds


def test_what_is_only_multiplied_by_a_hundred_is_no_percentage() -> None:
    total = facts("What is the total?", "total", ((46050.0,),), "SELECT SUM(amount) * 100 AS total FROM orders")
    share = facts("What share is late?", "late", ((12.5,),), "SELECT AVG(late) * 100 AS late FROM trips")
    assert (compose_text(total).text, compose_text(share).text) == ("Total: 46,050.", "Late: 12.5%.")


GROWTH = facts(
    "How did the products grow from 2021 to 2022?", "product rev_2021 rev_2022 growth_pct",
    (("Lamp", 40, 62, 55.0), ("Chair", 120, 138, 15.0)),
    "SELECT product, rev_2021, rev_2022, (rev_2022 - rev_2021) * 100.0 / rev_2021 AS growth_pct FROM revenues",
    rev_2021="Revenue 2021 in thousand EUR", rev_2022="Revenue 2022 in thousand EUR",
)  # fmt: skip
DENSITY = facts(
    "How dense is each district?", "district density", (("Mitte", 15311), ("Nord", 5131)),
    "SELECT district, people / area_km2 AS density FROM districts", area_km2="Area in square kilometres",
)  # fmt: skip
YIELD = facts(
    "What is the yield of each crop?", "crop yield", (("wheat", 7.25), ("maize", 9.85)),
    "SELECT crop, yield FROM harvest", **{"yield": "Yield in tonnes per hectare"},
)  # fmt: skip
LAB = facts(
    "What were the results?", "patient crp_mg_l", (("P1", 4.25), ("P2", 88.0)), "SELECT patient, crp_mg_l FROM results",
)  # fmt: skip
LAST_QUARTER = facts(
    "How many patients came in the last quarter of 2023?", "n_patients", ((1046,),),
    "SELECT COUNT(*) AS n_patients FROM visits WHERE day BETWEEN '2023-10-01' AND '2023-12-31'",
)  # fmt: skip
WHOLE_YEAR = facts(
    "How many patients came in 2023?", "n_patients", ((1046,),),
    "SELECT COUNT(*) AS n_patients FROM visits WHERE day BETWEEN '2023-01-01' AND '2023-12-31'",
)  # fmt: skip
SECOND_QUARTER = facts(
    "Wie hoch waren die Kosten im 2. Quartal 2024?", "kosten", ((1200.5,),),
    "SELECT SUM(kosten) AS kosten FROM budget WHERE jahr = 2024 AND quartal = 2",
)  # fmt: skip


MONTHLY = facts(
    "What did each plant produce in 2022?", "plant output", (("A", 10), ("B", 20)),
    "SELECT plant, SUM(output) AS output FROM plants WHERE month LIKE '2022-%' GROUP BY plant",
)  # fmt: skip
UNORDERED = facts(
    "What was sold in each month?", "month sold", tuple((f"2024-{at:02}", at * 10) for at in (*range(2, 13), 1)),
    "SELECT month, SUM(amount) AS sold FROM sales GROUP BY month",
)  # fmt: skip


PUNCTUAL = facts(
    "Which share of the trains was on time?", "on_time", ((0.9342,),),
    "SELECT AVG(CASE WHEN delay <= 5 THEN 1.0 ELSE 0 END) AS on_time FROM trains", delay="Delay in minutes",
)  # fmt: skip
OVERDUE = facts(
    "Is truck 7 overdue?", "has_overdue", ((1,),),
    "SELECT EXISTS (SELECT 1 FROM checks WHERE truck = 7) AS has_overdue FROM v",
)  # fmt: skip


@pytest.mark.parametrize("rows, text", [
    pytest.param(PUNCTUAL, "On time: 0.9342.", id="a share is not in the unit of what is tested"),
    pytest.param(OVERDUE, "Has overdue: yes.", id="yes and no"),
    pytest.param(
        UNORDERED, "Sold by month: first January 2024: 10; last December 2024: 120.", id="the first of unordered times"
    ),
    pytest.param(QUARTERS, "Q1, q2 by region (2022): North: q1 310, q2 290; South: q1 150, q2 190.", id="times"),
    pytest.param(
        GROWTH,
        "Rev 2021, rev 2022, growth percent by product: Lamp: rev 2021 €40,000.00, rev 2022 €62,000.00, growth percent "
        "55%; Chair: rev 2021 €120,000.00, rev 2022 €138,000.00, growth percent 15%.",
        id="a percentage of amounts in thousands",
    ),
    pytest.param(DENSITY, "Density by district: Mitte: 15,311; Nord: 5,131.", id="a quotient"),
    pytest.param(YIELD, "Yield by crop: wheat: 7.25; maize: 9.85.", id="a rate is not in tonnes"),
    pytest.param(LAB, "Crp mg/l by patient: P1: 4.25; P2: 88.00.", id="milligrams for each litre are no litres"),
    pytest.param(LAST_QUARTER, "Number of patients: 1,046.", id="a quarter is not its year"),
    pytest.param(WHOLE_YEAR, "Number of patients (2023): 1,046.", id="a whole year is"),
    pytest.param(MONTHLY, "Output by plant (2022): A: 10; B: 20.", id="months of a whole year"),
    pytest.param(SECOND_QUARTER, "Kosten: 1.200,5.", id="a quarter in a column of its own"),
])  # fmt: skip
def test_a_composed_answer_says_no_more_than_its_rows(rows: Facts, text: str) -> None:
    assert compose_text(rows).text == text
