"""Is a ratio cut off? In some dialects whole numbers divide to a whole number, and 58 of 100 become 0."""

from __future__ import annotations

from agent.models import Check
from executors.base import CheckedSql

NAME = "division"


def division_check(query: CheckedSql, dialect: str) -> Check | None:
    """Does the result hold a ratio of counts that was cut to a whole number? None where nothing is divided.

    What counts as cut, see `executors.sql.division`.

    Args:
        dialect: a key of `dialects.DIALECTS`.
    """
    if "/" not in query.sql:
        return None
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    from executors.dialects import DIALECTS
    from executors.sql.division import cut_divisions
    from executors.sql.parsed import parsed

    row = DIALECTS[dialect]
    try:
        tree = parsed(query.sql, row.sqlglot)
    except (SqlglotError, RecursionError):
        return None
    divisions = list(tree.find_all(exp.Div))
    if not divisions:
        return None
    cut = cut_divisions(tree) if row.integer_division else []
    if not cut:
        return Check(name=NAME, passed=True, detail="No ratio is cut to a whole number.")
    try:
        shown, above, below = (node.sql(dialect=row.sqlglot) for node in (cut[0], cut[0].this, cut[0].expression))
    except SqlglotError:
        return Check(name=NAME, passed=False, detail=f"{row.title} cuts a ratio to a whole number: write 1.0 * a / b.")
    detail = f"{row.title} cuts {shown} to a whole number: write 1.0 * {above} / {below}."
    return Check(name=NAME, passed=False, detail=detail)
