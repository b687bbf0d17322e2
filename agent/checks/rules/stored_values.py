"""Texts that their column does not hold: replaced by the stored spelling if only case, accents or punctuation differ,
by the stored code or name of the same country, or moved to the one other column of the table that stores them.

No other stored value is taken in their place: Niger is no typo for Nigeria, and the data alone cannot tell.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agent.checks.rules.base import Change, Finding, Rule, RuleContext
from executors.sql.literals import same_text, text_filters
from executors.sql.names.tables import identifier


def apply(context: RuleContext) -> Finding | None:
    looked_up = context.looked_up
    if looked_up is None or not looked_up.missing:
        return None

    def change(tree: exp.Query) -> Iterator[Change]:
        for found in text_filters(tree, context.schema):
            value, condition = looked_up.same.get(found.key), found.literal.parent
            other, column = looked_up.elsewhere.get(found.key), condition and condition.find(exp.Column)
            if condition is None or column is None:
                continue
            before = context.to_sql(condition)
            if value is not None:
                found.literal.replace(exp.Literal.string(value))
            elif other is not None and len(condition.expressions) < 2:
                column.set("this", identifier(other, context.schema))
            if before != context.to_sql(condition):
                yield Change(before, context.to_sql(condition))

    elsewhere = [
        f"{it.value!r} is stored in {it.table}.{it.column}."
        for *_, text in looked_up.missing
        for it in context.values
        if it.is_sure and same_text(it.value, text)
    ]
    detail = " ".join(dict.fromkeys((looked_up.check.detail, *elsewhere)))
    changed = context.change(change)
    return changed._replace(detail=detail) if changed is not None else Finding(detail)


RULE = Rule("stored_values", "query", "data", "alternative", apply)
