"""Groups by a name that several rows have: two customers called Ada become one.

Names of rows are nearly all different, and a category repeats: the stored values tell which of them a column holds.
Few rows tell it badly, so a column counts as a name sooner where it is the first text of its table, as names are.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.optimizer.scope import find_all_in_scope

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import equal_columns, group_keys, owner_alias
from executors.base import Table
from executors.sql.literals import is_text
from executors.sql.names.tables import column_of, identifier, to_source

# The least share of different values among all, of names that begin with a table's first text, and of others.
_OF_FIRST, _OF_OTHERS = 0.8, 0.95


def apply(context: RuleContext) -> Finding | None:
    for select in context.selects:
        tables, grouped = context.tables(select), group_keys(select)
        alias = owner_alias(grouped[0], tables) if grouped else None
        table = tables[alias] if alias is not None else None
        if alias is None or table is None or any(owner_alias(it, tables) != alias for it in grouped):
            continue
        by, every = {it.name.lower() for it in grouped}, [it.foreign_keys for it in context.schema.tables]
        referenced = [it.referenced for keys in every for it in keys if it.table.lower() == table.name.lower()]
        own = {columns[0].lower() for columns in (table.primary_key, *referenced) if len(columns) == 1}
        names = [it.name for it in table.columns if it.name.lower() in by]
        joined = {here for (source, here), other in equal_columns(select, tables) if source == alias != other[0]}
        key = next((it.name for it in table.columns if it.name.lower() in own & joined), None)
        refers = {name.lower() for it in table.foreign_keys for name in it.columns}
        if key is None or by & (own | refers) or not any(is_text(it) for it in table.columns if it.name in names):
            continue
        entity, taken = column_of(alias, key, context.schema), list(find_all_in_scope(select, exp.AggFunc))
        distinct = [
            it.name.lower() for one in taken if isinstance(one.this, exp.Distinct) for it in one.this.expressions
        ]
        if taken and key.lower() not in distinct:
            one = f"{'an' if names[0][0] in 'aeiouAEIOU' else 'a'} {' and '.join(names)}"
            detail = f"{{}} {table.name} share {one} with another; the query adds them together. "
            detail += f"Group by {table.name}.{key} to tell them apart."
            return Finding(detail, counts=(_count_names(context, table, names), _count_merged(context, select, entity)))
    return None


def _count_names(context: RuleContext, table: Table, names: list[str]) -> str:
    """1 where the values name rows and some are the same: the table alone tells it, before any join is read."""
    rows = exp.select(exp.alias_(exp.Count(this=exp.Star()), "n")).from_(to_source(table, context.schema))
    rows = rows.group_by(*(exp.column(identifier(it, context.schema)) for it in names))
    first = next(it.name for it in table.columns if is_text(it) and it.name not in table.primary_key)
    least = _OF_FIRST if first in names else _OF_OTHERS
    are_names = f"CASE WHEN COUNT(*) < SUM(n) AND COUNT(*) >= {least} * SUM(n) THEN 1 ELSE 0 END"
    return context.to_sql(exp.select(are_names).from_(rows.subquery("each_name")))


def _count_merged(context: RuleContext, select: exp.Select, entity: exp.Column) -> str:
    """How many rows are in groups of several, of the groups that are shown."""
    groups = select.copy()
    if groups.args.get("limit") is None:
        groups.set("order", None)
    names = [it.output_name.lower() for it in groups.selects]
    for at, item in enumerate(groups.selects):  # each with a name of its own, as most databases want it
        name = item.output_name if names.count(names[at]) == 1 else ""
        item.replace(exp.alias_(item.unalias().copy(), name or f"item_{at}"))
    counted = exp.Count(this=exp.Distinct(expressions=[entity]))
    groups = groups.select(exp.alias_(counted, "entities"))
    return context.to_sql(exp.select("SUM(entities)").from_(groups.subquery("each_group")).where("entities > 1"))


RULE = Rule("merged_names", "query", "data", "doubt", apply)
