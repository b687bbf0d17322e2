"""Ratios that a dialect cuts to a whole number."""

from __future__ import annotations

from sqlglot import exp


def cut_divisions(tree: exp.Expr) -> list[exp.Div]:
    """The divisions of whole numbers by whole numbers that are not cut on purpose.

    Only what is whole for certain counts: numbers written without a point, COUNT, and SUM, products, sums and CASE of
    these. A division that is rounded down on purpose (`FLOOR`, `CAST(... AS INTEGER)`) is left alone.
    """
    return [one for one in tree.find_all(exp.Div) if _is_whole(one) and not _is_meant(one)]


def divide_exactly(tree: exp.Expr) -> list[str]:
    """Make every cut division of a tree exact; what was changed, one part of a sentence each."""
    cut = cut_divisions(tree)
    for division in cut:
        division.set("this", exp.Mul(this=exp.Literal.number("1.0"), expression=division.this.copy()))
    return ["a ratio of whole numbers is not cut any more"] if cut else []


def _is_whole(node: exp.Expr | None) -> bool:
    """Whether a value is a whole number, whatever the rows."""
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
    around = division.parent
    while isinstance(around, exp.Paren):
        around = around.parent
    return isinstance(around, exp.Floor | exp.Cast | exp.Mod)
