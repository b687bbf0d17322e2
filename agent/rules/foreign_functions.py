"""Functions of another dialect, in the words of the query's own."""

from __future__ import annotations

from agent.rules.base import Finding, Rule, RuleContext
from agent.rules.repair import WORDS, repaired_by


def apply(context: RuleContext) -> Finding | None:
    from executors.sql.moments import own_functions

    return repaired_by(own_functions, context, WORDS)


RULE = Rule("foreign_functions", "error", "schema", "repair", apply)
