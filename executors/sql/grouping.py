"""Aggregates where no engine takes them: in WHERE, or beside columns that nothing groups."""

from __future__ import annotations

from sqlglot import exp

from executors.base import Schema
from executors.sql.mend import Mend, mend_tree
from executors.sql.tree import conjuncts, selects_of, set_conjuncts


def grouped(sql: str, schema: Schema) -> Mend | None:
    """The query grouped by the columns it selects beside aggregates, conditions on aggregates moved to HAVING.

    None where neither is needed.

    Args:
        sql: a query that was refused for them.
        schema: of its database.
    """

    def change(tree: exp.Query, dialect: str) -> list[str]:
        return [it for select in selects_of(tree) for it in (*_group(select, dialect), *_having(select, dialect))]

    return mend_tree(sql, schema, change)


def _group(select: exp.Select, dialect: str) -> list[str]:
    """Group by what is selected, where an aggregate stands anywhere beside it."""
    plain = [item.unalias() for item in select.expressions if not _aggregates(item, select)]
    if select.args.get("group") is not None or not plain or select.is_star:
        return []
    parts = [select.args.get(name) for name in ("where", "having", "order")]
    if not any(_aggregates(part, select) for part in (*parts, *select.expressions) if part is not None):
        return []
    select.set("group", exp.Group(expressions=[item.copy() for item in plain]))
    return [f"GROUP BY {', '.join(item.sql(dialect=dialect) for item in plain)}"]


def _having(select: exp.Select, dialect: str) -> list[str]:
    where, old = select.args.get("where"), select.args.get("having")
    parts = conjuncts(where.this if where is not None else None)
    moved = [part for part in parts if _aggregates(part, select)]
    if not moved or select.args.get("group") is None:
        return []
    after = [*conjuncts(old.this if old is not None else None), *moved]
    set_conjuncts(select, [part.copy() for part in parts if part not in moved])
    set_conjuncts(select, [part.copy() for part in after], exp.Having)
    return [f"{part.sql(dialect=dialect)} in HAVING" for part in moved]


def _aggregates(part: exp.Expr, select: exp.Select) -> bool:
    return any(found.find_ancestor(exp.Select) is select for found in part.find_all(exp.AggFunc))
