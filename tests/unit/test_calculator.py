"""The calculator: exact values, formats, and refusal of everything that is not arithmetic."""

from __future__ import annotations

from fractions import Fraction

import pytest
from typer.testing import CliRunner

from agent.checks.grounding.arithmetic.calculator import CalculationRefused, calculate, fill_placeholders
from agent.checks.grounding.arithmetic.recompute import recompute_line
from agent.checks.grounding.languages.vocabulary import LANGUAGES
from agent.cli.evaluating import _LANGUAGES
from agent.cli.main import app
from agent.core.errors import PlumblineError


@pytest.mark.parametrize(
    "expression, value",
    [
        ("45.6 + 12.3 + 78.9", "136.8"),  # exactly, not in binary
        ("0.1 + 0.2", "0.3"),
        ("1/3 + 1/6", "1/2"),
        ("2 + 3 * 4", "14"),
        ("(2 + 3) × 4 ÷ 5", "4"),
        ("10 − 4 – 3", "3"),  # typographic signs
        ("6 · 7", "42"),
        ("2 x 3", "6"),
        ("10 : 4", "2.5"),
        ("-2^2", "-4"),
        ("2 ** 10", "1024"),
        ("2^-2", "0.25"),
        ("$1,200.50 + $300", "1500.5"),
        ("1.234,50 €", "1234.5"),  # plainly European
        ("20% of 50", "10"),
        ("50%", "0.5"),
        ("100% - 20%", "0.8"),
        ("100 * (1 + 20%)", "120"),
        ("$1.5 million + $2 million", "3500000"),
        ("12.3k * 2", "24600"),
        ("1 1/2 + ½", "2"),
        ("2(3 + 4)", "14"),
        ("sum(1, 2, 3.5)", "6.5"),
        ("avg(10, 20)", "15"),
        ("mean(1,2,3)", "2"),  # in a call a comma separates values
        ("max(1, 5) - min(2, 3)", "3"),
        ("round(2/3, 2)", "0.67"),
        ("abs(3 - 5)", "2"),
        ("sqrt(16) + sqrt(9)", "7"),
        ("12 plus 13 times 2", "38"),
        ("100 divided by 8", "12.5"),
    ],
)
def test_calculates(expression: str, value: str) -> None:
    assert calculate(expression).number == Fraction(value)


@pytest.mark.parametrize(
    "expression, why",
    [
        ("9**9**9", "exponent"),
        ("2^65", "exponent"),
        ("2^0.5", "whole number"),
        ("(1+sqrt(2))^64", "too large"),
        ("99999999^64", "digits"),
        ("1/0", "zero"),
        ("5 / (2 - 2)", "zero"),
        ("1 / (sqrt(2) * sqrt(3) - sqrt(6))", "zero"),
        ("0^-1", "zero"),
        ("sqrt(-1)", "square root"),
        ("100 + 20%", "percentage"),  # 120 or 100.2
        ("6/2(1+2)", "operator"),  # 9 or 1
        ("17 % 5", "operator"),
        ("5 5", "operator"),
        ("", "number is expected"),
        ("1 +", "number is expected"),
        ("(1 + 2", "missing"),
        ("round(1, 2, 3)", "takes 1 to 2"),
        ("(" * 30 + "1" + ")" * 30, "nested"),
        ("1+" * 300 + "1", "characters"),
        ("1+" * 150 + "1", "numbers and operators"),
        ("1" * 41, "Not arithmetic"),
        ("revenue / 2", "Not arithmetic"),
        ("__import__('os').system('id')", "Not arithmetic"),
        ("1.2.3", "Not arithmetic"),
        ("lambda: 1", "Not arithmetic"),
        ("exp(1)", "Not arithmetic"),
    ],
)
def test_refuses(expression: str, why: str) -> None:
    with pytest.raises(CalculationRefused, match=why) as refused:
        calculate(expression)

    assert isinstance(refused.value, PlumblineError)


@pytest.mark.parametrize(
    "placeholder, shown",
    [
        ("[[45.6 + 12.3 + 78.9]]", "136.8"),
        ("[[1/3]]", "0.33"),
        ("[[1/3000]]", "0.00033"),  # two digits that mean something
        ("[[1/8]]", "0.125"),
        ("[[2/3 | decimals 4]]", "0.6667"),
        ("[[2/3 | 1 decimal]]", "0.7"),
        ("[[5/2 | integer]]", "3"),  # halves away from zero
        ("[[1234567 | thousands]]", "1,234,567"),
        ("[[1234567.5 | plain]]", "1234567.5"),
        ("[[1200 * 3.5 | currency]]", "4,200.00"),
        ("[[1200 * 3.5 | currency EUR]]", "€4,200.00"),
        ("[[1200 * 3.5 | €]]", "€4,200.00"),
        ("[[5 - 7 | currency]]", "-2.00"),
        ("[[-0.001 | currency]]", "0.00"),  # no minus before nothing
        ("[[5 * 2 | CHF]]", "CHF 10.00"),
        ("[[1000.4 | currency, decimals 0]]", "1,000"),
        ("[[80 / 200 | percent]]", "40%"),
        ("[[80 / 200 * 100 | percent]]", "40%"),  # the expression made it a percentage already
        ("[[1/3 | percent]]", "33.33%"),
        ("[[1/3 | percent, decimals 1]]", "33.3%"),
        ("[[sqrt(2) | decimals 3]]", "1.414"),
        ("[[2 + 2 = 5]]", "4"),  # the model's own guess is not believed
        ("$[[10 | currency]]", "$10.00"),
        ("[[1/4 | percent]]%", "25%"),
    ],
)
def test_a_placeholder_becomes_its_value(placeholder: str, shown: str) -> None:
    filled = fill_placeholders(f"It is {placeholder} in all.")

    assert filled.text == f"It is {shown} in all."
    assert not filled.warnings


def test_a_filled_placeholder_is_recorded_with_its_exact_value() -> None:
    filled = fill_placeholders("[[1/3 | percent]] and [[2 * 3]]")

    assert filled.values == (Fraction(1, 3), Fraction(6))
    assert [(c.expression, c.stated, c.computed) for c in filled.corrections] == [
        ("1/3", "[[1/3 | percent]]", "33.33%"),
        ("2 * 3", "[[2 * 3]]", "6"),
    ]


@pytest.mark.parametrize("expression", ["9**9**9", "__import__('os')", "revenue / 2", "1 / 0", "March"])
def test_a_placeholder_that_cannot_be_computed_is_plain_text_with_a_warning(expression: str) -> None:
    filled = fill_placeholders(f"It is [[{expression} | currency]].")

    assert filled.text == f"It is {expression}."
    assert len(filled.warnings) == 1
    assert expression in filled.warnings[0].replace('"', "'")
    assert filled.values == ()


@pytest.mark.parametrize("text", ["Write `[[1+1]]` for two.", "```\n[[1+1]]\n```", "[[1, 2], [3, 4]]", "no brackets"])
def test_code_and_lists_are_left_alone(text: str) -> None:
    assert fill_placeholders(text).text == text


def test_a_line_has_its_placeholders_filled_and_its_equations_repaired() -> None:
    assert recompute_line("2 + 2 = [[2 + 2]], and 3 * 3 = 10.") == "2 + 2 = 4, and 3 * 3 = 9."


@pytest.mark.parametrize(
    "currency, european, shown",
    [
        ("EUR", False, "€4,200.00"),
        ("EUR", True, "4.200,00 €"),
        ("CHF", False, "CHF 4,200.00"),
        ("", False, "4,200.00"),
    ],
)
def test_a_currency_is_that_of_the_data(currency: str, european: bool, shown: str) -> None:
    text = "It is [[1200 * 3.5 | currency]] in all."
    assert fill_placeholders(text, currency=currency, european=european).text == f"It is {shown} in all."


def test_the_command_reads_numbers_in_the_language_that_is_named() -> None:
    lines = "Fünf und sieben zusammen sind dreizehn. 1.000 + 1,5 = 7.\n"
    read = CliRunner().invoke(app, ["recompute", "--language", "de"], input=lines)
    assert read.output == "Fünf und sieben zusammen sind 12. 1.000 + 1,5 = 1.001,5.\n"
    refused = CliRunner().invoke(app, ["recompute", "--language", "xx"], input=lines)
    assert refused.exit_code == 2
    assert "use one of en, de, fr, es, it" in " ".join(refused.output.split())
    assert _LANGUAGES == LANGUAGES
