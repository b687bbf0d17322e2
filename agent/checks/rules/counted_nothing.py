"""COUNT(*) counts 1 where a LEFT JOIN found nothing."""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext


def apply(context: RuleContext) -> Finding | None:
    for select in context.selects:
        joins, group = select.args.get("joins") or [], select.args.get("group")
        on = joins[0].args.get("on") if len(joins) == 1 and joins[0].side == "LEFT" else None
        if on is None or group is None:
            continue
        name = joins[0].this.alias_or_name.lower()
        key = next((it for it in on.find_all(exp.Column) if it.table.lower() == name), None)
        if key is None or {it.table.lower() for it in group.find_all(exp.Column)} & {name, ""}:
            continue
        counts = [it for it in select.find_all(exp.Count) if isinstance(it.this, exp.Star)]
        if any(it.find_ancestor(exp.Select) is select for it in counts):
            tree = context.query.copy()
            for count in [it for it in tree.find_all(exp.Count) if isinstance(it.this, exp.Star)]:
                count.set("this", key.copy())
            detail = f"COUNT(*) counts 1 where no row of {joins[0].this.name} was joined."
            return Finding(detail, probes=(context.sql, context.to_sql(tree)))
    return None


RULE = Rule("counted_nothing", "query", "schema", "doubt", apply)
