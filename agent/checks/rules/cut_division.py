"""A ratio of integers, which some dialects truncate: 58 of 100 becomes 0.

Only expressions that are integers whatever the columns hold are doubted: counts, and sums and products of counts and
literals; and a column divided by a literal that none of its values reaches: `1 - discount / 100` is always 1. Alone, as
an item or in an aggregate, such a division may count whole steps (`quantity / 12`, full dozens), so it is only doubted.
A division that is rounded down on purpose (`FLOOR`, `CAST(... AS INTEGER)`) is left alone. SQL Server also truncates
the average of integers: of 1 and 2 it is 1.
"""

from __future__ import annotations

import re

from sqlglot import exp
from sqlglot.optimizer.annotate_types import annotate_types

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import group_keys
from executors.dialects.table import DIALECTS
from executors.sql.literals import owner_of
from executors.sql.names.tables import identifier, to_source

_INTEGER = re.compile(r"(?:tiny|small|big)?int(?:eger)?\b", re.IGNORECASE)


def apply(context: RuleContext) -> Finding | None:
    dialect = DIALECTS[context.schema.dialect]
    if not dialect.integer_division:
        return None
    kinds = (exp.Div, exp.Avg) if dialect.name == "sqlserver" else (exp.Div,)

    def divide(node: exp.Expr) -> exp.Expr | None:
        if _is_cut(node) or not node.find(exp.AggFunc) or node.find(exp.Cast) or isinstance(node.this, exp.Distinct):
            return None
        return _divide_exactly(node) if _is_of_integers(node, context) else None

    counts: list[str] = []
    alone: dict[str, str] = {}

    def divide_column(node: exp.Expr) -> exp.Expr | None:
        greatest = None if _is_cut(node) or _counts_steps(node) else _greatest_below(node, context)
        if greatest is not None and _stands_alone(node):
            alone[context.to_sql(node)] = greatest
            return None
        counts.extend([greatest] if greatest is not None else [])
        return _divide_exactly(node) if greatest is not None else None

    detail = f"{dialect.title} drops the decimals when it divides whole numbers: {{}}."
    if (found := context.change_each(*kinds, by=divide, detail=detail)) is not None:
        return found
    if (found := context.change_each(exp.Div, by=divide_column, detail=detail)) is not None:
        return found._replace(counts=tuple(dict.fromkeys(counts)))
    detail, counts = detail.replace("{}", "; ".join(alone)), list(dict.fromkeys(alone.values()))
    return Finding(detail, counts=tuple(counts)) if alone else None


def _is_cut(node: exp.Expr) -> bool:
    around = node.find_ancestor(exp.Floor, exp.Cast, exp.Mod)
    return around is not None and any(it.unnest() is node for it in around.iter_expressions())


def _divide_exactly(node: exp.Expr) -> exp.Expr:
    node.set("this", exp.Mul(this=exp.Literal.number("1.0"), expression=_in_parentheses(node.this)))
    return node


def _counts_steps(node: exp.Expr) -> bool:
    """Whether whole steps are meant: compared, joined to a text, grouped by, or beside what is left over."""
    select, around = node.find_ancestor(exp.Select), _around(node)
    back = isinstance(around, exp.Mul) and node.expression in (around.this, around.expression)
    rest = select is not None and any(it.this == node.this for it in select.find_all(exp.Mod))
    keys = group_keys(select) if select is not None else []
    grouped = any(it == node for key in keys for it in key.find_all(exp.Div))
    whole = isinstance(around, exp.Predicate) and all(it.is_int for it in around.find_all(exp.Literal))
    return back or rest or grouped or whole or isinstance(around, exp.DPipe | exp.Concat)


def _stands_alone(node: exp.Expr) -> bool:
    """Whether a division is a whole item, or all that an aggregate is of."""
    return isinstance(_around(node), exp.Select | exp.Alias | exp.AggFunc | exp.Distinct)


def _around(node: exp.Expr) -> exp.Expr | None:
    around = node.parent
    while isinstance(around, exp.Paren):
        around = around.parent
    return around


def _greatest_below(node: exp.Expr, context: RuleContext) -> str | None:
    """A query of the greatest value of a divided column of integers: NULL if its divisor is no greater number."""
    column, divisor = node.this.unnest(), node.expression
    owner = owner_of(column, context.schema) if isinstance(column, exp.Column) else None
    if owner is None or not _INTEGER.match(owner[1].type) or not (isinstance(divisor, exp.Literal) and divisor.is_int):
        return None
    greatest = exp.Max(this=exp.Abs(this=exp.column(identifier(owner[1].name, context.schema))))
    number = exp.Case().when(greatest < divisor.copy(), greatest.copy())
    return context.to_sql(exp.select(number).from_(to_source(owner[0], context.schema)))


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
