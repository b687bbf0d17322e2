"""Ungrouped columns next to aggregates: SQLite and MySQL take the value of any row of the group.

If the lowest and the highest value of each group give the same rows, all rows of a group have that value. If the whole
result is one group, an order by such a column picks nothing: the model may have meant the first row alone.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.optimizer.scope import find_all_in_scope

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import group_keys
from executors.sql.tree import selects_of


def apply(context: RuleContext) -> Finding | None:
    if context.schema.dialect not in {"sqlite", "mysql"}:
        return None
    for place, select in enumerate(context.selects):
        if (order := _find_idle_order(select)) is not None:
            return Finding(f"The query sorts by {context.to_sql(order)}, but its result is computed from all rows.")
        loose = _find_ungrouped(select, context.schema.dialect)
        if loose:
            probes = []
            for end in (exp.Min, exp.Max):
                probe = context.query.copy()
                for item in (selects_of(probe)[place].expressions[at] for at in loose):
                    only, name = exp.paren(end(this=item.unalias().copy())), item.alias_or_name
                    item.replace(exp.alias_(only, name, quoted=True) if name else only)  # as a query around it reads it
                probes.append(context.to_sql(probe))
            names = ", ".join(context.to_sql(select.expressions[at].unalias()) for at in loose)
            return Finding(
                f"The query does not group by {names}: each result has the value of an arbitrary row of its group.",
                probes=tuple(probes),
            )
    return None


def _find_idle_order(select: exp.Select) -> exp.Column | None:
    """A column by which the first of what is one row of aggregates is looked for."""
    order = select.args.get("order")
    if order is None or select.args.get("limit") is None or group_keys(select) or select.find(exp.Window) is not None:
        return None
    calls = list(find_all_in_scope(select, exp.AggFunc))
    if any(not any(call in it.walk() for call in calls) for it in select.selects):
        return None
    named = {it.alias.lower() for it in select.selects if it.alias}
    columns = [it for it in find_all_in_scope(order, exp.Column) if it.find_ancestor(exp.AggFunc, exp.Order) is order]
    return next((it for it in columns if it.table or it.name.lower() not in named), None)


def _find_ungrouped(select: exp.Select, dialect: str) -> list[int]:
    """The places of the select list that read columns which neither an aggregate nor GROUP BY takes."""
    grouped, calls = group_keys(select), list(find_all_in_scope(select, exp.AggFunc))
    if (not grouped and not any(it.find_ancestor(exp.Order) is None for it in calls)) or select.find(exp.Window):
        return []
    if len(calls) == 1 and isinstance(calls[0], exp.Max | exp.Min) and dialect == "sqlite":
        return []  # SQLite takes them of the row that has it
    keys = {it.name.lower() for it in grouped}
    return [
        at
        for at, item in enumerate(select.expressions)
        if item.unalias() not in grouped and item.alias.lower() not in keys
        if not item.find(exp.AggFunc, exp.Query)
        and any(it.name.lower() not in keys for it in item.find_all(exp.Column) if not it.is_star)
    ]


RULE = Rule("ungrouped_columns", "query", "schema", "doubt", apply)
