"""The support of a number."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from agent.checks.grounding.languages.vocabulary import Class
from agent.core.answers import Origin


class Support(NamedTuple):
    """The origin of a number.

    value: exact. row, column: of the cell, from 0. expression: of a calculation.
    words: those allowed beside it, from a column that is not shown.
    """

    origin: Origin
    value: Fraction
    row: int | None = None
    column: int | None = None
    expression: str = ""
    cls: Class | None = None
    words: frozenset[str] = frozenset()
