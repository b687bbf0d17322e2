"""Rows without a value, which `<>`, NOT IN and NOT LIKE leave out: NULL is neither equal nor unequal to anything."""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from executors.sql.literals import owner_of
from executors.sql.names.tables import identifier, to_source

_DENIALS = (exp.NEQ, exp.Not, exp.Like, exp.ILike)


def apply(context: RuleContext) -> Finding | None:
    for node in context.query.find_all(*_DENIALS):
        column = _find_denied(node)
        owner = owner_of(column, context.schema) if column is not None else None
        if (
            column is None
            or owner is None
            or not owner[1].nullable
            or not isinstance(node.find_ancestor(exp.Where), exp.Where)
        ):
            continue
        table, denied = owner[0], context.to_sql(node)
        tree = context.query.copy()
        twin = next(it for it in tree.find_all(*_DENIALS) if it == node)
        twin.replace(exp.paren(exp.or_(twin.copy(), column.copy().is_(exp.Null()))))
        empty = exp.column(identifier(owner[1].name, context.schema)).is_(exp.Null())
        count = exp.select(exp.Count(this=exp.Star())).from_(to_source(table, context.schema)).where(empty)
        return Finding(
            f"{denied} also leaves out rows without {owner[1].name}; {table.name} has {{}}.",
            counts=(context.to_sql(count),),
            probes=(context.sql, context.to_sql(tree)),
        )
    return None


def _find_denied(node: exp.Expr) -> exp.Column | None:
    """The column that must not equal a literal, be in a list of them, or be like one."""
    match node:
        case exp.NEQ() | exp.Like(args={"negate": True}) | exp.ILike(args={"negate": True}):
            condition = node
        case exp.Not(this=exp.EQ() | exp.In() | exp.Like() | exp.ILike() as condition):
            pass
        case _:
            return None
    values = condition.expressions or [condition.args.get("expression")]
    column = condition.this
    return column if isinstance(column, exp.Column) and all(isinstance(it, exp.Literal) for it in values) else None


RULE = Rule("dropped_nulls", "query", "data", "doubt", apply)
