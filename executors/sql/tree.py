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
