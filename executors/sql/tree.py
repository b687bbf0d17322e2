"""A query's syntax tree, copied so that a repair can change it."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.errors import SqlglotError

from executors.sql.parsed import parse_sql


def tree_to_change(sql: str, dialect: str) -> exp.Query | None:
    """The one query in a text as a tree of the caller's own; None where it does not parse, or is something else."""
    try:
        tree = parse_sql(sql, dialect)
    except (SqlglotError, RecursionError):
        return None
    return tree.copy() if isinstance(tree, exp.Query) else None


def selects_of(tree: exp.Query) -> list[exp.Select]:
    """Every SELECT of a query, those of its subqueries and CTEs included."""
    return list(tree.find_all(exp.Select))


def conjuncts(condition: exp.Expr | None) -> list[exp.Expr]:
    """What a condition holds to be true at once: the parts that AND joins."""
    if condition is None:
        return []
    inner = condition.unnest()
    return [*conjuncts(inner.this), *conjuncts(inner.expression)] if isinstance(inner, exp.And) else [condition]


def set_conjuncts(node: exp.Expr, parts: list[exp.Expr]) -> None:
    """Make these the condition of a WHERE; drop it where the list is empty."""
    node.set("where", exp.Where(this=exp.and_(*parts, copy=False)) if parts else None)


def identifier_of(node: exp.Expr) -> exp.Identifier | None:
    """What the rest of the query calls a source, quotes and all."""
    alias = node.args.get("alias")
    name = alias.this if isinstance(alias, exp.TableAlias) else node.this if isinstance(node, exp.Table) else None
    return name.copy() if isinstance(name, exp.Identifier) else None


def output_name(item: exp.Expr) -> exp.Identifier | None:
    """The name of a select item, quotes and all; None where it has none."""
    name = (
        item.args.get("alias") if isinstance(item, exp.Alias) else item.this if isinstance(item, exp.Column) else None
    )
    return name.copy() if isinstance(name, exp.Identifier) else None
