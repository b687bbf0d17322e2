"""Texts that their column does not hold: replaced by the stored spelling if only case, accents, punctuation or singular
and plural differ, by the stored code or name of the same country, or moved to the one other column that stores them: of
the same table, or of a table that one path of foreign keys leads to.

No other stored value is taken in their place: Niger is no typo for Nigeria, and the data alone cannot tell.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agent.checks.rules.base import Change, Finding, Rule, RuleContext
from agent.checks.rules.parents import move_to_parent
from executors.sql.literals import TextFilter, same_text, text_filters
from executors.sql.names.tables import identifier
from rag.linking.values import LinkedValue


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
            elif len(condition.expressions) > 1:
                continue
            elif other is not None:
                column.set("this", identifier(other, context.schema))
            elif found.key in looked_up.missing and (stored := _find_stored(context, found)) is not None:
                move_to_parent(context, found, stored)
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


def _find_stored(context: RuleContext, found: TextFilter) -> LinkedValue | None:
    """The text in the only column of another table that stores it, or the only one of that name; None if several do."""
    alike = (it for it in context.values if it.is_sure and same_text(it.value, found.value))
    stored = list({(it.table, it.column, it.value): it for it in alike}.values())
    if any(it.table == found.table.name for it in stored):
        return None
    named = [it for it in stored if it.column.lower() == found.column.name.lower()]
    return next((it[0] for it in (stored, named) if len(it) == 1), None)


RULE = Rule("stored_values", "query", "data", "alternative", apply)
