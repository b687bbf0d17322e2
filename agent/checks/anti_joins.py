"""Rows without a partner, asked for by an inner join: it keeps only such as have one, so no row is left.

A small model writes `JOIN loans ... WHERE loans.id IS NULL` for "readers without a loan". Where what is to be NULL
cannot be in a row that was joined, only a LEFT JOIN can be meant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from executors.base import Schema, Table
from rag.words import denies, words

if TYPE_CHECKING:
    from sqlglot import exp

_KEY = words("id key")


def rows_without(tree: exp.Query, schema: Schema, question: str) -> list[str]:
    """Make LEFT JOINs, in the tree, of joins whose partner is to be missing; what was changed.

    Args:
        tree: that is changed.
        schema: tells which columns are never NULL.
        question: a column beside the keys is taken for its row only where its name says no more than the table's (an
            order that is not delivered has a shipment, without a date), and one that may be NULL only where it denies.
    """
    from sqlglot import exp

    from executors.sql.loose_joins import keeps_unmatched
    from executors.sql.mend import tables_of
    from executors.sql.tree import conjuncts, selects_of

    changes: list[str] = []
    for select in selects_of(tree):
        where = select.args.get("where")
        if keeps_unmatched(select):
            continue
        tables = {alias.lower(): table for alias, table in tables_of(select, schema).items()}
        for part in conjuncts(where.this if where is not None else None):
            missing = part.unnest()
            if not isinstance(missing, exp.Is) or not isinstance(missing.expression, exp.Null):
                continue
            column = missing.this
            table = tables.get(column.table.lower()) if isinstance(column, exp.Column) else None
            join = _joined_for(column, select) if table is not None else None
            key = _own_key(join, column.table) if join is not None else None
            if table is None or join is None or key is None or not _means_the_row(column, key, table, question):
                continue
            join.set("side", "LEFT")
            join.set("kind", None)
            column.replace(key.copy())
            changes.append(f"rows without {table.name} are asked for: LEFT JOIN, {key.sql()} IS NULL")
    return changes


def _joined_for(column: exp.Column, select: exp.Select) -> exp.Join | None:
    """The inner join that brought a column's table, where nothing else is read of it."""
    from sqlglot import exp

    name = column.table.lower()
    joins: list[exp.Join] = select.args.get("joins") or []
    join = next((it for it in joins if it.this.alias_or_name.lower() == name), None)
    if join is None or join.side or join.method or join.kind not in {"", "INNER"}:
        return None
    inside = [*join.find_all(exp.Column), column]
    others = (it for it in select.find_all(exp.Column) if not any(it is one for one in inside))
    if any(it.table.lower() in {name, ""} for it in others) or select.find(exp.Star):
        return None
    return join


def _own_key(join: exp.Join, alias: str) -> exp.Column | None:
    """The column of the joined table by which it is joined, where that is all the condition."""
    from sqlglot import exp

    on = join.args.get("on")
    pair = on.unnest() if on is not None else None
    sides = [pair.this, pair.expression] if isinstance(pair, exp.EQ) else []
    own = [it for it in sides if isinstance(it, exp.Column) and it.table.lower() == alias.lower()]
    return own[0] if len(own) == 1 and all(isinstance(it, exp.Column) for it in sides) else None


def _means_the_row(column: exp.Column, key: exp.Column, table: Table, question: str) -> bool:
    """Whether a column that is to be NULL stands for a row that is not there."""
    own = table.column(column.name)
    if own is None:
        return False
    if column.name.lower() == key.name.lower() or own.name in table.primary_key:
        return True
    further = words(column.name) - words(table.parts[-1])
    return further <= _KEY and not further & words(question) and (denies(question) or not own.nullable)
