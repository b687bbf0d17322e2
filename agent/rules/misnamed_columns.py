"""Columns asked of the wrong table of a SELECT, or under a name that differs in case and underscores alone.

Small models most often err in the qualifier: they write the table's name where it goes by an alias, or take a column
from the wrong one of two joined tables; and told so, they write the same again.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agent.rules.base import NAMES, Change, Finding, Rule, RuleContext
from executors.base import Schema, Table
from executors.sql.meaning import refers_further
from executors.sql.tables import called, identifier, tables_of


def apply(context: RuleContext) -> Finding | None:
    """Changed only where one table of the SELECT has the column, or one name there differs in its spelling alone."""

    def change(tree: exp.Query) -> Iterator[Change]:
        for column in list(tree.find_all(exp.Column)):
            select = column.find_ancestor(exp.Select)
            if select is None or isinstance(column.this, exp.Star):
                continue
            new = _right_column(column, tables_of(select, context.schema), context.schema)
            if new is not None and not _joins_itself(column, new):
                yield Change(context.shown(column), context.shown(new))
                column.replace(new)

    return context.changed(change) if context.error in NAMES else None


def _joins_itself(column: exp.Column, new: exp.Column) -> bool:
    """Whether a join would then compare a table with itself, so that every row meets every other."""
    pair = column.parent
    if not isinstance(pair, exp.EQ) or not isinstance(column.find_ancestor(exp.Join, exp.Select), exp.Join):
        return False
    other = pair.expression if pair.this is column else pair.this
    return isinstance(other, exp.Column) and other.table.lower() == new.table.lower()


def _right_column(column: exp.Column, tables: dict[str, Table | None], schema: Schema) -> exp.Column | None:
    """The column as it must have been meant; None where it is right, or nobody can tell."""
    qualifier, name = column.table, column.name
    known = {alias: table for alias, table in tables.items() if table is not None}
    by_alias = {alias.lower(): table for alias, table in tables.items()}
    if not qualifier:
        return None if _is_somewhere(name, tables, column) else _nearest(known, column, schema)
    if qualifier.lower() in by_alias:
        table = by_alias[qualifier.lower()]
        if table is None or table.column(name) is not None or refers_further(table, name, known.values(), schema):
            return None
    elif _is_outer(qualifier, column):
        return None
    named = [alias for alias, t in known.items() if t.parts[-1].lower() == qualifier.lower() and t.column(name)]
    holders = named or [alias for alias, table in known.items() if table.column(name)]
    meant = [alias for alias in holders if not _is_listed(column, alias)]
    if len(meant) == 1:
        return exp.column(column.this.copy(), table=called(meant[0], schema))
    return None if holders else _nearest(known, column, schema)


def _is_listed(column: exp.Column, alias: str) -> bool:
    """Whether a select list has that column of another table already: nobody asks for the same twice."""
    select = column.find_ancestor(exp.Select)
    items = [item.unalias() for item in select.expressions] if select is not None else []
    others = [(it.table.lower(), it.name.lower()) for it in items if isinstance(it, exp.Column) and it is not column]
    return any(item is column for item in items) and (alias.lower(), column.name.lower()) in others


def _is_somewhere(name: str, tables: dict[str, Table | None], column: exp.Column) -> bool:
    """Whether a bare name may stand for something: a column of a source, of a query around it, or an alias."""
    if any(table is None or table.column(name) is not None for table in tables.values()):
        return True
    selects = [column.find_ancestor(exp.Select)]
    while selects[-1] is not None:
        selects.append(selects[-1].find_ancestor(exp.Select))
    inside = [select for select in selects if select is not None]
    aliases = {item.alias.lower() for select in inside for item in select.expressions if isinstance(item, exp.Alias)}
    return name.lower() in aliases or len(inside) > 1


def _is_outer(qualifier: str, column: exp.Column) -> bool:
    """Whether a qualifier names a source of a query around this one."""
    select = column.find_ancestor(exp.Select)
    while select is not None:
        select = select.find_ancestor(exp.Select)
        if select is not None and any(
            table.alias_or_name.lower() == qualifier.lower() for table in select.find_all(exp.Table, exp.Subquery)
        ):
            return True
    return False


def _nearest(known: dict[str, Table], column: exp.Column, schema: Schema) -> exp.Column | None:
    """The one column whose name differs in case and underscores alone."""
    plain = column.name.replace("_", "").lower()
    found = [
        (alias, candidate.name)
        for alias, table in known.items()
        for candidate in table.columns
        if candidate.name.replace("_", "").lower() == plain
    ]
    if len(found) != 1:
        return None
    alias, real = found[0]
    quoted = exp.to_identifier(real, quoted=True) if column.this.args.get("quoted") else identifier(real, schema)
    return exp.column(quoted, table=called(alias, schema))


RULE = Rule("misnamed_columns", "error", "schema", "repair", apply)
