"""An inner join whose partner must be missing: it keeps only rows that have one, so no row is left.

A small model writes `JOIN loans ... WHERE loans.id IS NULL` for "readers without a loan". Where the column that is to
be NULL is never NULL in a row, or is the one that is joined by, only a LEFT JOIN can be meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agent.rules.base import Change, Finding, Rule, RuleContext
from executors.sql.tables import tables_of
from executors.sql.tree import conjuncts, selects_of


def apply(context: RuleContext) -> Finding | None:
    def change(tree: exp.Query) -> Iterator[Change]:
        for select in selects_of(tree):
            joins: list[exp.Join] = select.args.get("joins") or []
            tables = {alias.lower(): table for alias, table in tables_of(select, context.schema).items()}
            for part in conjuncts(select.args["where"].this if select.args.get("where") else None):
                missing = part.unnest()
                if not isinstance(missing, exp.Is) or not isinstance(missing.expression, exp.Null):
                    continue
                column = missing.this
                name = column.table.lower() if isinstance(column, exp.Column) else ""
                join = next((it for it in joins if name and it.this.alias_or_name.lower() == name), None)
                table, on = tables.get(name), join.args.get("on") if join is not None else None
                own = table.column(column.name) if table is not None else None
                if join is None or table is None or own is None or on is None or join.side or join.method:
                    continue
                joined_by = {it.name.lower() for it in on.find_all(exp.Column) if it.table.lower() == name}
                never_null = own.name in table.primary_key or not own.nullable
                if join.kind not in {"", "INNER"} or not (never_null or column.name.lower() in joined_by):
                    continue
                before = context.shown(join)
                join.set("side", "LEFT")
                join.set("kind", None)
                yield Change(before, context.shown(join))

    return context.changed(change, "No joined row is without what it was joined by: {}.")


RULE = Rule("missing_partner", "query", "schema", "alternative", apply)
