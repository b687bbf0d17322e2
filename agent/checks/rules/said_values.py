"""Stored values that the question certainly names, without a matching text in the query.

A word in small letters seldom means a value. It does if the query filters its column by another value, which the
question does not have: `status = 'returned'` for "lost". "ABV" is no value if the query reads the column "Target Abv".
"""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from executors.sql.literals import text_filters
from rag.words import join_folded, telling_words, tokens

_SURE = 0.9  # score from which a stored value is what the question names


def apply(context: RuleContext) -> Finding | None:
    literals = [it for it in context.query.find_all(exp.Literal) if it.is_string]
    texts = [text for it in literals if (text := str(it.this).casefold().strip("%"))]
    named: dict[str, list[str]] = {}
    question = f" {join_folded(tokens(context.question))} "
    filters = [it for it in text_filters(context.query, context.schema) if not is_in(it.value, question)]
    swapped = {(it.table.name, it.column.name) for it in filters}
    read = frozenset[str]().union(*(telling_words(it.name) for it in context.query.find_all(exp.Column)))
    for value in context.values:
        if not is_in(value.mention, question) or not value.is_sure:  # a rule of the docs may have it
            continue
        is_read = bool(said := telling_words(value.mention)) and said <= read
        is_certain = value.score >= _SURE and not value.mention.islower() and not is_read
        if (value.table, value.column) in swapped or is_certain:
            named.setdefault(value.mention, []).append(value.value.casefold())
    inside = {one for one in named if any(one != other and one in other for other in named)}  # `York` in `New York`
    left = {name: values for name, values in named.items() if name not in inside}
    missing = [repr(it) for it, values in left.items() if not any(a in b or b in a for a in values for b in texts)]
    return Finding(f"The query does not use {', '.join(missing)}, which the question names.") if missing else None


def is_in(text: str, question: str) -> bool:
    """Whether a question, folded and between blanks, has a text word for word."""
    return f" {join_folded(tokens(text))} " in question


RULE = Rule("said_values", "query", "language", "doubt", apply)
