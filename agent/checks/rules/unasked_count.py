"""A count that orders and cuts the rows and is shown, although the question counts nothing.

The count may be welcome, so the query stays as it is, unless a draft shows the same without it.
"""

from __future__ import annotations

import re

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.understanding.clarification.words.languages import is_english

_COUNTED = re.compile(
    r"\b(?:how many|how often|numbers?|counts?|amounts?|totals?|times|frequenc\w+|respective\w*)\b"
    r"|\b(?:most|fewest|least)\b.*\b(?:and|with|show\w*|including) (?:the|their|its|his|her)\b",  # "and show the views"
    re.IGNORECASE | re.DOTALL,
)


def find_counts(context: RuleContext) -> list[int]:
    """The places of the shown counts that nobody asked for, among the columns of the result."""
    tree, order = context.query, context.query.args.get("order")
    if order is None or tree.args.get("limit") is None or _COUNTED.search(context.question):
        return []
    by = [item.this for item in order.expressions]
    names = {it.name.lower() for it in by if isinstance(it, exp.Column) and not it.table}
    shown = [(at, it) for at, it in enumerate(tree.selects) if isinstance(it.unalias(), exp.Count)]
    counts = [at for at, it in shown if it.unalias() in by or it.alias.lower() in names]
    return counts if len(counts) < len(tree.selects) and is_english(context.question) else []


def apply(context: RuleContext) -> Finding | None:
    if not (counts := find_counts(context)):
        return None
    alias = context.query.selects[counts[0]].alias
    name = f" ({alias})" if alias else ""
    return Finding(f"The rows also show a count{name} that the question does not ask for.")


RULE = Rule("unasked_count", "query", "language", "doubt", apply)
