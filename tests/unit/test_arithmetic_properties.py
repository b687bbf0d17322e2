"""For any input, the calculator gives the exact value or refuses; right results never change."""

from __future__ import annotations

import re
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from agent.checks.grounding.arithmetic.calculator import CalculationRefused, calculate, fill_placeholders
from agent.checks.grounding.arithmetic.equations import recompute
from agent.checks.grounding.arithmetic.expression import MAX_RESULT_DIGITS
from agent.checks.grounding.check import check
from agent.checks.grounding.evidence.facts import Facts
from agent.checks.grounding.numbers.numerals import decimals_needed, write_number
from executors.base import QueryResult

Tree = tuple[str, Fraction]  # an expression as text, and its value by Python's fractions

# No deadline: the first example imports SymPy.
many = settings(max_examples=200, deadline=None)


def _number(digits: int, decimals: int) -> Tree:
    value = Fraction(digits, 10**decimals)
    return write_number(value, decimals), value


numbers = st.builds(_number, st.integers(0, 99_999), st.integers(0, 3))


@st.composite
def _operation(draw: st.DrawFn, parts: st.SearchStrategy[Tree]) -> Tree:
    (left, one), (right, two) = draw(parts), draw(parts)
    sign = draw(st.sampled_from(["+", "-", "*", "/", "−", "×", "÷", "·"]))
    assume(sign not in "/÷" or two != 0)
    space = draw(st.sampled_from(["", " "]))
    value = {
        "+": lambda: one + two, "-": lambda: one - two, "*": lambda: one * two, "/": lambda: one / two,
    }[{"−": "-", "×": "*", "÷": "/", "·": "*"}.get(sign, sign)]()  # fmt: skip
    minus = draw(st.booleans())
    text = f"({left}{space}{sign}{space}{right})"
    return (f"-{text}", -value) if minus else (text, value)


trees = st.recursive(numbers, _operation, max_leaves=8)
sums = st.lists(st.tuples(numbers, st.sampled_from("+-*")), min_size=2, max_size=5)
noise = st.text(alphabet="0123456789+-*/^()[]%=.,$€x×÷ |e_'`\nabis:#!–", max_size=60)


def _flat(parts: list[tuple[Tree, str]]) -> Tree:
    """`a + b * c`, evaluated with products first."""
    text, total, product = parts[0][0][0], Fraction(0), parts[0][0][1]
    for (_, sign), ((following, value), _) in pairwise(parts):
        text += f" {sign} {following}"
        if sign == "*":
            product *= value
        else:
            total, product = total + product, value if sign == "+" else -value
    return text, total + product


@many
@given(trees)
def test_an_expression_has_its_exact_value(tree: Tree) -> None:
    text, value = tree
    assume(abs(value) < 10**MAX_RESULT_DIGITS)

    found = calculate(text)

    assert found.exact
    assert found.number == value


@many
@given(st.one_of(st.text(max_size=80), noise))
@example("9**9**9")
@example("__import__('os').system('true')")
@example("(" * 400)
@example("-" * 400 + "1")
@example("2^-2^-2^-2")
def test_any_text_is_computed_or_refused(text: str) -> None:
    with suppress(CalculationRefused):
        assert abs(calculate(text).number) < 10**MAX_RESULT_DIGITS


@many
@given(st.one_of(st.text(max_size=80), noise))
def test_any_text_comes_through_and_a_second_time_unchanged(text: str) -> None:
    once = recompute(fill_placeholders(text).text).text

    assert recompute(once).text == once


@many
@given(sums, st.integers(-50, 50), st.booleans())
def test_a_wrong_result_is_repaired_once_and_for_all(parts: list[tuple[Tree, str]], error: int, grouped: bool) -> None:
    expression, value = _flat(parts)
    assume(not re.fullmatch(r"(?:19|20)\d\d - (?:19|20)\d\d", expression) or value >= 0)  # years, from when to when
    stated = write_number(value + error, 3, grouping="," if grouped else "")

    once = recompute(f"{expression} = {stated}")

    assert recompute(once.text).text == once.text
    assert bool(once.corrections) == (
        abs(error) > 0 or abs(value - Fraction(stated.replace(",", ""))) > Fraction(1, 2000)
    )


@many
@given(sums, st.sampled_from(["{} = {}", "So it is {} = {}.", "Total: {} = ${}", "The sum ({} = {} apples) is right."]))
def test_a_right_equation_stays_to_the_letter(parts: list[tuple[Tree, str]], sentence: str) -> None:
    expression, value = _flat(parts)
    decimals = decimals_needed(value)
    assert decimals is not None  # no division, so decimals suffice
    text = sentence.format(expression, write_number(value, decimals))

    assert recompute(text).text == text


@many
@given(sums, st.integers(0, 4))
def test_a_correct_rounding_stays_to_the_letter(parts: list[tuple[Tree, str]], decimals: int) -> None:
    expression, value = _flat(parts)
    text = f"{expression} = {write_number(value, decimals)}"

    assert recompute(text).text == text


@many
@given(st.one_of(st.text(max_size=80), noise), st.lists(st.one_of(st.integers(), st.floats(), st.text(max_size=12))))
def test_any_answer_can_be_checked(answer: str, cells: list[int | float | str]) -> None:
    result = QueryResult(columns=("cell",), rows=tuple((cell,) for cell in cells))

    found = check(answer, Facts(question="How many?", result=result))

    assert all(item.text in answer for item, _ in found.numbers)
