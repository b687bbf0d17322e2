"""Text that holds numbers, ordered or compared with a number: as text, '9' comes after '10'."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from agent.rules.base import Change, Finding, Rule, RuleContext
from executors.sql.literals import is_text, owner_of

_NUMBER = re.compile(r"-?\d+(\.\d+)?")


def apply(context: RuleContext) -> Finding | None:
    def change(tree: exp.Query) -> Iterator[Change]:
        places = (exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between, exp.Ordered, exp.Max, exp.Min)
        for node in list(tree.find_all(*places)):
            column = node.this
            owner = owner_of(column, context.schema) if isinstance(column, exp.Column) else None
            if owner is None or not is_text(owner[1]):
                continue
            samples = owner[1].samples
            numeric = len(samples) > 1 and all(_NUMBER.fullmatch(sample) for sample in samples)
            bound = node.args.get("expression") or node.args.get("low")
            if isinstance(bound, exp.Literal) and bound.is_string and not _NUMBER.fullmatch(str(bound.this)):
                continue
            if numeric and len({len(sample) for sample in samples}) > 1:
                before = context.shown(node)
                kind = "REAL" if context.schema.dialect == "sqlite" else "DOUBLE"
                column.replace(exp.cast(column.copy(), kind))
                yield Change(before, context.shown(node))

    return context.changed(change, "Numbers are stored as text, which is compared letter by letter: {}.")


RULE = Rule("numbers_as_text", "query", "data", "alternative", apply)
