"""`a = 1 OR a = 2 AND b = 3`: AND binds closer than OR, so b applies to one side only."""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext


def apply(context: RuleContext) -> Finding | None:
    for either in context.query.find_all(exp.Or):
        bound = [side for side in (either.left, either.right) if isinstance(side, exp.And)]
        if bound and not isinstance(either.parent, exp.Or) and len(bound) < len(list(either.flatten(unnest=False))):
            return Finding(f"AND binds closer than OR: {context.to_sql(bound[0])} is one side of it.")
    return None


RULE = Rule("loose_or", "query", "language", "doubt", apply)
