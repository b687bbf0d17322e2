"""One aggregate under two names: `SUM(fee) AS fees_2023, SUM(fee) AS fees_2024` shows one number twice."""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext


def apply(context: RuleContext) -> Finding | None:
    for select in context.selects:
        names: dict[exp.Expr, str] = {}
        for item in select.expressions:
            amount, name = item.unalias(), item.alias
            if not name or amount.find(exp.AggFunc) is None:
                continue
            other = names.setdefault(amount, name)
            if other.lower() != name.lower():
                return Finding(f"{other} and {name} are the same value: {context.to_sql(amount)}.")
    return None


RULE = Rule("repeated_amount", "query", "schema", "doubt", apply)
