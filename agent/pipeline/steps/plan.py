"""Reads a query's plan from its tree, for models that do not plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agent.core.models import Plan

if TYPE_CHECKING:
    from sqlglot import exp

MAX_ITEM_CHARS = 120


def plan_of(draft: str, checked: str, dialect: str) -> Plan:
    """Tables, joins, filters, aggregates, grouping, order and limit of a query, read from its syntax tree.

    A limit that the guard added is not part of the plan, so `checked` is read only if the draft is not one statement.
    """
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    from executors.dialects.table import DIALECTS

    name = DIALECTS[dialect].sqlglot
    tree = _tree(draft, name) or _tree(checked, name)
    if tree is None:  # the guard parses it with a cheaper grammar
        return Plan()

    def text(node: exp.Expr) -> str:
        try:
            out = node.sql(dialect=name)
        except (SqlglotError, RecursionError):
            return "…"
        return out if len(out) <= MAX_ITEM_CHARS else out[: MAX_ITEM_CHARS - 1] + "…"

    def texts(nodes: Sequence[exp.Expr]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(text(node) for node in nodes))

    ctes = {cte.alias_or_name for cte in tree.find_all(exp.CTE)}
    conditions = [where.this for where in tree.find_all(exp.Where)]
    limit = tree.args.get("limit")
    count = (limit.args.get("expression") or limit.args.get("count")) if limit is not None else None
    return Plan(
        tables=tuple(dict.fromkeys(t.name for t in tree.find_all(exp.Table) if t.name not in ctes)),
        joins=texts([on for join in tree.find_all(exp.Join) if (on := join.args.get("on")) is not None]),
        filters=texts([part for it in conditions for part in (it.flatten() if isinstance(it, exp.And) else [it])]),
        aggregates=texts([node for node in tree.find_all(exp.AggFunc) if not isinstance(node.parent, exp.AggFunc)]),
        group_by=texts([key for group in tree.find_all(exp.Group) for key in group.expressions]),
        order_by=texts(list(order.expressions) if (order := tree.args.get("order")) is not None else []),
        limit=int(count.this) if isinstance(count, exp.Literal) and count.is_int else None,
    )


def _tree(sql: str, name: str) -> exp.Expr | None:
    from sqlglot.errors import SqlglotError

    from executors.sql.parsed import parse_sql

    try:
        return parse_sql(sql, name)
    except (SqlglotError, RecursionError):
        return None
