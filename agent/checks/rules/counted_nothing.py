"""COUNT(*) counts 1 where a LEFT JOIN found nothing."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.optimizer.scope import find_all_in_scope

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import group_keys


def apply(context: RuleContext) -> Finding | None:
    for select in context.selects:
        joins, grouped = select.args.get("joins") or [], group_keys(select)
        on = joins[0].args.get("on") if len(joins) == 1 and joins[0].side == "LEFT" else None
        name = joins[0].this.alias_or_name.lower() if on is not None else ""
        key = next((it for it in on.find_all(exp.Column) if it.table.lower() == name), None) if on is not None else None
        by = {column.table.lower() for it in grouped for column in it.find_all(exp.Column)}
        counted = any(isinstance(it.this, exp.Star) for it in find_all_in_scope(select, exp.Count))
        if key is not None and grouped and counted and not by & {name, ""}:
            tree = context.query.copy()
            for count in [it for it in tree.find_all(exp.Count) if isinstance(it.this, exp.Star)]:
                count.set("this", key.copy())
            detail = f"A group without any row of {joins[0].this.name} is counted as 1."
            return Finding(detail, probes=(context.sql, context.to_sql(tree)))
    return None


RULE = Rule("counted_nothing", "query", "schema", "doubt", apply)
