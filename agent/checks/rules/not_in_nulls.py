"""`x NOT IN (SELECT y ...)` is true for no row if one y is NULL."""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from executors.sql.literals import owner_of
from executors.sql.tree import conjuncts, set_conjuncts


def apply(context: RuleContext) -> Finding | None:
    def fill(node: exp.Expr) -> exp.Expr | None:
        query = node.this.args.get("query") if isinstance(node.this, exp.In) else None
        inner = query.unnest() if query is not None else None
        if not isinstance(inner, exp.Select) or len(inner.expressions) != 1:
            return None
        column = inner.expressions[0].unalias()
        owner = owner_of(column, context.schema) if isinstance(column, exp.Column) else None
        if owner is None or not owner[1].nullable or owner[1].name in owner[0].primary_key:
            return None
        where, filled = inner.args.get("where"), exp.Not(this=exp.Is(this=column.copy(), expression=exp.Null()))
        parts = conjuncts(where.this if where else None)
        if filled in parts:
            return None
        set_conjuncts(inner, [*parts, filled])
        return node

    return context.change_each(exp.Not, by=fill, detail="NOT IN matches no row if its subquery returns a NULL: {}.")


RULE = Rule("not_in_nulls", "query", "schema", "alternative", apply, keeps_meaning=True)
