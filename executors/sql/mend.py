"""Mends on the syntax tree, where a wrong column name can only have been meant one way.

Small language models most often err in the qualifier: they write the table's name where it goes by an alias, or take a
column from the wrong one of two joined tables; and told so, they write the same again. What is mended here is proposed
as an attempt of its own, shown and judged like any other; nothing is changed silently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqlglot import exp

from executors.base import Frozen, Schema, Table
from executors.dialects import DIALECTS
from executors.sql.tables import called, identifier, meant
from executors.sql.tree import tree_to_change


class Mend(Frozen):
    """A query with its column names put right; `changes` says what was: `order_items.quantity -> oi.quantity`."""

    sql: str
    changes: tuple[str, ...]


def mend_tree(sql: str, schema: Schema, change: Callable[[exp.Query, str], Iterable[str] | None]) -> Mend | None:
    """The query with its tree changed; None where it is not one query that parses, or nothing is changed.

    Args:
        sql: a query.
        schema: of its database.
        change: changes the tree, in sqlglot's dialect of that name, and says what it changed; None where it gives up.
    """
    dialect = DIALECTS[schema.dialect].sqlglot
    tree = tree_to_change(sql, dialect)
    if tree is None:
        return None
    changes = tuple(dict.fromkeys(change(tree, dialect) or ()))
    return Mend(sql=tree.sql(dialect=dialect), changes=changes) if changes else None


def mend_columns(sql: str, schema: Schema) -> Mend | None:
    """The query with every column that is not where it was looked for taken from where it is.

    A column is changed only where one table of the same SELECT has it, or one name there differs in case and
    underscores alone. None where nothing can be repaired that way, or the query does not parse.

    Args:
        sql: a query that was refused for a column.
        schema: of its database.
    """

    def change(tree: exp.Query, dialect: str) -> list[str]:
        changes: list[str] = []
        for column in list(tree.find_all(exp.Column)):
            select = column.find_ancestor(exp.Select)
            if select is None or isinstance(column.this, exp.Star):
                continue
            tables = tables_of(select, schema)
            new = _right_column(column, tables, schema)
            if new is not None and not _is_listed(column, new, select) and not _joins_itself(column, new):
                changes.append(f"{column.sql(dialect=dialect)} -> {new.sql(dialect=dialect)}")
                column.replace(new)
        return changes

    return mend_tree(sql, schema, change)


def tables_of(select: exp.Select, schema: Schema) -> dict[str, Table | None]:
    """What one SELECT reads, by the name it goes by; None for what is no table of the schema (a CTE, a subquery).

    None too for a name that goes by two of them, and for a table whose columns are not its own here (renamed, pivoted).
    """
    from_ = select.args.get("from_")
    joins = select.args.get("joins") or []
    sources = [part.this for part in ([from_] if from_ else []) + joins] + (select.args.get("laterals") or [])
    ctes = {cte.alias_or_name.lower() for cte in select.root().find_all(exp.CTE)}
    found: dict[str, Table | None] = {}
    for source in (source.this if isinstance(source, exp.Final) else source for source in sources):
        plain = isinstance(source, exp.Table) and source.name.lower() not in ctes and source.alias_or_name not in found
        plain = plain and not source.alias_column_names and not source.args.get("pivots")
        real = meant(source, schema) if plain else ()
        found[source.alias_or_name] = real[0] if len(real) == 1 else None
        if source.args.get("joins"):  # tables joined in parentheses go by names of their own
            found[""] = None
    return found


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
        if table is None or table.column(name) is not None:
            return None
    elif _is_outer(qualifier, column):
        return None
    named = [alias for alias, t in known.items() if t.parts[-1].lower() == qualifier.lower() and t.column(name)]
    holders = named or [alias for alias, table in known.items() if table.column(name)]
    if len(holders) == 1:
        return exp.column(column.this.copy(), table=called(holders[0], schema))
    return None if holders else _nearest(known, column, schema)


def _is_listed(column: exp.Column, new: exp.Column, select: exp.Select) -> bool:
    """Whether what a column is to be stands in the select list already: nobody asks for the same twice."""
    items = [item.unalias() for item in select.expressions]
    place = (new.table.lower(), new.name.lower())
    others = [it for it in items if isinstance(it, exp.Column) and it is not column]
    return any(item is column for item in items) and place in [(it.table.lower(), it.name.lower()) for it in others]


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
