"""The calculator: SymPy behind a grammar for arithmetic only, and its placeholders in text.

The exact value replaces `[[expression | format]]` in an answer. Formats, in any combination: `currency` (that of the
data, or a symbol or code), `percent`, `thousands`, `decimals N`, `integer`, `plain`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from agent.checks.grounding.arithmetic.expression import Value, evaluate
from agent.checks.grounding.numbers.numerals import CURRENCY_CODES, CURRENCY_SYMBOLS, decimals_needed, write_number
from agent.checks.grounding.numbers.tokens import CalculationRefused, tokenize
from agent.core.answers import Correction
from executors.base import Frozen

__all__ = ["CalculationRefused", "Filled", "Value", "calculate", "fill_placeholders", "format_value"]

MAX_EXACT_DECIMALS = 6
_SYMBOL_OF = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹"}
_CODE_SEPARATOR = " "
# Code is left unchanged. The second alternative is the placeholder itself.
_PLACEHOLDER = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|\[\[(?P<inside>[^\[\]\n]+)\]\]", re.DOTALL)
_DECIMALS = re.compile(
    r"(?:decimals?|places|digits|rounded|round)\s*[:=]?\s*(\d{1,2})|(\d{1,2})\s*(?:decimals?|places|digits)|\.(\d)f?"
)
_PERCENT = re.compile(r"%|\bper\s?cent(?:age)?\b")
_CURRENCY = re.compile(
    rf"[{CURRENCY_SYMBOLS}]|\b(?:{'|'.join(CURRENCY_CODES)}|currency|money|dollars?|euros?|pounds?)\b", re.IGNORECASE
)
_OF_THE_DATA = "\0"  # the format names no currency
_CURRENCY_NAMES = {"currency": _OF_THE_DATA, "money": _OF_THE_DATA, "dollar": "$", "euro": "€", "pound": "£"}
_THOUSANDS = re.compile(r"\bthousands?\b|\bgrouped\b|\bcommas?\b|^,$")
_INTEGER = re.compile(r"\b(?:integer|int|whole)\b")


class Filled(Frozen):
    """Text with its placeholders filled in.

    values: their exact values, for tracing.
    warnings: one sentence per placeholder that could not be computed. It stays as plain text, without brackets.
    """

    text: str
    corrections: tuple[Correction, ...] = ()
    values: tuple[Fraction, ...] = ()
    warnings: tuple[str, ...] = ()


def calculate(expression: str) -> Value:
    """The exact value of an arithmetic expression such as `(1,200 - 20% of 300) / 12`.

    Raises:
        CalculationRefused: it is not arithmetic, divides by zero, or exceeds the limits.
    """
    return evaluate(tokenize(expression))


def fill_placeholders(text: str, *, currency: str = "", european: bool = False) -> Filled:
    """Replace each `[[expression | format]]` with its value. Code spans are left unchanged.

    Args:
        currency: ISO code of the data's amounts. Empty if it is unknown; then none is written.
        european: write a comma before the decimals, and symbols at the end.
    """
    parts: list[str] = []
    corrections: list[Correction] = []
    values: list[Fraction] = []
    warnings: list[str] = []
    position = 0
    for match in _PLACEHOLDER.finditer(text):
        if match["inside"] is None:
            continue
        expression, _, style = (part.strip() for part in match["inside"].partition("|"))
        parts.append(text[position : match.start()])
        position = match.end()
        try:
            value = calculate(expression.partition("=")[0])  # a model's own result is ignored
        except CalculationRefused as refused:
            parts.append(expression)
            warnings.append(f"{expression!r} could not be computed: {refused}")
            continue
        shown = format_value(value, style, currency=currency, european=european)
        values.append(value.number)
        corrections.append(Correction(expression=expression, stated=match[0], computed=shown))
        parts.append(_once(shown, before="".join(parts)[-1:], after=text[position : position + 1]))
    parts.append(text[position:])
    return Filled(text="".join(parts), corrections=tuple(corrections), values=tuple(values), warnings=tuple(warnings))


def _once(shown: str, *, before: str, after: str) -> str:
    """Omit a currency symbol or percent sign that already surrounds the placeholder."""
    if before and before in CURRENCY_SYMBOLS:
        shown = shown.replace(before, "", 1)
    return shown.removesuffix("%") if after == "%" else shown


@dataclass(frozen=True, slots=True)
class _Style:
    """A parsed format. `decimals` is None if they depend on the value."""

    decimals: int | None
    percent: bool
    currency: str
    thousands: bool


def _style(text: str) -> _Style:
    lowered = text.strip().lower()
    decimals = _DECIMALS.search(lowered)
    places = next((int(group) for group in decimals.groups() if group), None) if decimals else None
    found = [_currency(name) for name in _CURRENCY.findall(text)]
    return _Style(
        decimals=0 if _INTEGER.search(lowered) else places,
        percent=bool(_PERCENT.search(lowered)),
        currency=found[-1] if found else "",
        thousands=bool(found or _THOUSANDS.search(lowered)),
    )


def _currency(name: str) -> str:
    return _SYMBOL_OF.get(name.upper()) or _CURRENCY_NAMES.get(name.lower().rstrip("s")) or name.upper()


def format_value(value: Value, style: str = "", *, currency: str = "", european: bool = False) -> str:
    """The value in the form for readers. Halves are rounded away from zero.

    A plain number is written exactly if six decimals suffice, otherwise with two. Money has two decimals. A percentage
    is the value times 100, unless the expression itself multiplies by 100.
    """
    wanted = _style(style)
    number = value.number
    if wanted.percent and not value.hundredfold:
        number *= 100
    decimals = wanted.decimals
    if decimals is None:
        decimals = _natural_decimals(number, exact=value.exact, most=2 if wanted.percent else MAX_EXACT_DECIMALS)
        if wanted.currency:
            decimals = 0 if wanted.currency == "¥" else 2
    grouping, mark = (".", ",") if european else (",", ".")
    digits = write_number(abs(number), min(decimals, 20), grouping=grouping if wanted.thousands else "", mark=mark)
    minus = "-" if number < 0 and any(c in "123456789" for c in digits) else ""
    symbol = wanted.currency
    if symbol == _OF_THE_DATA:
        symbol = _SYMBOL_OF.get(currency, currency)
    if symbol and european:
        return f"{minus}{digits} {symbol}"
    separator = _CODE_SEPARATOR if symbol.isalpha() else ""
    return f"{minus}{symbol}{separator}{digits}{'%' if wanted.percent else ''}"


def _natural_decimals(number: Fraction, *, exact: bool, most: int) -> int:
    """The decimals of the exact number, if they are few. Otherwise two, or enough for two significant digits."""
    needed = decimals_needed(number) if exact else None
    if needed is not None and needed <= most:
        return needed
    decimals = 2
    while decimals < 20 and 0 < abs(number) * 10**decimals < 10 and abs(number) < Fraction(1, 100):
        decimals += 1
    return decimals
