"""Which conditions may move from a query to the one it reads, and how they read there."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from executors.records import aggregates as agg


def own_conditions(select: exp.Select) -> list[exp.Expr]:
    """The WHERE, and those conditions of HAVING that hold for each row of a group alike."""
    where, having = select.args.get("where"), select.args.get("having")
    found = agg.conjuncts(where.this if where is not None else None)
    on_keys = [c for c in agg.conjuncts(having.this if having is not None else None) if not any(agg.calls(c))]
    return [*found, *through(select, on_keys, (), inputs=True)]


def through(
    select: exp.Select,
    conditions: list[exp.Expr],
    names: tuple[str, ...],
    *,
    inputs: bool = False,
    past_windows: bool = False,
) -> list[exp.Expr]:
    """Those conditions on a SELECT's output that hold for its input too, in terms of that.

    Args:
        names: what the output columns are called, where not as the select items are.
        inputs: whether the conditions may name grouping keys as the input has them (HAVING).
        past_windows: whether window functions, which may look at rows that do not meet them, are no hindrance.
    """
    if not conditions:
        return []  # as most often: to take the SELECT apart takes longer than all else of deriving its records
    grouped = agg.aggregates(select)
    parts = agg.read_aggregation(select, labels=True) if grouped else None
    looks_around = select.args.get("qualify") or any(agg.has_window(item) for item in select.expressions)
    if (looks_around and not (inputs or past_windows)) or (parts is not None and parts.sets):
        return []
    keys = {agg.form(key): key for key in parts.groups} if parts is not None else {}
    outputs = {
        (names[position] if position < len(names) else item.alias_or_name.lower()): item.unalias()
        for position, item in enumerate(select.expressions)
        if not item.is_star and (parts is None or agg.constant_per_group(item, parts))
    }
    starred = parts is None and any(item.is_star for item in select.expressions)

    def behind(column: exp.Column) -> exp.Expr | None:
        if inputs and agg.form(column) in keys:
            return column
        bare = exp.Column(this=column.this.copy())
        return outputs.get(column.name.lower(), bare if starred else None)

    found = (_substituted(condition, behind) for condition in conditions)
    return [condition for condition in found if condition is not None]


def _substituted(condition: exp.Expr, behind: Callable[[exp.Column], exp.Expr | None]) -> exp.Expr | None:
    """The condition with each column replaced by what is behind it; None where one has nothing to be replaced by."""
    if agg.has_query(condition) or agg.has_window(condition):
        return None
    holder = exp.Paren(this=condition.copy())
    for column in agg.columns(holder):
        found = behind(column)
        if found is None or agg.has_query(found) or agg.has_window(found) or any(agg.calls(found)):
            return None
        atomic = isinstance(found, (exp.Column, exp.Literal, exp.Func)) and not isinstance(found, exp.Binary)
        column.replace(found.copy() if atomic else exp.Paren(this=found.copy()))
    result: exp.Expr = holder.this
    return result
