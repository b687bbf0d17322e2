"""Tables that a denying question names, while nothing of the query has their names.

"Users who have not received any notifications" cannot be told without the notifications.
"""

from __future__ import annotations

from sqlglot import exp

from agent.rules.base import Finding, Rule, RuleContext
from rag.words import denies, telling_words, words


def apply(context: RuleContext) -> Finding | None:
    if not denies(context.question):
        return None
    names = [it.name for it in context.query.find_all(exp.Table, exp.Column)]
    names += [str(it.this) for it in context.query.find_all(exp.Literal) if it.is_string]
    held, said = words(" ".join(names)), telling_words(context.question)
    named = [(it.parts[-1], words(it.parts[-1])) for it in context.schema.tables]
    unread = [name for name, own in named if own and own <= said and not own & held]
    return Finding(f"The query does not read {', '.join(unread)}, which the question denies.") if unread else None


RULE = Rule("unread_names", "query", "language", "doubt", apply)
