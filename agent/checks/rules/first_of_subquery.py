"""`= (SELECT …)` whose subquery may give several rows: SQLite compares the first one and drops the rest.

Other databases refuse such a query. IN compares all of them.
"""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext


def apply(context: RuleContext) -> Finding | None:
    if context.dialect != "sqlite":
        return None

    def compare_all(node: exp.Expr) -> exp.Expr | None:
        one, other = node.this, node.expression
        if isinstance(one, exp.Subquery):
            one, other = other, one
        if isinstance(one, exp.Subquery) or not isinstance(other, exp.Subquery) or not _may_give_several(other.this):
            return None
        return exp.In(this=one.copy(), query=other.copy())

    return context.change_each(exp.EQ, by=compare_all, detail="The subquery may give several rows: {}.")


def _may_give_several(query: exp.Expr) -> bool:
    if not isinstance(query, exp.Select) or query.args.get("limit") is not None:
        return isinstance(query, exp.SetOperation)
    return query.args.get("group") is not None or not any(item.find(exp.AggFunc) for item in query.selects)


RULE = Rule("first_of_subquery", "query", "data", "alternative", apply)
