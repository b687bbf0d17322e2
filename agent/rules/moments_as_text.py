"""Moments as SQLite keeps them, as text: what its functions make of them is text, too, and is compared as such.

`strftime` is never equal to a number, nor '03' to '3'; a year alone it takes for the number of a day; and of two texts
that are subtracted it subtracts the years.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from agent.rules.base import Change, Finding, Rule, RuleContext
from executors.sql.literals import owner_of

_YEAR = re.compile(r"[12]\d{3}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d.*)?")
_TWO_DIGITS = frozenset({"%m", "%d", "%H", "%M", "%S", "%W", "%U"})


def apply(context: RuleContext) -> Finding | None:
    if context.schema.dialect != "sqlite":
        return None

    def holds(node: exp.Expr, form: re.Pattern[str]) -> bool:
        owner = owner_of(node, context.schema) if isinstance(node, exp.Column) else None
        return owner is not None and bool(owner[1].samples) and all(map(form.fullmatch, owner[1].samples))

    def change(tree: exp.Query) -> Iterator[Change]:
        for made in list(tree.find_all(exp.TimeToStr)):
            moment, form = _bare(made.this), made.args.get("format")
            if not isinstance(form, exp.Literal):
                continue
            if form.this == "%Y" and holds(moment, _YEAR):
                before = context.shown(made)
                made.replace(moment.copy())
                yield Change(before, context.shown(moment))
            elif made.parent is not None and made.arg_key == "this":
                yield from _as_text(made.parent, str(form.this))
        for node in list(tree.find_all(exp.Sub)):
            if holds(node.this, _MOMENT) and holds(node.expression, _MOMENT):
                before = context.shown(node)
                days = [exp.Anonymous(this="julianday", expressions=[it.copy()]) for it in (node.this, node.expression)]
                new = exp.Paren(this=exp.Sub(this=days[0], expression=days[1]))
                node.replace(new)
                yield Change(before, context.shown(new))

    return context.changed(change, "SQLite compares what strftime gives as text, and subtracts years of texts: {}.")


def _as_text(compared: exp.Expr, form: str) -> Iterator[Change]:
    """Write the numbers that `strftime` is compared with as it does."""
    kinds = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.In, exp.Between)
    if not isinstance(compared, kinds):
        return
    sides = [compared.args.get(name) for name in ("expression", "low", "high")] + list(compared.expressions)
    for literal in [side for side in sides if isinstance(side, exp.Literal)]:
        text = str(literal.this)
        padded = text.zfill(2) if form in _TWO_DIGITS and text.isdigit() else text
        if not literal.is_string or padded != text:
            literal.replace(exp.Literal.string(padded))
            yield Change(text, f"'{padded}'")


def _bare(moment: exp.Expr) -> exp.Expr:
    """Without the cast that the parser puts around what `strftime` is given."""
    return moment.this if isinstance(moment, exp.Func) and not isinstance(moment, exp.Anonymous) else moment


RULE = Rule("moments_as_text", "query", "data", "alternative", apply)
