"""A list of single values in which some stand more than once: each once may have been meant."""

from __future__ import annotations

from agent.rules.base import Finding, Rule, RuleContext


def apply(context: RuleContext) -> Finding | None:
    rows = context.rows or ()
    repeated = len(rows) - len({repr(row) for row in rows})
    if not rows or len(rows[0]) != 1 or repeated <= 0:
        return None
    return Finding(f"{repeated} of {len(rows)} values stand there already: distinct ones may be meant.")


RULE = Rule("repeated_rows", "rows", "language", "doubt", apply)
