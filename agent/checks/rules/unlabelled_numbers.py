"""Numbers of several queries in one column, which nothing tells apart: `SELECT COUNT(*) … UNION SELECT COUNT(*) …`.

Rows have no order, and UNION makes one of two equal numbers. A column of the query itself, such as `'2023' AS year`,
says which number is which.
"""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext


def apply(context: RuleContext) -> Finding | None:
    query = context.query
    if not isinstance(query, exp.Union):
        return None
    sides = list(_list_sides(query))
    if not all(isinstance(it, exp.Select) and _is_one_number(it) for it in sides):
        return None
    return Finding("UNION puts the numbers of several queries in one column, and nothing says which is which.")


def _list_sides(query: exp.Expr) -> list[exp.Expr]:
    if isinstance(query, exp.Union):
        return [*_list_sides(query.this.unnest()), *_list_sides(query.expression.unnest())]
    return [query]


def _is_one_number(select: exp.Select) -> bool:
    """Whether a query gives counts, sums or averages of all its rows, and nothing else, no label among them."""
    numbers = [
        it.find(exp.Count, exp.Sum, exp.Avg) is not None and it.find(exp.Window) is None for it in select.selects
    ]
    labels = (literal for it in select.selects for literal in it.find_all(exp.Literal) if literal.is_string)
    return bool(numbers) and all(numbers) and not select.args.get("group") and not any(labels)


RULE = Rule("unlabelled_numbers", "query", "schema", "doubt", apply)
