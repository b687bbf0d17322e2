"""The tokens of arithmetic: numbers, operators and a few functions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from agent.checks.grounding.numbers.numerals import read_numeral
from agent.core.errors import PlumblineError

MAX_LENGTH = 500


class CalculationRefused(PlumblineError):
    """The text is not arithmetic, has no value, or exceeds the limits. The message states which."""


Kind = Literal["number", "+", "-", "*", "/", "^", "%", "of", "(", ")", ",", "function"]


@dataclass(frozen=True, slots=True)
class Token:
    """One token of the grammar. Numbers have a value, functions a name."""

    kind: Kind
    value: Fraction = Fraction(0)
    name: str = ""


SIGNS: dict[str, Kind] = {
    **dict.fromkeys("+＋", "+"),
    **dict.fromkeys("-−–‒", "-"),
    **dict.fromkeys("*×✕✖·⋅∙", "*"),
    **dict.fromkeys("/÷∕⁄:", "/"),
    "^": "^",
    "%": "%",
    "(": "(",
    ")": ")",
    ",": ",",
}
WORDS: dict[str, Kind] = {
    "plus": "+",
    "minus": "-",
    "times": "*",
    "multiplied by": "*",
    "divided by": "/",
    "mal": "*",
    "geteilt durch": "/",
    "of": "of",
}
NUMBERED_FUNCTIONS = {"round": (1, 2), "abs": (1, 1), "sqrt": (1, 1)}
LIST_FUNCTIONS = {"sum": "sum", "avg": "mean", "average": "mean", "mean": "mean", "min": "min", "max": "max"}
_SPACE = re.compile(r"\s+")
_WORD = re.compile("|".join(sorted((w.replace(" ", r"\s+") for w in WORDS), key=len, reverse=True)), re.IGNORECASE)
_NAME = re.compile(rf"(?:{'|'.join((*NUMBERED_FUNCTIONS, *LIST_FUNCTIONS))})(?=\s*\()", re.IGNORECASE)
_CROSS = re.compile(r"[xX](?=[\s\d.(])")
_PLAIN_NUMBER = re.compile(r"\d{1,40}(?:\.\d{1,40})?(?![\d.])|\.\d{1,40}(?![\d.])")


def tokenize(expression: str) -> list[Token]:
    """The tokens of an expression.

    Inside a function's parentheses a comma always separates arguments. Elsewhere it may separate thousands.

    Raises:
        CalculationRefused: it is too long, or contains anything other than numbers, operators and known functions.
    """
    if len(expression) > MAX_LENGTH:
        raise CalculationRefused(f"An expression may have at most {MAX_LENGTH} characters.")
    tokens: list[Token] = []
    calls: list[bool] = []  # for each open parenthesis: whether it belongs to a function
    position = 0
    while position < len(expression):
        if space := _SPACE.match(expression, position):
            position = space.end()
            continue
        found, position = _token(expression, position, tokens, in_call=any(calls))
        if found[0].kind == "(":
            calls.append(bool(tokens) and tokens[-1].kind == "function")
        elif found[0].kind == ")" and calls:
            calls.pop()
        tokens += found
    return tokens


def _token(text: str, position: int, before: list[Token], *, in_call: bool) -> tuple[list[Token], int]:
    """The token at `position` (and a number's percent sign, if any), and the position of the next one."""
    if in_call and (plain := _PLAIN_NUMBER.match(text, position)):
        return [Token("number", Fraction(plain[0]))], plain.end()
    if text.startswith("**", position):
        return [Token("^")], position + 2
    if name := _NAME.match(text, position):
        return [Token("function", name=name[0].lower())], name.end()
    if word := _WORD.match(text, position):
        return [Token(WORDS[" ".join(word[0].lower().split())])], word.end()
    if before and (cross := _CROSS.match(text, position)):
        return [Token("*")], cross.end()
    if text[position] in SIGNS:
        return [Token(SIGNS[text[position]])], position + 1
    numeral = read_numeral(text, position)
    if numeral is None or not numeral.readings:
        raise CalculationRefused(f"Not arithmetic: {text[position : position + 40]!r}.")
    value = numeral.readings[0].value * numeral.scale * (-1 if numeral.negative else 1)
    return [Token("number", value), *([Token("%")] if numeral.percent else [])], numeral.end
