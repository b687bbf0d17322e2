"""Times read as texts, where the database does not write them as `2025-03-01`.

SQL Server writes a `datetime` as `Mar  1 2025 10:15AM` and Oracle as `01-MAR-25`: neither is LIKE '2025-03%', and no
error says so. The query that writes them as ISO 8601 does is a candidate.
"""

from __future__ import annotations

import re

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import is_written_otherwise, write_as_text
from executors.sql.literals import owner_of

_ISO = re.compile(r"%?\d{4}[^a-z]*|[^a-z]*-\d\d[^a-z]*", re.IGNORECASE)  # a month has no letters
_PARTS = {("1", "4"), ("1", "7"), ("1", "10"), ("6", "2"), ("6", "5"), ("9", "2"), ("12", "2"), ("12", "5")}


def apply(context: RuleContext) -> Finding | None:
    dialect = context.schema.dialect

    def write(node: exp.Expr) -> exp.Expr | None:
        owner = owner_of(node.this, context.schema) if isinstance(node.this, exp.Column) else None
        if owner is None or not is_written_otherwise(owner[1], dialect):
            return None
        if not _means_iso(node):
            return None
        node.set("this", write_as_text(node.this, owner[1], dialect))
        return node

    return context.change_each(exp.Like, exp.Substring, exp.Left, by=write, detail="A time is not its text here: {}.")


def _means_iso(node: exp.Expr) -> bool:
    """Whether a pattern, or the place that is cut out, fits `2025-03-01 10:15`. `%-MAR-25` fits Oracle's own text."""
    match node:
        case exp.Substring():
            return (node.text("start"), node.text("length")) in _PARTS
        case exp.Left():
            return ("1", node.expression.name) in _PARTS
    return _ISO.fullmatch(node.expression.name) is not None


RULE = Rule("times_as_text", "query", "schema", "alternative", apply)
