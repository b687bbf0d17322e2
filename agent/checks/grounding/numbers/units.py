"""Units that people convert in calculations: `30 minutes * 4 = 2 hours` is right."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

_SIZES: dict[str, dict[str, str]] = {
    "time": {"second": "1", "sec": "1", "minute": "60", "min": "60", "hour": "3600", "hr": "3600", "h": "3600",
             "day": "86400", "week": "604800", "month": "2592000", "year": "31536000"},
    "money": {"cent": "1", "¢": "1", "penny": "1", "pennies": "1", "pence": "1", "dollar": "100", "$": "100",
              "buck": "100", "€": "100", "euro": "100", "£": "100", "pound": "100", "nickel": "5", "dime": "10",
              "quarter": "25"},
    "length": {"mm": "1", "cm": "10", "m": "1000", "km": "1000000", "millimeter": "1", "centimeter": "10",
               "meter": "1000", "kilometer": "1000000", "metre": "1000", "kilometre": "1000000"},
    "distance": {"inch": "1", "inche": "1", "foot": "12", "feet": "12", "ft": "12", "yard": "36", "mile": "63360"},
    "mass": {"mg": "1", "g": "1000", "gram": "1000", "kg": "1000000", "kilogram": "1000000", "kilo": "1000000",
             "ton": "1000000000", "tonne": "1000000000"},
    "weight": {"ounce": "1", "oz": "1", "pound": "16", "lb": "16", "ton": "32000"},
    "volume": {"ml": "1", "milliliter": "1", "l": "1000", "liter": "1000", "litre": "1000"},
    "capacity": {"teaspoon": "1/6", "tablespoon": "1/2", "ounce": "1", "cup": "8", "pint": "16", "quart": "32",
                 "gallon": "128"},
    "count": {"dozen": "12", "piece": "1", "pair": "2"},
}  # fmt: skip
_BY_UNIT: dict[str, list[tuple[str, Fraction]]] = {}
for _dimension, _units in _SIZES.items():
    for _unit, _size in _units.items():
        _BY_UNIT.setdefault(_unit, []).append((_dimension, Fraction(_size)))
# Calendar units are not exact multiples: a month also has four weeks, a year twelve months.
_CALENDAR = {("year", "month"): (12,), ("year", "week"): (52,), ("month", "week"): (4,), ("month", "day"): (30, 31)}


def unit(word: str) -> str | None:
    """The unit that a word names, in the singular and lower case. None if it names none."""
    lowered = word.lower().strip(".")
    return next((name for name in (lowered, lowered.removesuffix("s")) if name in _BY_UNIT), None)


def unit_names() -> Iterable[str]:
    """All units, in the singular."""
    return _BY_UNIT.keys()


def same_dimension(one: str, other: str) -> bool:
    """Whether both units measure the same quantity, such as hours and minutes."""
    return bool({d for d, _ in _BY_UNIT[one]} & {d for d, _ in _BY_UNIT[other]})


def factors(sources: Iterable[str], target: str) -> set[Fraction]:
    """The factors that convert an amount from one of the `sources` to `target`."""
    found: set[Fraction] = set()
    for source in sources:
        for dimension, size in _BY_UNIT[source]:
            found |= {size / other for same, other in _BY_UNIT[target] if same == dimension}
        found |= {Fraction(n) for n in _CALENDAR.get((source, target), ())}
        found |= {Fraction(1, n) for n in _CALENDAR.get((target, source), ())}
    return found
