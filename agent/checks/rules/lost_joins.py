"""Rebuilds joins along the foreign keys, if a query uses columns of tables that it does not read.

Small models know which columns they want but not how to join their tables: they use a column without reading its table,
or join on a column that does not exist. What a query selects, filters and groups by shows which tables it needs; the
foreign keys show how to join them (as in NatSQL, Gan et al. 2021, where a query has no joins at all).

A column that a LEFT JOIN's table lacks stands for its key in `IS NULL` if the table that has the column has a value in
every row, by its type, or by its data if it is shown: the condition asks for rows without a partner.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from agent.checks.rules.base import NAMES, Finding, Rule, RuleContext
from executors.base import Column, Schema, Table
from executors.sql.names.meaning import ColumnResolver, Unclear
from executors.sql.names.tables import Edge, column_of, identifier, to_alias, to_source, ways
from executors.sql.tree import selects_of


def apply(context: RuleContext) -> Finding | None:
    """None if a column has several meanings, several shortest paths lead to a table, or a source is no plain table."""

    counts: list[str] = []

    def change(tree: exp.Query) -> list[str]:
        rejoined = [_Rejoined(select, context.schema, context.dialect) for select in selects_of(tree)]
        changes = [change for it in rejoined for change in it.changes()]
        counts.extend(context.to_sql(query) for it in rejoined for query in it.counts)
        return changes

    try:
        found = context.change(change) if context.error in NAMES else None
    except Unclear:
        return None
    return found._replace(counts=tuple(counts)) if found is not None else None


class _Rejoined:
    """One SELECT while its joins are rebuilt."""

    def __init__(self, select: exp.Select, schema: Schema, dialect: str) -> None:
        self._select, self._schema, self._dialect = select, schema, dialect
        self._reading = ColumnResolver(select, schema)
        self._alias: dict[str, str] = {}  # of each table that is joined so far
        self._changes: list[str] = []
        self.counts: list[exp.Select] = []  # see `Finding`

    def changes(self) -> list[str]:
        """Change the tree and return what changed; empty if it was right. Raises Unclear: it cannot be rebuilt."""
        own = self._reading.own
        for column in own:
            self._ask_for_no_partner(column)
        if all(self._reading.holds(column) for column in own):
            return self._changes
        self._reading.check_sources()
        wanted = [it for it in own if not isinstance(it.find_ancestor(exp.Join, exp.Select), exp.Join)]
        meant = [(column, self._reading.meaning(column)) for column in wanted]
        self._lay({table.name for _, (table, _) in meant if table is not None})
        self._rename(meant)
        return self._changes

    def _ask_for_no_partner(self, column: exp.Column) -> None:
        test = column.parent
        if not isinstance(test, exp.Is) or not isinstance(test.expression, exp.Null) or self._reading.holds(column):
            return
        named = [(table, it) for table in self._reading.tables.values() if table and (it := table.column(column.name))]
        is_shown = any(it.name == column.name for item in self._select.selects for it in item.find_all(exp.Column))
        is_filled = any(not it.nullable for _, it in named)
        if isinstance(test.parent, exp.Not) or not (is_filled or (is_shown and len(named) == 1)):
            return
        alias = column.table.lower()
        for join in self._reading.joins:
            on = join.args.get("on") if join.side == "LEFT" and join.alias_or_name.lower() == alias else None
            keys = [it for it in on.find_all(exp.Column) if it.table.lower() == alias] if on is not None else []
            if keys and self._reading.holds(keys[0]):
                before = column.sql(dialect=self._dialect)
                if not is_filled:
                    self.counts.append(_is_filled(*named[0], self._schema))
                column.set("this", keys[0].this.copy())
                self._changes.append(f"{before} -> {column.sql(dialect=self._dialect)}")

    def _lay(self, wanted: set[str]) -> None:
        """Keep the joins that hold, rebuild the others along the keys, and join the other tables that are needed."""
        joins_left, dropped = list[exp.Join](), dict[str, str]()
        names = [table.name for table in self._reading.tables.values() if table is not None]
        first, *others = zip(names, (it.alias_or_name for it in self._reading.sources), strict=True)
        self._alias = dict([first])
        for join, (name, alias) in zip(self._reading.joins, others, strict=True):
            on, here = join.args.get("on"), {it.lower() for it in (*self._alias.values(), join.this.alias_or_name)}
            columns = on.find_all(exp.Column) if on is not None else ()
            if on is not None and all(it.table.lower() in here and self._reading.holds(it) for it in columns):
                joins_left.append(join)
                self._alias[name] = alias
            else:
                self._changes.append(f"the join with {join.this.name} left out")
                dropped[name] = alias
        self._select.set("joins", joins_left)
        for table in self._schema.tables:
            if table.name in wanted | dropped.keys():
                self._reach(table, dropped)

    def _reach(self, table: Table, dropped: dict[str, str]) -> None:
        found = ways(list(self._alias), table, self._schema)
        if len(found) != 1:
            raise Unclear
        here = found[0].start
        for edge in found[0].edges:
            if edge.to.name not in self._alias:
                self._join(here, edge, dropped.get(edge.to.name, edge.to.parts[-1]))
            here = edge.to.name

    def _join(self, here: str, edge: Edge, alias: str) -> None:
        if alias.lower() in {one.lower() for one in self._alias.values()}:
            raise Unclear
        own = self._alias[here]
        pairs = zip(edge.columns, edge.referenced, strict=True)
        equal = [column_of(own, a, self._schema).eq(column_of(alias, b, self._schema)) for a, b in pairs]
        other = alias if alias.lower() != edge.to.parts[-1].lower() else None
        self._select.join(to_source(edge.to, self._schema, other), on=exp.and_(*equal), copy=False)
        self._alias[edge.to.name] = alias
        self._changes.append(f"joined {edge.to.name}")

    def _rename(self, meant: Sequence[tuple[exp.Column, tuple[Table | None, str]]]) -> None:
        for column, (table, name) in meant:
            if table is None:
                continue
            own = column.this.copy() if column.name == name else identifier(name, self._schema)
            new = exp.column(own, table=to_alias(self._alias[table.name], self._schema))
            held = sum(it.name in self._alias and it.column(name) is not None for it in self._schema.tables)
            if new.sql() != column.sql() and (column.table or column.name != name or held > 1):
                self._changes.append(f"{column.sql(dialect=self._dialect)} -> {new.sql(dialect=self._dialect)}")
                column.replace(new)


def _is_filled(table: Table, column: Column, schema: Schema) -> exp.Select:
    """A query that gives 1 if each row has a value in a column, else 0."""
    name = exp.column(identifier(column.name, schema))
    empty = exp.Count(this=exp.Star()) - exp.Count(this=name)
    return exp.select(exp.case().when(empty.eq(0), "1").else_("0")).from_(to_source(table, schema))


RULE = Rule("lost_joins", "error", "schema", "repair", apply)
