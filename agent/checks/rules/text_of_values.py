"""LIKE or a text function over a column of dates or numbers, if the engine does not convert them to text.

SQLite and MySQL do, so models write `day LIKE '2025%'` everywhere. On every engine, a date as text is `2025-03-01`.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agent.checks.rules.base import WORDS, Change, Finding, Rule, RuleContext
from executors.sql.literals import is_text, owner_of

_OF_TEXTS = (exp.Like, exp.ILike, exp.Substring, exp.Left, exp.Right, exp.StartsWith, exp.RegexpLike)


def apply(context: RuleContext) -> Finding | None:
    if context.error not in WORDS:
        return None

    def change(tree: exp.Query) -> Iterator[Change]:
        for node in tree.find_all(*_OF_TEXTS):
            owner = owner_of(node.this, context.schema) if isinstance(node.this, exp.Column) else None
            if owner is not None and not is_text(owner[1]):
                before = context.to_sql(node)
                node.this.replace(exp.cast(node.this.copy(), "TEXT"))
                yield Change(before, context.to_sql(node))

    return context.change(change)


RULE = Rule("text_of_values", "error", "schema", "repair", apply)
