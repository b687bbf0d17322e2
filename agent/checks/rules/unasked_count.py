"""A count that orders and cuts the rows and is shown, although the question counts nothing.

The count may be welcome, so the query stays as it is.
"""

from __future__ import annotations

import re

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.understanding.clarification.words.languages import is_english

_COUNTED = re.compile(
    r"\b(?:how many|how often|numbers?|counts?|amounts?|totals?|times|frequenc\w+|respective\w*)\b", re.IGNORECASE
)


def apply(context: RuleContext) -> Finding | None:
    tree, order = context.query, context.query.args.get("order")
    if order is None or tree.args.get("limit") is None or _COUNTED.search(context.question):
        return None
    by = [item.this for item in order.expressions]
    names = {it.name.lower() for it in by if isinstance(it, exp.Column) and not it.table}
    shown = [it for it in tree.selects if isinstance(it.unalias(), exp.Count)]
    counts = [it for it in shown if it.unalias() in by or it.alias.lower() in names]
    if not counts or len(counts) == len(tree.selects) or not is_english(context.question):
        return None
    count = context.to_sql(counts[0])
    return Finding(f"The rows show {count} too, which the question does not ask for. Ask for it if you want it.")


RULE = Rule("unasked_count", "query", "language", "doubt", apply)
