"""Aggregates where no engine takes them: in WHERE, or beside columns that nothing groups."""

from __future__ import annotations

from agent.rules.base import Finding, Rule, RuleContext
from agent.rules.repair import GROUPS, repaired_by


def apply(context: RuleContext) -> Finding | None:
    from executors.sql.grouping import grouped

    return repaired_by(grouped, context, GROUPS)


RULE = Rule("missing_groups", "error", "schema", "repair", apply)
