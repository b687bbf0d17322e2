"""Texts of several words in a query's filters that share no word with the question or the docs."""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from rag.words import words


def apply(context: RuleContext) -> Finding | None:
    spelled = (it.value for it in context.values if it.how != "meaning")  # a guess by vectors proves nothing
    mentioned, unmentioned = words(" ".join((context.question, *context.known_texts, *spelled))), dict[str, None]()
    for literal in context.query.find_all(exp.Literal):
        own = {word for word in words(str(literal.this)) if not word.isdigit()}
        is_filter = literal.is_string and isinstance(literal.parent, exp.EQ | exp.In | exp.Like)
        if is_filter and len(own) > 1 and not own & mentioned:
            unmentioned[repr(str(literal.this))] = None
    return Finding(f"Nobody spoke of {', '.join(unmentioned)}.") if unmentioned else None


RULE = Rule("unsaid_values", "query", "language", "doubt", apply)
