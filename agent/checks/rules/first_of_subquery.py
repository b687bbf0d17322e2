"""`x = (SELECT …)` as a condition, whose subquery may give several rows: SQLite compares the first and drops the rest.

Other databases refuse such a query. IN compares all of them. The two differ only if there are several: the subquery is
the same for every row, and the condition is not denied, so NULL and false are the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agent.checks.rules.base import Change, Finding, Rule, RuleContext
from executors.sql.tree import conjuncts, selects_of


def apply(context: RuleContext) -> Finding | None:
    if context.dialect != "sqlite":
        return None

    def compare_all(tree: exp.Query) -> Iterator[Change]:
        clauses = [select.args.get(name) for select in selects_of(tree) for name in ("where", "having")]
        for condition in [it.unnest() for clause in clauses if clause is not None for it in conjuncts(clause.this)]:
            if not isinstance(condition, exp.EQ):
                continue
            one, other = condition.this, condition.expression
            if isinstance(one, exp.Subquery):
                one, other = other, one
            if isinstance(one, exp.Subquery) or not isinstance(other, exp.Subquery):
                continue
            if _may_give_several(other.this) and not _is_correlated(other.this, context):
                before, new = context.to_sql(condition), exp.In(this=one.copy(), query=other.copy())
                condition.replace(new)
                yield Change(before, context.to_sql(new))

    return context.change(compare_all, "The subquery may give several rows: {}.")


def _may_give_several(query: exp.Expr) -> bool:
    """Whether a query may give several rows, none of which it puts first."""
    if query.args.get("limit") is not None or query.args.get("order") is not None:
        return False
    if not isinstance(query, exp.Select):
        return isinstance(query, exp.SetOperation)
    return query.args.get("group") is not None or not any(item.find(exp.AggFunc) for item in query.selects)


def _is_correlated(query: exp.Expr, context: RuleContext) -> bool:
    """Whether a subquery reads a column of the query around it, or may do so."""
    read = {alias: table for select in query.find_all(exp.Select) for alias, table in context.tables(select).items()}
    for column in query.find_all(exp.Column):
        own = column.table.lower() in read
        if not own and (column.table or not any(it is None or it.column(column.name) for it in read.values())):
            return True
    return False


RULE = Rule("first_of_subquery", "query", "data", "alternative", apply)
