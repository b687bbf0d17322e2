"""The first rows by a value that they do not have: `ORDER BY seats LIMIT 1` gives a hall whose seats are unknown.

NULL is the lowest value in SQLite, MySQL, MariaDB, SQL Server, Databricks and HANA, and the highest in PostgreSQL and
Oracle. DuckDB and ClickHouse put it last. A query with NULLS FIRST or with `seats IS NULL` asks for such rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from agent.checks.rules.base import Change, Finding, Rule, RuleContext
from agent.checks.rules.reading import is_cut, key_of_order
from executors.sql.literals import owner_of
from executors.sql.row_limit import own_limit
from executors.sql.tree import selects_of

_ASKED = re.compile(r"\bNULLS\s+FIRST\b", re.IGNORECASE)


def apply(context: RuleContext) -> Finding | None:
    if _ASKED.search(context.sql):
        return None
    for place, select in enumerate(context.selects):
        limit, is_query = own_limit(select), select is context.query
        if is_query and limit is not None and context.rows is not None and len(context.rows) < limit:
            continue  # nothing is cut off
        value = _find_value(select, context)
        if value is None or (is_query and _is_shown_known(value, context)):
            continue

        def leave_out(tree: exp.Query, place: int = place, value: exp.Expr = value) -> Iterator[Change]:
            part = selects_of(tree)[place]
            add = part.having if part.args.get("group") else part.where
            before, known = context.to_sql(part.args["order"]).strip(), exp.Not(this=value.copy().is_(exp.null()))
            add(known, copy=False)
            yield Change(before, f"{context.to_sql(known)} {before}")

        found = context.change(leave_out)
        detail = f"In {{}} of the first rows, {context.to_sql(value)} is NULL, which comes before all values."
        over_all = any(it.find(exp.Window) for it in select.selects)
        if found is not None and (over_all or _is_outer(select)):  # a row without a partner may have the least
            found = Finding(detail)
        return found and found._replace(detail=detail, counts=(_count_nulls(select, value, context),))
    return None


def _find_value(select: exp.Select, context: RuleContext) -> exp.Expr | None:
    """What decides which rows a SELECT shows, if it may be NULL and NULL comes first."""
    order = select.args.get("order")
    if order is None or not is_cut(select) or not order.expressions[0].args.get("nulls_first"):
        return None
    value = key_of_order(select, order.expressions[0].this)
    if value is None or value.find(exp.Column) is None or value.find(exp.Window, exp.Is):
        return None
    if isinstance(value, exp.Case):  # an order of its own making
        return None
    if isinstance(value, exp.Count) or (value.find(exp.AggFunc) and not select.args.get("group")):
        return None
    owner = owner_of(value, context.schema) if isinstance(value, exp.Column) else None
    if owner is not None and not owner[1].nullable and not _is_outer(select):
        return None
    return None if any(it.this == value for it in select.find_all(exp.Is)) else value


def _is_outer(select: exp.Select) -> bool:
    return any(join.side for join in select.args.get("joins") or [])


def _is_shown_known(value: exp.Expr, context: RuleContext) -> bool:
    """Whether the first row of the result shows a value: then no row lacks one."""
    items = [it.unalias() for it in context.query.selects]
    if not context.rows or value not in items or any(it.is_star for it in items):
        return False
    return context.rows[0][items.index(value)] is not None


def _count_nulls(select: exp.Select, value: exp.Expr, context: RuleContext) -> str:
    """The query for the number of shown rows whose value is NULL."""
    shown, ctes = select.copy(), select.args.get("with_")
    shown.set("with_", None)
    # Other clauses may read the other names.
    shown.set("expressions", [*(it for it in shown.selects if it.alias), exp.alias_(value.copy(), "first_value")])
    first = shown.args["order"].expressions[0].copy()
    first.set("this", value.copy())
    shown.set("order", exp.Order(expressions=[first]))
    counted = exp.select(exp.Count(this=exp.Star())).from_(shown.subquery("shown")).where("first_value IS NULL")
    if ctes is not None:
        counted.set("with_", ctes.copy())
    return context.to_sql(counted)


RULE = Rule("nulls_first", "query", "data", "alternative", apply)
