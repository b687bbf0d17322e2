"""Units in names: at the end, `weight_kg`, in brackets, `weight (kg)`, or counted, `hours_worked`."""

from __future__ import annotations

import re

UNIT_OF_NAME = re.compile(
    r"_(km|kg|m2|sqm|ha|g|mg|cm|mm|m|l|h|hours?|min|minutes?|sec|seconds?|days?|miles?|[kmg]?wh|kw|mw|tb|gb|mb|kb|kcal|km2|m3|tons?|lit(?:er|re)s|celsius)$",
    re.IGNORECASE,
)
UNIT_IN_BRACKETS = re.compile(r"[(\[]([^()\[\]]+)[)\]]\s*$")
_COUNTED = re.compile(r"(hours|minutes|seconds|days|miles|tons|lit(?:er|re)s)_", re.IGNORECASE)
_CURRENCY = re.compile(r"_(?:eur|usd|gbp|chf)$", re.IGNORECASE)
_PER = re.compile(r"_per_[^_]+$", re.IGNORECASE)


def without_unit(name: str) -> str:
    """A name without its unit and currency: `weight` for `weight_kg`, but `cost_per_km` for itself."""
    bare = _CURRENCY.sub("", name)
    return bare if _PER.search(bare) else UNIT_OF_NAME.sub("", bare)


def units_in_name(name: str) -> list[str]:
    """The units that a name states, in lower case. A short one at its start is no unit: `h_gls` are home goals."""
    bracketed = UNIT_IN_BRACKETS.search(name)
    ends = (re.sub(r"\s+", "_", name), bracketed[1] if bracketed else "")
    found = [UNIT_OF_NAME.search(f"_{text}") for text in ends]
    return [it[1].lower() for it in (*found, _COUNTED.match(name)) if it is not None]
