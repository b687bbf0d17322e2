"""Texts of several words that a query filters on, of which nobody said one."""

from __future__ import annotations

from sqlglot import exp

from agent.rules.base import Finding, Rule, RuleContext
from rag.words import words


def apply(context: RuleContext) -> Finding | None:
    spelled = (it.value for it in context.values if it.how != "meaning")  # a guess by vectors proves nothing
    said = words(" ".join((context.question, *context.told, *spelled)))
    unsaid: list[str] = []
    for literal in context.query.find_all(exp.Literal):
        own = {word for word in words(str(literal.this)) if not word.isdigit()}
        asked = literal.is_string and isinstance(literal.parent, exp.EQ | exp.In | exp.Like)
        if asked and len(own) > 1 and not own & said:
            unsaid.append(repr(str(literal.this)))
    return Finding(f"Nobody spoke of {', '.join(dict.fromkeys(unsaid))}.") if unsaid else None


RULE = Rule("unsaid_values", "query", "language", "doubt", apply)
