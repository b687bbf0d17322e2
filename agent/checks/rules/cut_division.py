"""A ratio of integers, which some dialects truncate: 58 of 100 becomes 0.

Only expressions that are integers whatever the columns hold are doubted: counts, and sums and products of counts and
literals. A division that is rounded down on purpose (`FLOOR`, `CAST(... AS INTEGER)`) is left alone. SQL Server also
truncates the average of integers: of 1 and 2 it is 1.
"""

from __future__ import annotations

import re

from sqlglot import exp
from sqlglot.optimizer.annotate_types import annotate_types

from agent.checks.rules.base import Finding, Rule, RuleContext
from executors.dialects.table import DIALECTS
from executors.sql.literals import owner_of

_INTEGER = re.compile(r"(?:tiny|small|big)?int(?:eger)?\b", re.IGNORECASE)


def apply(context: RuleContext) -> Finding | None:
    dialect = DIALECTS[context.schema.dialect]
    if not dialect.integer_division:
        return None
    kinds = (exp.Div, exp.Avg) if dialect.name == "sqlserver" else (exp.Div,)

    def divide(node: exp.Expr) -> exp.Expr | None:
        around = node.find_ancestor(exp.Floor, exp.Cast, exp.Mod)
        is_cut = around is not None and any(it.unnest() is node for it in around.iter_expressions())
        if is_cut or not node.find(exp.AggFunc) or node.find(exp.Cast) or isinstance(node.this, exp.Distinct):
            return None
        if not _is_of_integers(node, context):
            return None
        node.set("this", exp.Mul(this=exp.Literal.number("1.0"), expression=_in_parentheses(node.this)))
        return node

    detail = f"{dialect.title} drops the decimals when it divides whole numbers: {{}}."
    return context.change_each(*kinds, by=divide, detail=detail)


def _is_of_integers(node: exp.Expr, context: RuleContext) -> bool:
    """Whether a division or an average is one of integers. In a division, columns count as numbers of any kind."""
    if isinstance(node, exp.Div):
        sides = [node.this.copy(), node.expression.copy()]
    else:
        sides = [exp.paren(node.this.copy())]
        for column, copied in zip(node.find_all(exp.Column), list(sides[0].find_all(exp.Column)), strict=True):
            if _holds_integers(column, context):
                copied.replace(exp.cast(copied.copy(), "INT"))
    return all(_is_integer(it, context) for it in sides)


def _holds_integers(column: exp.Column, context: RuleContext) -> bool:
    """Whether a column is one of integers, or a number that the one query with an item of this name computes."""
    if (owner := owner_of(column, context.schema)) is not None:
        return _INTEGER.match(owner[1].type) is not None
    items = [it for select in column.root().find_all(exp.Select) for it in select.selects]
    named = [it.unalias().copy() for it in items if it.alias.lower() == column.name.lower()]
    return len(named) == 1 and _is_integer(named[0], context)


def _is_integer(node: exp.Expr, context: RuleContext) -> bool:
    return annotate_types(node, dialect=context.dialect).is_type(*exp.DataType.INTEGER_TYPES)


def _in_parentheses(node: exp.Expr) -> exp.Expr:
    return exp.paren(node) if isinstance(node, exp.Add | exp.Sub) else node


RULE = Rule("cut_division", "query", "schema", "alternative", apply)
