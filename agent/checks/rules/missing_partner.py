"""An inner join whose partner must be missing: it keeps only rows that have one, so no row is left.

A small model writes `JOIN loans ... WHERE loans.id IS NULL` for "readers without a loan". If the column is never NULL
in the table, or is the one of the join, only a LEFT JOIN can be meant.
"""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from executors.sql.literals import owner_of
from executors.sql.tree import conjuncts


def apply(context: RuleContext) -> Finding | None:
    def keep_rows(join: exp.Expr) -> exp.Expr | None:
        where, on = join.parent.args.get("where") if join.parent is not None else None, join.args.get("on")
        if where is None or on is None or join.args.get("side") or join.args.get("kind") == "CROSS":
            return None
        for part in conjuncts(where.this):
            match part.unnest():
                case exp.Is(this=exp.Column() as column, expression=exp.Null()) if column.table:
                    owner = owner_of(column, context.schema)
                    never = owner and (owner[1].name in owner[0].primary_key or not owner[1].nullable)
                    is_here = owner is not None and column.table.lower() == join.this.alias_or_name.lower()
                    if is_here and (never or column in on.find_all(exp.Column)):
                        join.set("side", "LEFT")
                        join.set("kind", None)
                        return join
        return None

    return context.change_each(exp.Join, by=keep_rows, detail="An inner join keeps only rows with a partner: {}.")


RULE = Rule("missing_partner", "query", "schema", "alternative", apply)
