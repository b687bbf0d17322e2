"""A text that its column also stores in another case or with outer spaces: 'Good' beside 'good' and 'GOOD'.

The query that takes all of them for the same is a candidate: where it filters on such a text, and where it counts the
different texts of the column.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agent.checks.rules.base import Change, Finding, Rule, RuleContext
from agent.checks.rules.reading import count_of_different
from executors.sql.literals import owner_of, text_filters


def apply(context: RuleContext) -> Finding | None:
    looked_up = context.looked_up
    if looked_up is None or not (looked_up.variants or looked_up.spellings):
        return None
    variants, stored = looked_up.variants, dict[str, tuple[str, ...]]()

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
            stored[found.column.name] = spellings
            yield Change(before, context.to_sql(condition))
        for count in list(tree.find_all(exp.Count)):
            column = count_of_different(count)
            owner = owner_of(column, context.schema) if column is not None else None
            if column is None or owner is None:
                continue
            if pairs := looked_up.spellings.get((owner[0].name, owner[1].name)):
                before = context.to_sql(count)
                column.replace(exp.Lower(this=exp.Trim(this=column.copy())))
                stored[column.name] = pairs[0]
                yield Change(before, context.to_sql(count))

    found = context.change(widen)
    texts = [f"{column} stores {', '.join(map(repr, it))}" for column, it in stored.items()]
    return found and found._replace(detail=f"{'; '.join(texts)}, which differ only in case or spaces.")


RULE = Rule("case_variants", "query", "data", "alternative", apply, keeps_meaning=True)
