"""An inner join whose partner must be missing: it keeps only rows that have one, so no row is left.

A small model writes `JOIN loans ... WHERE loans.id IS NULL` for "readers without a loan". If the column is never NULL
in the table, or is the one of the join, only a LEFT JOIN can be meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agent.checks.rules.base import Change, Finding, Rule, RuleContext
from executors.sql.literals import owner_of


def apply(context: RuleContext) -> Finding | None:
    def change(tree: exp.Query) -> Iterator[Change]:
        for missing in tree.find_all(exp.Is):
            column, where = missing.this, missing.find_ancestor(exp.Where, exp.Select, exp.Or, exp.Not)
            owner = owner_of(column, context.schema) if isinstance(column, exp.Column) and column.table else None
            if owner is None or not isinstance(missing.expression, exp.Null) or not isinstance(where, exp.Where):
                continue
            joins: list[exp.Join] = where.parent.args.get("joins") or [] if where.parent is not None else []
            join = next((it for it in joins if it.this.alias_or_name.lower() == column.table.lower()), None)
            if join is None or join.side or join.method or join.kind not in {"", "INNER"} or not join.args.get("on"):
                continue
            never_null = owner[1].name in owner[0].primary_key or not owner[1].nullable
            if never_null or column in join.args["on"].find_all(exp.Column):
                before = context.to_sql(join)
                join.set("side", "LEFT")
                join.set("kind", None)
                yield Change(before, context.to_sql(join))

    return context.change(change, "No joined row is without what it was joined by: {}.")


RULE = Rule("missing_partner", "query", "schema", "alternative", apply)
