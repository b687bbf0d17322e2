"""Series that change with each step, last places, places in Korean, units of two words, and rates of two columns."""

from __future__ import annotations

import pytest
from grounding_facts import facts

from agent.checks.grounding.answer import check_text

_MONTHS = (("2024-01", 120), ("2024-02", 133), ("2024-03", 150), ("2024-04", 171))
_YEARS = "SELECT year, AVG(rent_eur) AS avg_rent_eur FROM rents GROUP BY year ORDER BY year"
_SIGNUPS = "SELECT strftime('%Y-%m', at) AS month, COUNT(*) AS signups FROM signups GROUP BY month ORDER BY month"
FACTS = {
    "SIGNUPS": facts("How many signups did we have per month?", "month signups", _MONTHS, _SIGNUPS),
    "GAP": facts("How many signups did we have per month?", "month signups", _MONTHS[:2] + _MONTHS[3:], _SIGNUPS),
    "RENTS": facts(
        "How did the average rent develop per year?",
        "year avg_rent_eur",
        ((2019, 810.0), (2020, 835.5), (2021, 870.0), (2022, 960.0)),
        _YEARS,
    ),
    "UNSTEADY": facts(
        "How did the average rent develop per year?",
        "year avg_rent_eur",
        ((2019, 810.0), (2020, 835.5), (2021, 830.0), (2022, 960.0)),
        _YEARS,
    ),
    "QUARTERS": facts(
        "What was the revenue per region and quarter in 2023?",
        "region quarter revenue",
        tuple(
            (region, f"2023-Q{at}", value)
            for region, values in (("North", (100.0, 120.0, 140.0)), ("South", (90.0, 80.0, 85.0)))
            for at, value in enumerate(values, 1)
        ),
        "SELECT region, quarter, SUM(amount) AS revenue FROM sales WHERE year = 2023 GROUP BY region, quarter",
    ),
    "WEEKS": facts(
        "How did the number of open tickets change per week?",
        "week open_tickets",
        (("2024-W01", 80), ("2024-W02", 71), ("2024-W03", 75), ("2024-W04", 60)),
        "SELECT week, COUNT(*) AS open_tickets FROM tickets WHERE status = 'open' GROUP BY week ORDER BY week",
    ),
    "VENTES": facts(
        "Quel est le chiffre d'affaires mensuel ?",
        "mois chiffre_affaires",
        (("2024-01", 9000), ("2024-02", 8500), ("2024-03", 8100)),
        "SELECT mois, SUM(montant) AS chiffre_affaires FROM ventes GROUP BY mois ORDER BY mois",
    ),
    "CHANGE": facts(
        "How did sales change between 2022 and 2023?",
        "year sales",
        ((2022, 840000), (2023, 913000)),
        "SELECT year, SUM(amount) AS sales FROM sales WHERE year IN (2022, 2023) GROUP BY year ORDER BY year",
    ),
    "LIBRARIES": facts(
        "Rank the libraries by number of loans",
        "library loans",
        (("Central", 900), ("East", 410), ("Harbour", 120)),
        "SELECT library, COUNT(*) AS loans FROM loans GROUP BY library ORDER BY loans DESC",
    ),
    "TOP": facts(
        "Who are our top 3 customers by revenue?",
        "customer revenue",
        (("Nordwind", 91200.0), ("Sunrise", 80400.5), ("Kaya", 62000.0)),
        "SELECT customer, SUM(total) AS revenue FROM orders GROUP BY customer ORDER BY revenue DESC LIMIT 3",
    ),
    "ISCRITTI": facts(
        "Quanti iscritti ha ogni corso?",
        "corso iscritti",
        (("Yoga", 42), ("Nuoto", 38), ("Pilates", 17)),
        "SELECT corso, COUNT(*) AS iscritti FROM iscrizioni GROUP BY corso ORDER BY iscritti DESC",
    ),
    "RACE": facts(
        "Which runners finished the race and in what time?",
        "runner minutes",
        (("Ida", 41.2), ("Jon", 43.0), ("Kai", 47.9)),
        "SELECT runner, minutes FROM results ORDER BY minutes",
    ),
    "매출": facts(
        "매출이 가장 높은 지점은 어디인가요?",
        "branch revenue",
        (("강남", 5200), ("서초", 4100), ("마포", 3000)),
        "SELECT branch, SUM(amount) AS revenue FROM sales GROUP BY branch ORDER BY revenue DESC",
    ),
    "PLANTS": facts(
        "How much electricity did each plant produce?",
        "plant output_mwh",
        (("Alpha", 51200), ("Elbe", 30150)),
        "SELECT plant, SUM(mwh) AS output_mwh FROM readings GROUP BY plant ORDER BY output_mwh DESC",
    ),
    "INCOME": facts(
        "Which product brought in the most income?",
        "product income",
        (("Desk", 18230.5), ("Lamp", 9120.0)),
        "SELECT product, SUM(quantity * unit_price) AS income FROM items GROUP BY product ORDER BY income DESC",
        ("items", "quantity", "Number of pieces sold."),
        ("items", "unit_price", "Price of one piece, in euros."),
    ),
    "CHANNELS": facts(
        "How many orders and how much revenue did each channel have?",
        "channel orders revenue",
        (("web", 820, 41200.5), ("store", 310, 22010.0), ("phone", 45, 3100.75)),
        "SELECT channel, COUNT(*) AS orders, SUM(total) AS revenue FROM orders GROUP BY channel ORDER BY orders DESC",
    ),
    "SERVERS": facts(
        "Which of our servers are encrypted?",
        "server encrypted",
        (("db1", True), ("db2", False), ("web1", True)),
        "SELECT server, encrypted FROM servers",
    ),
    "MEAN": facts("What is the average order value?", "avg_value", ((58.374,),), "SELECT AVG(total) FROM orders"),
    "LATEST": facts(
        "When was the last order of each customer?",
        "customer last_order",
        (("Ada", "2024-05-02"), ("Bo", "2024-03-19"), ("Cy", "2023-11-30")),
        "SELECT customer, MAX(placed_on) AS last_order FROM orders GROUP BY customer ORDER BY last_order DESC",
    ),
    "SALES": facts(
        "How many units did each region sell per quarter of 2022?",
        "region q1 q2 q3 q4",
        (("North", 310, 300, 280, 260), ("East", 200, 210, 205, 240)),
        "SELECT region, q1, q2, q3, q4 FROM sales WHERE year = 2022",
    ),
    "VEHICLES": facts(
        "Welche Fahrzeuge haben keinen Termin?",
        "fahrzeug termin",
        (("B-12", None), ("B-40", None)),
        "SELECT fahrzeug, termin FROM fahrzeuge WHERE termin IS NULL",
    ),
    "LEGAL": facts(
        "Show the employees of the Legal department with their phone numbers.",
        "name phone",
        (("Amara", "555-0143"), ("Liam", None), ("Chen", "555-0150")),
        "SELECT name, phone FROM employees WHERE department = 'Legal'",
    ),
    "HOTELS": facts(
        "What was the occupancy of each hotel?",
        "hotel occupancy_pct",
        (("Ritz", 91.5), ("Court", 70.0)),
        "SELECT hotel, occupancy_pct FROM hotels",
    ),
    "BIKES": facts(
        "How many bikes does each station have and how many are rented out?",
        "station bikes rented",
        (("Dock", 40, 31), ("Mill", 25, 10), ("Gate", 12, 12)),
        "SELECT station, COUNT(*) AS bikes, SUM(rented) AS rented FROM bikes GROUP BY station",
    ),
}
TRUE = (
    ("SIGNUPS", "Signups rose month after month, from 120 in January to 171 in April 2024."),
    ("SIGNUPS", "Signups grew every month."),
    ("SIGNUPS", "Signups went up each month."),
    ("SIGNUPS", "Signups increased steadily from 120 to 171."),
    ("GAP", "Signups rose from 120 in January 2024 to 171 in April 2024."),
    ("RENTS", "The average rent rose every year, from €810.00 in 2019 to €960.00 in 2022."),
    ("RENTS", "Between 2019 and 2022, the average rent increased by €150, or about 18.5%."),
    ("QUARTERS", "North's revenue rose in every quarter of 2023, while South's fell from 90 in Q1 to 80 in Q2."),
    ("WEEKS", "Open tickets dropped from 80 in 2024-W01 to 60 in 2024-W04."),
    ("WEEKS", "The number of open tickets fell from 80 to 60."),
    ("VENTES", "Le chiffre d'affaires a baissé mois après mois, de 9 000 en janvier à 8 100 en mars 2024."),
    ("VENTES", "Le chiffre d'affaires a reculé chaque mois."),
    ("CHANGE", "Sales were up 8.7% in 2023 compared with 2022."),
    ("LIBRARIES", "Harbour came last with 120 loans."),
    ("LIBRARIES", "Central ranks first with 900 loans, East second with 410 and Harbour last with 120."),
    ("ISCRITTI", "Pilates è all'ultimo posto con 17 iscritti."),
    ("RACE", "Ida was the fastest with 41.2 minutes, ahead of Jon (43.0) and Kai (47.9)."),
    ("매출", "강남이 5,200으로 1위이고, 서초가 4,100으로 2위입니다."),
    ("PLANTS", "Alpha produced 51,200 megawatt-hours, followed by Elbe with 30,150."),
    ("PLANTS", "The two plants produced 81,350 megawatt hours of electricity in total."),
    ("INCOME", "The Desk brought in the most income at 18,230.50 euros."),
    ("CHANNELS", "The store channel had a higher revenue per order than web."),
    ("CHANNELS", "Web is the channel with the most orders, 820."),
    ("SERVERS", "Only db2 is not encrypted."),
    ("SERVERS", "All servers except db2 are encrypted."),
    ("LATEST", "Ada placed the most recent order, on May 2, 2024."),
    ("SALES", "Sales in the North fell every quarter in 2022, from 310 units in Q1 to 260 in Q4."),
    ("VEHICLES", "B-12 und B-40 haben keinen Termin."),
    ("HOTELS", "Ritz is by far the fullest hotel, at 91.5%."),
    ("BIKES", "Gate has all of its 12 bikes rented out."),
)
FALSE = (
    ("SIGNUPS", "Signups fell month after month, from 120 in January to 171 in April 2024."),
    ("SIGNUPS", "Signups rose year after year, from 120 in January to 171 in April 2024."),
    ("SIGNUPS", "Signups went down each month."),
    ("SIGNUPS", "Signups decreased steadily from 171 to 120."),
    ("GAP", "Signups grew every month."),
    ("RENTS", "Between 2019 and 2022, the average rent increased by €150, or about 15.6%."),
    ("UNSTEADY", "The average rent rose every year, from €810.00 in 2019 to €960.00 in 2022."),
    ("UNSTEADY", "The average rent climbed year after year."),
    ("QUARTERS", "In South, revenue grew quarter after quarter in 2023."),
    ("QUARTERS", "Revenue grew quarter after quarter in 2023."),
    ("WEEKS", "Open tickets fell week after week."),
    ("WEEKS", "The number of open tickets rose from 60 to 80."),
    ("WEEKS", "Open tickets fell steadily from 80 in 2024-W01 to 60 in 2024-W04."),
    ("VENTES", "Le chiffre d'affaires a augmenté chaque mois."),
    ("CHANGE", "Sales were up 8.7% in 2022 compared with 2023."),
    ("LIBRARIES", "East came last with 410 loans."),
    ("LIBRARIES", "Central ranks first with 900 loans, Harbour second with 120 and East last with 410."),
    ("TOP", "Kaya came last with 62,000."),
    ("ISCRITTI", "Nuoto è all'ultimo posto con 38 iscritti."),
    ("RACE", "Kai finished ahead of Jon."),
    ("매출", "1위는 서초로 매출은 4,100입니다."),
    ("매출", "강남이 5,200으로 2위입니다."),
    ("PLANTS", "Alpha produced 51,200 kilowatt-hours."),
    ("PLANTS", "Alpha produced 51,200 megawatts."),
    ("INCOME", "Desk brought in the most income, 18,230.50 pieces."),
    ("CHANNELS", "The web channel had a higher revenue per order than store."),
    ("SERVERS", "Only db1 is not encrypted."),
    ("SERVERS", "All servers except db1 are encrypted."),
    ("MEAN", "The total order value is 58.37."),
    ("LATEST", "Cy placed the most recent order, on November 30, 2023."),
    ("SALES", "Sales in the East rose every quarter in 2022, from 200 units in Q1 to 240 in Q4."),
    ("VEHICLES", "Kein Fahrzeug hat einen Termin."),
    ("LEGAL", "Legal has two employees: Amara and Liam."),
    ("HOTELS", "Court is the fullest hotel, at 70%."),
    ("HOTELS", "Ritz is the emptiest hotel, at 91.5%."),
    ("BIKES", "At Dock, 40 bikes are rented out of 31."),
    ("BIKES", "Dock has all of its 40 bikes rented out."),
)


@pytest.mark.parametrize(("name", "text"), TRUE)
def test_a_true_sentence_is_supported(name: str, text: str) -> None:
    assert check_text(text, FACTS[name]).problems == ()


@pytest.mark.parametrize(("name", "text"), FALSE)
def test_a_false_sentence_is_refused(name: str, text: str) -> None:
    assert check_text(text, FACTS[name]).problems
