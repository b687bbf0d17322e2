"""Texts of several words, and days, in a query's filters that neither the question nor the docs have.

A model copies them from past queries, whose conditions the question need not share.
"""

from __future__ import annotations

import re

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from rag.linking.relative_dates import counts_from_today
from rag.words import words

_DAY = re.compile(r"(?:19|20)\d\d-\d\d(?:-\d\d)?(?!\d)")


def apply(context: RuleContext) -> Finding | None:
    spelled = (it.value for it in context.values if it.how != "meaning")  # a guess by vectors proves nothing
    told = " ".join((context.question, *context.known_texts, *spelled))
    mentioned, unmentioned = words(told), dict[str, None]()
    for literal in context.query.find_all(exp.Literal):
        text = str(literal.this)
        own = {word for word in words(text) if not word.isdigit()}
        is_filter = literal.is_string and isinstance(literal.parent, exp.EQ | exp.In | exp.Like)
        is_day = literal.is_string and _DAY.match(text) and not _is_said(text[:10], told, context)
        if is_day or (is_filter and len(own) > 1 and not own & mentioned):
            unmentioned[repr(text)] = None
    return Finding(f"Nobody spoke of {', '.join(unmentioned)}.") if unmentioned else None


def _is_said(day: str, told: str, context: RuleContext) -> bool:
    """Whether the docs have a day, or the question may mean it. A past query has it for its own question alone."""
    if day in told or any(map(str.isdigit, context.question)) or counts_from_today(context.question):
        return True
    return any(day in it.text for it in context.documents if it.kind != "query")


RULE = Rule("unsaid_values", "query", "language", "doubt", apply)
