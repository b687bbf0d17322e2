"""Equations in prose, recomputed: `45.6 + 12.3 + 78.9 = 136.7` becomes `… = 136.8`.

A stated result is not changed if it is a correct rounding in any reasonable reading of the equation. If it is not, and
there is one plain reading, the exact value replaces it in the same style. Everything else is left unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from agent.checks.grounding.arithmetic.equality import (
    Side,
    choose_likeliest,
    evaluate_side,
    holds,
    is_share_or_range,
    says_more,
)
from agent.checks.grounding.arithmetic.prose import Piece, Role, pieces
from agent.checks.grounding.arithmetic.said import Edit, find_said_edits
from agent.checks.grounding.arithmetic.sides import find_expression_before, segment_start
from agent.checks.grounding.arithmetic.stated import Stated, find_stated_after
from agent.checks.grounding.numbers.numerals import (
    Numeral,
    Reading,
    decimals_needed,
    read_numeral,
    round_half_up,
    write_number,
)
from agent.core.answers import Correction
from executors.base import Frozen

_MAX_DECIMALS = 6
_MAX_ROUNDS = 4
_TELLING_DIGITS = 3
_CHAINED_DIGITS = 2
_CONCLUSION = re.compile(
    r"\b(?:so|thus|therefore|hence|total|altogether|overall|in all|answer|result|sum|difference|average"
    r"|also|insgesamt|gesamt|damit|summe)\b[^.!?\n]*$",
    re.IGNORECASE,
)


class Recomputed(Frozen):
    """Text with correct equations, the corrections, and the exact value of each equation."""

    text: str
    corrections: tuple[Correction, ...] = ()
    values: tuple[Fraction, ...] = ()


def recompute(text: str, language: str | None = None) -> Recomputed:
    """Recompute every equation in `text`, and correct the results that are wrong.

    Args:
        language: the language of number words in verbal calculations. None: only digits are read.
    """
    corrections: list[Correction] = []
    outcome = Recomputed(text=text)
    for _ in range(_MAX_ROUNDS):  # a corrected result may be part of the next equation
        outcome = _recompute_once(outcome.text, language)
        corrections += outcome.corrections
        if not outcome.corrections:
            break
    return outcome.model_copy(update={"corrections": tuple(corrections)})


def _recompute_once(text: str, language: str | None) -> Recomputed:
    found = pieces(text)
    edits: list[Edit] = []
    values: list[Fraction] = []
    for index, piece in enumerate(found):
        stated = find_stated_after(text, found, index) if piece.role is Role.EQUALS else None
        if stated is None:
            continue
        sides = _sides(found, index, stated)
        if not sides:
            continue
        if holds(sides, stated):
            values += [*(side.value.number for side in sides), *_list_stated_values(stated)]
            continue
        if piece.verbal and says_more(sides[0], stated):
            continue
        edit = _correct(sides, stated)
        edits += [edit] if edit is not None else []
    for said in find_said_edits(text, language):
        if not any(edit.start < said.end and said.start < edit.end for edit in edits):
            edits.append(said)
    corrections = tuple(
        Correction(expression=it.expression, stated=text[it.start : it.end], computed=it.text) for it in edits
    )
    for change in sorted((*edits, *_repeat_corrections(text, found, edits)), key=lambda change: -change.start):
        text = text[: change.start] + change.text + text[change.end :]
    return Recomputed(text=text, corrections=corrections, values=tuple(values))


def _repeat_corrections(text: str, found: Sequence[Piece], edits: Sequence[Edit]) -> Iterator[Edit]:
    """Also correct a wrong result in a later sentence that concludes with it: "So the total is 136.7."

    Only a distinctive number (three digits) counts that does not occur before the equation or in another one.
    """
    for edit in edits:
        old, new = read_numeral(text[edit.start : edit.end], 0), read_numeral(edit.text, 0)
        digits = sum(char.isdigit() for char in old.raw) if old else 0
        if old is None or new is None or digits < _CHAINED_DIGITS:
            continue
        same = [i for i, piece in enumerate(found) if piece.numeral and piece.numeral.raw == old.raw]
        if any(found[i].start < edit.start for i in same):
            continue
        for i in same:
            numeral = found[i].numeral
            if numeral and _is_operand(found, i) and found[i].start > edit.end:  # the next step of a chain
                yield Edit(*numeral.digits, text=new.raw)
                continue
            stated = any(piece.operator or piece.text == "=" for piece in found[i - 1 : i + 2])
            stated = (
                stated or digits < _TELLING_DIGITS or any(other.start <= found[i].start < other.end for other in edits)
            )
            if numeral and not stated and _CONCLUSION.search(text, edit.end, found[i].start):
                yield Edit(*numeral.digits, text=new.raw)


def _is_operand(found: Sequence[Piece], index: int) -> bool:
    """Whether a number is on the left side of an equation, beside an operator."""
    after = found[index + 1 : index + 2]
    before = found[index - 1] if index else None
    follows = bool(after) and after[0].operator is not None
    joins = before is not None and before.operator is not None and bool(after) and after[0].role is Role.EQUALS
    return (follows and (before is None or before.role is not Role.EQUALS)) or joins


def _sides(found: Sequence[Piece], index: int, stated: Stated) -> list[Side]:
    """The expressions that should equal the stated result: the nearest first, then further up the chain."""
    sides: list[Side] = []
    while True:
        low = segment_start(found, index)
        expression = find_expression_before(found, index)
        side = evaluate_side(expression, stated) if expression else None
        if side is not None:
            if sides and _runs_on(sides[-1], side):
                return sides
            sides.append(side)
        elif expression is not None or not _is_alone(found, low, index):
            return sides
        whole = expression is None or expression.first == low
        if found[index].verbal or not whole or low == 0 or not _sign(found[low - 1]):
            return sides
        index = low - 1


def _sign(piece: Piece) -> bool:
    return piece.role is Role.EQUALS and not piece.verbal


def _is_alone(found: Sequence[Piece], low: int, index: int) -> bool:
    """Whether a single number with its unit stands between two equality signs."""
    parts = [piece for piece in found[low:index] if piece.role is not Role.WORD]
    if len(parts) == 2 and parts[0].operator == "-":
        parts = parts[1:]
    return len(parts) == 1 and parts[0].role is Role.NUMBER and found[low].role is not Role.WORD


def _runs_on(near: Side, far: Side) -> bool:
    """`5 + 3 = 8 - 2 = 6`: the result of one equation is the first number of the next."""
    first = next(near.expression.numerals).value(european=near.european)
    return near.value.number != far.value.number and first == far.value.number


def _correct(sides: Sequence[Side], stated: Stated) -> Edit | None:
    """The edit that makes the equation true. None if it is unclear what was intended."""
    side = sides[-1]  # the start of the chain, from which the rest was derived
    if side.expression.doubtful or not stated.numeral.readings or is_share_or_range(side, stated):
        return None
    if stated.under is not None:
        return _correct_fraction(side, stated, stated.under)
    value = choose_likeliest(side, stated)
    if value is None:
        return None
    reading = stated.numeral.reading(european=side.european) or stated.numeral.readings[0]
    return _restate(side, stated, reading, value)


def _list_stated_values(stated: Stated) -> list[Fraction]:
    """The stated number in its own unit: as valid as the value that it rounds."""
    return [reading.value * stated.numeral.factor for reading in stated.numeral.readings[:1]]


def _correct_fraction(side: Side, stated: Stated, under: Numeral) -> Edit | None:
    """Replace a fraction with a fraction, if the expression also contains one."""
    value = side.value.number
    slashes = any(part.operator == "/" for part in side.expression.parts)
    if not slashes or not side.value.exact or value.denominator > 1000:
        return None
    return Edit(stated.start, stated.piece.end + 1 + len(under.text), str(value), side.expression.write_span())


def _restate(side: Side, stated: Stated, reading: Reading, value: Fraction) -> Edit:
    """The value in the style of the stated number: its marks, its currency, and as many decimals as needed."""
    numeral = stated.numeral
    decimals = _decimals(numeral, reading, value, exact=side.value.exact)
    grouping, mark = _marks(side, reading)
    if grouping == "." and not decimals:
        grouping = ""  # 1.236 alone reads as a decimal number
    digits = write_number(abs(value), decimals, grouping=grouping, mark=mark)
    if numeral.raw.startswith(".") and digits.startswith("0."):
        digits = digits[1:]
    shown = numeral.text[: numeral.digits[0] - numeral.start].replace("-", "").replace("−", "") + digits
    shown += numeral.text[numeral.digits[1] - numeral.start :]
    if round_half_up(value, decimals) < 0:
        shown = f"-{shown}"
    end = stated.piece.end
    if stated.ordinal and value.denominator == 1:
        shown, end = shown + _ordinal(value.numerator), end + 2
    return Edit(stated.start, end, shown, side.expression.write_span())


def _ordinal(number: int) -> str:
    teen = 10 < abs(number) % 100 < 14
    return "th" if teen else {1: "st", 2: "nd", 3: "rd"}.get(abs(number) % 10, "th")


def _decimals(numeral: Numeral, reading: Reading, value: Fraction, *, exact: bool) -> int:
    needed = decimals_needed(value) if exact else None
    if numeral.currency and reading.decimals == 2 and (value == 0 or round_half_up(value, 2) != 0):
        return 2
    if needed is not None and needed <= max(reading.decimals, _MAX_DECIMALS):
        return needed
    decimals = max(reading.decimals, 2)
    while round_half_up(value, decimals) == 0 and decimals < 20:
        decimals += 1
    return decimals


def _marks(side: Side, reading: Reading) -> tuple[str, str]:
    """The thousands and decimal marks: those stated, else those of the expression."""
    readings = [r for n in side.expression.numerals if (r := n.reading(european=side.european))]
    mark = "," if side.european else "."
    if reading.grouping or reading.value >= 1000:
        return reading.grouping, mark
    return next((r.grouping for r in readings if r.grouping), ""), mark
