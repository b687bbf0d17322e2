"""One SELECT of a derived query: its rows without its aggregates, and the CTEs that it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from executors.base import Schema, Table
from executors.records import aggregates as agg
from executors.records.lineage import (
    Lineage,
    LineageCte,
    LineageKind,
    LineageQuery,
    LineageSource,
    NotDerivable,
    sources,
)
from executors.sql.tree import identifier_of, output_name

MAX_COLUMNS = 40


@dataclass(frozen=True)
class SourceColumn:
    """A column that a SELECT can read. `table`: the source's name in the SELECT; `is_key`: part of the primary key."""

    name: str
    table: exp.Identifier | None
    is_key: bool = False
    private: bool = False

    @property
    def place(self) -> tuple[str, str]:
        return (self.table.name.lower() if self.table is not None else "", self.name.lower())


class RecordColumns:
    """Completes the columns of a SELECT of records: the keys of the answer's groups come first, then the records'
    primary keys, then the columns that the query reads, then the others.
    """

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def keys_of(self, source: LineageSource) -> list[exp.Expr]:
        """The columns that distinguish the rows of a source: its primary key, else all columns. Empty if unknown."""
        known = [column for column in self._of_source(source) if not column.private]
        keys = [column for column in known if column.is_key]
        return [self._column(column) for column in keys or known]

    def identities(self, raw: exp.Select, query: LineageQuery, items: Sequence[exp.Expr]) -> list[exp.Expr]:
        """The primary keys of a SELECT's sources that are not among its items yet."""
        known = self._readable(raw, query)
        have = {self._place(item, known) for item in items}
        return [self._column(one) for one in known if one.is_key and not one.private and one.place not in have]

    def complete_items(
        self, raw: exp.Select, query: LineageQuery, select: exp.Select, items: Sequence[exp.Expr], keys: int
    ) -> list[exp.Expr]:
        """The items of a SELECT of records, in order, with the missing ones added.

        Args: raw: the SELECT, which gives the sources; query, select: the query that it was derived from; items: the
        present items: first the keys of the groups, whose number is `keys`, then the columns inside the aggregates.
        """
        known = self._readable(raw, query)
        if not known:
            return list(items)
        wanted = list(items[:keys])
        wanted += [self._column(one) for one in known if one.is_key and not one.private]
        wanted += [item for item in items[keys:] if not item.is_star]
        shown = {one.place: one for one in known if not one.private}
        read = agg.parts_of(select, "where", "having", "order", "qualify", "prewhere")
        for column in (column for part in read for column in agg.columns(part)):
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
        """The source and column of an item. None for an expression. Without a qualifier, the first source counts."""
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
            if table is not None and not source.recursive:
                for column in table.columns:
                    yield SourceColumn(column.name, alias, column.name in table.primary_key, column.private)
            return
        for place, (name, output) in enumerate(self._outputs(source.query)):
            renamed = source.columns[place] if place < len(source.columns) else name
            yield SourceColumn(renamed, alias, output.is_key, output.private)

    def _outputs(self, query: LineageQuery) -> Iterator[tuple[str, SourceColumn]]:
        """The columns of a subquery or CTE. Empty if they are unknown."""
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


NAME_CLASH = "two tables or CTEs of the query share a name, which one flat query cannot tell apart"
_COPIED_CLAUSES = ("from_", "joins", "laterals", "prewhere", "where", "connect", "sample", "options")
Placed = tuple[int | None, exp.Expr]  # (position in the query's select list, item)


class NeededCtes:
    """The CTEs that a derived query reads, and the names of its tables."""

    def __init__(self) -> None:
        self._found: dict[str, LineageCte] = {}
        self._tables: set[str] = set()

    def copy(self) -> NeededCtes:
        """A copy."""
        other = NeededCtes()
        other._found, other._tables = dict(self._found), set(self._tables)
        return other

    @property
    def clash(self) -> bool:
        """Whether a table has the name of a CTE."""
        return not self._tables.isdisjoint(self._found)

    def read_by(self, tree: exp.Expr) -> list[LineageCte]:
        """The CTEs that the finished query reads. A CTE comes after those that it reads."""
        names: set[str] = set()
        waiting = [tree]
        while waiting:
            node = waiting.pop()
            for read in {
                part.name.lower() for part in node.find_all(exp.Table, exp.Column)
            } & self._found.keys() - names:
                names.add(read)
                waiting.append(self._found[read].node)
        return [cte for name, cte in self._found.items() if name in names]

    def add(self, node: exp.Expr | None, visible: Mapping[str, LineageCte], within: str = "") -> None:
        """Note the CTEs that a part of the query reads. A CTE comes after those that it reads. Raises NotDerivable."""
        for read in node.find_all(exp.Table, exp.Column) if node is not None else ():
            name, cte = read.name.lower(), visible.get(read.name.lower())
            is_value = cte is not None and bool(cte.node.args.get("scalar"))  # ClickHouse: WITH 10 AS least
            qualified = read.text("table") if is_value else read.text("db")
            if qualified or name == within or isinstance(read, exp.Column) is not is_value:
                continue
            if cte is None:
                self._tables.add(name)
            elif name not in self._found:
                self.add(cte.node.this, cte.visible, within=name)
                self._found[name] = cte
            elif self._found[name].node is not cte.node:
                raise NotDerivable(NAME_CLASH)


class RecordSelects:
    """Builds single SELECTs of a derived query.
    Args: columns: completes the columns of the records; None: they are the keys and the columns inside the aggregates;
    ctes: collects the CTEs that the SELECTs read."""

    def __init__(self, lineage: Lineage, columns: RecordColumns | None, ctes: NeededCtes) -> None:
        self._lineage, self._columns, self._ctes = lineage, columns, ctes

    def complete(self, query: LineageQuery, select: exp.Select, raw: exp.Select, placed: Sequence[Placed]) -> None:
        """Set the columns of the records, in order, with the missing ones added."""
        if self._columns is None:
            return
        keys = len(agg.read_aggregation(select).keys) if agg.aggregates(select) else len(placed)
        items = [item for _, item in placed]
        raw.set("expressions", self._columns.complete_items(raw, query, select, items, keys))

    def select(
        self,
        query: LineageQuery,
        select: exp.Select,
        source: LineageSource | None,
        pushed: list[exp.Expr],
        *,
        label: bool,
    ) -> tuple[exp.Select, list[Placed]]:
        """A SELECT without its aggregates, and its items with their original positions. `source` is an aggregate that
        is joined to other rows. It is replaced by its own rows."""
        raw = exp.Select(**{name: _copy(value) for name in _COPIED_CLAUSES if (value := select.args.get(name))})
        wanted = [*own_conditions(select), *pushed]
        positions = {id(item): position for position, item in enumerate(select.expressions)}
        if agg.aggregates(select):
            parts = agg.read_aggregation(select, labels=label)
            items: list[exp.Expr] = [*parts.keys, *parts.inside]
            if parts.filters:
                wanted.append(exp.or_(*parts.filters))
        else:
            items = [item for item in select.expressions if not agg.has_window(item)]
        if source is not None:
            items = [item for item in items if not self.reads_aggregate(item, source)]
            wanted = [condition for condition in wanted if not self.reads_aggregate(condition, source)]
        placed: list[Placed] = [(positions.get(id(item)), item.copy()) for item in items]
        if source is not None:
            placed += self._replace(query, raw, source, starred=any(item.is_star for item in items))
        else:
            self._ctes.add(raw, query.visible)
        raw.set("where", exp.Where(this=exp.and_(*wanted)) if wanted else None)
        if not [item for _, item in placed if not isinstance(item.unalias(), exp.Literal)]:
            placed.append((None, _all_columns(raw)))
        for _, item in placed:
            self._ctes.add(item, query.visible)
        self._ctes.add(raw.args.get("where"), query.visible)
        raw.set("expressions", [item for _, item in placed])
        return raw, placed

    def reads_aggregate(self, node: exp.Expr, source: LineageSource) -> bool:
        """Whether a part of the query reads an aggregated value of the source."""
        return any(self._lineage.stands_for(column, source) for column in agg.columns(node))

    def _replace(self, query: LineageQuery, raw: exp.Select, source: LineageSource, *, starred: bool) -> list[Placed]:
        """Replace the source by its rows. Return the columns of these rows to show. Raises NotDerivable."""
        if source.query is None or not isinstance(source.query.node, exp.Select):
            raise NotDerivable("a UNION of aggregates is joined to other rows")
        nodes = [read.node for read in sources(query)]
        position = next((place for place, node in enumerate(nodes) if node is source.node), None)
        if position is None:
            raise NotDerivable("a derived aggregate is joined to other rows")
        rows, shown = self._as_source(source.query, source.query.node, source.columns, _bare_names(query.node))
        copied = sources(LineageQuery(raw, query.visible))[position].node
        alias = identifier_of(source.node) or exp.to_identifier("records")
        new: exp.Expr = exp.Subquery(this=rows, alias=exp.TableAlias(this=alias))
        if isinstance(copied, exp.Lateral):
            new = copied.copy()
            new.this.set("this", rows)
            new.set("alias", exp.TableAlias(this=alias))
        hole = exp.Placeholder()
        copied.replace(hole)
        for join in raw.args.get("joins") or ():
            parts = agg.conjuncts(join.args.get("on"))
            left = [condition for condition in parts if not self.reads_aggregate(condition, source)]
            if len(left) < len(parts):
                join.set("on", exp.and_(*left) if left else exp.condition("1 = 1"))
        self._ctes.add(raw, query.visible)
        hole.replace(new)
        return [] if starred else [(None, exp.Column(this=name.copy(), table=alias.copy())) for name in shown]

    def _as_source(
        self, query: LineageQuery, select: exp.Select, names: tuple[str, ...], avoided: set[str]
    ) -> tuple[exp.Select, list[exp.Identifier]]:
        """The rows behind a joined aggregate, with the column names that the outer query uses, and the names of added
        columns. An added column gets none of the names in `avoided`, which the outer query uses without a qualifier:
        they would be ambiguous."""
        plan = self._lineage.plan(query)
        if plan.kind not in (LineageKind.OWN, LineageKind.JOINS, LineageKind.PASSES):
            raise NotDerivable(plan.reason or "a derived aggregate is joined to other rows")
        rows, placed = self.select(query, select, plan.source, [], label=True)
        if self._columns is not None and plan.kind is LineageKind.OWN:
            found = self._columns.identities(rows, query, [item for _, item in placed])
            placed += [(None, item) for item in found]
        if names and any(item.is_star for _, item in placed):
            raise NotDerivable("the columns of a joined aggregate are renamed by position")
        taken: set[str] = set()
        items: list[exp.Expr] = []
        shown: list[exp.Identifier] = []
        for position, item in placed:
            if item.is_star:
                items.append(item)
                continue
            renamed = position is not None and position < len(names)
            name = exp.to_identifier(names[position or 0]) if renamed else output_name(item) or exp.to_identifier("key")
            name = _make_unique(name, taken if position is not None else taken | avoided)
            taken.add(name.name.lower())
            items.append(item if item.alias_or_name == name.name else exp.alias_(item.unalias(), name))
            if position is None:
                shown.append(name)
        rows.set("expressions", items)
        return rows, shown


def _copy(value: Any) -> Any:
    return [part.copy() for part in value] if isinstance(value, list) else value.copy()


def _bare_names(select: exp.Expr) -> set[str]:
    """The column names that a SELECT uses without a table's name."""
    parts = agg.parts_of(select, "where", "group", "having", "order", "qualify")
    found = (column for part in parts for column in part.find_all(exp.Column))
    return {column.name.lower() for column in found if not column.table}


def _make_unique(name: exp.Identifier, taken: set[str]) -> exp.Identifier:
    """The name, with a number after it if it is taken."""
    wanted, number = name.name, 1
    while name.name.lower() in taken:
        number += 1
        name = exp.to_identifier(f"{wanted}_{number}", quoted=bool(name.args.get("quoted")))
    return name


def _all_columns(raw: exp.Select) -> exp.Expr:
    """`t.*` for the primary table, or `*` if it has no name."""
    name = identifier_of(raw.args["from_"].this)
    return exp.Column(this=exp.Star(), table=name) if name is not None else exp.Star()


def own_conditions(select: exp.Select) -> list[exp.Expr]:
    """The conditions of WHERE, and those of HAVING that are the same for all rows of a group."""
    on_keys = [it for it in agg.conjuncts(select.args.get("having")) if not any(agg.calls(it))]
    return [*agg.conjuncts(select.args.get("where")), *through(select, on_keys, (), inputs=True)]


def through(
    select: exp.Select,
    conditions: list[exp.Expr],
    names: tuple[str, ...],
    *,
    inputs: bool = False,
    past_windows: bool = False,
) -> list[exp.Expr]:
    """The conditions on a SELECT's output that can be applied to its input instead, rewritten for the input.

    Args: names: names of the output columns, if they differ from the select items; inputs: whether the conditions may
        use grouping keys as the input names them (HAVING); past_windows: whether window functions, which may read rows
        that do not meet the conditions, are allowed.
    """
    if not conditions:
        return []  # the usual case: analysing the SELECT takes longer than the rest of the derivation
    grouped = agg.aggregates(select)
    parts = agg.read_aggregation(select, labels=True) if grouped else None
    looks_around = select.args.get("qualify") or any(agg.has_window(item) for item in select.expressions)
    if (looks_around and not (inputs or past_windows)) or (parts is not None and parts.sets):
        return []
    keys = {agg.form(key): key for key in parts.groups} if parts is not None else {}
    outputs = {
        (names[position] if position < len(names) else item.alias_or_name.lower()): item.unalias()
        for position, item in enumerate(select.expressions)
        if not item.is_star and (parts is None or agg.constant_per_group(item, parts))
    }
    starred = parts is None and any(item.is_star for item in select.expressions)

    def behind(column: exp.Column) -> exp.Expr | None:
        if inputs and agg.form(column) in keys:
            return column
        bare = exp.Column(this=column.this.copy())
        return outputs.get(column.name.lower(), bare if starred else None)

    found = (_substitute(condition, behind) for condition in conditions)
    return [condition for condition in found if condition is not None]


def _substitute(condition: exp.Expr, behind: Callable[[exp.Column], exp.Expr | None]) -> exp.Expr | None:
    """The condition with each column replaced by the expression behind it. None if a column has none."""
    if agg.has_query(condition) or agg.has_window(condition):
        return None
    holder = exp.Paren(this=condition.copy())
    for column in agg.columns(holder):
        found = behind(column)
        if found is None or agg.has_query(found) or agg.has_window(found) or any(agg.calls(found)):
            return None
        atomic = isinstance(found, (exp.Column, exp.Literal, exp.Func)) and not isinstance(found, exp.Binary)
        column.replace(found.copy() if atomic else exp.Paren(this=found.copy()))
    result: exp.Expr = holder.this
    return result
