"""Numbers over two names, of several rows, of columns by year, and of rows that numbers tell apart."""

from __future__ import annotations

import pytest
from grounding_facts import facts

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.facts import Facts

WELLS = facts(
    "How many probes did each well get per year since 2021?",
    "well year probes",
    (("North", 2021, 8), ("North", 2022, 12), ("South", 2021, 9), ("South", 2022, 6)),
    "SELECT w.name AS well, year, COUNT(*) AS probes FROM probes p JOIN wells w ON w.id = p.well_id "
    "WHERE year >= 2021 GROUP BY 1, 2",
)
VISITS = facts(
    "How many people used each pool?",
    "pool people",
    (("Old", 40), ("New", 70), ("Kids", 20)),
    "SELECT pool, COUNT(*) AS people FROM visits GROUP BY pool",
)
MEMBERS = facts(
    "How many people used each pool?",
    "pool people",
    (("Old", 40), ("New", 70), ("Kids", 20)),
    "SELECT pool, COUNT(DISTINCT person_id) AS people FROM visits GROUP BY pool",
)
WATER = facts(
    "How did the use of water change from 2023 to 2024 in each block?",
    "block water_2023 water_2024",
    (("East", 510, 460), ("West", 300, 300)),
    "SELECT block, SUM(CASE WHEN y = 2023 THEN m3 END) AS water_2023, "
    "SUM(CASE WHEN y = 2024 THEN m3 END) AS water_2024 "
    "FROM meters GROUP BY block",
)
DESKS = facts(
    "How many desks are there per house and floor?",
    "house floor desks",
    (("Ash", 1, 12), ("Ash", 2, 18), ("Yew", 1, 9), ("Yew", 2, 24)),
    "SELECT house, floor, desks FROM rooms",
)
SHARE = facts(
    "What share of the tickets was sold online, per town?",
    "town online_pct",
    (("Aalen", 41.5), ("Bruck", None)),
    "SELECT town, online_pct FROM sales",
)
DEBTS = facts(
    "Do we have unpaid bills over 2,000 dollars?",
    "n",
    ((0,),),
    "SELECT COUNT(*) AS n FROM bills WHERE paid = 0 AND amount > 2000",
)
HOTELS = facts(
    "Quante camere ci sono per numero di stelle?",
    "stelle camere",
    ((3, 120), (4, 80)),
    "SELECT stelle, SUM(camere) AS camere FROM hotel GROUP BY stelle",
)
LEAVE = facts(
    "직원별 휴가 일수는 며칠인가요?",
    "name vacation_days",
    (("김서연", 12), ("박준호", 8)),
    "SELECT name, vacation_days FROM employees",
)


@pytest.mark.parametrize(
    "asked, true, false",
    [
        (
            WELLS,
            "North got 8 probes in 2021 and 12 in 2022; South got 9 and 6.",
            "North got 8 probes in 2021 and 12 in 2022; South got 6 and 9.",
        ),
        (
            WELLS,
            "North's probes rose from 8 in 2021 to 12 in 2022, while South's fell from 9 to 6.",
            "North's probes rose from 8 in 2021 to 12 in 2022, while South's rose from 9 to 6.",
        ),
        (WELLS, "Since 2021, North got 20 probes.", "Since 2021, North got 12 probes."),
        (
            WELLS,
            "In 2022, North got 12 probes, up 50% from 2021.",
            "In 2021, North got 8 probes, up 50% from 2022.",
        ),
        (VISITS, "The three pools had 130 people.", "130 people used the pool Old."),
        (VISITS, "In total, 130 people used the pools.", "130 people used each of the three pools."),
        (WATER, "In 2024, East used 460 of water.", "In 2023, East used 460 of water."),
        (
            WATER,
            "In East the use of water fell from 510 in 2023 to 460 in 2024.",
            "In East the use of water rose from 460 in 2023 to 510 in 2024.",
        ),
        (
            WATER,
            "In West the use of water stayed the same in 2023 and 2024.",
            "In East the use of water stayed the same in 2023 and 2024.",
        ),
        (DESKS, "On floor 2, there are 18 desks in Ash and 24 in Yew.", "On floor 2, there are 24 desks in Ash."),
        (SHARE, "For Bruck there is no value.", "In Bruck, none of the tickets were sold online."),
        (DEBTS, "There are no unpaid bills over $2,000.", "There are no unpaid bills."),
        (HOTELS, "Per 3 stelle ci sono 120 camere.", "Per 4 stelle ci sono 120 camere."),
        (LEAVE, "김서연은 12일, 박준호는 8일입니다.", "김서연은 12시간입니다."),
    ],
)
def test_a_number_is_of_the_rows_and_the_column_it_is_said_of(asked: Facts, true: str, false: str) -> None:
    assert check_text(true, asked).problems == ()
    assert check_text(false, asked).problems != ()


def test_what_is_distinct_in_each_group_is_not_summed() -> None:
    assert check_text("In total, 130 people used the pools.", MEMBERS).problems != ()
    assert check_text("70 people used the pool New.", MEMBERS).problems == ()
