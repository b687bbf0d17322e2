"""Every number of an answer is traced to where it comes from, or to nowhere."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from agent.grounding import Grounding, trace
from executors.base import QueryResult

RESULT = QueryResult(
    columns=("month", "total", "share", "name", "count_2023"),
    rows=(
        ("2024-03-01", 136.7999, 0.253, "Phase 3", 12_345_678),
        ("2024-04-15T14:30:00", -50, None, "iPhone 14 Pro", True),
        ("10-20", "1234.50", float("nan"), "SKU-12", 8_800),
    ),
)
RAW = QueryResult(columns=("price",), rows=((19.99,), (24.5,), (31.0,), (42,)))


def traced(answer: str, *, question: str = "", calculated: tuple[Fraction, ...] = (), row_count: int = 3) -> Grounding:
    return trace(answer, result=RESULT, raw=RAW, question=question, calculated=calculated, row_count=row_count)


@pytest.mark.parametrize(
    "answer, why",
    [
        ("136.7999", "as it is"),
        ("136.8", "rounded to one decimal"),
        ("137", "rounded to none"),
        ("$136.80", "money"),
        ("12,345,678", "with thousands separators"),
        ("12.3 million", "rounded, in millions"),
        ("12,3 Mio", "the same in German"),
        ("12.35M", "the same, short"),
        ("1,234.5", "a number kept as text"),
        ("1.234,50 €", "in European style"),
        ("8.8k", "in thousands"),
        ("25.3%", "percent of a fraction"),
        ("25 percent", "percent in a word, rounded"),
        ("-50", "negative"),
        ("a loss of 50", "the sign is in the word"),
        ("2024", "the year of a date"),
        ("March 2024", "a month of a date"),
        ("March 1, 2024", "a date in words"),
        ("1. März 2024", "the same in German"),
        ("4/15/2024 at 14:30", "date and time in figures"),
        ("Q2 2024", "the quarter of a date"),
        ("2024-03-01", "the date as it is"),
        ("the bucket 10-20", "a label of figures"),
        ("Phase 3", "a numeral in a name"),
        ("iPhone 14", "part of a name"),
        ("SKU-12", "a code"),
        ("in 2023", "a numeral in a column's name"),
        ("about 12,000,000", "loosely rounded, and says so"),
        ("over 8,000", "a lower bound"),
        ("nearly 9,000", "an upper bound"),
        ("€8,800", "with a currency that the cell does not have"),
    ],
)
def test_traces_to_the_result(answer: str, why: str) -> None:
    numbers = traced(f"It was {answer} then.").numbers

    assert [number.source for number in numbers] == ["result"] * len(numbers), why
    assert numbers


@pytest.mark.parametrize(
    "answer, why",
    [
        ("136.9", "not a rounding"),
        ("136.79", "cut off, not rounded"),
        ("86.8", "a sum of two cells that nobody stated"),
        ("186.8", "a difference that nobody stated"),
        ("12.2 million", "another number of millions"),
        ("26%", "another percentage"),
        ("-136.8", "the sign is wrong"),
        ("12,000,000", "loosely rounded without saying so"),
        ("May 2024", "a month that no date has"),
        ("March 2, 2024", "a day that no date has"),
        ("Q3 2024", "a quarter that no date has"),
        ("2022", "a year that nothing has"),
        ("Phase 5", "another phase"),
        ("14 dogs", "a numeral out of another name"),
        ("SKU-13", "another code"),
        ("v1.2.3", "a version that nothing has"),
    ],
)
def test_finds_no_source(answer: str, why: str) -> None:
    grounding = traced(f"It was {answer} then.")

    assert len(grounding.untraced) == 1, why
    assert grounding.untraced[0].text in answer


@pytest.mark.parametrize(
    "answer, source",
    [
        ("The top 5 are these.", "question"),
        ("Since 2019 nothing changed.", "question"),
        ("It was 19.99 once.", "raw"),
        ("There are 4 rows behind it.", "row count"),
        ("All 250 rows were read.", "row count"),
        ("The difference is 86.8.", "calculation"),
        ("That is 12.5%.", "calculation"),
        ("It came 2nd.", "position"),
    ],
)
def test_names_the_source(answer: str, source: str) -> None:
    grounding = traced(
        answer,
        question="Which five were best since 2019?",
        calculated=(Fraction(868, 10), Fraction(1, 8)),
        row_count=250,
    )

    assert [number.source for number in grounding.numbers] == [source]


def test_a_numbered_list_is_no_claim() -> None:
    grounding = traced("The best:\n1. Phase 3\n2. SKU-12\n9. none")

    assert [(n.text, n.source) for n in grounding.numbers] == [
        ("1", "position"), ("3", "result"), ("2", "position"), ("SKU-12", "result"), ("9", None),
    ]  # fmt: skip


def test_a_shown_calculation_may_multiply_by_a_hundred() -> None:
    grounding = traced("50 / 8,800 * 100 = 0.57%", calculated=(Fraction(50, 88),))

    assert grounding.untraced == ()


def test_a_month_and_a_year_may_stand_in_columns_of_their_own() -> None:
    result = QueryResult(columns=("month", "year", "quarter"), rows=(("March", 2024, 1), (4, 2023, 2)))
    found = trace(
        "March 2024, April 2023, Q2 2023, May 2024", result=result, raw=None, question="", calculated=(), row_count=9
    )

    assert [number.text for number in found.untraced] == ["May 2024"]


def test_an_answer_without_numbers_has_nothing_to_trace() -> None:
    assert traced("Nothing was found in March.").numbers == ()


@pytest.mark.parametrize("cell", [None, True, float("inf"), [7, 8], {"a": 7}, "", "seven", 10**30])
def test_any_cell_is_taken(cell: Any) -> None:
    result = QueryResult(columns=("cell",), rows=((cell,),))

    grounding = trace("There are 3.5.", result=result, raw=None, question="", calculated=(), row_count=1)

    assert [number.text for number in grounding.untraced] == ["3.5"]


def test_a_large_result_is_traced_number_by_number() -> None:
    rows = tuple(tuple(row * 1000 + column + 0.25 for column in range(20)) for row in range(500))
    result = QueryResult(columns=tuple(f"c{i}" for i in range(20)), rows=rows)
    answer = ", ".join(f"{row * 1000 + 7.25}" for row in range(500)) + ", 7.75"

    grounding = trace(answer, result=result, raw=result, question="", calculated=(), row_count=500)

    assert len(grounding.numbers) == 501
    assert [number.text for number in grounding.untraced] == ["7.75"]


BY_COUNTRY = (("FR", 66), ("DE", 190), ("AT", 62))


@pytest.mark.parametrize(
    "column", ["customer_count", "number_of_customers", "num_customers", "total_customers", "Customers"]
)
def test_a_number_of_rows_is_not_the_number_that_a_column_tells(column: str) -> None:
    result = QueryResult(columns=("country", column), rows=BY_COUNTRY)

    def sources(answer: str) -> list[str | None]:
        found = trace(answer, result=result, raw=None, question="", calculated=(), row_count=3)
        return [number.source for number in found.numbers]

    assert sources("There are 3 customers from France.") == [None]
    assert sources("There are 66 customers from France, in 3 countries (n = 3).") == [
        "result",
        "row count",
        "row count",
    ]


@pytest.mark.parametrize("column", ["customer_id", "order_total", "total", "n"])
def test_a_column_that_counts_nothing_of_the_kind_leaves_the_rows_their_number(column: str) -> None:
    result = QueryResult(columns=("name", column), rows=BY_COUNTRY)

    found = trace("There are 3 customers.", result=result, raw=None, question="", calculated=(), row_count=3)

    assert [number.source for number in found.numbers] == ["row count"]
