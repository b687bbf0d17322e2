"""A factor that nobody gave: `SUM(area_km2) * 44.7` for "how much carbon".

It is known if the question, the docs or a comment have it, also as a percentage ("plus 19% VAT" is 1.19), or if it
converts units.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement
from math import isclose, prod

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import find_numbers

_ROUNDED = 0.003
_UNIT_BEHIND = re.compile(r"(?<=\d)(?=[^\W\d_])")  # of "2.7kg"
_HUNDREDTH = 0.01  # of `price * discount`: a percentage
_SMALL = (0.25, 0.5, 1.5, *range(101))  # quarters and halves, means of a few columns, steps, percentages
_STEPS = (1, 7, 12, 24, 30, 52, 60, 365, 365.25, 1000, 1024)  # of time, and of units
_UNITS = (
    1.8,
    2.54,
    25.4,
    39.37,
    30.44,
    4.345,
    111.32,
    3.6,
    0.3048,
    0.9144,
    1.609344,
    1.852,
    0.453592,
    28.3495,
    3.78541,
    3.14159,
    6371,
    10_000,
    100_000,
)
_CONVERSIONS = (*_UNITS, *(prod(it) for it in combinations_with_replacement(_STEPS, 4)))


def apply(context: RuleContext) -> Finding | None:
    literals = Counter(it.this for it in context.query.find_all(exp.Literal) if not it.is_string)
    for node in context.query.find_all(exp.Mul, exp.Div):
        sides = node.this.unnest(), node.expression.unnest()
        for side, other in (sides, sides[::-1]):
            if not (isinstance(side, exp.Literal) and not side.is_string and other.find(exp.Column, exp.AggFunc)):
                continue
            number, columns = float(side.this), {it.name for it in other.find_all(exp.Column)}
            if literals[side.this] > 1:  # `FLOOR(price / 500) * 500` rounds to steps
                continue
            if number in _SMALL or (number == _HUNDREDTH and len(columns) > 1):
                continue
            if not _is_among(number, (*_CONVERSIONS, *_list_said(context))):
                return Finding(f"Neither the question nor the docs give the factor {side.this}.")
    return None


def _is_among(number: float, others: tuple[float, ...]) -> bool:
    """Whether the number or its reciprocal is one of the others, rounded."""
    return any(isclose(one, it, rel_tol=_ROUNDED) for it in others for one in (number, 1 / number))


def _list_said(context: RuleContext) -> Iterator[float]:
    """The numbers of the question and of all that the model has read, each also as a percentage."""
    tables = context.schema.tables
    comments = (*(it.comment for it in tables), *(it.comment for table in tables for it in table.columns))
    texts = (context.question, *context.known_texts, *(f"{it.text} {it.sql}" for it in context.documents))
    for text in (*texts, *comments):
        for value in (value for _, readings in find_numbers(_UNIT_BEHIND.sub(" ", text)) for value in readings):
            yield from (value, value / 100, 1 + value / 100, 1 - value / 100)


RULE = Rule("invented_factor", "query", "data", "doubt", apply)
