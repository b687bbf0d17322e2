"""One aggregate twice, where two are meant: `COUNT(*) AS french_tours, COUNT(*) AS german_tours`.

A difference of an aggregate from itself is 0, and a join ON `a.id = a.id` joins every row. Which part is wrong is
unknown, so there is no alternative. A share of itself is another rule.
"""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext

_OF_TWO = (exp.Sub, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)


def apply(context: RuleContext) -> Finding | None:
    for select in context.selects:
        tables = context.tables(select)
        own = next(iter(tables)) if len(tables) == 1 else ""
        named = dict[str, str]()  # the first alias of each aggregate
        for item in (it for it in select.selects if isinstance(it, exp.Alias) and it.find(exp.AggFunc)):
            alias = named.setdefault(_key_of(item.this, own), item.alias)
            if alias.lower() != item.alias.lower():
                return Finding(f"{alias} and {item.alias} are the same: {context.to_sql(item.this)}.")
        compared = (it for it in select.find_all(*_OF_TWO) if it.find(exp.AggFunc))
        joined = (it for join in select.args.get("joins") or () for it in join.find_all(exp.EQ) if it.find(exp.Column))
        for node in (*compared, *joined):
            if node.find_ancestor(exp.Select) is select and _key_of(node.this, own) == _key_of(node.expression, own):
                return Finding(f"{context.to_sql(node)} takes an expression twice.")
    return None


def _key_of(node: exp.Expr, own: str) -> str:
    """The SQL of an expression. Args: own: the only table, which may be named or not."""
    node = node.unnest().copy()
    for column in node.find_all(exp.Column):
        if column.table.lower() == own:
            column.set("table", None)
    return node.sql()


RULE = Rule("same_twice", "query", "schema", "doubt", apply)
