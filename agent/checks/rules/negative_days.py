"""A duration that is negative for all rows: `AVG(JULIANDAY(opened) - JULIANDAY(closed))`.

If no row has the first date after the second, and some before it, the dates may be swapped. A negative number may also
be meant: of a delay, that everything came early.
"""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import holds_dates
from executors.sql.literals import owner_of

_KINDS = (exp.Sub, exp.DateDiff, exp.TimestampDiff)


def apply(context: RuleContext) -> Finding | None:
    for select in context.selects:
        for node in (it for item in select.selects for it in item.find_all(*_KINDS)):
            later, earlier = _days_of(node, context)
            if later is None or earlier is None or node.find_ancestor(exp.Abs, exp.Predicate, exp.Select) is not select:
                continue
            detail = "The two dates may be swapped: the difference is negative for {} records, and positive for none: "
            return Finding(
                f"{detail}{context.to_sql(node)}.", counts=(context.to_sql(_count_negative(select, later, earlier)),)
            )
    return None


def _days_of(node: exp.Expr, context: RuleContext) -> tuple[exp.Column | None, exp.Column | None]:
    """The columns of days that a difference is taken between: the later one, and the earlier one."""
    found: list[exp.Column | None] = []
    for side in (node.this, node.args.get("expression")):
        is_plain = side is not None and side.find(exp.Binary, exp.Query) is None
        columns = list(side.find_all(exp.Column)) if side is not None and is_plain else []
        owner = owner_of(columns[0], context.schema) if len(columns) == 1 else None
        is_day = owner is not None and holds_dates(owner[1], context.schema.dialect)
        found.append(columns[0] if is_day else None)
    return found[0], found[1]


def _count_negative(select: exp.Select, later: exp.Column, earlier: exp.Column) -> exp.Select:
    """How many rows have a negative difference; 0 if one has a positive one."""
    negative, positive = (
        exp.Sum(this=exp.case().when(it, 1).else_(0)) for it in (later < earlier.copy(), later > earlier.copy())
    )
    rows = exp.select(exp.alias_(exp.case().when(positive.eq(0), negative).else_(0), "n"))
    for clause in ("from_", "joins"):
        part = select.args.get(clause)
        rows.set(clause, [it.copy() for it in part] if isinstance(part, list) else part and part.copy())
    return rows


RULE = Rule("negative_days", "query", "data", "doubt", apply)
