"""A share that is the same whatever the data: `COUNT(*) / COUNT(*) … WHERE status = 'X'` for the share of X. Or an
average that is divided by the number of its rows once more: `AVG(passed) * 100 / COUNT(*)`.

WHERE limits the whole as well as the part. Which of its conditions the part alone should have is not known, so the
query is only doubted.
"""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from executors.sql.tree import conjuncts


def apply(context: RuleContext) -> Finding | None:
    for select in context.selects:
        where = select.args.get("where")
        kept = [it.unnest() for it in conjuncts(where.this)] if where is not None else []
        for division in select.find_all(exp.Div):
            part, whole = _aggregate_of(division.this), _aggregate_of(division.expression)
            if part is None or whole is None or division.find_ancestor(exp.Select) is not select:
                continue
            if part == whole or _count_of(part, kept) == whole:
                return Finding("The query divides a number by itself: the result is the same whatever the data.")
            if isinstance(part, exp.Avg) and isinstance(whole, exp.Count) and not whole.find(exp.Distinct):
                return Finding("The query divides an average by the number of rows, and the average already is.")
    return None


def _aggregate_of(side: exp.Expr) -> exp.Expr | None:
    """The aggregate of one side of a division, without casts, parentheses and the numbers that multiply it."""
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


def _count_of(part: exp.Expr, kept: list[exp.Expr]) -> exp.Expr | None:
    """What `SUM(CASE WHEN status = 'X' THEN 1 ELSE 0 END)` is if every row has that condition: COUNT(*)."""
    case = part.this if isinstance(part, exp.Sum | exp.Count) else None
    if not isinstance(case, exp.Case) or case.this is not None or len(case.args["ifs"]) != 1:
        return None
    branch, default = case.args["ifs"][0], case.args.get("default")
    is_empty = default is None or isinstance(default, exp.Null) or (isinstance(part, exp.Sum) and default.name == "0")
    if not is_empty or branch.this.unnest() not in kept:
        return None
    amount = branch.args["true"]
    if amount.is_number:
        return exp.Count(this=exp.Star(), big_int=True) if amount.name == "1" else None
    return exp.Sum(this=amount.copy()) if isinstance(part, exp.Sum) else None


RULE = Rule("share_of_itself", "query", "schema", "doubt", apply)
