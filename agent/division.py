"""Is a ratio cut off? In some dialects whole numbers divide to a whole number, and 58 of 100 become 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.models import Check
from executors.base import CheckedSql

if TYPE_CHECKING:
    from sqlglot import exp

NAME = "division"


def division_check(query: CheckedSql, dialect: str) -> Check | None:
    """Does the result hold a ratio of counts that was cut to a whole number? None where nothing is divided.

    Only what is whole for certain counts: numbers written without a point, COUNT, and SUM, products, sums and CASE of
    these. A division that is rounded down on purpose (`FLOOR`, `CAST(... AS INTEGER)`) is left alone.

    Args:
        dialect: a key of `dialects.DIALECTS`.
    """
    from sqlglot import exp, parse_one

    from executors.dialects import DIALECTS

    row = DIALECTS[dialect]
    tree = parse_one(query.sql, read=row.sqlglot)
    divisions = list(tree.find_all(exp.Div))
    if not divisions:
        return None
    cut = [one for one in divisions if row.integer_division and _is_whole(one) and not _is_meant(one)]
    if not cut:
        return Check(name=NAME, passed=True, detail="No ratio is cut to a whole number.")
    shown, above, below = (node.sql(dialect=row.sqlglot) for node in (cut[0], cut[0].this, cut[0].expression))
    detail = f"{row.title} cuts {shown} to a whole number: write 1.0 * {above} / {below}."
    return Check(name=NAME, passed=False, detail=detail)


def _is_whole(node: exp.Expr | None) -> bool:
    """Whether a value is a whole number, whatever the rows."""
    from sqlglot import exp

    match node:
        case exp.Literal():
            return not node.is_string and node.name.isdigit()
        case exp.Count():
            return True
        case exp.Sum() | exp.Paren() | exp.Neg() | exp.Filter() | exp.Window():
            return _is_whole(node.this)
        case exp.Nullif() | exp.Coalesce():
            return _is_whole(node.this)
        case exp.Add() | exp.Sub() | exp.Mul() | exp.Div():
            return _is_whole(node.this) and _is_whole(node.expression)
        case exp.Case():
            default = node.args.get("default")
            results = [branch.args.get("true") for branch in node.args.get("ifs") or ()]
            results += [default] if default is not None and not isinstance(default, exp.Null) else []
            return bool(results) and all(isinstance(one, exp.Null) or _is_whole(one) for one in results)
    return False


def _is_meant(division: exp.Div) -> bool:
    from sqlglot import exp

    around = division.parent
    while isinstance(around, exp.Paren):
        around = around.parent
    return isinstance(around, exp.Floor | exp.Cast | exp.Mod)
