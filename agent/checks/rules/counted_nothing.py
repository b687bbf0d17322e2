"""COUNT(*) counts 1 where a LEFT JOIN found nothing.

If the joined source has at most one row for each row of the table, and the query shows columns of it, COUNT(*) is meant
to count the rows of the table, unless each group is one of them.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.optimizer.scope import find_all_in_scope

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import equal_columns, group_keys, is_unique
from executors.sql.tree import selects_of


def apply(context: RuleContext) -> Finding | None:
    for place, select in enumerate(context.selects):
        joins, grouped = select.args.get("joins") or [], group_keys(select)
        on = joins[0].args.get("on") if len(joins) == 1 and joins[0].side == "LEFT" else None
        name = joins[0].this.alias_or_name.lower() if on is not None else ""
        key = next((it for it in on.find_all(exp.Column) if it.table.lower() == name), None) if on is not None else None
        by = {column.table.lower() for it in grouped for column in it.find_all(exp.Column)}
        counted = any(isinstance(it.this, exp.Star) for it in find_all_in_scope(select, exp.Count))
        if key is None or not grouped or not counted or by & {name, ""} or _counts_table(select, name, context):
            continue
        tree = context.query.copy()
        for count in find_all_in_scope(selects_of(tree)[place], exp.Count):
            if isinstance(count.this, exp.Star):
                count.set("this", key.copy())
        source = joins[0].this.alias_or_name or "the joined query"
        detail = f"A group without any row of {source} is counted as 1."
        return Finding(detail, probes=(context.sql, context.to_sql(tree)))
    return None


def _counts_table(select: exp.Select, joined: str, context: RuleContext) -> bool:
    """Whether the join only adds columns to the rows of the first table, and the groups are not its single rows."""
    tables = context.tables(select)
    by = {other[1] for _, other in equal_columns(select, tables) if other[0] == joined}
    first = next(iter(tables.values()))
    keys = {key.name.lower() for key in group_keys(select)}
    is_each = first is not None and bool(first.primary_key) and {it.lower() for it in first.primary_key} <= keys
    inside = {id(it) for it in select.args["joins"][0].find_all(exp.Column)}
    is_read = any(it.table.lower() == joined and id(it) not in inside for it in select.find_all(exp.Column))
    return not is_each and is_read and is_unique(select.args["joins"][0].this, tables[joined], by)


RULE = Rule("counted_nothing", "query", "schema", "doubt", apply)
