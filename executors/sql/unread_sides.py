"""One value looked for in many columns, some of tables that are not read.

Told of every column that may hold what was said, a small model asks each of them, by OR. Those of tables that are not
in FROM cannot be read, and are not what the query is about: what is left asks the tables that it reads.
"""

from __future__ import annotations

from sqlglot import exp

from executors.base import Schema
from executors.dialects import DIALECTS
from executors.sql.mend import Mend
from executors.sql.tree import selects_of, tree_to_change


def drop_unread_sides(sql: str, schema: Schema) -> Mend | None:
    """The query without the sides of its ORs that look for the same in tables it does not read.

    Args:
        sql: a query that was refused for a name.
        schema: of its database.

    Returns:
        None where there are none, or nothing would be left of an OR.
    """
    dialect = DIALECTS[schema.dialect].sqlglot
    tree = tree_to_change(sql, dialect)
    if tree is None:
        return None
    read = {source.alias_or_name.lower() for source in tree.find_all(exp.Table, exp.Subquery, exp.CTE)}
    changes: list[str] = []
    for select in selects_of(tree):
        where = select.args.get("where")
        for either in list(where.find_all(exp.Or)) if where is not None else ():
            if isinstance(either.parent, exp.Or) or either.find_ancestor(exp.Select) is not select:
                continue
            sides = list(either.flatten())
            kept = [side for side in sides if _tables(side) <= read]
            gone = [side for side in sides if side not in kept]
            if kept and gone and all(_values(side) in map(_values, kept) for side in gone):
                either.replace(exp.or_(*(side.copy() for side in kept), copy=False))
                changes += [f"{side.sql(dialect=dialect)} is not asked" for side in gone]
    return Mend(sql=tree.sql(dialect=dialect), changes=tuple(dict.fromkeys(changes))) if changes else None


def _tables(node: exp.Expr) -> set[str]:
    return {column.table.lower() for column in node.find_all(exp.Column) if column.table}


def _values(node: exp.Expr) -> list[str]:
    """What is looked for; the condition itself where it names no value."""
    return [literal.sql() for literal in node.find_all(exp.Literal)] or [node.sql()]
