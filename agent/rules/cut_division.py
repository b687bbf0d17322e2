"""A ratio of whole numbers, which some dialects cut to a whole number: 58 of 100 become 0.

Only what is whole for certain counts: numbers written without a point, COUNT, and SUM, products, sums and CASE of
these. A division that is rounded down on purpose (`FLOOR`, `CAST(... AS INTEGER)`) is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agent.rules.base import Change, Finding, Rule, RuleContext
from executors.dialects import DIALECTS


def apply(context: RuleContext) -> Finding | None:
    if "/" not in context.sql or not DIALECTS[context.schema.dialect].integer_division:
        return None

    def change(tree: exp.Query) -> Iterator[Change]:
        for division in [it for it in tree.find_all(exp.Div) if _is_whole(it) and not _is_meant(it)]:
            before = context.shown(division)
            division.set("this", exp.Mul(this=exp.Literal.number("1.0"), expression=division.this.copy()))
            yield Change(before, context.shown(division))

    title = DIALECTS[context.schema.dialect].title
    return context.changed(change, f"{title} cuts a ratio of whole numbers to a whole number: {{}}.")


def _is_whole(node: exp.Expr | None) -> bool:
    """Whether a value is a whole number, whatever the rows."""
    match node:
        case exp.Literal():
            return not node.is_string and node.name.isdigit()
        case exp.Count():
            return True
        case exp.Sum() | exp.Paren() | exp.Neg() | exp.Filter() | exp.Window() | exp.Nullif() | exp.Coalesce():
            return _is_whole(node.this)
        case exp.Add() | exp.Sub() | exp.Mul() | exp.Div():
            return _is_whole(node.this) and _is_whole(node.expression)
        case exp.Subquery():
            inner = node.unnest()
            return (
                isinstance(inner, exp.Select) and len(inner.expressions) == 1 and _is_whole(inner.selects[0].unalias())
            )
        case exp.Case():
            default = node.args.get("default")
            results = [branch.args.get("true") for branch in node.args.get("ifs") or ()]
            results += [default] if default is not None and not isinstance(default, exp.Null) else []
            return bool(results) and all(isinstance(one, exp.Null) or _is_whole(one) for one in results)
    return False


def _is_meant(division: exp.Div) -> bool:
    around = division.parent
    while isinstance(around, exp.Paren):
        around = around.parent
    return isinstance(around, exp.Floor | exp.Cast | exp.Mod)


RULE = Rule("cut_division", "query", "schema", "alternative", apply)
