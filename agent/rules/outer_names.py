"""Columns taken from a subquery or CTE that does not give them: they are added to what it selects.

Also the other way round: what goes by a name inside of a subquery only is called outside by the subquery's own.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agent.rules.base import NAMES, Finding, Rule, RuleContext
from executors.base import Schema, Table
from executors.sql.tables import column_of, tables_of
from executors.sql.tree import selects_of


def apply(context: RuleContext) -> Finding | None:
    """A column is added only to one SELECT without DISTINCT, one of whose tables has it, and where it groups, groups by
    that table's key, so that no group comes apart."""

    def change(tree: exp.Query) -> Iterator[str]:
        for select in selects_of(tree):
            if made := _made(select):
                yield from _reach(select, made, context.schema, context.dialect)

    return context.changed(change) if context.error in NAMES else None


def _made(select: exp.Select) -> dict[str, exp.Select]:
    """The plain SELECTs that this one reads from, by the name each goes by here."""
    ctes = {cte.alias.lower(): cte.this for cte in select.root().find_all(exp.CTE) if not cte.args["alias"].columns}
    from_ = select.args.get("from_")
    sources = [part.this for part in [from_, *(select.args.get("joins") or [])] if part is not None]
    found: dict[str, exp.Select] = {}
    for source in sources:
        if isinstance(source, exp.Subquery):
            query = source.this
        elif isinstance(source, exp.Table) and not source.args.get("db"):
            query = ctes.get(source.name.lower())
        else:
            continue
        if isinstance(query, exp.Select):
            found[source.alias_or_name] = query
    return found


def _reach(select: exp.Select, made: dict[str, exp.Select], schema: Schema, dialect: str) -> list[str]:
    changes: list[str] = []
    real = tables_of(select, schema)
    by_alias = {alias.lower(): (alias, query) for alias, query in made.items()}
    for column in list(select.find_all(exp.Column)):
        if column.find_ancestor(exp.Select) is not select or isinstance(column.this, exp.Star):
            continue
        asked = column.table.lower()
        if asked in by_alias:
            alias, inner = by_alias[asked]
        elif asked and asked not in {name.lower() for name in real} and len(made) == 1 and not _around(select):
            (alias, inner), *_ = made.items()
            if asked not in {name.lower() for name in tables_of(inner, schema)}:
                continue
        elif not asked and len(made) == 1 and len(real) == 1:
            (alias, inner), *_ = made.items()
        else:
            continue
        if _is_alias(select, column) or not (_gives(inner, column.name) or _add(inner, column, schema)):
            continue
        if asked and asked != alias.lower():
            changes.append(f"{column.sql(dialect=dialect)} -> {alias}.{column.name}")
            column.set("table", exp.to_identifier(alias))
        elif inner.meta.pop("added", None) == column.name.lower():
            changes.append(f"{alias} gives {column.name}, too")
    return changes


def _around(select: exp.Select) -> bool:
    return select.parent_select is not None


def _is_alias(select: exp.Select, column: exp.Column) -> bool:
    """Whether a bare name is what this SELECT calls one of its own columns."""
    names = {item.alias.lower() for item in select.expressions if isinstance(item, exp.Alias)}
    return not column.table and column.name.lower() in names and column.find_ancestor(exp.Order, exp.Group) is not None


def _gives(inner: exp.Select, name: str) -> bool:
    return inner.is_star or name.lower() in {given.lower() for given in inner.named_selects}


def _add(inner: exp.Select, column: exp.Column, schema: Schema) -> bool:
    """Have a subquery give a column of one of its tables; False where it cannot."""
    tables = {alias: table for alias, table in tables_of(inner, schema).items() if table is not None}
    holders = [alias for alias, table in tables.items() if table.column(column.name) is not None]
    aggregates = any(item.find(exp.AggFunc) for item in inner.expressions)
    group = inner.args.get("group")
    if len(holders) != 1 or inner.args.get("distinct"):
        return False
    if group is not None:
        if not _groups_by_key(group, tables[holders[0]], holders[0]):
            return False
        group.append("expressions", column_of(holders[0], column.name, schema))
    elif aggregates:
        return False
    inner.append("expressions", column_of(holders[0], column.name, schema))
    inner.meta["added"] = column.name.lower()
    return True


def _groups_by_key(group: exp.Group, table: Table, alias: str) -> bool:
    """Whether a query groups by the whole key of a table."""
    named = {
        item.name.lower()
        for item in group.expressions
        if isinstance(item, exp.Column) and item.table.lower() in {"", alias.lower()}
    }
    return bool(table.primary_key) and {name.lower() for name in table.primary_key} <= named


RULE = Rule("outer_names", "error", "schema", "repair", apply)
