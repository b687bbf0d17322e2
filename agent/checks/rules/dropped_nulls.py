"""Rows without a value, which `<>`, NOT IN and NOT LIKE leave out: NULL is neither equal nor unequal to anything.

`<> ''` and `<> 0` are meant so: they ask for what has a value.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from executors.sql.literals import owner_of


def apply(context: RuleContext) -> Finding | None:
    tree = context.query.copy()
    denials = list(_find_denials(tree, context))
    if not denials:
        return None
    for node, column in denials:
        node.replace(exp.paren(exp.or_(node.copy(), column.copy().is_(exp.Null()))))
    names = " or ".join(dict.fromkeys(column.name for _, column in denials))
    written = ", ".join(dict.fromkeys(context.to_sql(node) for node, _ in denials))
    return Finding(f"{written} also leaves out rows without {names}.", probes=(context.sql, context.to_sql(tree)))


def _find_denials(tree: exp.Query, context: RuleContext) -> Iterator[tuple[exp.Expr, exp.Column]]:
    """What WHERE denies of a column that may be NULL, and the column."""
    for node in list(tree.find_all(exp.NEQ, exp.Not, exp.Like, exp.ILike)):
        column = _find_denied(node)
        owner = owner_of(column, context.schema) if column is not None else None
        if column is not None and owner is not None and owner[1].nullable and node.find_ancestor(exp.Where) is not None:
            yield (node.parent if isinstance(node.parent, exp.Escape) else node), column


def _find_denied(node: exp.Expr) -> exp.Column | None:
    """The column that must not equal a literal, be in a list of them, or be like one."""
    match node:
        case exp.NEQ() | exp.Like(args={"negate": True}) | exp.ILike(args={"negate": True}):
            condition = node
        case exp.Not() if isinstance(node.this.unnest(), exp.EQ | exp.In | exp.Like | exp.ILike):
            condition = node.this.unnest()
        case _:
            return None
    values = condition.expressions or [condition.args.get("expression")]
    told = all(isinstance(it, exp.Literal) and str(it.this) not in {"", "0"} for it in values)
    return condition.this if told and isinstance(condition.this, exp.Column) else None


RULE = Rule("dropped_nulls", "query", "data", "doubt", apply)
