"""Joins that a query does not need any more, once a condition was taken out or asked of another table.

What was joined for it alone would go on multiplying rows. A join that is itself a condition, or that keeps rows of its
own, stays, and so does one of a table that is spoken of: "which customers have orders" is asked by a join.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from sqlglot import exp


def drop_unused_joins(select: exp.Select, alias: str, spoken: AbstractSet[str] = frozenset()) -> list[str]:
    """Take out the join of a table of which nothing is read, and those that only led to it; what was, in words.

    Args:
        select: that is changed; left as it is where it has columns that do not say of which table they are.
        alias: by which the table goes.
        spoken: tables that the question is about, in small letters, as a query names them without their schema.
    """
    dropped: list[str] = []
    own = [column for column in select.find_all(exp.Column) if column.find_ancestor(exp.Select) is select]
    if any(not column.table and not _is_alias(column, select) for column in own) or _reads_all(select):
        return []
    waiting = [alias.lower()]
    while waiting:
        name = waiting.pop()
        joins = select.args.get("joins") or []
        join = next((it for it in joins if it.this.alias_or_name.lower() == name), None)
        if join is None or not _only_adds(join) or join.this.name.lower() in spoken:
            continue
        inside = list(join.find_all(exp.Column))
        if any(it.table.lower() == name and not any(it is one for one in inside) for it in select.find_all(exp.Column)):
            continue
        select.set("joins", [it for it in joins if it is not join])
        dropped.append(f"{join.this.sql()} is not joined any more")
        waiting += [it.table.lower() for it in inside if it.table.lower() != name]
    return dropped


def _reads_all(select: exp.Select) -> bool:
    """Whether columns of every table are read without their names: by a star, or to join by what is called the same."""
    joins = select.args.get("joins") or []
    merged = any(join.args.get("using") or join.method for join in joins)
    return merged or any(isinstance(item, exp.Star) for item in select.expressions)


def _only_adds(join: exp.Join) -> bool:
    """Whether a join is of a table by a condition, and neither a filter itself (SEMI, ANTI) nor there for own rows."""
    plain = join.side in {"", "LEFT"} and join.kind in {"", "INNER", "OUTER"}
    return plain and isinstance(join.this, exp.Table) and join.args.get("on") is not None


def _is_alias(column: exp.Column, select: exp.Select) -> bool:
    return any(item.alias == column.name for item in select.expressions if item.alias)
