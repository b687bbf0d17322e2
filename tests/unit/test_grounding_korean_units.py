"""Units behind the digits of Korean sentences, and units that a query converts."""

from __future__ import annotations

import pytest

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.facts import Facts
from executors.base import QueryResult
from rag.docs.documents import make_document

SOLAR = Facts(
    question="2023년 1분기 월별 발전량은 얼마인가요?",
    result=QueryResult(columns=("month", "mwh"), rows=(("2023-01", 12.5), ("2023-02", 15.1), ("2023-03", 20.4))),
    sql="SELECT strftime('%Y-%m', read_on) AS month, ROUND(SUM(kwh) / 1000.0, 1) AS mwh FROM readings "
    "WHERE read_on >= '2023-01-01' AND read_on < '2023-04-01' GROUP BY month ORDER BY month",
    documents=(make_document("column", "energy in kWh", table="readings", column="kwh"),),
)
WATER = Facts(
    question="강별 질산염 농도는 얼마인가요?",
    result=QueryResult(columns=("river", "nitrate"), rows=(("한강", 12), ("금강", 17))),
    sql="SELECT river, nitrate FROM water",
    documents=(make_document("column", "nitrate in mg/l", table="water", column="nitrate"),),
)


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        (SOLAR, "2023년 2월의 발전량은 15.1MWh였습니다."),
        (SOLAR, "2023년 2월의 발전량은 15.1 MWh입니다."),
        (WATER, "한강의 질산염 농도는 12mg/l입니다."),
    ],
)
def test_units_of_the_column_are_shown(facts: Facts, text: str) -> None:
    assert check_text(text, facts).problems == ()


@pytest.mark.parametrize(
    ("facts", "text", "problem"),
    [
        (SOLAR, "2023년 2월의 발전량은 15.1kWh였습니다.", "15.1kWh"),  # the query has converted it
        (SOLAR, "2023년 2월의 발전량은 15.1kg입니다.", "15.1kg"),
        (SOLAR, "2023년 하반기의 발전량은 모두 합해 48MWh입니다.", "하반기"),
        (WATER, "한강의 질산염 농도는 12µg/l입니다.", "12µg/l"),
        (WATER, "한강의 질산염 농도는 17mg/l입니다.", "17"),
        (WATER, "한강의 질산염 농도는 99mg/l입니다.", "99"),
    ],
)
def test_units_and_numbers_of_something_else_are_refused(facts: Facts, text: str, problem: str) -> None:
    assert any(problem in it for it in check_text(text, facts).problems)
