"""Groups by a key, beside columns that the key decides: `SELECT c.name … GROUP BY c.id`.

SQLite, MySQL and PostgreSQL run that, other databases want every column in GROUP BY. There it changes no group.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.optimizer.scope import find_all_in_scope

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import equal_columns, group_keys, owner_alias
from executors.errors import ErrorKind
from executors.sql.tree import selects_of


def apply(context: RuleContext) -> Finding | None:
    if context.error is not ErrorKind.GROUPING:
        return None

    def add_columns(tree: exp.Query) -> Iterator[str]:
        for select in selects_of(tree):
            missing = _find_decided(select, context) if select.args.get("group") is not None else []
            for column in missing:
                select.args["group"].append("expressions", column.copy())
            if missing:
                yield f"grouped by {', '.join(map(context.to_sql, missing))}, too"

    return context.change(add_columns)


def _find_decided(select: exp.Select, context: RuleContext) -> list[exp.Column]:
    """The ungrouped columns outside of aggregates, if the primary keys of their tables are grouped by; else none."""
    tables, keys = context.tables(select), group_keys(select)
    places = {(alias, key.name.lower()) for key in keys if (alias := owner_alias(key, tables)) is not None}
    if not any(join.side for join in select.args.get("joins") or []):  # of an outer join, one side may be NULL
        places |= {other for one, other in equal_columns(select) if one in places}
    names = {it.alias.lower() for it in select.selects if it.alias}
    found = dict[exp.Column, None]()
    for column in find_all_in_scope(select, exp.Column):
        if (
            column in keys
            or column.find_ancestor(exp.AggFunc, exp.Where, exp.Join, exp.Group, exp.Select) is not select
        ):
            continue
        alias = owner_alias(column, tables)
        if alias is None and not column.table and column.name.lower() in names:
            continue
        table = tables.get(alias or "")
        key = table.primary_key if table is not None else ()
        if not key or any((alias, it.lower()) not in places for it in key):
            return []
        found[column] = None
    return list(found)


RULE = Rule("keyed_groups", "error", "schema", "repair", apply)
