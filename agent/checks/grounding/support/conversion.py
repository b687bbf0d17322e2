"""Units that a sentence converts: 84 tonnes for a column in kg, 2.5 hours for one in minutes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.evidence.facts import ColumnFacts
from agent.checks.grounding.languages.words import have_one_meaning

# The size of each unit, relative to the first in its line.
_SIZES: tuple[dict[str, Fraction], ...] = (
    {"second": Fraction(1), "minute": Fraction(60), "hour": Fraction(3600)},
    {"m": Fraction(1), "km": Fraction(1000), "cm": Fraction(1, 100), "mm": Fraction(1, 1000)},
    {"kg": Fraction(1), "g": Fraction(1, 1000), "mg": Fraction(1, 10**6), "tonne": Fraction(1000)},
    {"kwh": Fraction(1), "mwh": Fraction(1000), "gwh": Fraction(10**6)},
    {"kw": Fraction(1), "mw": Fraction(1000), "gw": Fraction(10**6)},
    {"ml": Fraction(1), "litre": Fraction(1000)},
)


def find_factor(items: Sequence[Item], place: int, column: ColumnFacts | None) -> Fraction | None:
    """The factor from a column's unit to the unit after a number. None if they are equal or not comparable."""
    if column is None or not column.units or place + 1 >= len(items):
        return None
    said, own = _size_of(items[place + 1].text.lower()), _size_of(column.units[0])
    if said is None or own is None or said[0] != own[0] or said[1] == own[1]:
        return None
    return own[1] / said[1]


def _size_of(word: str) -> tuple[int, Fraction] | None:
    for kind, sizes in enumerate(_SIZES):
        for unit, size in sizes.items():
            if word == unit or have_one_meaning(word, unit):
                return kind, size
    return None
