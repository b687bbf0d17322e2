"""Times of a question for columns of dates, whose stored values are not read."""

from __future__ import annotations

import pytest

from agent.databases.knowledge.linking import period_lines
from agent.evaluation.retrieval.measure import StoredText, is_linked
from executors.base import Column, Schema, Table
from rag.linking.linking import LinkedPeriod, SchemaLinker

SCHEMA = Schema(
    database="d",
    dialect="sqlite",
    tables=(
        Table(
            name="sales",
            columns=(
                Column(name="sale_date", type="DATE"),
                Column(name="paid at", type="TIMESTAMP"),
                Column(name="born", type="DATE", private=True),
                Column(name="amount", type="REAL"),
            ),
        ),
        Table(name="shops", columns=(Column(name="city", type="TEXT"),)),
    ),
)
LINKER = SchemaLinker(SCHEMA)


@pytest.mark.parametrize(
    "question, line",
    [
        ("sales on Apr 1, 2023", "\"Apr 1, 2023\" is '2023-04-01' (before '2023-04-02')"),
        ("sales in March 2023", "\"March 2023\" is from '2023-03-01' to '2023-03-31' (before '2023-04-01')"),
        ("sales of Q4 2023", "\"Q4 2023\" is from '2023-10-01' to '2023-12-31' (before '2024-01-01')"),
    ],
)
def test_a_time_is_told_with_its_bounds_for_columns_of_dates(question: str, line: str) -> None:
    assert period_lines(LINKER.link(question).periods, SCHEMA) == (f'{line} in sales.sale_date or sales."paid at"',)


@pytest.mark.parametrize(
    "question, why",
    [
        ("shops in March 2023", "the table has no column of dates"),
        ("sales of the last month", "nobody here knows what day it is"),
        ("sales before Dec 31, 9999", "there is no day after"),
    ],
)
def test_nothing_is_told_where_nothing_can_be(question: str, why: str) -> None:
    assert LINKER.link(question).periods == (), why


def test_the_column_that_the_question_names_comes_first_and_private_ones_never() -> None:
    (period,) = LINKER.link("sales paid in March 2023").periods
    assert period.columns == (("sales", "paid at"), ("sales", "sale_date"))


@pytest.mark.parametrize(
    "text, column, is_date, linked, why",
    [
        ("2023-03-01", "sale_date", True, True, "the first day"),
        ("2023-03-31", "sale_date", True, True, "the last day"),
        ("2023-04-01", "sale_date", True, True, "the day after, which the line tells"),
        ("2023-03-15", "sale_date", True, False, "a day within it is not told"),
        ("2023-03-01", "founded", True, False, "the line is not about that column"),
        ("2023-03-01", "sale_date", False, False, "a text is linked by its stored value alone"),
    ],
)
def test_a_date_of_a_gold_query_is_linked_by_what_the_line_tells(
    text: str, column: str, is_date: bool, linked: bool, why: str
) -> None:
    period = LinkedPeriod(
        mention="March 2023",
        first="2023-03-01",
        last="2023-03-31",
        after="2023-04-01",
        columns=(("sales", "sale_date"),),
    )
    stored = StoredText(text=text, columns=(("sales", column),), is_date=is_date)
    assert is_linked(stored, (), [period]) is linked, why
