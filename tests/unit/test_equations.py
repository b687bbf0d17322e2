"""Equations in prose: wrong results are repaired in their own style, everything else stays to the letter."""

from __future__ import annotations

from fractions import Fraction

import pytest

from agent.checks.grounding.arithmetic.equations import recompute

REPAIRED = [
    # signs and words
    ("45.6 + 12.3 + 78.9 = 136.7", "45.6 + 12.3 + 78.9 = 136.8"),
    ("48/2 = 25 clips", "48/2 = 24 clips"),
    ("10 − 4 = 5 and 10 – 4 = 7", "10 − 4 = 6 and 10 – 4 = 6"),
    ("6 × 7 = 41, 6 · 7 = 43, 6 x 7 = 44", "6 × 7 = 42, 6 · 7 = 42, 6 x 7 = 42"),
    ("42 ÷ 6 = 8", "42 ÷ 6 = 7"),
    ("20 : 2 = 11", "20 : 2 = 10"),
    ("5 plus 3 equals 9", "5 plus 3 equals 8"),
    ("12 minus 5 is 6.", "12 minus 5 is 7."),
    ("6 times 7 makes 43", "6 times 7 makes 42"),
    ("100 divided by 8 gives 13.5", "100 divided by 8 gives 12.5"),
    ("3 multiplied by 4 equals to 13", "3 multiplied by 4 equals to 12"),
    ("5 + 3, which is 9", "5 + 3, which is 8"),
    ("18 * 9 so that's $163", "18 * 9 so that's $162"),
    ("12 mal 12 ist 145", "12 mal 12 ist 144"),
    ("2^10 = 1023 and 5² = 26", "2^10 = 1024 and 5² = 25"),
    (r"5 \times 3 = 16", r"5 \times 3 = 15"),
    # numbers
    ("2 x $30 = $61", "2 x $30 = $60"),
    ("5$ + 3$ = 9$", "5$ + 3$ = 8$"),
    ("5 € + 3 € = 9 €", "5 € + 3 € = 8 €"),
    ("$1,200.50 + $300.25 = $1,500.80", "$1,200.50 + $300.25 = $1,500.75"),
    ("$0.99 * 3 = $2.79", "$0.99 * 3 = $2.97"),
    ("$10 * 2 = $21.00", "$10 * 2 = $20.00"),  # money keeps its two decimals
    ("1,200 + 300 = 1,600", "1,200 + 300 = 1,500"),
    (".5 + .25 = .85", ".5 + .25 = .75"),
    ("1 1/2 * 2 = 4", "1 1/2 * 2 = 3"),
    ("½ * 10 = 6", "½ * 10 = 5"),
    ("1/2 + 1/4 = 3/5", "1/2 + 1/4 = 3/4"),
    ("2,5 + 2,75 = 5,5", "2,5 + 2,75 = 5,25"),  # plainly European
    ("1.234,56 + 1,00 = 1.236,56", "1.234,56 + 1,00 = 1.235,56"),
    ("$1.5 million + $2 million = $3.6 million", "$1.5 million + $2 million = $3.5 million"),
    ("12k + 3k = 16k", "12k + 3k = 15k"),
    ("0.1 * 3 = 0.30000000000000004", "0.1 * 3 = 0.3"),
    # rounding
    ("20/3 = 6", "20/3 = 6.67"),  # cut off, not rounded
    ("20/3 = 6.66", "20/3 = 6.67"),
    ("1/8 = 0.11", "1/8 = 0.125"),
    ("100 / 4 = -25", "100 / 4 = 25"),
    ("7 - 10 = 3", "7 - 10 = -3"),
    ("-$5 + $3 = $2", "-$5 + $3 = -$2"),
    # percent
    ("50% of 80 is 41.", "50% of 80 is 40."),
    ("20/80 = 26%", "20/80 = 25%"),
    ("20/80*100 = 26%", "20/80*100 = 25%"),
    ("10% + 15% = 26%", "10% + 15% = 25%"),
    ("$100 + 8% = $109", "$100 + 8% = $108"),
    # units
    ("3 apples + 4 apples = 8 apples", "3 apples + 4 apples = 7 apples"),
    ("5 hours * 60 minutes/hour = 310 minutes", "5 hours * 60 minutes/hour = 300 minutes"),
    ("$60/large room x 8 large rooms = $490", "$60/large room x 8 large rooms = $480"),
    ("Ann's 7 + Ben's 8 = 16", "Ann's 7 + Ben's 8 = 15"),
    ("3 x the height of 12 inches = 37 inches", "3 x the height of 12 inches = 36 inches"),
    ("30 minutes * 4 = 3 hours", "30 minutes * 4 = 2 hours"),
    ("1 + 20 = 22nd", "1 + 20 = 21st"),
    # surroundings
    ("Total = 5 + 3 = 9.", "Total = 5 + 3 = 8."),
    ("(5 + 3 = 9)", "(5 + 3 = 8)"),
    ("**5** + **3** = **9**", "**5** + **3** = **8**"),
    ("- 5 + 3 = 9\n* 2 * 3 = 7\n1. 4 + 4 = 9", "- 5 + 3 = 8\n* 2 * 3 = 6\n1. 4 + 4 = 8"),
    ("Day 3:70-21-15=33", "Day 3:70-21-15=34"),
    ("Step 1 - 5 + 3 = 9", "Step 1 - 5 + 3 = 8"),
    ("5 + 5 = 11!", "5 + 5 = 10!"),
    ("2 + 2 = 5 `2 + 2 = 5` 2 + 2 = 5", "2 + 2 = 4 `2 + 2 = 5` 2 + 2 = 4"),
    # chains
    ("2+3 = 6 = 10/2", "2+3 = 5 = 10/2"),
    ("8 * 2 + 4 * 5 = 16 + 20 = 37", "8 * 2 + 4 * 5 = 16 + 20 = 36"),
    ("5 + 3 = 8 - 2 = 7", "5 + 3 = 8 - 2 = 6"),
    ("45.6 + 12.3 = 57.8. So the total is 57.8.", "45.6 + 12.3 = 57.9. So the total is 57.9."),
]  # fmt: skip

UNTOUCHED = [
    ("20/3 = 6.67 and 20/3 = 7", "correct roundings"),
    ("25/2 = 12 and 25/2 = 13", "a half may go either way"),
    ("100/3 = 33.333...", "cut off, and says so"),
    ("100/3 ≈ 33 and 1234 + 1 is about 1,200", "approximate"),
    ("12 + 5 = 17.0 and 12 + 5 = $17.00", "more decimals than needed"),
    ("1/4 = 25% and 1/4 = 0.25", "percent of a fraction"),
    ("100 - 10% = 90", "less ten percent"),
    ("50 cents * 4 = $2 and $0.50 * 4 = 200 cents", "cents and dollars"),
    ("30 minutes * 4 = 2 hours and 3 feet * 2 = 72 inches", "converted"),
    ("2 dozen + 3 = 27", "a dozen is twelve"),
    ("4080 + 4080 / 2 = 4000 + 2040 = 6120", "right by its first expression"),
    ("5 + 3 = 8 - 2 = 6", "run on"),
    ("4.5 gallons = 4.5 * 8 pints = 36 pints", "what is converted is no sum"),
    ("1.234 + 766 = 2.000", "right when read the European way"),
    ("The period 2024-03-01 is 5 days, on 3/4/2024 = 5", "dates"),
    ("Ages 10-20 = 5 people, 2023–2024 is 12 months, 2023/24 = $5 million", "ranges"),
    ("Call 555-123-4567 = 1 or +49 30 1234567 = 2", "phone numbers"),
    ("Version 1.2.3 - 1 = 4 and v2.0 - 1 = 3", "versions"),
    ("12:30-1:30 = 1 hour, 9:30-6:15 = 3 hours", "times"),
    ("`2 + 2 = 5` and ```\n2 + 2 = 5\n```", "code"),
    ("see https://example.org/?a=3-1=5", "an address"),
    ("ISO-9001 = 5, #12 - 3 = 4, COVID-19 = 5", "identifiers"),
    ("x + 5 - 3 = 12, 2x + 3 = 7, 3x = 9, f(2) = 9, WHERE a - 1 = 5", "algebra"),
    ("revenue - 5 - 3 = 12", "algebra in words"),
    ("5! + 3 + 2 = 125 and √16 + 3 = 7", "functions that the grammar does not know"),
    ("6/2(1+2) = 1", "two readings"),
    ("9**9**9 = 5 and 1/0 = 5", "beyond the limits"),
    ("17 / 5 = 3 remainder 2, 7/2 = 3 and a half", "a result of two parts"),
    ("4 + 1.5 = 2 hours 30 minutes", "a result of two parts"),
    ("5 + 3 is 2 more than 6", "a comparison"),
    ("50% of 80 customers are 30 years old", "says something of the customers"),
    ("10-20 is 5 points, the ratio 3:4 is 5, 1:100 = 5 m", "not sums"),
    ("1/4 = 5 apples", "a share"),
    ("5 at $2 + $3 = $13", "the multiplication is in a word"),
    ("In 2023 500 + 200 = 700 and 1 200 + 300 = 1 500", "numbers side by side"),
    ("2 + 2 >= 5, 2 + 2 != 5, 2 + 2 := 5", "not equalities"),
    ("5 + 3 = ? and 2 + 2 = four", "no number is stated"),
    ("$100+($50*(10/100) = $110", "a parenthesis that is never closed"),
]


@pytest.mark.parametrize("text, repaired", REPAIRED)
def test_a_wrong_result_is_repaired_in_its_own_style(text: str, repaired: str) -> None:
    assert recompute(text).text == repaired


@pytest.mark.parametrize("text", [repaired for _, repaired in REPAIRED])
def test_a_right_result_stays_to_the_letter(text: str) -> None:
    assert recompute(text).corrections == ()
    assert recompute(text).text == text


@pytest.mark.parametrize("text, why", UNTOUCHED)
def test_leaves_alone(text: str, why: str) -> None:
    assert recompute(text).text == text, why


def test_a_correction_says_what_was_computed_and_what_stood_there() -> None:
    (correction,) = recompute("Together 45.6 + $12.30 + 78.9 = $136.70.").corrections

    assert (correction.expression, correction.stated, correction.computed) == ("45.6+12.30+78.9", "$136.70", "$136.80")


def test_the_values_of_all_equations_are_given_for_tracing() -> None:
    outcome = recompute("1/4 = 25%, 2 + 2 = 5, and there are 7 of them.")

    assert set(outcome.values) == {Fraction(1, 4), Fraction(4)}


def test_a_number_said_before_the_equation_is_not_its_conclusion() -> None:
    text = "There are 136.7 litres. 45.6 + 12.3 + 78.9 = 136.7. So the total is 136.7."

    assert recompute(text).text == text.replace("78.9 = 136.7", "78.9 = 136.8")
