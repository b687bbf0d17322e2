"""Which columns of the supporting records are shown, and in which order.

The keys of the answer's groups first, then what tells the records apart, then what the query reads, then the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from executors.base import Column, Schema, Table
from executors.records import aggregates as agg
from executors.records.lineage import LineageQuery, LineageSource, sources
from executors.sql.tree import identifier_of, output_name

MAX_COLUMNS = 40
_PARTS = ("where", "having", "order", "qualify", "prewhere")


@dataclass(frozen=True)
class SourceColumn:
    """A column that a SELECT can read. `table`: what it calls the source; `is_key`: whether it tells rows apart."""

    name: str
    table: exp.Identifier | None
    is_key: bool = False
    private: bool = False

    @property
    def place(self) -> tuple[str, str]:
        return (self.table.name.lower() if self.table is not None else "", self.name.lower())


class RecordColumns:
    """Completes the columns of a SELECT of records. Args: schema: of the database."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def keys_of(self, source: LineageSource) -> list[exp.Expr]:
        """What tells the rows of a source apart: its primary key, else all its columns; none where neither is known."""
        known = [column for column in self._of_source(source) if not column.private]
        keys = [column for column in known if column.is_key]
        return [self._column(column) for column in keys or known]

    def identities(self, raw: exp.Select, query: LineageQuery, items: Sequence[exp.Expr]) -> list[exp.Expr]:
        """The primary keys of the sources of a SELECT that are not among its items yet."""
        known = self._readable(raw, query)
        have = {self._place(item, known) for item in items}
        return [self._column(one) for one in known if one.is_key and not one.private and one.place not in have]

    def complete_items(
        self, raw: exp.Select, query: LineageQuery, select: exp.Select, items: Sequence[exp.Expr], keys: int
    ) -> list[exp.Expr]:
        """The items of a SELECT of records, in order, with those that were missing.

        Args:
            raw: the SELECT; its sources are read.
            query: what it was derived from, with the CTEs that it sees.
            select: what the query reads is read of it.
            items: that there are: the keys of the groups, then the columns inside the aggregates.
            keys: how many of the items are keys.
        """
        known = self._readable(raw, query)
        if not known:
            return list(items)
        wanted = list(items[:keys])
        wanted += [self._column(one) for one in known if one.is_key and not one.private]
        wanted += [item for item in items[keys:] if not item.is_star]
        shown = {one.place: one for one in known if not one.private}
        for column in _read(select):
            place = self._place(column, known)
            if place in shown:
                wanted.append(self._column(shown[place]))
        starred = [item for item in items if item.is_star]
        wanted += [self._column(one) for one in known if not one.private]
        return self._name_columns(wanted, known, least=len(items)) if wanted else starred

    def _name_columns(self, wanted: Sequence[exp.Expr], known: Sequence[SourceColumn], *, least: int) -> list[exp.Expr]:
        """Each column once, under a unique name: `customers_id` beside `id`."""
        places: set[tuple[str, str]] = set()
        names: set[str] = set()
        found: list[exp.Expr] = []
        for item in wanted:
            place = self._place(item, known)
            if place in places or len(found) >= max(MAX_COLUMNS, least):
                continue
            if place is not None:
                places.add(place)
            name = output_name(item)
            if name is not None and name.name.lower() in names and isinstance(item, exp.Column) and item.table:
                name = self._identifier(f"{item.table}_{name.name}")
                if name.name.lower() in names:
                    continue
                item = exp.alias_(item.copy(), name)
            if name is not None:
                names.add(name.name.lower())
            found.append(item.copy())
        return found

    def _place(self, item: exp.Expr, known: Sequence[SourceColumn]) -> tuple[str, str] | None:
        """Which column of which source an item is; None for an expression. An unqualified one is the first so named."""
        column = item.unalias()
        if not isinstance(column, exp.Column) or isinstance(column.this, exp.Star):
            return None
        name = column.name.lower()
        if column.table:
            return column.table.lower(), name
        return next((one.place for one in known if one.name.lower() == name), ("", name))

    def _readable(self, raw: exp.Select, query: LineageQuery) -> list[SourceColumn]:
        """Every column of every source of a SELECT, in order."""
        hidden = {id(join.this) for join in raw.args.get("joins") or () if join.kind in ("SEMI", "ANTI")}
        read = [source for source in sources(LineageQuery(raw, query.visible)) if id(source.node) not in hidden]
        return [column for source in read for column in self._of_source(source)]

    def _of_source(self, source: LineageSource) -> Iterator[SourceColumn]:
        alias = identifier_of(source.node)
        if source.query is None:
            table = self._table(source.node)
            for column in table.columns if table is not None and not source.recursive else ():
                yield SourceColumn(column.name, alias, _is_key(table, column), column.private)
            return
        for place, (name, output) in enumerate(self._outputs(source.query)):
            renamed = source.columns[place] if place < len(source.columns) else name
            yield SourceColumn(renamed, alias, output.is_key, output.private)

    def _outputs(self, query: LineageQuery) -> Iterator[tuple[str, SourceColumn]]:
        """The columns of a subquery or CTE; empty where they are unknown."""
        select = query.node
        if not isinstance(select, exp.Select):
            return
        inner = self._readable(select, query)
        single = len(sources(query)) == 1 and not agg.aggregates(select) and not select.args.get("distinct")
        for item in select.expressions:
            if item.is_star:
                starred = item.this if isinstance(item, exp.Column) else item
                plain = isinstance(starred, exp.Star) and not any(starred.args.values())
                within = item.table.lower() if isinstance(item, exp.Column) else ""
                for one in inner if plain else ():
                    if not within or one.place[0] == within:
                        yield one.name, SourceColumn(one.name, None, one.is_key and single, one.private)
                continue
            name, place = item.alias_or_name, self._place(item, inner)
            behind = next((one for one in inner if one.place == place), None)
            private = any(
                one.private for one in inner if one.name.lower() in {c.name.lower() for c in agg.columns(item)}
            )
            if name:
                yield name, SourceColumn(name, None, behind is not None and behind.is_key and single, private)

    def _table(self, node: exp.Expr) -> Table | None:
        if not isinstance(node, exp.Table):
            return None
        name = ".".join(part for part in (node.db, node.name) if part)
        found = self._schema.table(name) or self._schema.table(node.name)
        if found is None:
            named = self._schema.tables_named(node.name)
            found = named[0] if len(named) == 1 else None
        return found

    def _column(self, column: SourceColumn) -> exp.Expr:
        table = column.table.copy() if column.table is not None else None
        return exp.Column(this=self._identifier(column.name), table=table)

    def _identifier(self, name: str) -> exp.Identifier:
        return exp.Identifier(this=name, quoted=self._schema.quote_name(name) != name)


def _is_key(table: Table | None, column: Column) -> bool:
    return table is not None and column.name in table.primary_key


def _read(select: exp.Select) -> Iterator[exp.Column]:
    """The columns that a SELECT reads anywhere."""
    parts = [*select.expressions, *(join.args.get("on") for join in select.args.get("joins") or ())]
    parts += [select.args.get(name) for name in _PARTS]
    for part in parts:
        if part is not None:
            yield from agg.columns(part)
