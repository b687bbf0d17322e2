"""Texts that their column does not hold: as they are stored, where only case, accents or punctuation differ.

No other stored value is taken in their place: Niger is no slip for Nigeria, and nobody can tell from the data alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from agent.rules.base import Change, Finding, Rule, RuleContext
from executors.sql.literals import replace_values, same_text


def apply(context: RuleContext) -> Finding | None:
    looked_up = context.looked_up
    if looked_up is None or not looked_up.missing:
        return None

    def change(tree: exp.Query) -> Iterable[Change]:
        return [Change(*pair) for pair in replace_values(tree, context.schema, looked_up.same)]

    elsewhere = [
        f"{it.value!r} is stored in {it.table}.{it.column}."
        for *_, text in looked_up.missing
        for it in context.values
        if it.is_sure and same_text(it.value, text)
    ]
    detail = " ".join(dict.fromkeys((looked_up.check.detail, *elsewhere)))
    return context.changed(change, detail.replace("{", "{{").replace("}", "}}")) or Finding(detail)


RULE = Rule("stored_values", "query", "data", "alternative", apply)
