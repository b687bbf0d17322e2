"""Columns asked of the wrong table of a SELECT, or under a name that differs in case and underscores alone."""

from __future__ import annotations

from agent.rules.base import Finding, Rule, RuleContext
from agent.rules.repair import NAMES, repaired_by


def apply(context: RuleContext) -> Finding | None:
    from executors.sql.mend import mend_columns

    return repaired_by(mend_columns, context, NAMES)


RULE = Rule("misnamed_columns", "error", "schema", "repair", apply)
