"""Formats numbers for readers, by language: the same in a sentence, in the terminal's table and on the page.

`web/src/state/format.ts` has the same rules. A test compares the two.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from agent.checks.grounding.numbers.numerals import decimals_needed, round_half_up, write_number
from executors.base import JsonValue

Number = int | float | Decimal | Fraction

MAX_DECIMALS = 6  # further ones are noise of binary fractions
_MONEY_DECIMALS = 2
_SMALL, _LARGE = Decimal("1e-6"), Decimal("1e21")  # beyond: with an exponent, as JavaScript does from 1e21 on

# Separators of thousands and decimals. `Intl.NumberFormat` uses the same with `useGrouping: "always"`.
MARKS: Mapping[str, tuple[str, str]] = {
    "en": (",", "."),
    "de": (".", ","),
    "fr": ("\u202f", ","),
    "es": (".", ","),
    "it": (".", ","),
    "ko": (",", "."),
    "ja": (",", "."),
    "zh": (",", "."),
}
# Names of columns that identify something. Thousands are not marked in a year or a key.
NAMING = re.compile(r"(^|_)(id|key|code|no|nr|year|yr|jahr|month|day|zip|phone)($|_)", re.IGNORECASE)
NAMING_CAMEL = re.compile(r"[a-z](Id|ID|Key|Code|No|Nr|Year|Month)$")
# An ISO 8601 duration with a time of day: `P1DT2H3M4.5S`. Months differ in length, and `P5D` may be a code.
_DURATION = re.compile(r"(-?)P(?:(\d+)D)?T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?", re.ASCII)
_UNITS_OF_TIME = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))
_MINUTE = 60


@dataclass(frozen=True)
class ColumnFormat:
    """The format of one column's numbers.

    grouped: whether thousands are marked.
    decimals: the number of decimals. None: as many as each number needs, up to `MAX_DECIMALS`.
    """

    grouped: bool = True
    decimals: int | None = None


def column_format(name: str, values: Iterable[JsonValue]) -> ColumnFormat:
    """The format of a column's numbers. If they need at most two decimals, all get the same, so that they align.

    Args:
        name: of the column.
        values: JSON values. Those that are not numbers are ignored.
    """
    needed = 0
    for value in values:
        if not is_number(value):
            continue
        exact = None
        if math.isfinite(value):
            exact = decimals_needed(round_half_up(Fraction(_decimal(value)), MAX_DECIMALS))
        if exact is None or (needed := max(needed, exact)) > _MONEY_DECIMALS:
            return ColumnFormat(grouped=is_amount(name))
    return ColumnFormat(grouped=is_amount(name), decimals=needed)


def column_formats(names: Sequence[str], rows: Sequence[Sequence[JsonValue]]) -> tuple[ColumnFormat, ...]:
    """The `column_format` of each column of a result."""
    return tuple(column_format(name, (row[place] for row in rows)) for place, name in enumerate(names))


def format_number(value: Number, language: str = "en", style: ColumnFormat = ColumnFormat()) -> str:
    """A number with the marks of a language. An unknown language gets English marks.

    >>> format_number(1087206.3, "de", ColumnFormat(decimals=2))
    '1.087.206,30'
    """
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    exact = value if isinstance(value, Fraction) else Fraction(_decimal(value))
    grouping, mark = MARKS.get(language, MARKS["en"])
    if exact and not _SMALL <= abs(exact) < _LARGE:
        mantissa, exponent = f"{float(exact)!r}".split("e")
        return f"{mantissa.replace('.', mark)}e{int(exponent):+}"
    decimals = style.decimals
    if decimals is None:
        needed = decimals_needed(exact)
        decimals = MAX_DECIMALS if needed is None else min(needed, MAX_DECIMALS)
        text = write_number(exact, decimals, grouping=grouping if style.grouped else "", mark=mark)
        return text.rstrip("0").rstrip(mark) if decimals else text
    return write_number(exact, decimals, grouping=grouping if style.grouped else "", mark=mark)


def format_duration(text: str, language: str = "en") -> str | None:
    """An ISO 8601 duration of hours, minutes and seconds, with the symbols of its units; None for any other text.

    From a minute on, seconds are rounded to whole ones.

    >>> format_duration("PT1H25M3.668356S")
    '1 h 25 min 4 s'
    """
    found = _DURATION.fullmatch(text)
    if found is None or not any(found.groups()[1:]):
        return None
    parts = zip(found.groups()[1:], _UNITS_OF_TIME, strict=True)
    seconds = sum((Decimal(digits or 0) * size for digits, (_, size) in parts), Decimal())
    rest = seconds.quantize(Decimal(1), ROUND_HALF_UP) if seconds >= _MINUTE else seconds
    written: list[str] = []
    for symbol, size in _UNITS_OF_TIME:
        amount, rest = (rest, Decimal()) if size == 1 else divmod(rest, size)
        if amount:
            written.append(f"{format_number(amount, language, ColumnFormat(grouped=False))} {symbol}")
    return found[1] + " ".join(written) if written else "0 s"


def format_cell(value: JsonValue, language: str = "en", style: ColumnFormat = ColumnFormat()) -> str:
    """A cell of a result as text: numbers by language, durations with units, others as they are; empty for NULL."""
    if value is None:
        return ""
    if isinstance(value, str):
        return format_duration(value, language) or value
    return format_number(value, language, style) if is_number(value) else str(value)


def is_amount(column: str) -> bool:
    """Whether a column's name indicates amounts, not years, keys or codes."""
    return NAMING.search(column) is None and NAMING_CAMEL.search(column) is None


def is_number(value: JsonValue) -> bool:
    """Whether a JSON value is a number. `true` is not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _decimal(value: int | float | Decimal) -> Decimal | int:
    """The number as a decimal. A binary fraction gives its shortest digits, not its exact ones."""
    return Decimal(repr(value)) if isinstance(value, float) else value
