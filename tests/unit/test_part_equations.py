"""Calculations across parts: their operands are single numbers of the rows, their results exact."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.answers import AnswerNumber, AnswerPart
from agent.core.models import Plan
from agent.pipeline.decomposition.flow import equations


def part(number: int, *rows: dict[str, Any], measure: str = "", **more: Any) -> AnswerPart:
    plan = Plan(aggregates=(measure,)) if measure else None
    return AnswerPart(
        number=number, question="?", status="success", answer="", results=list(rows), row_count=len(rows), plan=plan,
        **more,
    )  # fmt: skip


A, B = part(1, {"month": "March", "total": 80}), part(2, {"total": 100.1})


@pytest.mark.parametrize(
    "calculation, text",
    [
        ("{1} - {2}", "80 - 100.1 = -20.1 [1][2]"),
        ("{2} - {1}", "100.1 - 80 = 20.1 [2][1]"),
        ("({1} - {2}) / {2} | percent", "(80 - 100.1) / 100.1 = -20.08% [1][2]"),
        ("({1} + {2}) / 2", "(80 + 100.1) / 2 = 90.05 [1][2]"),
        ("{1} / {2} * 100", "80 / 100.1 * 100 = 79.92 [1][2]"),
        ("{1} * {1}", "80 * 80 = 6,400 [1]"),
    ],
)
def test_an_equation_reads_as_it_is_computed(calculation: str, text: str) -> None:
    found, warnings = equations((calculation,), (A, B))
    assert ([one.text for one in found], warnings) == ([text], [])
    for number in found[0].numbers:
        assert found[0].text[number.start : number.end] == number.text


@pytest.mark.parametrize("language, text", [
    ("de", "80 - 100,1 = -20,1 [1][2]"),
    ("en", "80 - 100.1 = -20.1 [1][2]"),
    ("ko", "80 - 100.1 = -20.1 [1][2]"),
])  # fmt: skip
def test_an_equation_has_the_decimal_mark_of_the_question(language: str, text: str) -> None:
    ((found,), _) = equations(("{1} - {2}",), (A, B), language)
    assert found.text == text
    assert [found.text[it.start : it.end] for it in found.numbers] == [it.text for it in found.numbers]
    assert found.numbers[-1].expression == "80 - 100.1"


@pytest.mark.parametrize(
    "language, first, second, text",
    [
        ("en", "€61,885.60", "90,048.60", "61,885.60 - 90,048.60 = -28,163.00 [1][2]"),
        ("de", "61.885,60 €", "90.048,60", "61.885,60 - 90.048,60 = -28.163,00 [1][2]"),
        ("en", "61885.6", "90048.6", "61,885.6 - 90,048.6 = -28,163 [1][2]"),
    ],
)
def test_an_equation_has_the_decimals_of_its_parts(language: str, first: str, second: str, text: str) -> None:
    def one(number: int, value: float, shown: str) -> AnswerPart:
        told = AnswerNumber(text=shown, start=0, end=len(shown), source="result", row=0, column="revenue")
        return part(number, {"revenue": value}, numbers=[told])

    ((found,), _) = equations(("{1} - {2}",), (one(1, 61885.6, first), one(2, 90048.6, second)), language)
    assert found.text == text
    assert [found.text[it.start : it.end] for it in found.numbers] == [it.text for it in found.numbers]


def test_a_year_is_not_grouped() -> None:
    ((found,), _) = equations(("{1} - {2}",), (part(1, {"year": 2024}), part(2, {"year": 1019})))
    assert found.text == "2024 - 1019 = 1005 [1][2]"


@pytest.mark.parametrize(
    "calculation, why",
    [
        ("{1} * 1.19", "It may hold"),
        ("{1} - 81", "It may hold"),
        ("{1}2 - {2}", "It may hold"),
        ("80 - 100", "It may hold"),
        ("{1} - {2} because of rain", "It may hold"),
        ("sqrt({1})", "It may hold"),
        ("{1} -", "expression ends"),
        ("{1} {2}", "side by side"),
        ("{1} / ({2} - {2})", "Division by zero"),
        ("{1} - {3}", "Part 3 does not give exactly one number"),
        ("{1} - {4}", "Part 4 does not give exactly one number"),
        ("{1} - {5}", "Part 5 does not give exactly one number"),
    ],
)
def test_what_is_no_calculation_of_single_numbers_is_left_out(calculation: str, why: str) -> None:
    several = part(3, {"total": 1}, {"total": 2})
    two_numbers = part(4, {"year": 2024, "total": 2})
    found, warnings = equations((calculation,), (A, B, several, two_numbers))
    assert found == []
    assert len(warnings) == 1
    assert why in warnings[0]


@pytest.mark.parametrize("rows", [[], [{"total": None}], [{"total": True}], [{"total": "80"}]])
def test_a_part_without_a_number_is_no_operand(rows: list[dict[str, Any]]) -> None:
    assert equations(("{1} - {2}",), (part(1, *rows), B))[0] == []


@pytest.mark.parametrize(
    "left, right, text",
    [
        (1234.56789012, 1234.5671, "1,234.56789012 - 1,234.5671 = 0.00079 [1][2]"),
        (0.1 + 0.2, 0.1, "0.3 - 0.1 = 0.2 [1][2]"),
        (12_000_000, 1e15, "12,000,000 - 1,000,000,000,000,000 = -999,999,988,000,000 [1][2]"),
        (0, 0.0000004, "0 - 0.0000004 = -0.00000040 [1][2]"),
    ],
)
def test_operands_are_as_their_rows_hold_them(left: float, right: float, text: str) -> None:
    found, _ = equations(("{1} - {2}",), (part(1, {"a": left}), part(2, {"b": right})))
    assert found[0].text == text


def test_a_part_without_an_answer_is_no_operand() -> None:
    failed = A.model_copy(update={"status": "error"})
    assert equations(("{1} - {2}",), (failed, B))[0] == []


def test_two_numbers_of_one_measure_give_their_difference() -> None:
    march, april = part(1, {"n": -5}, measure="SUM(amount)"), part(2, {"n": 7}, measure="SUM(amount)")
    other = part(2, {"n": 7}, measure="COUNT(*)")
    third = part(3, {"n": 9}, measure="SUM(amount)")
    assert [one.text for one in equations((), (march, april))[0]] == ["(-5) - 7 = -12 [1][2]"]
    assert equations((), (march, other))[0] == []
    assert equations((), (march, april, third))[0] == [], "which of them is meant is not known"
    assert equations((), (A, B))[0] == [], "nothing is known of what they measure"


@given(st.integers(-(10**9), 10**9), st.decimals(-(10**6), 10**6, places=2, allow_nan=False))
def test_differences_are_exact(left: int, right: Any) -> None:
    found, _ = equations(("{1} - {2}",), (part(1, {"a": left}), part(2, {"b": float(right)})))
    assert float(found[0].numbers[-1].text.replace(",", "")) == pytest.approx(float(left - right), abs=1e-9)
