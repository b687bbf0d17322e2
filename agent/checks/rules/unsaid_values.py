"""Texts of several words, and days, in a query that neither the question nor the docs have.

A model copies them from past queries, whose conditions the question need not share.
"""

from __future__ import annotations

import re

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from rag.linking.dates import periods_in
from rag.linking.relative_dates import counts_from_today
from rag.words import words

_DAY = re.compile(r"(?:19|20)\d\d(?:-\d\d(?:-\d\d)?(?!\d)|%?$)")  # a year alone, too, as of strftime('%Y', ...)
_TIME = re.compile(r"\d{4}|\d[./-]\d|['’]\d\d|\bFY\s?\d|[〇一二三四五六七八九]{4}")  # a number alone may count rows


def apply(context: RuleContext) -> Finding | None:
    spelled = (it.value for it in context.values if it.how != "meaning")  # a guess by vectors proves nothing
    told = " ".join((context.question, *context.known_texts, *spelled))
    mentioned, unmentioned = words(told), dict[str, None]()
    for literal in context.query.find_all(exp.Literal):
        text = str(literal.this)
        own = {word for word in words(text) if not word.isdigit()}
        is_filter = literal.is_string and isinstance(literal.parent, exp.EQ | exp.In | exp.Like)
        is_day = _DAY.match(text) and _is_compared(literal) and not _is_said(text[:10].rstrip("%"), told, context)
        if is_day or (is_filter and len(own) > 1 and not own & mentioned):
            unmentioned[repr(text)] = None
    return Finding(f"Neither the question nor the docs name {', '.join(unmentioned)}.") if unmentioned else None


def _is_compared(literal: exp.Literal) -> bool:
    """Whether it is a day: a text that stands in for no value, or a number beside the year of a day."""
    if literal.is_string:
        return literal.find_ancestor(exp.Coalesce, exp.Predicate) is not literal.find_ancestor(exp.Coalesce)
    parent = literal.parent
    return isinstance(parent, exp.Binary) and parent.find(exp.Year, exp.Extract) is not None


def _is_said(day: str, told: str, context: RuleContext) -> bool:
    """Whether the docs have a day, or the question may mean it. A past query has it for its own question alone."""
    if day in told or _TIME.search(context.question) or counts_from_today(context.question):
        return True
    for text in (told, *(it.text for it in context.documents if it.kind != "query")):
        ends = ((it.first, it.last, it.after) for it in periods_in(text))
        if day in text or any(day == end.isoformat() for days in ends for end in days):
            return True
    return False


RULE = Rule("unsaid_values", "query", "language", "doubt", apply)
