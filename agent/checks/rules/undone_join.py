"""Groups that a LEFT JOIN keeps and WHERE drops: a branch without rentals has no `rentals.status` that could be equal.

In the condition of the join, the filter would leave these groups, counted as 0. If there are none, nothing is doubted.
Rows that are listed are left alone: there, a filter selects what is listed. So are groups without a count: their other
aggregates would only be NULL.
"""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import group_keys
from executors.sql.tree import conjuncts, selects_of, set_conjuncts

_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In, exp.Like)
_MAY_PASS_NULL = (exp.Is, exp.Coalesce, exp.Or, exp.Case, exp.If, exp.NullSafeEQ, exp.Subquery, exp.Anonymous)


def apply(context: RuleContext) -> Finding | None:
    for place, select in enumerate(context.selects):
        where, keys = select.args.get("where"), group_keys(select)
        if not any(item.find(exp.Count, exp.CountIf) for item in select.selects):
            continue
        grouped = {column.table.lower() for key in keys for column in key.find_all(exp.Column)}
        for at, join in enumerate(select.args.get("joins") or []):
            name, on = join.this.alias_or_name.lower(), join.args.get("on")
            if where is None or on is None or join.side != "LEFT" or not keys or grouped & {name, ""}:
                continue
            dropping = [it for it in conjuncts(where.this) if _drops_missing(it, name)]
            if not dropping:
                continue
            tree = context.query.copy()
            outer = selects_of(tree)[place]
            set_conjuncts(outer, [it for it in conjuncts(outer.args["where"].this) if it not in dropping])
            outer.args["joins"][at].set("on", exp.and_(on.copy(), *(it.copy() for it in dropping), copy=False))
            conditions = " AND ".join(map(context.to_sql, dropping))
            source = join.this.name or join.this.alias
            detail = f"The LEFT JOIN keeps groups without a row of {source}, but WHERE drops them: {conditions}."
            return Finding(detail, probes=(context.sql, context.to_sql(tree)))
    return None


def _drops_missing(condition: exp.Expr, joined: str) -> bool:
    """Whether a condition compares only columns of the joined source, and is not true of NULL."""
    inner = condition.unnest()
    compared = inner.this.unnest() if isinstance(inner, exp.Not) else inner
    of = {it.table.lower() for it in inner.find_all(exp.Column)}
    return isinstance(compared, _COMPARISONS) and of == {joined} and inner.find(*_MAY_PASS_NULL) is None


RULE = Rule("undone_join", "query", "data", "doubt", apply)
