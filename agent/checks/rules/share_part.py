"""A share whose part and whole have different filters, besides the filter that defines the part.

"Shipped and not cancelled, over all" leaves open whether the cancelled belong to the whole; and what is over 50,
of all that are not cancelled, has cancelled ones among it.
"""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from executors.sql.tree import conjuncts


def apply(context: RuleContext) -> Finding | None:
    for division in context.query.find_all(exp.Div):
        part, whole = _conditions(division.this), _conditions(division.expression)
        lacking = [it for it in part if it not in whole]
        read = {it.name.lower() for condition in part for it in condition.find_all(exp.Column)}
        beyond = [it for it in whole if it not in part and not read & {c.name.lower() for c in it.find_all(exp.Column)}]
        if lacking and all(side.find(exp.AggFunc) for side in (division.this, division.expression)):
            names = ", ".join(map(context.to_sql, lacking if len(lacking) > 1 else beyond))
            if len(lacking) > 1:
                return Finding(f"The part of a share is filtered by {names}, and its whole by none of them.")
            if names:
                return Finding(f"The whole of a share is filtered by {names}, and its part is not.")
    return None


def _conditions(side: exp.Expr) -> list[exp.Expr]:
    """What restricts the rows of one side of a division."""
    found = [branch.this for case in side.find_all(exp.Case) for branch in case.args.get("ifs") or ()]
    found += [it.expression.this for it in side.find_all(exp.Filter)] + [it.this for it in side.find_all(exp.CountIf)]
    found += [it.this for it in side.find_all(exp.Where) if it.find_ancestor(exp.Filter) is None]
    return [part.unnest() for condition in found for part in conjuncts(condition)]


RULE = Rule("share_part", "query", "schema", "doubt", apply)
