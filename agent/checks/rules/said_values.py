"""Stored values that the question certainly names, without a matching text in the query.

A word in small letters may also be a noun. It is taken for a value if only one column stores it, the query reads that
column's table but not the column, and no name in the query has the word: "vets without visits" without `role = 'vet'`.
"""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from rag.linking.values import LinkedValue
from rag.words import join_folded, tokens, words

_SURE = 0.9  # score from which a stored value is what the question names


def apply(context: RuleContext) -> Finding | None:
    literals = [it for it in context.query.find_all(exp.Literal) if it.is_string]
    texts = [text for it in literals if (text := str(it.this).casefold().strip("%"))]
    named: dict[str, list[str]] = {}
    question = f" {join_folded(tokens(context.question))} "
    for value in context.values:
        in_question = f" {join_folded(tokens(value.mention))} " in question  # else a rule of the docs has it
        if in_question and value.is_sure and (_is_name(value) or _is_read(value, context)):
            named.setdefault(value.mention, []).append(value.value.casefold())
    inside = {one for one in named if any(one != other and one in other for other in named)}  # `York` in `New York`
    left = {name: values for name, values in named.items() if name not in inside}
    missing = [repr(it) for it, values in left.items() if not any(a in b or b in a for a in values for b in texts)]
    return Finding(f"The query does not have {', '.join(missing)}, which the question names.") if missing else None


def _is_name(value: LinkedValue) -> bool:
    return value.score >= _SURE and not value.mention.islower()


def _is_read(value: LinkedValue, context: RuleContext) -> bool:
    """Whether a word in small letters is a value of one column, which the query does not read though its table."""
    if value.how == "date" or sum(it.mention == value.mention for it in context.values) > 1:
        return False
    read = {it.name.casefold() for it in context.query.find_all(exp.Column, exp.Table)}
    shows_all = any(item.is_star for select in context.selects for item in select.selects)
    if shows_all or value.column.casefold() in read or value.table.rpartition(".")[2].casefold() not in read:
        return False
    names = {word for it in context.query.find_all(exp.Identifier) for word in words(it.name)}
    return value.mention.islower() and not words(value.mention) & names


RULE = Rule("said_values", "query", "language", "doubt", apply)
