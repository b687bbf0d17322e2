"""`a = 1 OR a = 2 AND b = 3`: AND binds closer than OR, so b applies to one side only."""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext


def apply(context: RuleContext) -> Finding | None:
    for either in context.query.find_all(exp.Or):
        bound = [side for side in (either.left, either.right) if isinstance(side, exp.And)]
        if bound and not isinstance(either.parent, exp.Or) and len(bound) < len(list(either.flatten(unnest=False))):
            alone = [side for side in either.flatten(unnest=False) if side is not bound[0]]
            others = {column.name for side in alone for column in side.find_all(exp.Column)}
            names = dict.fromkeys(it.name for it in bound[0].find_all(exp.Column) if it.name not in others)
            told = f"The condition on {' and '.join(names)}" if names else "A condition"
            return Finding(f"{told} applies to only one side of OR.")
    return None


RULE = Rule("loose_or", "query", "language", "doubt", apply)
