"""Numbers stored as text, ordered or compared with a number: as text, '9' comes after '10'.

The result of SQLite's `strftime` is text, too: it never equals a number, and is greater than all of them.
"""

from __future__ import annotations

import re

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from executors.sql.literals import is_text, owner_of

_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_PLACES = (exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between, exp.Ordered, exp.Max, exp.Min)


def apply(context: RuleContext) -> Finding | None:
    is_sqlite = context.schema.dialect == "sqlite"

    def cast(node: exp.Expr) -> exp.Expr | None:
        bounds = [node.args.get("expression"), node.args.get("low"), *node.expressions]
        literals = [it for it in bounds if isinstance(it, exp.Literal)]
        if any(it.is_string and not _NUMBER.fullmatch(str(it.this)) for it in literals):
            return None
        if is_sqlite and isinstance(node.this, exp.TimeToStr):
            compares = any(not it.is_string for it in literals)
        else:
            owner = owner_of(node.this, context.schema) if isinstance(node.this, exp.Column) else None
            samples = owner[1].samples if owner is not None and is_text(owner[1]) else ()
            varied = len({len(it) for it in samples}) > 1  # years and codes are all of one length
            compares = isinstance(node, _PLACES) and varied and all(map(_NUMBER.fullmatch, samples))
        if compares:
            node.set("this", exp.cast(node.this, "REAL" if is_sqlite else "DOUBLE"))
        return node if compares else None

    detail = "The column stores numbers as text, which is compared character by character: {}."
    return context.change_each(*_PLACES, exp.EQ, exp.NEQ, exp.In, by=cast, detail=detail)


RULE = Rule("numbers_as_text", "query", "data", "alternative", apply)
