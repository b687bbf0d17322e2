"""The first group of one table, where the order tells no group from another: `GROUP BY name
ORDER BY COUNT(*) DESC LIMIT 1` of a table with one row for each name. What was to be counted is in another table.

Groups of joined rows can be equal, too: then several come first, and the answer names the ties.
"""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import group_keys, key_of_order


def apply(context: RuleContext) -> Finding | None:
    query = context.query
    order, limit = query.args.get("order"), query.args.get("limit") or query.args.get("fetch")
    if not isinstance(query, exp.Select) or order is None or limit is None or query.args.get("joins"):
        return None
    measure, *others = (key_of_order(query, it.this) for it in order.expressions)
    if query.args.get("group") is None or measure is None or measure.find(exp.AggFunc) is None:
        return None
    if any(it is None or it.find(exp.AggFunc) for it in others):  # a further number may decide
        return None
    count = limit.expression.name if isinstance(limit, exp.Limit) else ""
    groups = query.copy()
    for part in ("order", "limit", "offset", "fetch", "distinct", "with_"):
        groups.set(part, None)
    for key, meant in zip(groups.args["group"].expressions, group_keys(query), strict=True):
        if isinstance(key, exp.Literal):  # a position
            key.replace(meant.copy())
    named = [it for it in groups.selects if it.alias and it.alias.lower() != "measure"]  # other clauses may read them
    groups.set("expressions", [*named, exp.alias_(measure.copy(), "measure")])
    shown = max(int(count), 2) if count.isdigit() else 2
    number = f"CASE WHEN COUNT(*) > {shown} AND MIN(measure) = MAX(measure) THEN COUNT(*) ELSE 0 END"
    counted = exp.select(number).from_(groups.subquery("each_group"))
    if (ctes := query.args.get("with_")) is not None:
        counted.set("with_", ctes.copy())
    return Finding(
        f"All {{}} groups have the same {context.to_sql(measure)}, so no group comes first.",
        counts=(context.to_sql(counted),),
    )


RULE = Rule("all_tied", "query", "data", "doubt", apply)
