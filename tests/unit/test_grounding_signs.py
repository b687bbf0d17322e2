"""Sentences about values below zero, percentages of another column, bounds in Korean, and times that are left out."""

from __future__ import annotations

import pytest

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.facts import Facts
from executors.base import QueryResult

ROWS = (("Store 12", 64300), ("Store 7", 12850), ("Harbor", -8200), ("Store 31", -27400), ("Airport", -41950))
PROFITS = Facts(
    question="What was the profit of each branch in 2023?",
    result=QueryResult(columns=("branch", "profit"), rows=ROWS),
    sql="SELECT branch, SUM(amount) AS profit FROM ledger WHERE year = 2023 GROUP BY branch ORDER BY profit DESC",
)
CHANGES = Facts(
    question="How much did the price of each fruit change in 2024?",
    result=QueryResult(columns=("fruit", "change"), rows=(("Pear", -3), ("Plum", -8), ("Fig", -12))),
    sql="SELECT fruit, june - january AS change FROM prices WHERE year = 2024 ORDER BY change DESC",
)
HOTEL = Facts(
    question="What are the figures of hotel Marisol 2 in 2024?",
    result=QueryResult(
        columns=("hotel", "occupancy_pct", "cancelled_bookings"),
        rows=(("Marisol 2", 71.5, 318),),
    ),
    sql="SELECT hotel, occupancy_pct, cancelled_bookings FROM figures WHERE hotel = 'Marisol 2' AND year = 2024",
)
CENTERS = Facts(
    question="2024년 3분기 물류센터별 평균 배송 시간은?",
    result=QueryResult(columns=("center", "avg_hours"), rows=(("인천 1센터", 18.5), ("부산 2센터", 26.0))),
    sql="SELECT center, AVG(hours) AS avg_hours FROM deliveries WHERE day >= '2024-07-01' AND day < '2024-10-01' "
    "GROUP BY center",
)


NIGHTS = Facts(
    question="Combien de nuitées par mois en 2024 ?",
    result=QueryResult(columns=("mois", "nuitees"), rows=(("2024-06", 1240), ("2024-07", 3875))),
    sql="SELECT mois, SUM(nuits) AS nuitees FROM sejours WHERE annee = 2024 GROUP BY mois",
)
SCRAP = Facts(
    question="Wie hoch war die Ausschussquote jeder Maschine?",
    result=QueryResult(columns=("maschine", "ausschussquote"), rows=(("Heidel", 6.2), ("Roland", 4.8), ("Speed", 3.1))),
    sql="SELECT maschine, 100.0 * SUM(ausschuss) / SUM(bogen) AS ausschussquote FROM auftraege GROUP BY maschine",
)


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        (PROFITS, "In 2023, three of the five branches made a loss: Harbor, Store 31 and Airport."),
        (PROFITS, "In 2023, Harbor lost 8,200, Store 31 27,400 and Airport 41,950."),
        (SCRAP, "Zwischen Heidel und Roland liegen 1,4 Prozentpunkte bei der Quote."),
        (NIGHTS, "Les nuitées ont plus que triplé entre juin et juillet 2024."),
        (PROFITS, "Airport had the largest loss in 2023, at 41,950."),
        (PROFITS, "Harbor had the smallest loss in 2023, at 8,200."),
        (PROFITS, "Airport posted the largest loss in 2023."),
        (PROFITS, "The largest loss in 2023 was 41,950."),
        (PROFITS, "The smallest loss in 2023 was 8,200."),
        (CHANGES, "Fig had the largest change in 2024, at -12."),
        (CHANGES, "Pear had the smallest decline in 2024, at 3."),
        (CENTERS, "2024년 3분기 부산 2센터는 인천 1센터보다 7.5시간 더 걸렸습니다."),
        (CENTERS, "2024년 3분기 인천 1센터는 부산 2센터보다 평균 배송 시간이 짧습니다."),
        (CENTERS, "2024년 3분기 인천 1센터의 평균 배송 시간은 20시간 미만이었습니다."),
        (CENTERS, "2024년 3분기 부산 2센터의 평균 배송 시간은 25시간을 넘었습니다."),
    ],
)
def test_it_is_shown_as_written(facts: Facts, text: str) -> None:
    checked = check_text(text, facts)

    assert (checked.text, checked.problems) == (text, ())


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        (PROFITS, "Harbor had the largest loss in 2023, at 8,200."),
        (PROFITS, "Airport had the smallest loss in 2023, at 41,950."),
        (PROFITS, "Harbor posted the largest loss in 2023."),
        (PROFITS, "The largest loss in 2023 was 8,200."),
        (PROFITS, "The smallest loss in 2023 was 41,950."),
        (CHANGES, "Pear had the largest change in 2024, at -3."),
        (CHANGES, "Fig had the smallest decline in 2024, at 12."),
        (PROFITS, "In 2023, three of the five branches made a loss: Harbor, Store 31 and Store 7."),
        (PROFITS, "In 2023, Harbor lost 8,200 and Store 7 12,850."),
        (PROFITS, "In 2023, Harbor lost 8,200, Store 31 41,950 and Airport 27,400."),
        (SCRAP, "Zwischen Heidel und Speed liegen 1,4 Prozentpunkte bei der Quote."),
        (SCRAP, "Roland lag 1,4 Prozentpunkte über der Heidel."),
        (NIGHTS, "Les nuitées ont plus que quadruplé entre juin et juillet 2024."),
        (HOTEL, "In 2024, 71.5% of the bookings of Marisol 2 were cancelled."),
        (CENTERS, "2024년 3분기 부산 2센터는 인천 1센터보다 7.5시간 덜 걸렸습니다."),
        (CENTERS, "2024년 3분기 인천 1센터는 부산 2센터보다 7.5시간 더 걸렸습니다."),
        (CENTERS, "2024년 3분기 인천 1센터는 부산 2센터보다 평균 배송 시간이 깁니다."),
        (CENTERS, "2024년 3분기 부산 2센터의 평균 배송 시간은 25시간 미만이었습니다."),
        (CENTERS, "2024년 3분기 인천 1센터의 평균 배송 시간은 20시간을 넘었습니다."),
        (CENTERS, "2024년 3분기 인천 1센터의 평균 배송 시간은 18.5시간 미만입니다."),
        (CENTERS, "2024년 3분기 인천 1센터의 평균 배송 시간은 18.5분입니다."),
    ],
)
def test_it_is_refused(facts: Facts, text: str) -> None:
    assert check_text(text, facts).problems


@pytest.mark.parametrize(
    ("facts", "text", "time"),
    [
        (PROFITS, "Airport has lost 41,950.", "2023"),
        (HOTEL, "Marisol 2 had an occupancy of 71.5%.", "2024"),
        (CENTERS, "인천 1센터의 평균 배송 시간은 18.5시간입니다.", "2024년 3분기"),
    ],
)
def test_a_row_that_is_named_without_the_time_of_the_question_gets_it(facts: Facts, text: str, time: str) -> None:
    checked = check_text(text, facts)

    assert (checked.text, checked.problems) == (f"{text.removesuffix('.')} ({time}).", ())
