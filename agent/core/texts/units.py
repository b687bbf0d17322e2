"""Units at the end of names: `weight_kg`."""

from __future__ import annotations

import re

UNIT_OF_NAME = re.compile(
    r"_(km|kg|m2|sqm|ha|g|mg|cm|mm|m|l|h|hours?|min|minutes?|sec|seconds?|days?|miles?|[kmg]?wh|kw|mw|tb|gb|mb|kb|kcal|km2|m3|tons?|lit(?:er|re)s|celsius)$",
    re.IGNORECASE,
)
_CURRENCY = re.compile(r"_(?:eur|usd|gbp|chf)$", re.IGNORECASE)
_PER = re.compile(r"_per_[^_]+$", re.IGNORECASE)


def without_unit(name: str) -> str:
    """A name without its unit and currency: `weight` for `weight_kg`, but `cost_per_km` for itself."""
    bare = _CURRENCY.sub("", name)
    return bare if _PER.search(bare) else UNIT_OF_NAME.sub("", bare)
