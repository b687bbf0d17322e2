"""One expression twice, where two are meant: `COUNT(*) AS french_tours, COUNT(*) AS german_tours`.

A difference of an expression from itself is 0, and `a.id = a.id` joins every row. Which part is wrong is unknown, so
there is no alternative. A share of itself is another rule.
"""

from __future__ import annotations

from itertools import combinations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext

_OF_TWO = (exp.Sub, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)


def apply(context: RuleContext) -> Finding | None:
    for select in context.selects:
        tables = context.tables(select)
        own = next(iter(tables)) if len(tables) == 1 else ""
        named = [it for it in select.selects if isinstance(it, exp.Alias)]
        for one, other in combinations(named, 2):
            if one.alias.lower() != other.alias.lower() and _are_same(one.this, other.this, own):
                return Finding(f"{one.alias} and {other.alias} are the same: {context.to_sql(one.this)}.")
        for node in select.find_all(*_OF_TWO):
            if node.find_ancestor(exp.Select) is select and _are_same(node.this, node.expression, own):
                return Finding(f"{context.to_sql(node)} takes an expression twice.")
    return None


def _are_same(one: exp.Expr, other: exp.Expr, own: str) -> bool:
    """Whether two expressions of columns are the same. Args: own: the only table, which may be named or not."""
    one, other = one.unnest().copy(), other.unnest().copy()
    for column in (*one.find_all(exp.Column), *other.find_all(exp.Column)):
        if column.table.lower() == own:
            column.set("table", None)
    return one == other and one.find(exp.Column, exp.Star) is not None and one.find(exp.Rand) is None


RULE = Rule("same_twice", "query", "schema", "doubt", apply)
