"""Numbers over several columns, and over rows that are named by position."""

from __future__ import annotations

import pytest
from grounding_facts import facts

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.facts import Facts

BEDS = facts(
    "How many beds were occupied per ward?",
    "ward beds_total beds_occupied",
    (("Cardiology", 40, 38), ("ICU", 18, 18), ("Maternity", 30, 17), ("Oncology", 36, 27)),
    "SELECT ward, beds_total, beds_occupied FROM wards",
)
MEDALS = facts(
    "How many medals did each country win?",
    "country gold silver bronze",
    (("Norway", 14, 11, 9), ("Germany", 12, 9, 7), ("Italy", 9, 8, 11), ("Austria", 8, 9, 6)),
    "SELECT country, gold, silver, bronze FROM medals",
)
QUARTERS = facts(
    "How many units did each region sell per quarter in 2022?",
    "region q1 q2 q3",
    (("East", 420, 515, 498), ("North", 310, 290, 275), ("South", 705, 680, 734)),
    "SELECT region, SUM(q1) AS q1, SUM(q2) AS q2, SUM(q3) AS q3 FROM sales WHERE year = 2022 GROUP BY region",
)
PARCELS = facts(
    "How many parcels did each carrier transport, and how many were damaged?",
    "carrier n_parcels total_kg n_damaged",
    (("Bartoli", 2400, 7680, 24), ("GLX", 1500, 6900, 30)),
    "SELECT carrier, COUNT(*) AS n_parcels, SUM(weight_kg) AS total_kg, SUM(damaged) AS n_damaged FROM p GROUP BY 1",
)
REVENUE = facts(
    "What was the revenue by region in 2024?",
    "region revenue",
    (("North", 1200), ("South", 900), ("East", 640), ("West", 450), ("Centre", 310), ("Coast", 200)),
    "SELECT region, SUM(revenue) AS revenue FROM sales WHERE year = 2024 GROUP BY region",
)
MONTHS = facts(
    "How many orders were placed per month in 2024?",
    "month orders",
    tuple((f"2024-{at:02}", count) for at, count in enumerate((100, 120, 90, 150, 160, 180), 1)),
    "SELECT month, COUNT(*) AS orders FROM orders WHERE year = 2024 GROUP BY month ORDER BY month",
)


@pytest.mark.parametrize(
    ("held", "true", "false"),
    [
        (BEDS, "In Oncology, 27 of the 36 beds were occupied.", "In Oncology, 27 of the 40 beds were occupied."),
        (BEDS, "In Oncology, 27 of the 36 beds were occupied, 75%.", "In Oncology, 27 of the 36 were occupied, 85%."),
        (BEDS, "In Oncology, 9 beds were not occupied.", "In Oncology, 10 beds were not occupied."),
        (BEDS, "In Oncology, 25% of the beds were not occupied.", "In Oncology, 75% of the beds were not occupied."),
        (BEDS, "In total, 100 of the 124 beds were occupied.", "In total, 100 of the 134 beds were occupied."),
        (BEDS, "80.6% of all beds were occupied.", "90.6% of all beds were occupied."),
        (MEDALS, "Italy won 28 medals in total.", "Italy won 27 medals in total."),
        (MEDALS, "Italy won 2 more bronze than gold medals.", "Italy won 2 more gold than bronze medals."),
        (QUARTERS, "East sold 1,433 units in total in 2022.", "East sold 1,432 units in total in 2022."),
        (
            QUARTERS,
            "In 2022, South sold 29 more units in Q3 than in Q1.",
            "In 2022, South sold 29 more in Q1 than in Q3.",
        ),
        (PARCELS, "A parcel with Bartoli weighed 3.2 kg on average.", "A parcel with GLX weighed 3.2 kg on average."),
        (
            REVENUE,
            "In 2024, the top three regions together had revenue of 2,740.",
            "In 2024, the top two regions together had revenue of 2,740.",
        ),
        (
            REVENUE,
            "In 2024, the top two regions accounted for 56.8% of the total.",
            "In 2024, the top two regions accounted for 74.1% of the total.",
        ),
        (
            REVENUE,
            "In 2024, North had 1,200; the other five regions together had 2,500.",
            "In 2024, North had 1,200; the other five regions together had 2,600.",
        ),
        (
            REVENUE,
            "In 2024, the gap between the first and the second region was 300.",
            "In 2024, the gap between the first and the third region was 300.",
        ),
        (
            REVENUE,
            "In 2024, the gap between the highest and the lowest revenue was 1,000.",
            "In 2024, the gap between the highest and the lowest revenue was 900.",
        ),
        (
            MONTHS,
            "In the first three months of 2024, 310 orders were placed.",
            "In the last three months of 2024, 310 orders were placed.",
        ),
    ],
)
def test_a_number_is_computed_of_what_the_sentence_names(held: Facts, true: str, false: str) -> None:
    assert check_text(true, held).problems == ()
    assert check_text(false, held).problems


@pytest.mark.parametrize(
    ("held", "text"),
    [
        (BEDS, "Oncology has 63 beds in total."),  # a whole and its part
        (BEDS, "In Oncology, 9 beds were occupied."),
        (BEDS, "In Oncology and Maternity, 18 beds were occupied."),
        (MEDALS, "Italy won 3 more bronze than gold medals."),
        (MEDALS, "Italy won 2 medals in total."),
        (PARCELS, "GLX moved 8,430 kg in total."),  # parcels and kilograms
        (REVENUE, "In 2024, the other five regions together had revenue of 2,500."),  # than which?
        (REVENUE, "In 2024, North had 1,200; the other four regions together had 2,500."),
    ],
)
def test_what_no_operation_gives_is_refused(held: Facts, text: str) -> None:
    assert check_text(text, held).problems


def test_the_calculation_is_told() -> None:
    found = check_text("Italy won 28 medals in total.", MEDALS)
    assert [(it.source, it.expression) for it in found.numbers] == [("calculation", "9 + 8 + 11")]
