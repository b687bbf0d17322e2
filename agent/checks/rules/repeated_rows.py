"""A list of single values, at least half of them repeats: a property that records share, and each once may be meant.

Fewer repeats are no sign: two records of a list may have the same name.
"""

from __future__ import annotations

from agent.checks.rules.base import Finding, Rule, RuleContext


def apply(context: RuleContext) -> Finding | None:
    rows = context.rows or ()
    repeated = len(rows) - len({repr(row) for row in rows})
    if not rows or len(rows[0]) != 1 or 2 * repeated < len(rows):
        return None
    return Finding(f"{repeated} of {len(rows)} values stand there already: distinct ones may be meant.")


RULE = Rule("repeated_rows", "rows", "language", "doubt", apply)
