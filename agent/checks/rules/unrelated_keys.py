"""Two tables joined by keys that no foreign key relates, although a foreign key links the tables."""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from executors.base import Schema, Table
from executors.sql.names.tables import edges

_ANY_KEY = frozenset({"id", "key", "code", "no"})  # keys of everything are called so: the same name says nothing


def apply(context: RuleContext) -> Finding | None:
    for select in context.selects:
        tables = context.tables(select)
        for pair in (it for join in select.args.get("joins") or [] for it in join.find_all(exp.EQ)):
            sides = [it for it in (pair.this, pair.expression) if isinstance(it, exp.Column) and it.table]
            read = [tables.get(it.table.lower()) for it in sides]
            if len(sides) < 2 or read[0] is None or read[1] is None or read[0] is read[1]:
                continue
            if _are_unrelated((read[0], sides[0].name.lower()), (read[1], sides[1].name.lower()), context.schema):
                return Finding(f"No key relates {context.to_sql(pair)}, and another key joins these tables.")
    return None


def _are_unrelated(one: tuple[Table, str], other: tuple[Table, str], schema: Schema) -> bool:
    """Whether both are keys, another key could join them, and nothing says that they hold the same.

    Which a key would say, a table that both refer to, or a name of their own.
    """
    if one[1] == other[1] and one[1] not in _ANY_KEY:
        return False
    mine, theirs = _means(*one), _means(*other)
    joined = any(edge.to is other[0] for edge in edges(one[0].name, schema))
    return joined and bool(mine and theirs) and not mine & theirs


def _means(table: Table, column: str) -> set[tuple[str, str]]:
    """The keys whose values a column holds, as table and column in small letters: its own, and those it refers to."""
    held = {(table.name.lower(), column)} if column in {it.lower() for it in table.primary_key} else set()
    for key in table.foreign_keys:
        pairs = zip(key.columns, key.referenced, strict=False)
        held |= {(key.table.lower(), there.lower()) for here, there in pairs if here.lower() == column}
    return held


RULE = Rule("unrelated_keys", "query", "schema", "doubt", apply)
