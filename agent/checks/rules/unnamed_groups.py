"""Several rows of numbers without what they are grouped by: nothing says which number belongs to what."""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext


def apply(context: RuleContext) -> Finding | None:
    select, rows, group = context.query, context.rows, context.query.args.get("group")
    if not isinstance(select, exp.Select) or group is None or not group.expressions:
        return None
    if rows is not None and (len(rows) < 2 or any(isinstance(cell, str) for row in rows for cell in row)):
        return None
    if any(item.find(exp.AggFunc) is None for item in select.expressions):
        return None
    keys = ", ".join(context.to_sql(key) for key in group.expressions)
    return Finding(f"The rows are grouped by {keys}, but no column shows the group of a row.")


RULE = Rule("unnamed_groups", "rows", "schema", "doubt", apply)
