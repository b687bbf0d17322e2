"""Calculations in a text: filled placeholders and equations. Each operand must be supported."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

from agent.checks.grounding.arithmetic.calculator import calculate
from agent.checks.grounding.claims.claims import Segment
from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.claims.names import Rows
from agent.checks.grounding.evidence.facts import Facts, number_of
from agent.checks.grounding.evidence.result import Problem
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.numbers.numerals import decimals_needed, is_rounding
from agent.checks.grounding.numbers.tokens import CalculationRefused, Token, tokenize
from agent.checks.grounding.support.found import Support
from agent.checks.grounding.support.support import Numbers
from agent.core.answers import Correction

_NUMBER = r"[-−]?[$€£¥]?\s?\d[\d.,  ]*\s?[%€$£]?"
_SIGN = r"[+*/×÷·−–-]"
_EQUATION = re.compile(
    rf"(?P<left>\(*\s*{_NUMBER}(?:\s*\)*\s*{_SIGN}\s*\(*\s*{_NUMBER})+\)*)\s*=\s*(?P<right>{_NUMBER})"
)
_UNSTATED = re.compile(r"\d\s*[+*×÷]\s*[$€£¥]?\d|=\s*[-−$€£]?\s*\d")
_DECIMALS = 6
_CONSTANTS = {Fraction(100), Fraction(1)}
# The words that must occur for an operation to be intended.
_WORDS = {
    "+": {Class.SUM, Class.ALL, Class.MEAN},
    "-": {Class.DIFFERENCE, Class.MORE, Class.LESS, Class.RISE, Class.FALL, Class.NOT},
    "/": {Class.MEAN, Class.SHARE, Class.TIMES, Class.RISE, Class.FALL, Class.MORE, Class.LESS, Class.PER, Class.EACH},
}


class Calculations:
    """The calculations of a text.

    items: of the text, without the operands of its equations.
    problems: arithmetic that cannot be computed, or is stated while the calculator is off.
    """

    def __init__(self, text: str, items: Sequence[Item], facts: Facts, filled: Sequence[Correction]) -> None:
        self._facts = facts
        self.problems: list[Problem] = []
        self._expressions: dict[int, str] = {}
        kept = list(items)
        spans: list[tuple[int, int]] = []
        for match in _EQUATION.finditer(text):
            if not facts.calculate:
                self.problems.append(Problem(match[0], "nothing is computed, since the calculator is switched off"))
            kept = [it for it in kept if not match.start("left") <= it.start < match.start("right")]
            self._expressions[next((it.start for it in kept if it.start >= match.start("right")), -1)] = match["left"]
            spans.append(match.span())
        self.problems += [
            Problem(it[0], "it is not an equation that can be recomputed")
            for it in _UNSTATED.finditer(text)
            if not any(start <= it.start() < end for start, end in spans)
        ]
        at = 0
        for one in filled:
            start = text.find(one.computed, at)
            if start >= 0:
                at = start + len(one.computed)
                within = (it.start for it in kept if start <= it.start < at and it.kind == "number")
                self._expressions[next(within, -1)] = one.expression
        self.items = kept

    def support(self, segment: Segment, item: Item, numbers: Numbers) -> Support | None:
        """The support of a computed number. None if it is not computed or an operand is not supported."""
        expression = self._expressions.get(item.start)
        if expression is None or not self._facts.calculate:
            return None
        try:
            tokens, value = tokenize(expression), calculate(expression)
        except CalculationRefused:
            return None
        shown = value.number * (100 if item.percent and not value.hundredfold else 1)
        if not numbers.says(segment, item, shown, None, None):
            return None
        if not self._is_meant(segment, tokens, numbers, value.number):
            return None
        return Support("calculation", value.number, None, None, expression, _find_class_of(tokens, segment))

    def _is_meant(self, segment: Segment, tokens: Sequence[Token], numbers: Numbers, value: Fraction) -> bool:
        own = segment.map_own_rows()
        named = numbers.rows_of(segment) if own or len(self._facts.rows) == 1 else None
        everywhere = frozenset(range(len(self._facts.rows)))
        signs = {it.kind for it in tokens if it.kind in _WORDS}
        signs |= {"+"} if any(it.kind == "function" and it.name == "sum" for it in tokens) else set()
        operands = [it.value for it in tokens if it.kind == "number"]
        for operand in operands:
            if operand in _CONSTANTS and len(operands) > 1:
                continue
            stands = self._stands(operand, named if own else everywhere) or self._is_aggregate(operand)
            if not stands and not ("/" in signs and operand == len(self._facts.rows)):
                return False
        used = [it for it in operands if it not in _CONSTANTS]
        if len(used) < 2:
            return bool(used) and (named is not None or len(self._facts.rows) == 1)
        classes = {*segment.classes, *(it.cls for it in numbers.asked if it.cls)}
        if any(not _WORDS[sign] & classes and not (sign == "/" and _is_percent(segment)) for sign in signs):
            return False
        if signs == {"+"} and not own and len(self._facts.rows) > 1:
            return any(value == sum(self._facts.values(it.index)) for it in self._facts.measures)
        return len(self._facts.rows) <= 2 or bool(own) or "+" in signs

    def _stands(self, operand: Fraction, rows: Rows | None) -> bool:
        cells: Iterable[Fraction | None] = (
            number_of(self._facts.rows[row][it.index]) for row in rows or () for it in self._facts.measures
        )
        decimals = decimals_needed(operand)
        return decimals is not None and any(
            it is not None and (it == operand or (2 <= decimals <= _DECIMALS and is_rounding(operand, decimals, it)))
            for it in cells
        )

    def _is_aggregate(self, operand: Fraction) -> bool:
        return any(
            operand == sum(self._facts.values(it.index)) for it in self._facts.measures if len(self._facts.rows) > 1
        )


def _find_class_of(tokens: Sequence[Token], segment: Segment) -> Class | None:
    """The kind of aggregate that an expression computes."""
    signs = {it.kind for it in tokens} | {it.name for it in tokens}
    if Class.MEAN in segment.classes and signs & {"/", "avg", "mean", "average"}:
        return Class.MEAN
    if signs & {"+", "sum"}:
        return Class.SUM
    return Class.DIFFERENCE if "-" in signs else None


def _is_percent(segment: Segment) -> bool:
    return any(it.percent for it in segment.numbers) or Class.SHARE in segment.classes
