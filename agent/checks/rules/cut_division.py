"""A ratio of integers, which some dialects truncate: 58 of 100 becomes 0.

Only expressions that are integers whatever the columns hold are doubted: counts, and sums and products of counts and
literals. A division that is rounded down on purpose (`FLOOR`, `CAST(... AS INTEGER)`) is left alone.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.optimizer.annotate_types import annotate_types

from agent.checks.rules.base import Finding, Rule, RuleContext
from executors.dialects.table import DIALECTS


def apply(context: RuleContext) -> Finding | None:
    dialect = DIALECTS[context.schema.dialect]
    if "/" not in context.sql or not dialect.integer_division:
        return None

    def divide(node: exp.Expr) -> exp.Expr | None:
        # without a schema, columns have no type
        sides = (annotate_types(side.copy(), dialect=context.dialect) for side in (node.this, node.expression))
        around = node.find_ancestor(exp.Floor, exp.Cast, exp.Mod)
        is_cut = around is not None and any(it.unnest() is node for it in around.iter_expressions())
        is_whole = all(side.is_type(*exp.DataType.INTEGER_TYPES) for side in sides)
        if not is_whole or is_cut or not node.find(exp.AggFunc) or node.find(exp.Cast):
            return None
        node.set("this", exp.Mul(this=exp.Literal.number("1.0"), expression=node.this))
        return node

    detail = f"{dialect.title} drops the decimals when it divides whole numbers: {{}}."
    return context.change_each(exp.Div, by=divide, detail=detail)


RULE = Rule("cut_division", "query", "schema", "alternative", apply)
