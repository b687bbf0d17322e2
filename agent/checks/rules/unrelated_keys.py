"""Two tables joined by keys that no foreign key relates, although a foreign key links the tables."""

from __future__ import annotations

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import equal_columns
from executors.base import Table
from executors.sql.names.tables import edges

_ANY_KEY = frozenset({"id", "key", "code", "no"})  # keys of everything are called so: the same name says nothing


def apply(context: RuleContext) -> Finding | None:
    for select in context.selects:
        tables = context.tables(select)
        for one, other in sorted(equal_columns(select)):
            mine, theirs = tables.get(one[0]), tables.get(other[0])
            if mine is None or theirs is None or mine is theirs or (one[1] == other[1] and one[1] not in _ANY_KEY):
                continue  # a name of their own says that both hold the same
            here, there = _means(mine, one[1]), _means(theirs, other[1])
            joined = any(edge.to is theirs for edge in edges(mine.name, context.schema))
            if joined and here and there and not here & there:
                pair = " = ".join(".".join(side) for side in (one, other))
                return Finding(f"No key relates {pair}, and another key joins these tables.")
    return None


def _means(table: Table, column: str) -> set[tuple[str, str]]:
    """The keys whose values a column holds, as table and column in small letters: its own, and those it refers to."""
    held = {(table.name.lower(), column)} if column in {it.lower() for it in table.primary_key} else set()
    for key in table.foreign_keys:
        pairs = zip(key.columns, key.referenced, strict=False)
        held |= {(key.table.lower(), there.lower()) for here, there in pairs if here.lower() == column}
    return held


RULE = Rule("unrelated_keys", "query", "schema", "doubt", apply)
