"""The first rows by a key for the most or the least of something: `ORDER BY vessel_id LIMIT 1` for "used least".

A key says which row it is, and at most which came first. So a question about times, numbers or ids is left alone.
"""

from __future__ import annotations

import re

from sqlglot import exp

from agent.checks.grounding.languages.language import language_of
from agent.checks.grounding.languages.vocabulary import Class, find_classes
from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.understanding.suggest import list_keys
from executors.sql.literals import owner_of
from rag.words import split_name

_MOST_ROWS = 100  # of a LIMIT that chooses rows
_SURROGATE = re.compile(r"\bid|(?:id|nr|no|num|number|nummer|key|code|pk|sk)$")
_OF_KEYS = re.compile(
    r"\b(?:ids?|nr|codes?|keys?|n(?:umber|ummer|um[eé]ro|úmero)n?s?(?!\s+(?:of|de|di|von)\b))\b", re.IGNORECASE
)
_OTHER = {Class.LATEST, Class.EARLIEST, Class.RANK, Class.OVER}  # times, and "at least"


def apply(context: RuleContext) -> Finding | None:
    classes = find_classes(context.question, language_of(context.question))
    if classes.isdisjoint({Class.MOST, Class.LEAST}) or classes & _OTHER or _OF_KEYS.search(context.question):
        return None
    for select in context.selects:
        order, limit = select.args.get("order"), select.args.get("limit")
        keys = order.expressions if order is not None else []
        count = limit.expression.name if isinstance(limit, exp.Limit) else ""
        if len(keys) != 1 or not count.isdigit() or int(count) > _MOST_ROWS:
            continue
        column = keys[0].this
        owner = owner_of(column, context.schema) if isinstance(column, exp.Column) else None
        if owner is None or owner[1].name not in list_keys(owner[0]):
            continue
        if _SURROGATE.search(split_name(owner[1].name)):
            return Finding(
                f"The rows are chosen by {owner[1].name}, a key, which says nothing of the most or the least."
            )
    return None


RULE = Rule("sorted_by_key", "query", "language", "doubt", apply)
