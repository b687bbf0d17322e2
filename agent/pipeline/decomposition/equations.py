"""Equations over numbers of several parts, formatted as in the parts and tables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from agent.checks.grounding.arithmetic.calculator import CalculationRefused, calculate, format_value
from agent.checks.grounding.arithmetic.display import MARKS, MAX_DECIMALS, is_amount, is_number
from agent.checks.grounding.arithmetic.numerals import write_number
from agent.core.answers import AnswerNumber, AnswerPart

_OPERAND = re.compile(r"\{(\d{1,2})\}")
_ALLOWED = re.compile(r"(?:\{\d{1,2}\}|[\s+\-*/()]|(?<![\d.}])(?:[1-4]|100)(?![\d.{]))+")
_MONEY_DECIMALS = 2
_NOISE = Decimal("1e-12")  # of a number, as a share of it
_PERCENT = re.compile(r"\s*\|\s*percent\s*$", re.IGNORECASE)


class Equation(NamedTuple):
    """A calculation with its result, as text, and where each of its numbers stands in it."""

    text: str
    numbers: tuple[AnswerNumber, ...]


class _Operand(NamedTuple):
    """A number of a part. text: its digits, as the row holds them. decimals: two where the part's answer writes two."""

    text: str
    column: str
    decimals: int


def equations(
    calculations: Sequence[str], parts: Sequence[AnswerPart], language: str = "en"
) -> tuple[list[Equation], list[str]]:
    """The calculations of a plan with the numbers put in, exactly computed, and a warning for each that cannot be.

    Where the plan has none for two parts that give one number each, of the same measure, their difference is added.
    """
    operands = {part.number: one for part in parts if (one := _operand(part, language)) is not None}
    found: list[Equation] = []
    warnings: list[str] = []
    for calculation in calculations or _difference(parts, operands):
        try:
            found.append(_equation(calculation, operands, language))
        except CalculationRefused as refused:
            warnings.append(f"The calculation {calculation!r} was left out: {refused}")
    return found, warnings


def _difference(parts: Sequence[AnswerPart], operands: Mapping[int, _Operand]) -> list[str]:
    """The difference of the only two numbers, where both are of one measure: their queries aggregate the same."""
    single = [part for part in parts if part.number in operands]
    if len(single) != 2:
        return []
    measures = {part.plan.aggregates if part.plan else () for part in single}
    is_one = len(measures) == 1 and measures != {()}
    return [f"{{{single[0].number}}} - {{{single[1].number}}}"] if is_one else []


def _operand(part: AnswerPart, language: str) -> _Operand | None:
    """The one number that a part gives; None where it gives none, or several."""
    if part.status != "success" or part.row_count != 1 or len(part.results) != 1:
        return None
    numbers = [(column, value) for column, value in part.results[0].items() if is_number(value)]
    if len(numbers) != 1:
        return None
    column, value = numbers[0]
    text, shown = _digits(Decimal(repr(value))), [it.text for it in part.numbers if it.column == column]
    mark = MARKS.get(language, MARKS["en"])[1]
    decimals = [len(re.sub(r"\D+$", "", it).partition(mark)[2]) for it in shown]
    return _Operand(text, column, _MONEY_DECIMALS if _MONEY_DECIMALS in decimals else 0)


def _format_digits(digits: str, decimals: int, language: str, *, grouped: bool) -> str:
    """Digits with the marks of a language and at least so many decimals."""
    grouping, mark = MARKS.get(language, MARKS["en"])
    needed = max(decimals, len(digits.partition(".")[2]))
    return write_number(Fraction(digits), needed, grouping=grouping if grouped else "", mark=mark)


def _digits(exact: Decimal) -> str:
    """A number as its row holds it, without the noise of binary fractions."""
    short = round(exact, MAX_DECIMALS)
    return format((short if abs(short - exact) <= abs(exact) * _NOISE else exact).normalize(), "f")


def _equation(calculation: str, operands: Mapping[int, _Operand], language: str) -> Equation:
    """One calculation, computed. Raises CalculationRefused."""
    is_share = bool(_PERCENT.search(calculation))
    template = _PERCENT.sub("", calculation).strip()
    if not _OPERAND.search(template) or not _ALLOWED.fullmatch(template):
        raise CalculationRefused("It may hold the numbers of parts, + - * / and parentheses.")
    missing = [name for name in _OPERAND.findall(template) if int(name) not in operands]
    if missing:
        raise CalculationRefused(f"Part {missing[0]} does not give exactly one number.")
    text, expression, numbers, position = "", "", list[AnswerNumber](), 0
    for match in _OPERAND.finditer(template):
        number = int(match[1])
        one = operands[number]
        opening, closing = ("(", ")") if one.text.startswith("-") else ("", "")
        before = template[position : match.start()] + opening
        digits = _format_digits(one.text, one.decimals, language, grouped=is_amount(one.column))
        at = {"start": len(text) + len(before), "end": len(text) + len(before) + len(digits)}
        numbers.append(AnswerNumber(text=digits, **at, source="result", row=0, column=one.column, part=number))
        text += f"{before}{digits}{closing}"
        expression += f"{before}{one.text}{closing}"
        position = match.end()
    text, expression = text + template[position:], expression + template[position:]
    used = [operands[int(name)] for name in _OPERAND.findall(template)]
    digits = format_value(calculate(expression), "percent" if is_share else "")
    sums = not is_share and not set("*/") & set(template)
    decimals = max(it.decimals for it in used) if sums else 0
    grouped = all(is_amount(it.column) for it in used)
    shown = _format_digits(digits.rstrip("%"), decimals, language, grouped=grouped) + "%" * digits.endswith("%")
    start = len(text) + len(" = ")
    at = {"start": start, "end": start + len(shown)}
    numbers.append(AnswerNumber(text=shown, **at, source="calculation", expression=expression))
    cited = dict.fromkeys(_OPERAND.findall(template))
    return Equation(f"{text} = {shown} {''.join(f'[{name}]' for name in cited)}", tuple(numbers))
