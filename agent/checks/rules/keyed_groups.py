"""Groups by a key, beside columns that the key decides: `SELECT c.name … GROUP BY c.id`.

SQLite, MySQL and PostgreSQL run that, other databases want every column in GROUP BY. There it changes no group. Files
declare no keys, and names may be different, too: a column of one row per value decides the others of its table as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.optimizer.scope import find_all_in_scope

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import equal_columns, group_keys, owner_alias
from executors.base import Table
from executors.errors import ErrorKind
from executors.sql.names.tables import identifier, to_source
from executors.sql.tree import selects_of


def apply(context: RuleContext) -> Finding | None:
    if context.error is not ErrorKind.GROUPING:
        return None

    counts = dict[str, None]()

    def add_columns(tree: exp.Query) -> Iterator[str]:
        for select in selects_of(tree):
            missing, tests = _find_decided(select, context) if select.args.get("group") is not None else ([], [])
            counts.update(dict.fromkeys(tests))
            for column in missing:
                select.args["group"].append("expressions", column.copy())
            if missing:
                yield f"grouped by {', '.join(map(context.to_sql, missing))}, too"

    found = context.change(add_columns)
    return found._replace(counts=tuple(counts)) if found is not None else None


def _find_decided(select: exp.Select, context: RuleContext) -> tuple[list[exp.Column], list[str]]:
    """The ungrouped columns outside of aggregates, if columns of their tables are grouped by; else none.

    Also returns a query for each table whose primary key is not grouped by: 1 if the grouped columns decide its rows.
    """
    tables, keys = context.tables(select), group_keys(select)
    places = {(alias, key.name.lower()) for key in keys if (alias := owner_alias(key, tables)) is not None}
    if not any(join.side for join in select.args.get("joins") or []):  # of an outer join, one side may be NULL
        places |= {other for one, other in equal_columns(select, tables) if one in places}
    names = {it.alias.lower() for it in select.selects if it.alias}
    found, tests = dict[exp.Column, None](), dict[str, None]()
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
        by = [it.name for it in table.columns if (alias, it.name.lower()) in places] if table is not None else []
        if table is None or not by:
            return [], []
        if not table.primary_key or not {it.lower() for it in table.primary_key} <= {it.lower() for it in by}:
            tests[_count_repeats(context, table, by)] = None
        found[column] = None
    return list(found), list(tests)


def _count_repeats(context: RuleContext, table: Table, by: list[str]) -> str:
    """1 if every value of the columns is that of one row. NULL stands for no row: an outer join adds it."""
    columns = [exp.column(identifier(it, context.schema)) for it in by]
    rows = exp.select(exp.alias_(exp.Count(this=columns[0].copy()), "n")).from_(to_source(table, context.schema))
    each = rows.group_by(*columns).subquery("each_group")
    return context.to_sql(exp.select("CASE WHEN MIN(n) = 1 AND MAX(n) = 1 THEN 1 ELSE 0 END").from_(each))


RULE = Rule("keyed_groups", "error", "schema", "repair", apply)
