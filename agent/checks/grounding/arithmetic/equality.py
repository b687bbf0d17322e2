"""Checks whether a stated result is right, and if not, which value it should be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from agent.checks.grounding.arithmetic.expression import Value, evaluate
from agent.checks.grounding.arithmetic.prose import Piece, vocabulary
from agent.checks.grounding.arithmetic.sides import Expression, tokens_of
from agent.checks.grounding.arithmetic.stated import Stated, read_fraction
from agent.checks.grounding.numbers.numerals import Reading, is_rounding
from agent.checks.grounding.numbers.tokens import CalculationRefused
from agent.checks.grounding.numbers.units import factors, unit

_LOOSE = Fraction(1, 100)  # tolerance of "about"
_CLEARLY_NEARER = 3
# After a verbal equality these give the number another meaning: "5 + 3 is 2 more than 6".
_COMPARING = vocabulary(
    "more less fewer times of out greater higher lower bigger smaller larger than short off apart away percent"
)
# A negative difference may be stated without its sign: "= 5 degrees below zero".
_BELOW = vocabulary("short below less loss deficit fewer decrease drop down behind lower negative under")


@dataclass(frozen=True, slots=True)
class Side:
    """An expression with its value.

    european: how its numbers are read.
    shorter: its values if an operator in it is punctuation.
    otherwise: its value in the other style of numbers, if that differs.
    """

    expression: Expression
    european: bool
    value: Value
    shorter: tuple[Fraction, ...]
    otherwise: Fraction | None


def evaluate_side(expression: Expression, stated: Stated) -> Side | None:
    numerals = [*expression.numerals, stated.numeral]
    european = any(n.readings and n.reading() is None for n in numerals)
    values = [_value(expression.parts, european=style) for style in (european, not european)]
    value = values[0]
    if value is None:
        return None
    shorter = [_value(parts, european=european) for parts in expression.shorter]
    otherwise = values[1].number if values[1] is not None and values[1].number != value.number else None
    return Side(expression, european, value, tuple(v.number for v in shorter if v is not None), otherwise)


def _value(parts: Sequence[Piece], *, european: bool) -> Value | None:
    tokens = tokens_of(parts, european=european)
    if tokens is None:
        return None
    try:
        return evaluate(tokens, relative_percent=True)
    except CalculationRefused:
        return None


def says_more(side: Side, stated: Stated) -> bool:
    """Whether a verbal equality is no equation. Only plain sums in words are.

    Excluded are ranges (`10-20 is`), ratios, comparisons, and statements about counted things (`50% of 80 people are 30
    years old`).
    """
    expression = side.expression
    operators = [piece for piece in expression.parts if piece.operator is not None]
    plain = any(
        piece.verbal or piece.operator not in ("-", "/") or piece.text == "÷" or _has_spaces(expression, piece)
        for piece in operators
    )
    backwards = side.value.number < 0 and not stated.negative
    units = {word.lower().removesuffix("s") for word in expression.words}
    other = any(word.isalpha() for word in units) and bool(stated.words)
    other = other and stated.words[0].removesuffix("s") not in units
    return not plain or backwards or other or bool(_COMPARING & set(stated.words[:2]))


def _has_spaces(expression: Expression, operator: Piece) -> bool:
    after = expression.parts[expression.parts.index(operator) + 1]
    return operator.text != ":" and operator.end < after.start


def holds(sides: Sequence[Side], stated: Stated) -> bool:
    """Whether any side of the equation gives the stated result in any reasonable reading."""
    if stated.under is not None:
        exact = read_fraction(stated)
        return any(exact in (side.value.number, *side.shorter) for side in sides)
    return any(_side_holds(side, stated) for side in sides)


def _side_holds(side: Side, stated: Stated) -> bool:
    """Whether the result matches the value unchanged, as a percentage, in millions or in another unit."""
    reading = stated.numeral.reading(european=side.european)
    multipliers = (*_multipliers(side, stated), *_unit_factors(side, stated))
    sayable = (*(side.value.number * multiplier for multiplier in multipliers), *side.shorter)
    if reading is not None and any(_is_right(reading, stated, value) for value in sayable):
        return True
    other = stated.numeral.reading(european=not side.european)
    return side.otherwise is not None and other is not None and _is_right(other, stated, side.otherwise)


def _is_right(reading: Reading, stated: Stated, value: Fraction) -> bool:
    figure = -reading.value if stated.negative else reading.value
    if is_rounding(figure, reading.decimals, value):
        return True
    if stated.truncated and abs(figure) <= abs(value) < abs(figure) + Fraction(1, 10**reading.decimals):
        return figure * value >= 0
    if stated.approximate and abs(figure - value) <= max(abs(value) * _LOOSE, Fraction(_last_digit(reading), 2)):
        return True
    return value < 0 < figure and bool(_BELOW & set(stated.words)) and is_rounding(-figure, reading.decimals, value)


def _last_digit(reading: Reading) -> int:
    """The place of the last nonzero digit: 100 for 1,200."""
    place = 1
    while reading.value and reading.value.denominator == 1 and reading.value % (place * 10) == 0:
        place *= 10
    return place if reading.value.denominator == 1 else 0


def _multipliers(side: Side, stated: Stated) -> list[Fraction]:
    """Factors that may be applied to the value, for percent and scale words. The likeliest come first."""
    scale = Fraction(1, stated.numeral.scale)
    numerals = list(side.expression.numerals)
    if stated.numeral.percent or any(n.percent for n in numerals):
        return _percent_multipliers(side, stated)
    if scale != 1:
        return [scale, Fraction(1)]
    return [scale, *sorted({Fraction(1, n.scale) for n in numerals if n.scale > 1})]


def _percent_multipliers(side: Side, stated: Stated) -> list[Fraction]:
    points, share = Fraction(1), Fraction(100)
    if not stated.numeral.percent:
        return [points, share]
    if side.value.hundredfold:
        return [points, share]
    percents = [n.percent for n in side.expression.numerals]
    return [share, points] if all(percents) or abs(side.value.number) <= 1 else [points, share]


def _unit_factors(side: Side, stated: Stated) -> set[Fraction]:
    """Conversions to the stated unit. Empty if the expression already has that unit."""
    scale = Fraction(1, stated.numeral.scale)
    sources = {u for u in map(unit, side.expression.words) if u}
    target = unit(stated.numeral.currency) or next((u for u in map(unit, stated.words[:2]) if u), None)
    found = factors(sources, target) if target else set()
    if 1 in found or target == "dozen":
        return set()
    if "dozen" in sources:
        found.add(Fraction(12))
    return {factor * scale for factor in found}


def _converts(side: Side, factor: Fraction) -> bool:
    """Whether the expression itself multiplies or divides by this factor."""
    return any(abs(n.value() or 0) in (factor, 1 / factor) for n in side.expression.numerals)


def is_share_or_range(side: Side, stated: Stated) -> bool:
    """`1/4 = 5 apples`, `10-20 = 5 points`, `1:100 = 5 m`: a meaningful share, range or ratio, not a sum."""
    parts = side.expression.parts
    if len(parts) != 3 or parts[1].operator is None:
        return False
    if parts[1].operator == "-" and all(_is_year(n.raw) for n in side.expression.numerals):
        return side.value.number < 0 and not stated.negative
    if parts[1].start != parts[0].end:
        return False
    value = side.value.number
    first, second = (n.raw for n in side.expression.numerals)
    if parts[1].text == ":" or (_is_year(first) and second == f"{(int(first) + 1) % 100:02}"):
        return True
    if parts[1].operator == "-":
        return value < 0 and not stated.negative
    figure = stated.numeral.value() or Fraction(0)
    small = all(n.raw.isdigit() and len(n.raw) <= 2 and not n.currency for n in side.expression.numerals)
    unlike = bool(side.expression.words) or (figure >= 1 and figure.denominator == 1 and not stated.numeral.currency)
    return parts[1].operator == "/" and small and 0 < value < 1 and unlike and not stated.numeral.percent


def _is_year(digits: str) -> bool:
    return len(digits) == 4 and digits.isdigit() and 1900 <= int(digits) <= 2100


def choose_likeliest(side: Side, stated: Stated) -> Fraction | None:
    """The value in the form of the stated number: as a percentage, in millions, in its unit. None if ambiguous."""
    multipliers = _multipliers(side, stated)
    if side.value.hundredfold and stated.numeral.percent:
        multipliers = multipliers[:1]
    plain = [side.value.number * multiplier for multiplier in multipliers]
    converted = [side.value.number * f for f in _unit_factors(side, stated) if not _converts(side, f)]
    figure = abs(next(iter(stated.numeral.readings)).value)
    best = _nearest(plain, figure)
    if not converted or figure == 0 or best == 0:
        return best
    other = _nearest(converted, figure)
    one, two = _distance(best, figure), _distance(other, figure)
    if min(one, two) > _CLEARLY_NEARER or max(one, two) < _CLEARLY_NEARER * min(one, two):
        return None
    return best if one < two else other


def _nearest(candidates: Sequence[Fraction], figure: Fraction) -> Fraction:
    """The candidate nearest to the stated figure, by ratio. The first one, unless another is clearly nearer."""
    first = candidates[0]
    if figure == 0 or first == 0:
        return first
    best = min(candidates, key=lambda value: _distance(value, figure))
    return best if _distance(best, figure) * _CLEARLY_NEARER < _distance(first, figure) else first


def _distance(value: Fraction, figure: Fraction) -> Fraction:
    ratio = abs(value) / figure
    return max(ratio, 1 / ratio)
