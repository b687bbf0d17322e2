"""The support that was found for a number."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from agent.checks.grounding.languages.vocabulary import Class
from agent.core.answers import Origin


class Support(NamedTuple):
    """Where a number comes from.

    value: exactly. row, column: of the cell, from 0. expression: of a calculation.
    words: that may stand beside it, of a column that is not shown.
    """

    origin: Origin
    value: Fraction
    row: int | None = None
    column: int | None = None
    expression: str = ""
    cls: Class | None = None
    words: frozenset[str] = frozenset()
