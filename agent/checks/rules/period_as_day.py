"""One day where the question says a longer time: `day = '2024-03-01'` for "in March 2024"."""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from rag.linking.dates import periods_in


def apply(context: RuleContext) -> Finding | None:
    found = find_period(context)
    return found[1] if found is not None else None


def find_period(context: RuleContext) -> tuple[str, Finding] | None:
    """The question's words for the longer time, and the finding; None if no day stands for one."""
    periods = periods_in(context.question)
    tree = context.query.copy()
    for node in tree.find_all(exp.EQ):
        days = [str(it.this) for it in node.find_all(exp.Literal) if it.is_string]
        around = [it for it in periods if any(it.first.isoformat() <= day <= it.last.isoformat() for day in days)]
        column = node.find(exp.Column)
        if column is None or node.find(exp.Select) or not around or any(it.first == it.last for it in around):
            continue
        ends = [exp.Literal.string(it.isoformat()) for it in (around[0].first, around[0].after)]
        node.replace(exp.and_(exp.GTE(this=column, expression=ends[0]), exp.LT(this=column.copy(), expression=ends[1])))
        detail = f"The question says {around[0].mention!r}, and the query reads only {' '.join(days)}."
        return around[0].mention, Finding(detail, probes=(context.sql, context.to_sql(tree)))
    return None


RULE = Rule("period_as_day", "query", "language", "doubt", apply)
