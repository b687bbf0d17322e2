"""`x NOT IN (SELECT y ...)` is true for no row if one y is NULL."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agent.checks.rules.base import Change, Finding, Rule, RuleContext
from executors.sql.literals import owner_of
from executors.sql.tree import conjuncts, set_conjuncts


def apply(context: RuleContext) -> Finding | None:
    def change(tree: exp.Query) -> Iterator[Change]:
        for node in tree.find_all(exp.In):
            query = node.args.get("query")
            inner = query.unnest() if query is not None else None
            if not isinstance(node.parent, exp.Not) or not isinstance(inner, exp.Select) or len(inner.expressions) != 1:
                continue
            column = inner.expressions[0].unalias()
            owner = owner_of(column, context.schema) if isinstance(column, exp.Column) else None
            if owner is None or not owner[1].nullable or owner[1].name in owner[0].primary_key:
                continue
            where = inner.args.get("where")
            filled = exp.Not(this=exp.Is(this=column.copy(), expression=exp.Null()))
            parts = conjuncts(where.this if where else None)
            if filled not in parts:
                before = context.to_sql(node.parent)
                set_conjuncts(inner, [*parts, filled])
                yield Change(before, context.to_sql(node.parent))

    return context.change(change, "NOT IN is true of no row where the inner query gives NULL: {}.")


RULE = Rule("not_in_nulls", "query", "schema", "alternative", apply)
