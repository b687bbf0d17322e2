"""Moves a condition from a column of a table to one of its parent: from `drills.name` to `vessels.name`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.optimizer.scope import find_all_in_scope

from agent.checks.rules.base import RuleContext
from agent.checks.rules.reading import equal_columns, owner_alias
from executors.base import Schema, Table
from executors.sql.names.tables import Edge, column_of, to_alias, to_source
from executors.sql.tree import conjuncts

if TYPE_CHECKING:
    from executors.sql.literals import TextFilter
    from rag.linking.values import LinkedValue

_MOST_JOINS = 2


def move_to_parent(context: RuleContext, found: TextFilter, stored: LinkedValue) -> None:
    """Join the table that stores the text along the keys, and compare its column instead.

    Nothing changes if several paths lead there or none does, or if rows may fail the condition: a join drops rows
    without a parent, and adds its columns to `*`. A foreign key leads to one row, so no row is repeated.
    """
    schema, condition, select = context.schema, found.literal.parent, found.literal.find_ancestor(exp.Select)
    where, column = select and select.args.get("where"), condition and condition.find(exp.Column)
    target, paths = schema.table(stored.table), list[tuple[Edge, ...]]()
    if select and where and column and target and any(it is condition for it in conjuncts(where.this)):
        paths = list(_paths(found.table, target, schema))
    if select is None or column is None or len(paths) != 1:
        return
    tables, joined = context.tables(select), dict[str, exp.Join]()
    equal = equal_columns(select, tables)
    here = owner_alias(column, tables)
    for edge in paths[0]:
        pairs = list(zip(edge.columns, edge.referenced, strict=True))
        read = [alias for alias, it in tables.items() if it == edge.to]
        there = read[0] if read else edge.to.parts[-1]
        if here is None or len(read) > 1 or (not read and there.lower() in tables):
            return
        if read and any(((here, a.lower()), (there, b.lower())) not in equal for a, b in pairs):
            return
        if not read:
            on = exp.and_(*(column_of(here, a, schema).eq(column_of(there, b, schema)) for a, b in pairs))
            joined[edge.to.name] = exp.Join(this=to_source(edge.to, schema), on=on)
        here = there
    if joined and any(isinstance(it, exp.Star) for it in select.expressions):
        return
    new = {it.name.lower() for edge in paths[0] if edge.to.name in joined for it in edge.to.columns}
    for other in list(find_all_in_scope(select, exp.Column)):
        alias = owner_alias(other, tables) if not other.table and other.name.lower() in new else None
        if alias is not None:
            other.set("table", to_alias(alias, schema))
    column.replace(column_of(here or "", stored.column, schema))
    found.literal.replace(exp.Literal.string(stored.value))
    for join in joined.values():
        select.append("joins", join)


def _paths(start: Table, target: Table, schema: Schema, most: int = _MOST_JOINS) -> Iterator[tuple[Edge, ...]]:
    """The paths from a table to one that its foreign keys refer to, directly or through others."""
    for key in start.foreign_keys if most else ():
        if (parent := schema.table(key.table)) is not None and len(key.referenced) == len(key.columns):
            edge = Edge(key.columns, parent, key.referenced)
            further = _paths(parent, target, schema, most - 1) if parent.name != target.name else ((),)
            yield from ((edge, *others) for others in further)
