"""Joins that a query does not need any more, once a condition was taken out or asked of another table.

What was joined for it alone would go on multiplying rows.
"""

from __future__ import annotations

from sqlglot import exp


def drop_unused_joins(select: exp.Select, alias: str) -> list[str]:
    """Take out the join of a table of which nothing is read, and those that only led to it; what was, in words.

    Args:
        select: that is changed; left as it is where it has columns that do not say of which table they are.
        alias: by which the table goes.
    """
    dropped: list[str] = []
    own = [column for column in select.find_all(exp.Column) if column.find_ancestor(exp.Select) is select]
    if any(not column.table and not _is_alias(column, select) for column in own):
        return []
    waiting = [alias.lower()]
    while waiting:
        name = waiting.pop()
        joins = select.args.get("joins") or []
        join = next((it for it in joins if it.this.alias_or_name.lower() == name), None)
        if join is None or not isinstance(join.this, exp.Table) or join.args.get("on") is None:
            continue
        inside = list(join.find_all(exp.Column))
        if any(it.table.lower() == name and not any(it is one for one in inside) for it in select.find_all(exp.Column)):
            continue
        select.set("joins", [it for it in joins if it is not join])
        dropped.append(f"{join.this.sql()} is not joined any more")
        waiting += [it.table.lower() for it in inside if it.table.lower() != name]
    return dropped


def _is_alias(column: exp.Column, select: exp.Select) -> bool:
    return any(item.alias == column.name for item in select.expressions if item.alias)
