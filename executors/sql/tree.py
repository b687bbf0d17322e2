"""Helpers for reading and changing a query's syntax tree."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.errors import SqlglotError

from executors.sql.parsed import parse_sql


def tree_to_change(sql: str, dialect: str) -> exp.Query | None:
    """The single query in a text, as a tree that the caller may change. None if it does not parse or is not a query."""
    try:
        tree = parse_sql(sql, dialect)
    except (SqlglotError, RecursionError):
        return None
    return tree.copy() if isinstance(tree, exp.Query) else None


def selects_of(tree: exp.Query) -> list[exp.Select]:
    """Every SELECT of a query, including those of its subqueries and CTEs."""
    return list(tree.find_all(exp.Select))


def conjuncts(condition: exp.Expr | None) -> list[exp.Expr]:
    """The parts of a condition that AND joins."""
    if condition is None:
        return []
    inner = condition.unnest()
    return [*conjuncts(inner.this), *conjuncts(inner.expression)] if isinstance(inner, exp.And) else [condition]


def set_conjuncts(node: exp.Expr, parts: list[exp.Expr]) -> None:
    """Set the conditions of a WHERE. Remove the WHERE if the list is empty."""
    node.set("where", exp.Where(this=exp.and_(*parts, copy=False)) if parts else None)


def identifier_of(node: exp.Expr) -> exp.Identifier | None:
    """The name by which the rest of the query refers to a source, with its quotes. None if it has none."""
    alias = node.args.get("alias")
    name = alias.this if isinstance(alias, exp.TableAlias) else node.this if isinstance(node, exp.Table) else None
    return name.copy() if isinstance(name, exp.Identifier) else None


def output_name(item: exp.Expr) -> exp.Identifier | None:
    """The name of a select item, with its quotes. None if it has none."""
    name = (
        item.args.get("alias") if isinstance(item, exp.Alias) else item.this if isinstance(item, exp.Column) else None
    )
    return name.copy() if isinstance(name, exp.Identifier) else None


_PARTS_OUTSIDE = ("alias", "joins", "laterals", "pivots")  # parts of a table in FROM that move to its replacement


def keep_name(node: exp.Table) -> None:
    """Give a table in FROM its own name as an alias, if it has no alias."""
    alias = node.args.get("alias")
    if alias is None:
        node.set("alias", exp.TableAlias(this=node.this.copy()))
    elif alias.this is None:
        alias.set("this", node.this.copy())


def read_through(node: exp.Table, rows: exp.Select) -> None:
    """Replace a table in FROM by a query that reads it, under the same name. The node itself stays in the tree."""
    keep_name(node)
    outside = {part: node.args[part] for part in _PARTS_OUTSIDE if node.args.get(part)}
    place = node.parent if isinstance(node.parent, exp.Final) else node
    place.replace(exp.Subquery(this=rows, **outside))
    for part in _PARTS_OUTSIDE:
        node.set(part, None)
    rows.set("from_", exp.From(this=place))
