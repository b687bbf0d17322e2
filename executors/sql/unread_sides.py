"""One value looked for in many columns, some of tables that are not read.

Told of every column that may hold what was said, a small model asks each of them, by OR. Those of tables that are not
in FROM cannot be read, and are not what the query is about: what is left asks the tables that it reads.
"""

from __future__ import annotations

from sqlglot import exp

from executors.base import Schema
from executors.sql.mend import Mend, mend_tree
from executors.sql.tree import selects_of


def drop_unread_sides(sql: str, schema: Schema, question: str = "") -> Mend | None:
    """The query without the sides of its ORs that look for the same in tables it does not read.

    Args:
        sql: a query that was refused for a name.
        schema: of its database.
        question: a table that it names is to be read, and not to be left out: "customers or suppliers in Berlin".

    Returns:
        None where there are none, or nothing would be left of an OR.
    """

    def change(tree: exp.Query, dialect: str) -> list[str]:
        read = {source.alias_or_name.lower() for source in tree.find_all(exp.Table, exp.Subquery, exp.CTE)}
        read |= {alias.name.lower() for alias in tree.find_all(exp.TableAlias)}
        changes: list[str] = []
        for select in selects_of(tree):
            where = select.args.get("where")
            for either in list(where.find_all(exp.Or)) if where is not None else ():
                if isinstance(either.parent, exp.Or) or either.find_ancestor(exp.Select) is not select:
                    continue
                sides = list(either.flatten())
                gone = [side for side in sides if _is_unread(_tables(side) - read, schema, question)]
                kept = [side for side in sides if not any(side is one for one in gone) and _tables(side) <= read]
                if gone and len(kept) + len(gone) == len(sides) and _look_for_the_same(gone, kept):
                    either.replace(exp.or_(*(side.copy() for side in kept), copy=False))
                    changes += [f"{side.sql(dialect=dialect)} is not asked" for side in gone]
        return changes

    return mend_tree(sql, schema, change)


def _tables(node: exp.Expr) -> set[str]:
    return {column.table.lower() for column in node.find_all(exp.Column) if column.table}


def _is_unread(tables: set[str], schema: Schema, question: str) -> bool:
    """Whether these are tables of the schema (and not parts of a record), none of which the question names."""
    said = question.casefold().replace("_", "").replace(" ", "")
    named = any(name.replace("_", "").removesuffix("s").removesuffix("ie") in said for name in tables)
    return bool(tables) and all(schema.tables_named(name) for name in tables) and not named


def _look_for_the_same(gone: list[exp.Expr], kept: list[exp.Expr]) -> bool:
    """Whether each condition that goes is one that stays, of another column, and names a value."""
    staying = [_of_any_column(side) for side in kept]
    return all(side.find(exp.Literal) and _of_any_column(side) in staying for side in gone)


def _of_any_column(side: exp.Expr) -> exp.Expr:
    return side.unnest().transform(lambda node: exp.Placeholder() if isinstance(node, exp.Column) else node)
