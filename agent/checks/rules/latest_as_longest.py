"""The latest time for "the longest": `MAX(check_out)` says when a visit ended last, not how long one took.

"Who has worked here the longest?" asks for the earliest date, so only the other end is doubted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import holds_dates
from executors.sql.literals import owner_of

_LONGEST = re.compile(
    r"\b(?:longest|längste[nrs]?|plus long(?:ue)?s?|m[aá]s larg[oa]s?|più lung[aoeh]+)\b", re.IGNORECASE
)
_SHORTEST = re.compile(
    r"\b(?:shortest|kürzeste[nrs]?|plus courte?s?|m[aá]s cort[oa]s?|più cort[aoie])\b", re.IGNORECASE
)
# "When was the longest book last brought back?" asks for a time; "Which loan runs the longest?" may mean its end.
_OF_TIME = re.compile(
    r"\b(?:when|last|latest|wann|zuletzt|quand|derni[eè]re?|cu[aá]ndo|[uú]ltim[oa]|quando)\b|\blongest\W*$",
    re.IGNORECASE,
)


def apply(context: RuleContext) -> Finding | None:
    if _OF_TIME.search(context.question):
        return None
    for pattern, aggregate, descending in ((_LONGEST, exp.Max, True), (_SHORTEST, exp.Min, False)):
        said = pattern.search(context.question)
        if said is None:
            continue
        for node in _list_ends(context.query, aggregate, descending):
            owner = owner_of(node, context.schema)
            if owner is not None and holds_dates(owner[1], context.schema.dialect):
                end = "latest" if descending else "earliest"
                return Finding(f"The question says “{said[0]}”, and the query takes the {end} {owner[1].name}.")
    return None


def _list_ends(query: exp.Query, aggregate: type[exp.Expr], descending: bool) -> Iterator[exp.Column]:
    """The columns whose last or first value a query takes: by MAX or MIN, or as the first in an order."""
    for item in query.selects:
        node = item.unalias()
        if isinstance(node, aggregate) and isinstance(node.this, exp.Column):
            yield node.this
    order = query.args.get("order") if query.args.get("limit") is not None else None
    first = order.expressions[0] if order is not None else None
    if first is not None and bool(first.args.get("desc")) is descending and isinstance(first.this, exp.Column):
        yield first.this


RULE = Rule("latest_as_longest", "query", "language", "doubt", apply)
