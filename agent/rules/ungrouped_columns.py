"""Columns beside aggregates that nothing groups: SQLite and MySQL take the value of any row of the group.

Where the least and the greatest value of each group are one, it is the value of all of them.
"""

from __future__ import annotations

from sqlglot import exp

from agent.rules.base import Finding, Rule, RuleContext


def apply(context: RuleContext) -> Finding | None:
    tree = context.query
    if context.schema.dialect not in {"sqlite", "mysql"} or not isinstance(tree, exp.Select):
        return None
    group = tree.args.get("group")
    calls = [it for it in tree.find_all(exp.AggFunc) if it.find_ancestor(exp.Select) is tree]
    if (group is None and not any(it.find_ancestor(exp.Order) is None for it in calls)) or tree.find(exp.Window):
        return None
    if len(calls) == 1 and isinstance(calls[0], exp.Max | exp.Min) and context.schema.dialect == "sqlite":
        return None  # SQLite takes them of the row that has it
    keys = {it.name.lower() for it in group.expressions} if group is not None else set()
    places = {int(it.name) for it in group.expressions if isinstance(it, exp.Literal) and it.is_int} if group else set()
    loose = [
        (at, item.unalias())
        for at, item in enumerate(tree.expressions)
        if isinstance(item.unalias(), exp.Column) and not isinstance(item.unalias().this, exp.Star)
        if item.unalias().name.lower() not in keys and item.alias.lower() not in keys and at + 1 not in places
    ]
    if not loose:
        return None
    probes = []
    for end in (exp.Min, exp.Max):
        probe = tree.copy()
        for at, _ in loose:
            column = probe.expressions[at].unalias()
            column.replace(exp.Paren(this=end(this=column.copy())))
        probes.append(context.shown(probe))
    names = ", ".join(context.shown(column) for _, column in loose)
    return Finding(f"Nothing groups {names}: any value of each group is shown.", probes=tuple(probes))


RULE = Rule("ungrouped_columns", "query", "schema", "doubt", apply)
