"""Numbers of foreign keys where the question asks for what they stand for, and never speaks of an id."""

from __future__ import annotations

import re

from agent.rules.base import Finding, Rule, RuleContext

_KEYED = re.compile(r"\b(?:ids?|identifiers?|keys?|codes?|numbers?|details|all|information)\b", re.IGNORECASE)


def apply(context: RuleContext) -> Finding | None:
    if _KEYED.search(context.question):
        return None
    owners = [(item, context.owner(item.unalias())) for item in context.query.selects]
    keys = [
        context.shown(item)
        for item, owner in owners
        if owner is not None and any(key.columns == (owner[1].name,) for key in owner[0].foreign_keys)
        if not re.search("char|text", owner[1].type, re.IGNORECASE)
    ]
    return Finding(f"{', '.join(keys)} is the number of a key, and no id is asked for.") if keys else None


RULE = Rule("unnamed_keys", "query", "language", "doubt", apply)
