"""A count that is always 1: of groups by a table's own key, or of a value that is given."""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from executors.sql.tree import conjuncts


def apply(context: RuleContext) -> Finding | None:
    for select in context.selects:
        counts = [it for it in select.find_all(exp.Count) if it.find_ancestor(exp.Select) is select]
        if counts and (key := _own_key(context, select)):
            return Finding(f"{context.to_sql(counts[0])} is 1 in each group: {key} tells single rows apart.")
        given = _find_compared_columns(select)
        for count in counts:
            counted = count.this.expressions if isinstance(count.this, exp.Distinct) else []
            if counted and all(it in given for it in counted):
                return Finding(f"{context.to_sql(count)} is 1 at most: {context.to_sql(counted[0])} is given.")
    return None


def _own_key(context: RuleContext, select: exp.Select) -> str:
    """The key that a SELECT of a single table is grouped by."""
    tables, group = context.tables(select), select.args.get("group")
    table = next(iter(tables.values()), None)
    if group is None or len(tables) != 1 or table is None or not table.primary_key or select.args.get("joins"):
        return ""
    by = {it.name.lower() for it in group.expressions if isinstance(it, exp.Column)}
    return ", ".join(table.primary_key) if {it.lower() for it in table.primary_key} <= by else ""


def _find_compared_columns(select: exp.Select) -> list[exp.Expr]:
    """The columns that WHERE compares with one literal."""
    where = select.args.get("where")
    equal = [it for it in conjuncts(where.this) if isinstance(it, exp.EQ)] if where is not None else []
    sides = [pair for it in equal for pair in ((it.this, it.expression), (it.expression, it.this))]
    return [one for one, other in sides if isinstance(one, exp.Column) and isinstance(other, exp.Literal)]


RULE = Rule("counted_one", "query", "schema", "doubt", apply)
