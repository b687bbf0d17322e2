"""LIKE or a text function over a column of dates or numbers, if the engine does not convert them to text.

SQLite and MySQL do, so models write `day LIKE '2025%'` everywhere. The text of a date is `2025-03-01`.
"""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import WORDS, Finding, Rule, RuleContext
from agent.checks.rules.reading import write_as_text
from executors.sql.literals import is_text, owner_of

_OF_TEXTS = (exp.Like, exp.ILike, exp.Substring, exp.Left, exp.Right, exp.StartsWith, exp.RegexpLike)


def apply(context: RuleContext) -> Finding | None:
    def cast(node: exp.Expr) -> exp.Expr | None:
        owner = owner_of(node.this, context.schema) if isinstance(node.this, exp.Column) else None
        if owner is None or is_text(owner[1]):
            return None
        node.set("this", write_as_text(node.this, owner[1], context.schema.dialect))
        return node

    return context.change_each(*_OF_TEXTS, by=cast) if context.error in WORDS else None


RULE = Rule("text_of_values", "error", "schema", "repair", apply)
