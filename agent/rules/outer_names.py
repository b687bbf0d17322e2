"""Columns that a query takes from a subquery or CTE which does not give them."""

from __future__ import annotations

from agent.rules.base import Finding, Rule, RuleContext
from agent.rules.repair import NAMES, repaired_by


def apply(context: RuleContext) -> Finding | None:
    from executors.sql.outer_names import reach_outer_names

    return repaired_by(reach_outer_names, context, NAMES)


RULE = Rule("outer_names", "error", "schema", "repair", apply)
