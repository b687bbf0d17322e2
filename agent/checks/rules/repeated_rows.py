"""A list with at least half of its rows repeated, because records share them or a join repeats them: each once may be
meant.

Fewer repeats are no sign: two records of a list may have the same name.
"""

from __future__ import annotations

from agent.checks.rules.base import Finding, Rule, RuleContext


def apply(context: RuleContext) -> Finding | None:
    rows = context.rows or ()
    repeated = len(rows) - len({repr(row) for row in rows})
    if not rows or 2 * repeated < len(rows):
        return None
    return Finding(f"{repeated} of {len(rows)} rows repeat earlier ones: distinct ones may be meant.")


RULE = Rule("repeated_rows", "rows", "language", "doubt", apply)
