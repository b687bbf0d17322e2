"""Sentences about a longer time than the query reads."""

from __future__ import annotations

import pytest

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.facts import Facts
from executors.base import QueryResult

ONE_DAY = "SELECT COUNT(*) AS landings FROM landings WHERE landed_on = '2023-08-01'"
MONTH = "SELECT COUNT(*) AS landings FROM landings WHERE landed_on >= '2023-08-01' AND landed_on < '2023-09-01'"


def problems_of(question: str, text: str, sql: str) -> tuple[str, ...]:
    return check_text(text, Facts(question, QueryResult(columns=("landings",), rows=((7,),)), sql)).problems


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How many landings were there in August 2023?", "There were 7 landings in August 2023."),
        ("How many landings were there in 2023?", "There were 7 landings in 2023."),
        ("How many landings were there in Q3 2023?", "There were 7 landings in Q3 2023."),
        ("Wie viele Landungen gab es im August 2023?", "Im August 2023 gab es 7 Landungen."),
    ],
)
def test_a_month_is_not_said_of_one_of_its_days(question: str, text: str) -> None:
    assert any("the query reads only 2023-08-01" in it for it in problems_of(question, text, ONE_DAY))


@pytest.mark.parametrize(
    ("question", "text", "sql"),
    [
        ("How many landings were there in August 2023?", "There were 7 landings in August 2023.", MONTH),
        ("How many landings were there on 1 August 2023?", "There were 7 landings on 1 August 2023.", ONE_DAY),
        ("How many landings were there on 2023-08-01?", "There were 7 landings on 2023-08-01.", ONE_DAY),
    ],
)
def test_a_time_that_the_query_reads_is_said(question: str, text: str, sql: str) -> None:
    assert problems_of(question, text, sql) == ()
