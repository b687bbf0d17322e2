"""Finds the table of the schema that a name means, and the paths between tables along foreign keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqlglot import exp

from executors.base import Schema, Table
from executors.dialects.table import DIALECTS


def find_tables(node: exp.Table, schema: Schema) -> tuple[Table, ...]:
    """The tables that a name in FROM can mean: one, none, or several if its schema is not given.

    With a qualifier, they are those of that schema. Without, it is the one of the default schema, or those of other
    schemas if the default schema has none. Case counts only between names that differ in nothing else.
    """
    named = schema.tables_named(node.name)
    qualifiers = node.parts[:-1]
    if len(qualifiers) > 1:
        return ()
    if qualifiers:
        qualifier = qualifiers[0].name
        there = tuple(table for table in named if table.namespace.lower() == qualifier.lower())
        if not there and is_default(qualifier, schema):
            there = tuple(table for table in named if not table.namespace)
    else:
        there = tuple(table for table in named if not table.namespace) or named
    if len({table.namespace for table in there}) > 1:
        return there
    return _of_that_case(node, there, schema)


def identifier(name: str, schema: Schema) -> exp.Identifier:
    """A name of the schema as an identifier, quoted if it is a reserved word or would be folded without quotes."""
    return exp.to_identifier(name, quoted=schema.quote_name(name) != name)


def to_source(table: Table, schema: Schema, alias: str | None = None) -> exp.Table:
    """A table as a source of a query."""
    *namespace, name = (identifier(part, schema) for part in table.parts)
    return exp.table_(name, db=namespace[0] if namespace else None, alias=to_alias(alias, schema) if alias else None)


def column_of(alias: str, name: str, schema: Schema) -> exp.Column:
    """A column of the source with that alias. The engine folds the alias as it does in the query."""
    return exp.column(identifier(name, schema), table=to_alias(alias, schema))


def to_alias(alias: str, schema: Schema) -> exp.Identifier:
    """The alias of a source as an identifier, quoted only if it is a reserved word or not a plain name.

    A table's own name keeps the table's spelling: "Orders" stays in quotes if it differs from orders.
    """
    own = any(table.parts[-1] == alias for table in schema.tables_named(alias))
    name = alias if own else DIALECTS[schema.dialect].fold(alias)
    return exp.to_identifier(alias, quoted=schema.quote_name(name) != name)


def is_default(qualifier: str, schema: Schema) -> bool:
    """Whether a qualifier names the default schema."""
    known = {schema.namespace.lower(), *DIALECTS[schema.dialect].schemas} - {""}
    return qualifier.lower() in known


def _of_that_case(node: exp.Table, tables: tuple[Table, ...], schema: Schema) -> tuple[Table, ...]:
    """The table that the engine would find, if several differ only in case."""
    if len(tables) < 2:
        return tables
    row = DIALECTS[schema.dialect]
    quoted = isinstance(node.this, exp.Identifier) and node.this.args.get("quoted")
    wanted = node.name if quoted else row.fold(node.name)
    return tuple(table for table in tables if table.parts[-1] == wanted)[:1] or tables[:1]


def _ctes(select: exp.Select) -> set[str]:
    """The names of visible CTEs, in lower case. Walking up the tree avoids a walk over the whole tree for each name."""
    found: set[str] = set()
    at: exp.Expr | None = select
    while at is not None:
        if (with_ := at.args.get("with_")) is not None:
            found |= {cte.alias_or_name.lower() for cte in with_.expressions}
        at = at.parent
    return found


def tables_of(select: exp.Select, schema: Schema) -> dict[str, Table | None]:
    """The sources of one SELECT by their names. The value is None if it is no table of the schema (a CTE, a subquery).

    It is also None if two sources have the same name, or if the table's columns are changed here (renamed, pivoted).
    """
    from_ = select.args.get("from_")
    joins = select.args.get("joins") or []
    sources = [part.this for part in ([from_] if from_ else []) + joins] + (select.args.get("laterals") or [])
    ctes = _ctes(select)
    found: dict[str, Table | None] = {}
    for source in (source.this if isinstance(source, exp.Final) else source for source in sources):
        plain = isinstance(source, exp.Table) and source.name.lower() not in ctes and source.alias_or_name not in found
        plain = plain and not source.alias_column_names and not source.args.get("pivots")
        real = find_tables(source, schema) if plain else ()
        found[source.alias_or_name] = real[0] if len(real) == 1 else None
        if source.args.get("joins"):  # tables joined in parentheses have names of their own
            found[""] = None
    return found


_LONGEST = 3  # joins


class Edge(NamedTuple):
    """A foreign key, followed in either direction: columns here, the other table, and its columns.

    is_back: whether the other table has the key, and several of its rows may refer to one row here.
    """

    columns: tuple[str, ...]
    to: Table
    referenced: tuple[str, ...]
    is_back: bool = False


class Way(NamedTuple):
    """A path from the table `start`, edge by edge. Without edges if `start` is the target."""

    start: str
    edges: tuple[Edge, ...] = ()


def ways(start: Sequence[str], target: Table, schema: Schema) -> list[Way]:
    """The shortest paths from any of these tables, all of one length. Empty if more than three joins are needed.

    No path goes to a table that is referred to, and from there to many rows of another that refers to it: a loan and a
    reservation have their member in common, and joined by it they have nothing to do with one another.
    """
    if target.name in start:
        return [Way(target.name)]
    found = [Way(name) for name in start]
    for _ in range(_LONGEST):
        found = [
            Way(way.start, (*way.edges, edge))
            for way in found
            for edge in edges(way.edges[-1].to.name if way.edges else way.start, schema)
            if edge.to.name not in {*start, *(it.to.name for it in way.edges)}
            and not (edge.is_back and way.edges and not way.edges[-1].is_back)
        ]
        if there := [way for way in found if way.edges[-1].to.name == target.name]:
            return there
    return []


def edges(name: str, schema: Schema) -> Iterator[Edge]:
    """The foreign keys of a table, and those that reference it."""
    table = schema.table(name)
    for key in table.foreign_keys if table is not None else ():
        if (other := schema.table(key.table)) is not None:
            yield Edge(key.columns, other, key.referenced)
    for other in schema.tables:
        for key in other.foreign_keys:
            if key.table.lower() == name.lower() and other.name != name:
                yield Edge(key.referenced, other, key.columns, is_back=set(key.columns) != set(other.primary_key))
