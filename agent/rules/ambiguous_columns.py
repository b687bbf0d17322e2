"""A column of several tables that the query itself joins on that very column: they all have the same value."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agent.rules.base import Change, Finding, Rule, RuleContext
from executors.errors import ErrorKind
from executors.sql.names.tables import called, tables_of
from executors.sql.tree import conjuncts, selects_of


def apply(context: RuleContext) -> Finding | None:
    if context.error is not ErrorKind.AMBIGUOUS_COLUMN:
        return None

    def change(tree: exp.Query) -> Iterator[Change]:
        for select in selects_of(tree):
            tables = tables_of(select, context.schema)
            own = [it for it in select.find_all(exp.Column) if it.find_ancestor(exp.Select) is select and not it.table]
            for column in own if None not in tables.values() else []:
                holders = [alias for alias, table in tables.items() if table is not None and table.column(column.name)]
                if len(holders) > 1 and {it.lower() for it in holders} <= _equal(select, column.name, holders[0]):
                    before = context.shown(column)
                    column.set("table", called(holders[0], context.schema))
                    yield Change(before, context.shown(column))

    return context.changed(change)


def _equal(select: exp.Select, name: str, first: str) -> set[str]:
    """The sources, in small letters, whose column of that name has the value that it has in the first one.

    Of a LEFT JOIN, the first one has the value also where no row was joined.
    """
    found = {first.lower()}
    for join in select.args.get("joins") or []:
        if join.side not in {"", "LEFT"} or join.kind not in {"", "INNER", "OUTER"}:
            continue
        for part in conjuncts(join.args.get("on")):
            sides = [part.this, part.expression] if isinstance(part, exp.EQ) else []
            if sides and all(isinstance(it, exp.Column) and it.name.lower() == name.lower() for it in sides):
                pair = {it.table.lower() for it in sides}
                found |= pair if pair & found else set()
    return found


RULE = Rule("ambiguous_columns", "error", "schema", "repair", apply)
