"""Texts that their column does not hold: as they are stored, where only case, accents or punctuation differ.

No other stored value is taken in their place: Niger is no typo for Nigeria, and the data alone cannot tell.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agent.rules.base import Change, Finding, Rule, RuleContext
from executors.sql.literals import same_text, text_filters


def apply(context: RuleContext) -> Finding | None:
    looked_up = context.looked_up
    if looked_up is None or not looked_up.missing:
        return None

    def change(tree: exp.Query) -> Iterator[Change]:
        for found in text_filters(tree, context.schema):
            value, condition = looked_up.same.get(found.key), found.literal.parent
            if value is not None and condition is not None:
                before = context.shown(condition)
                found.literal.replace(exp.Literal.string(value))
                yield Change(before, context.shown(condition))

    elsewhere = [
        f"{it.value!r} is stored in {it.table}.{it.column}."
        for *_, text in looked_up.missing
        for it in context.values
        if it.is_sure and same_text(it.value, text)
    ]
    detail = " ".join(dict.fromkeys((looked_up.check.detail, *elsewhere)))
    return context.changed(change, detail.replace("{", "{{").replace("}", "}}")) or Finding(detail)


RULE = Rule("stored_values", "query", "data", "alternative", apply)
