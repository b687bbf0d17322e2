"""Columns of tables that the query never reached: joined along the foreign keys, where one way leads there."""

from __future__ import annotations

from agent.rules.base import Finding, Rule, RuleContext
from agent.rules.repair import NAMES, repaired_by


def apply(context: RuleContext) -> Finding | None:
    from executors.sql.rejoin import rejoin

    return repaired_by(rejoin, context, NAMES)


RULE = Rule("lost_joins", "error", "schema", "repair", apply)
