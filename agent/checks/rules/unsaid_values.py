"""Texts of several words, days, and columns of yes and no in conditions, which neither the question nor the docs have.

A model copies texts from past queries, whose conditions the question need not share, and takes a column of yes and no
for a word that it cannot place: `balcony = TRUE` for "parking spaces".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.understanding.clarification.words.languages import is_english
from executors.base import Column
from executors.sql.literals import FLAGS, is_text, owner_of
from rag.linking.dates import periods_in
from rag.linking.relative_dates import counts_from_today
from rag.words import split_name, telling_words, words

_DAY = re.compile(r"(?:19|20)\d\d(?:-\d\d(?:-\d\d)?(?!\d)|%?$)")  # a year alone, too, as of strftime('%Y', ...)
_FLAG_WORDS = words("is has have can may was were did does are flag yn ind")
_ALIKE, _SHORTEST = 4, 3  # first letters that two forms of a word share, and least letters of a word
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
    if is_english(context.question):
        unmentioned |= dict.fromkeys(_list_unsaid_flags(context, told))
    return Finding(f"Neither the question nor the docs name {', '.join(unmentioned)}.") if unmentioned else None


def _list_unsaid_flags(context: RuleContext, told: str) -> Iterator[str]:
    """The columns of yes and no that are compared with a constant and that no word resembles. The words are English."""
    mentioned, telling = words(told), telling_words(told)
    for condition in context.query.find_all(exp.EQ, exp.NEQ, exp.Is):
        column, value = condition.this, condition.expression
        owner = owner_of(column, context.schema) if isinstance(column, exp.Column) else None
        if owner is None or not isinstance(value, exp.Boolean | exp.Literal) or not _is_flag(owner[1], str(value.this)):
            continue
        own = words(split_name(owner[1].name)) - _FLAG_WORDS
        docs = words(owner[1].comment).union(*(words(it.text) for it in context.documents if column.name in it.text))
        is_said = docs & telling_words(context.question) or any(_resembles(a, b) for a in own for b in telling)
        is_said = is_said or any(it in mentioned for it in own if len(it) > _SHORTEST)  # "on display"
        if own and not is_said:
            yield column.name


def _is_flag(column: Column, value: str) -> bool:
    if "bool" in column.type.lower():
        return True
    if is_text(column):
        return bool(column.samples) and {it.casefold() for it in column.samples} <= FLAGS
    return value in {"0", "1"} and not words(" ".join(split_name(column.name).split()[:1])).isdisjoint(_FLAG_WORDS)


def _resembles(name: str, word: str) -> bool:
    """Whether one contains the other or begins alike, or the name abbreviates the word: `blk` of "blocked"."""
    letters = iter(word)
    shared = min(len(name), len(word), _ALIKE)
    if shared < _SHORTEST:
        return name == word
    return name in word or word in name or name[:shared] == word[:shared] or all(it in letters for it in name)


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
