"""A ratio of integers, which some dialects truncate: 58 of 100 becomes 0.

Only expressions that are integers whatever the columns hold are doubted: counts, and sums and products of counts and
literals. A division that is rounded down on purpose (`FLOOR`, `CAST(... AS INTEGER)`) is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.optimizer.annotate_types import annotate_types

from agent.checks.rules.base import Change, Finding, Rule, RuleContext
from executors.dialects.table import DIALECTS


def apply(context: RuleContext) -> Finding | None:
    if "/" not in context.sql or not DIALECTS[context.schema.dialect].integer_division:
        return None

    def change(tree: exp.Query) -> Iterator[Change]:
        annotate_types(tree, dialect=context.dialect)  # without a schema, columns have no type
        divisions = [it for it in tree.find_all(exp.Div) if it.find(exp.AggFunc) and not it.find(exp.Cast)]
        for division in [it for it in divisions if all(map(_is_whole, (it.this, it.expression)))]:
            if not isinstance(_around(division), exp.Floor | exp.Cast | exp.Mod):
                before = context.to_sql(division)
                division.set("this", exp.Mul(this=exp.Literal.number("1.0"), expression=division.this.copy()))
                yield Change(before, context.to_sql(division))

    title = DIALECTS[context.schema.dialect].title
    return context.change(change, f"{title} cuts a ratio of whole numbers to a whole number: {{}}.")


def _is_whole(node: exp.Expr) -> bool:
    return node.is_type(*exp.DataType.INTEGER_TYPES)


def _around(division: exp.Div) -> exp.Expr | None:
    around = division.parent
    while isinstance(around, exp.Paren):
        around = around.parent
    return around


RULE = Rule("cut_division", "query", "schema", "alternative", apply)
