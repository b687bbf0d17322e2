"""LIKE tells capitals from small letters in most databases: `'%coffee%'` does not find "Coffee Mug".

Where it does, the rows show whether it matters. A pattern in capitals, such as `'%IT%'`, is meant as it is written.
"""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from executors.sql.literals import is_text, owner_of

_FOLDING = {"sqlite", "mysql", "mariadb", "sqlserver"}  # there LIKE takes them for the same


def apply(context: RuleContext) -> Finding | None:
    if context.schema.dialect in _FOLDING:
        return None

    def fold(node: exp.Expr) -> exp.Expr | None:
        column, pattern = node.this, node.expression
        owner = owner_of(column, context.schema) if isinstance(column, exp.Column) else None
        if owner is None or not is_text(owner[1]) or not isinstance(pattern, exp.Literal) or not pattern.is_string:
            return None
        text = str(pattern.this)
        if text == text.upper() or isinstance(node.parent, exp.Escape):
            return None
        for side in ("this", "expression"):  # of some databases, LOWER knows the letters of ASCII alone
            node.set(side, exp.Lower(this=node.args[side].copy()))
        return node

    changed = context.change_each(exp.Like, by=fold, detail="LIKE is case-sensitive: {} gives other rows.")
    if changed is None or changed.sql is None:
        return None
    return Finding(changed.detail, probes=(context.sql, changed.sql))


RULE = Rule("like_case", "query", "data", "doubt", apply)
