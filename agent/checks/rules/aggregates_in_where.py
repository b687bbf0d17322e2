"""A count of keys with an aggregate in WHERE: `SELECT COUNT(DISTINCT d.id) … WHERE COUNT(g.id) >= 8`.

No database runs that, and it has one reading: the number of groups, one for each key, whose aggregate is as wanted.
"""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import count_of_different
from executors.errors import ErrorKind
from executors.sql.tree import conjuncts, set_conjuncts

_CLAUSES = ("group", "having", "order", "limit", "distinct", "with_")


def apply(context: RuleContext) -> Finding | None:
    return context.change(_count_groups) if context.error is ErrorKind.GROUPING else None


def _count_groups(tree: exp.Query) -> list[str]:
    items, where = tree.selects, tree.args.get("where")
    count = items[0].unalias() if len(items) == 1 else exp.Null()
    key = count_of_different(count)
    if where is None or key is None or any(map(tree.args.get, _CLAUSES)):
        return []
    parts = conjuncts(where.this)
    aggregated = [it for it in parts if it.find(exp.AggFunc) is not None]
    if not aggregated or any(it.find(exp.Query) is not None or _reads_rows(it, key) for it in aggregated):
        return []
    groups = exp.select(key.copy()).group_by(key.copy()).having(*aggregated)
    for clause in ("from_", "joins"):
        groups.set(clause, tree.args.pop(clause, None))
    set_conjuncts(groups, [it for it in parts if it not in aggregated])
    count.set("this", exp.column(key.this.copy()))  # of NULL, which is no key, COUNT counts nothing
    tree.set("where", None)
    tree.set("from_", exp.From(this=groups.subquery("counted")))
    return ["the condition of an aggregate is one of groups"]


def _reads_rows(condition: exp.Expr, key: exp.Column) -> bool:
    """Whether a condition has a column of single rows: outside its aggregates, and not the key of the groups."""
    outside = (it for it in condition.find_all(exp.Column) if it.find_ancestor(exp.AggFunc) is None)
    return any(it.name.lower() != key.name.lower() or it.table.lower() != key.table.lower() for it in outside)


RULE = Rule("aggregates_in_where", "error", "schema", "repair", apply)
