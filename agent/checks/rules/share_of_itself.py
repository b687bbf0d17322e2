"""A share that is 1 whatever the data: `COUNT(*) / COUNT(*) … WHERE status = 'X'` for the share of X.

The condition belongs to the part alone. With one condition the query that says so becomes a candidate; of several, only
the one that the part repeats is known to be meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agent.checks.rules.base import Change, Finding, Rule, RuleContext
from executors.sql.tree import conjuncts, selects_of, set_conjuncts


def apply(context: RuleContext) -> Finding | None:
    found = [division for select in context.selects for division, _ in _find_ones(select)]
    if not found:
        return None

    def move(tree: exp.Query) -> Iterator[Change]:
        for select in selects_of(tree):
            for division, condition in list(_find_ones(select)):
                if condition is not None:
                    before = context.to_sql(select)
                    _count_part(division, condition)
                    where = select.args["where"]
                    set_conjuncts(select, [it for it in conjuncts(where.this) if it != condition])
                    yield Change(before, context.to_sql(select))

    detail = f"{context.to_sql(found[0])} is 1 whatever the data: its part is its whole."
    changed = context.change(move)
    return changed._replace(detail=detail) if changed is not None else Finding(detail)


def _find_ones(select: exp.Select) -> Iterator[tuple[exp.Div, exp.Expr | None]]:
    """The divisions that give 1, and the condition of WHERE that their part alone is meant to have."""
    where = select.args.get("where")
    kept = conjuncts(where.this) if where is not None else []
    for division in select.find_all(exp.Div):
        if division.find_ancestor(exp.Select) is not select:
            continue
        part, whole = _aggregate_of(division.this), _aggregate_of(division.expression)
        if part is None or whole is None:
            continue
        if part == whole:
            yield division, kept[0] if len(kept) == 1 and isinstance(part, exp.Count | exp.Sum) else None
        elif (condition := _condition_of(part)) is not None and whole.find(exp.Case, exp.Filter) is None:
            yield from ((division, it) for it in kept if it.unnest() == condition.unnest())


def _aggregate_of(side: exp.Expr) -> exp.Expr | None:
    """The aggregate of one side of a division, without casts, parentheses and the numbers that it is multiplied by."""
    while True:
        match side:
            case exp.Cast() | exp.Paren():
                side = side.this
            case exp.Mul(this=exp.Literal(), expression=other) | exp.Mul(this=other, expression=exp.Literal()):
                side = other
            case exp.AggFunc():
                return side
            case _:
                return None


def _condition_of(part: exp.Expr) -> exp.Expr | None:
    """What the rows of a part must have: of `SUM(CASE WHEN status = 'X' THEN 1 ELSE 0 END)`."""
    case = part.this if isinstance(part, exp.Sum | exp.Count) else None
    if isinstance(case, exp.Case) and case.this is None and len(case.args["ifs"]) == 1:
        condition: exp.Expr = case.args["ifs"][0].this
        return condition
    return None


def _count_part(division: exp.Div, condition: exp.Expr) -> None:
    """Have the part of a share read the rows with a condition alone; a part that says so stays."""
    part = _aggregate_of(division.this)
    if part is None or _condition_of(part) is not None:
        return
    branch, counted = exp.Case(), part.this
    if isinstance(counted, exp.Distinct):
        value = branch.when(condition.copy(), counted.expressions[0].copy())
        part.replace(exp.Count(this=exp.Distinct(expressions=[value])))
        return
    amount = exp.Literal.number("1.0") if isinstance(part, exp.Count) else counted.copy()
    part.replace(exp.Sum(this=branch.when(condition.copy(), amount).else_(exp.Literal.number(0))))


RULE = Rule("share_of_itself", "query", "schema", "alternative", apply)
