"""A text that its column also stores in another case or with outer spaces: 'Good' beside 'good' and 'GOOD'.

The query that takes all of them for the same is a candidate.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agent.checks.rules.base import Change, Finding, Rule, RuleContext
from executors.sql.literals import text_filters


def apply(context: RuleContext) -> Finding | None:
    variants = context.looked_up.variants if context.looked_up is not None else {}
    if not variants:
        return None

    def widen(tree: exp.Query) -> Iterator[Change]:
        for found in text_filters(tree, context.schema):
            condition = found.literal.parent
            if condition is None or not (spellings := variants.get(found.key)):
                continue
            before = context.to_sql(condition)
            listed = condition.expressions or [found.literal]
            texts = {str(it.this) for it in listed if isinstance(it, exp.Literal) and it.is_string}
            if texts.issuperset(spellings):
                continue
            kept = [it for it in listed if it is not found.literal or found.value in spellings]
            wider = [*kept, *(exp.Literal.string(it) for it in spellings if it not in texts)]
            if isinstance(condition, exp.In):
                condition.set("expressions", wider)
            else:
                column = condition.this if isinstance(condition.this, exp.Column) else condition.expression
                condition = condition.replace(exp.In(this=column.copy(), expressions=wider))
            yield Change(before, context.to_sql(condition))

    stored = [f"{column} stores {', '.join(map(repr, it))}" for (_, column, _), it in variants.items()]
    detail = f"{'; '.join(stored)}, which differ only in case or spaces."
    found = context.change(widen)
    return found._replace(detail=detail) if found is not None else None


RULE = Rule("case_variants", "query", "data", "alternative", apply)
