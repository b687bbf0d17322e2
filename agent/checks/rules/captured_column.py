"""A column that a query inside takes from the query around it: `id IN (SELECT id FROM loans)`, where loans has no `id`.

SQL then compares each row with itself, so the condition says nothing. The key between the two tables says which column
is meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agent.checks.rules.base import Change, Finding, Rule, RuleContext
from executors.base import Table
from executors.sql.names.tables import identifier


def apply(context: RuleContext) -> Finding | None:
    captured = list(_find_captured(context.query, context))
    if not captured:
        return None

    def rename(tree: exp.Query) -> Iterator[Change]:
        for column, inner, outer in list(_find_captured(tree, context)):
            select = column.find_ancestor(exp.Select)
            meant = {name for table in inner for name in _list_keys(table, outer, column.name)}
            if (
                select is not None
                and len(meant) == 1
                and [it.name for it in select.find_all(exp.Column)].count(column.name) == 1
            ):
                before = context.to_sql(column)
                column.set("this", identifier(meant.pop(), context.schema))
                yield Change(before, context.to_sql(column))

    column, inner, outer = captured[0]
    detail = f"{' and '.join(it.name for it in inner)} has no {column.name}: the subquery reads it from {outer.name}."
    changed = context.change(rename)
    return changed._replace(detail=detail) if changed is not None else Finding(detail)


def _find_captured(tree: exp.Query, context: RuleContext) -> Iterator[tuple[exp.Column, list[Table], Table]]:
    """Selected columns that no table of their own SELECT has, those tables, and the table around that has them."""
    for select in tree.find_all(exp.Select):
        around, user = select.find_ancestor(exp.Select), select.parent
        user = user.parent if isinstance(user, exp.Subquery) else user
        if around is None or not isinstance(user, exp.In | exp.EQ | exp.NEQ | exp.Any | exp.All):
            continue
        inner = [table for table in context.tables(select).values() if table is not None]
        if not inner or len(inner) < len(context.tables(select)):
            continue
        for item in select.selects:
            column = item.unalias()
            if isinstance(column, exp.Column) and not column.table and not any(it.column(column.name) for it in inner):
                owners = [it for it in context.tables(around).values() if it is not None and it.column(column.name)]
                if len(owners) == 1:
                    yield column, inner, owners[0]


def _list_keys(table: Table, outer: Table, name: str) -> Iterator[str]:
    """The columns of a table that are joined with this column of the outer one."""
    for referring, referred in ((table, outer), (outer, table)):
        for key in referring.foreign_keys:
            if key.table.lower() == referred.name.lower() and len(key.columns) == len(key.referenced) == 1:
                own, other = (key.columns[0], key.referenced[0])[:: 1 if referring is table else -1]
                if other.lower() == name.lower():
                    yield own


RULE = Rule("captured_column", "query", "schema", "alternative", apply)
