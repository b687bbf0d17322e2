"""Each number of an answer has its source: a row, a calculation or another."""

from __future__ import annotations

import pytest

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.facts import Facts
from agent.checks.grounding.evidence.result import find_counted
from agent.core.answers import AnswerNumber
from executors.base import QueryResult

ROWS = QueryResult(
    columns=("country", "customers", "share"),
    rows=(("France", 6, 0.25), ("Germany", 6, 0.25), ("Spain", 12, 0.5)),
)
QUESTION = "How many customers does each country have, and what share of them?"


def numbers(text: str, *, question: str = QUESTION, rows: QueryResult = ROWS) -> dict[str, AnswerNumber]:
    checked = check_text(text, Facts(question=question, result=rows))
    for number in checked.numbers:
        assert checked.text[number.start : number.end] == number.text
    return {number.text: number for number in checked.numbers}


@pytest.mark.parametrize(
    "text, number, row, column",
    [
        ("Spain has 12 customers.", "12", 2, "customers"),
        ("Germany has 6 customers.", "6", 1, "customers"),
        ("6 customers come from Germany.", "6", 1, "customers"),
        ("There are 6 customers in France.", "6", 0, "customers"),
        ("A share of 50% of the customers come from Spain.", "50%", 2, "share"),
    ],
)
def test_a_number_of_the_rows_names_its_cell(text: str, number: str, row: int, column: str) -> None:
    found = numbers(text)[number]
    assert (found.source, found.row, found.column) == ("result", row, column)


def test_of_two_equal_values_each_leads_to_the_row_that_is_spoken_of() -> None:
    found = check_text("France has 6 customers, Germany has 6.", Facts(question=QUESTION, result=ROWS)).numbers
    assert [number.row for number in found] == [0, 1]


@pytest.mark.parametrize(
    "text, number, expression",
    [
        ("Together France and Spain have [[6 + 12 | integer]] customers.", "18", "6 + 12"),
        ("Together France and Spain have 6 + 12 = 19 customers.", "18", "6 + 12"),
        ("Together France and Spain have 6 + 12 = 18 customers.", "18", "6 + 12 "),
        ("France and Spain together have 18 customers.", "18", "6 + 12"),
        ("In total there are 24 customers.", "24", "6 + 6 + 12"),
        ("On average a country has 8 customers.", "8", "(6 + 6 + 12) / 3"),
        ("Spain has 6 more customers than France.", "6", "12 - 6"),
    ],
    ids=["a placeholder", "an equation put right", "one that was right", "a sum of two", "of all", "a mean", "apart"],
)
def test_a_computed_number_says_from_what(text: str, number: str, expression: str) -> None:
    found = numbers(text)[number]
    assert (found.source, found.expression.strip(), found.row) == ("calculation", expression.strip(), None)


def test_what_was_asked_for_and_what_nothing_supports() -> None:
    found = numbers("Of the top 5, 777 stayed.", question="Who are the top 5?")
    assert (found["5"].source, found["777"].source) == ("question", None)


def test_a_column_that_is_there_twice_is_named_as_the_records_name_it() -> None:
    twice = QueryResult(columns=("total", "total"), rows=((1, 42),))
    (number,) = numbers("It is 42.", question="How much?", rows=twice).values()
    assert twice.records()[0][number.column or ""] == 42


@pytest.mark.parametrize("context, said", [(" (n = 12)", "12"), (" (n > 500)", "500")])
def test_the_row_count_behind_an_answer_is_a_number_too(context: str, said: str) -> None:
    text = "Spain leads."
    (number,) = find_counted(text, context)
    assert (number.source, (text + context)[number.start : number.end]) == ("row count", said)


def test_one_row_is_not_counted() -> None:
    assert find_counted("It is 42.", "") == ()


def test_a_code_of_one_letter_is_a_word_too() -> None:
    codes = QueryResult(columns=("status", "orders"), rows=(("C", 3), ("S", 1), ("X", 1)))
    text = "Most orders, 3 of them, have the status C; 1 has the status X."
    found = check_text(text, Facts(question="How many orders have which status?", result=codes))
    assert [(number.text, number.row) for number in found.numbers] == [("3", 0), ("1", 2)]
