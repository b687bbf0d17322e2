"""Finds a query's aggregates: in the query itself, in a subquery or CTE, or nowhere.

Only names and syntax are used, not the schema. A column without a qualifier belongs to the subquery that has the name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from sqlglot import exp

from executors.records import aggregates as agg

NO_AGGREGATE = "the query has no aggregate: its rows are the records"
_SEVERAL = "the query puts several aggregates of different rows side by side; they are not one set of records"
_PIVOT = "a PIVOT turns rows into columns; the rows behind it cannot be selected in its place"
_RECURSIVE = "the aggregate is part of a recursive CTE; its rows differ from step to step"
_CORRELATED = "the aggregate is in a correlated subquery; each row of the result has its own records"
_NO_TABLE = "the query aggregates, but reads no table"


class NotDerivable(Exception):
    """The rows behind a query cannot be selected. Carries the reason, as a part of a sentence."""


@dataclass(frozen=True, eq=False)
class LineageCte:
    """A CTE, and the CTEs that are visible to it."""

    node: exp.CTE
    visible: Mapping[str, LineageCte]
    recursive: bool


@dataclass(frozen=True, eq=False)
class LineageQuery:
    """A query without parentheses, and the CTEs that are visible to it, by lower-case name."""

    node: exp.Expr
    visible: Mapping[str, LineageCte]


@dataclass(frozen=True, eq=False)
class LineageSource:
    """A source of a SELECT in FROM, JOIN or APPLY. `query`: its query, if it is a subquery or a CTE; `columns`: names
    that its alias gives to the query's columns, as in `AS m(month, total)`; `hidden`: whether it only restricts rows
    and shows no columns (SEMI, ANTI)."""

    node: exp.Expr
    query: LineageQuery | None = None
    columns: tuple[str, ...] = ()
    recursive: bool = False
    hidden: bool = False

    @property
    def name(self) -> str:
        return self.node.alias_or_name.lower()


class LineageKind(Enum):
    """How the records of a query are derived.

    In the examples, `d` is a CTE: `WITH d AS (SELECT day, SUM(amount) AS total FROM orders GROUP BY day)`.
    """

    # Not needed, because its rows are the records: `SELECT day, amount FROM orders`.
    RECORDS = auto()
    # It aggregates the rows that it reads: `SELECT day, SUM(amount) FROM orders GROUP BY day`.
    OWN = auto()
    # Its only relevant source is one that aggregates: `SELECT MAX(total) FROM d`.
    PASSES = auto()
    # It joins one aggregating source to other rows: `SELECT name, total FROM holidays JOIN d USING (day)`.
    JOINS = auto()
    # Several sources lead to the same aggregate: `SELECT (SELECT MIN(total) FROM d), (SELECT MAX(total) FROM d)`.
    SHARED = auto()
    # It is a set operation: `SELECT SUM(amount) FROM orders UNION ALL SELECT SUM(amount) FROM refunds`.
    BRANCHES = auto()
    # The records cannot be derived: `SELECT (SELECT SUM(amount) FROM orders), (SELECT SUM(amount) FROM refunds)`.
    NONE = auto()


@dataclass(frozen=True)
class LineagePlan:
    kind: LineageKind
    source: LineageSource | None = None
    shared: LineageQuery | None = None
    reason: str = ""


def open_query(node: exp.Expr, visible: Mapping[str, LineageCte]) -> LineageQuery:
    """Remove parentheses around a query, and read the WITH clauses on the way."""
    while True:
        visible = _extend(visible, node.args.get("with_"))
        if not isinstance(node, exp.Subquery):
            return LineageQuery(node, visible)
        node = node.this


def _extend(visible: Mapping[str, LineageCte], with_: exp.With | None) -> Mapping[str, LineageCte]:
    known = dict(visible)
    for node in with_.expressions if with_ is not None else ():
        name = node.alias.lower()
        recursive = any(table.name.lower() == name and not table.db for table in node.this.find_all(exp.Table))
        # A name that is used inside its own definition is an outer CTE only if no recursion is possible.
        known[name] = LineageCte(node, dict(known), recursive and isinstance(node.this.unnest(), exp.SetOperation))
    return known


def sources(query: LineageQuery) -> list[LineageSource]:
    """The sources of a SELECT, in order. The first one is the primary table."""
    found: list[LineageSource] = []
    from_ = query.node.args.get("from_")
    if from_ is not None:
        found.append(_source(from_.this, query.visible))
    joins = query.node.args.get("joins") or ()
    found.extend(_source(join.this, query.visible, hidden=join.kind in ("SEMI", "ANTI")) for join in joins)
    found.extend(_source(lateral, query.visible) for lateral in query.node.args.get("laterals") or ())
    return found


def _source(node: exp.Expr, visible: Mapping[str, LineageCte], *, hidden: bool = False) -> LineageSource:
    if isinstance(node, exp.Final):
        node = node.this
    alias = node.args.get("alias")
    columns = tuple(column.name.lower() for column in alias.columns) if isinstance(alias, exp.TableAlias) else ()
    inner = node.this if isinstance(node, exp.Lateral) else node
    if isinstance(inner, exp.Subquery):
        query = open_query(inner, visible)
        return LineageSource(node, None if isinstance(query.node, exp.Table) else query, columns, hidden=hidden)
    cte = visible.get(node.name.lower()) if isinstance(node, exp.Table) and not node.db else None
    if cte is None:
        return LineageSource(node, hidden=hidden)
    named = tuple(column.name.lower() for column in cte.node.args["alias"].columns)
    if cte.recursive:
        return LineageSource(node, columns=columns or named, recursive=True, hidden=hidden)
    return LineageSource(node, open_query(cte.node.this, cte.visible), columns or named, hidden=hidden)


def branches(query: LineageQuery) -> tuple[LineageQuery, LineageQuery]:
    """The two sides of a set operation."""
    return open_query(query.node.this, query.visible), open_query(query.node.expression, query.visible)


def scalars(query: LineageQuery) -> list[LineageQuery]:
    """The scalar subqueries in a select list."""
    return [
        open_query(below, query.visible)
        for item in query.node.expressions
        for below in item.walk(prune=lambda node: isinstance(node, exp.Query))
        if isinstance(below, exp.Subquery) and not isinstance(below.parent, (exp.In, exp.SubqueryPredicate))
    ]


def conditions(select: exp.Expr) -> Iterator[exp.Expr]:
    """The conditions of ON and WHERE, one by one."""
    for join in select.args.get("joins") or ():
        yield from agg.conjuncts(join.args.get("on"))
    yield from agg.conjuncts(select.args.get("where"))


@dataclass
class Lineage:
    """Plans for the queries of one statement. Each plan is computed once."""

    _plans: dict[int, LineagePlan] = field(default_factory=dict)

    def plan(self, query: LineageQuery) -> LineagePlan:
        """How to derive the rows behind this query."""
        key = id(query.node)
        if key not in self._plans:
            self._plans[key] = self._plan(query)
        return self._plans[key]

    def hides(self, query: LineageQuery | None) -> bool:
        """Whether the query's rows hide other rows."""
        return query is not None and self.plan(query).kind is not LineageKind.RECORDS

    def _plan(self, query: LineageQuery) -> LineagePlan:
        node = query.node
        if isinstance(node, exp.SetOperation):
            return LineagePlan(
                LineageKind.BRANCHES if any(self.hides(side) for side in branches(query)) else LineageKind.RECORDS
            )
        if isinstance(node, exp.Pivot) and not node.unpivot:
            return LineagePlan(LineageKind.NONE, reason=_PIVOT)
        if not isinstance(node, exp.Select):
            return LineagePlan(LineageKind.RECORDS)
        read = sources(query)
        if any(not pivot.unpivot for source in read for pivot in source.node.args.get("pivots") or ()):
            return LineagePlan(LineageKind.NONE, reason=_PIVOT)
        hiding = [source for source in read if self.hides(source.query)]
        if hiding:
            return self._over(query, node, read, hiding)
        if agg.aggregates(node):
            return (
                LineagePlan(LineageKind.OWN)
                if read
                else self._scalars(query, read) or LineagePlan(LineageKind.NONE, reason=_NO_TABLE)
            )
        if any(source.recursive and self._aggregates_within(source, query) for source in read):
            return LineagePlan(LineageKind.NONE, reason=_RECURSIVE)
        return self._scalars(query, read) or LineagePlan(LineageKind.RECORDS)

    def _over(
        self, query: LineageQuery, node: exp.Select, read: list[LineageSource], hiding: list[LineageSource]
    ) -> LineagePlan:
        """The plan of a SELECT that reads aggregates, alone or beside other rows."""
        if len(read) == 1:
            return LineagePlan(LineageKind.PASSES, hiding[0])
        own = agg.aggregates(node)
        beside_rows = len(hiding) < len(read)
        # A single row of totals beside other rows is context, for example for percentages of a total.
        active = [source for source in hiding if not source.hidden and not self.is_single_row(source)]
        if beside_rows:
            active = [source for source in active if self._is_read(node, source) and not self._picks(query, source)]
            if own:
                active = [source for source in active if self._is_aggregated(node, source)]
        if not active and beside_rows:
            return LineagePlan(LineageKind.OWN if own else LineageKind.RECORDS)
        if len(active) == 1:
            return LineagePlan(LineageKind.JOINS if beside_rows else LineageKind.PASSES, active[0])
        return self._same([source.query for source in active or hiding if source.query is not None])

    def _same(self, queries: list[LineageQuery]) -> LineagePlan:
        """The plan for several aggregates. They must all lead to the same one."""
        leaves = {id(leaf.node): leaf for query in queries for leaf in self._leaves(query)}
        if len(leaves) == 1:
            return LineagePlan(LineageKind.SHARED, shared=next(iter(leaves.values())))
        return LineagePlan(LineageKind.NONE, reason=_SEVERAL)

    def _leaves(self, query: LineageQuery) -> list[LineageQuery]:
        plan = self.plan(query)
        if plan.source is not None and plan.source.query is not None:
            return self._leaves(plan.source.query)
        return [plan.shared or query]

    def _scalars(self, query: LineageQuery, read: list[LineageSource]) -> LineagePlan | None:
        """The plan for aggregates in scalar subqueries. Beside rows they are context; alone they are the result."""
        found = [scalar for scalar in scalars(query) if self.hides(scalar)]
        if not found:
            return None
        if not read:
            alone = LineagePlan(LineageKind.PASSES, LineageSource(exp.Subquery(this=found[0].node), found[0]))
            return alone if len(found) == 1 else self._same(found)
        names = {source.name for source in read}
        if any(_is_correlated(scalar, names) for scalar in found):
            return LineagePlan(LineageKind.NONE, reason=_CORRELATED)
        return None

    def _aggregates_within(self, source: LineageSource, query: LineageQuery) -> bool:
        cte = query.visible.get(source.node.name.lower())
        return cte is not None and any(agg.aggregates(select) for select in cte.node.this.find_all(exp.Select))

    def is_single_row(self, source: LineageSource) -> bool:
        """Whether a source is totals without grouping keys. A lateral one does not count, because it is computed again
        for each row."""
        select = source.query.node if source.query is not None else None
        return (
            isinstance(select, exp.Select)
            and not isinstance(source.node, exp.Lateral)
            and agg.aggregates(select)
            and not select.args.get("group")
            and not select.args.get("distinct")
        )

    def _is_read(self, select: exp.Select, source: LineageSource) -> bool:
        """Whether an aggregated value of the source is read. If not, the source only selects the rows beside it."""
        whole = any(item.is_star for item in select.expressions) and any(self.outputs(source).values())
        parts = agg.parts_of(select, "where", "group", "having", "order", "qualify")
        return whole or any(self.stands_for(c, source) for part in parts for c in agg.columns(part))

    def _picks(self, query: LineageQuery, source: LineageSource) -> bool:
        """Whether an aggregated value selects other rows, as in `o.day = m.last_day` or `p.price > m.average`."""
        for condition in conditions(query.node):
            read = agg.columns(condition)
            if any(self.stands_for(c, source) for c in read) and any(not self.belongs(c, source) for c in read):
                return True
        outputs = self.outputs(source)
        using = (name for join in query.node.args.get("joins") or () for name in join.args.get("using") or ())
        return any(outputs.get(name.name.lower(), False) for name in using)

    def _is_aggregated(self, select: exp.Select, source: LineageSource) -> bool:
        """Whether the SELECT's own keys or aggregates read aggregated values of the source."""
        parts = agg.read_aggregation(select)
        return any(self.stands_for(c, source) for part in (*parts.keys, *parts.inside) for c in agg.columns(part))

    def belongs(self, column: exp.Column, source: LineageSource) -> bool:
        """Whether the column belongs to the source."""
        return column.table.lower() == source.name if column.table else column.name.lower() in self.outputs(source)

    def stands_for(self, column: exp.Column, source: LineageSource) -> bool:
        """Whether the column is an aggregated value of the source, which has no meaning for single rows."""
        return self.belongs(column, source) and self.outputs(source).get(column.name.lower(), True)

    def outputs(self, source: LineageSource) -> dict[str, bool]:
        """The source's columns by lower-case name. The value is True for aggregated ones."""
        found = self._outputs(source.query) if source.query is not None else {}
        names = [*source.columns[: len(found)], *list(found)[len(source.columns) :]]
        return dict(zip(names, found.values(), strict=True))

    def _outputs(self, query: LineageQuery) -> dict[str, bool]:
        if isinstance(query.node, exp.SetOperation):
            left, right = (self._outputs(side) for side in branches(query))
            other = list(right.values())
            return {
                name: hidden or (position < len(other) and other[position])
                for position, (name, hidden) in enumerate(left.items())
            }
        if not isinstance(query.node, exp.Select):
            return {}
        inner = self.plan(query).source
        keys = None
        if agg.aggregates(query.node):
            keys = {id(key) for key in agg.read_aggregation(query.node, labels=True).keys}
        found: dict[str, bool] = {}
        for item in query.node.expressions:
            if item.is_star:
                found.update(self.outputs(inner) if inner is not None else {})
                continue
            aggregated = agg.has_window(item) or (keys is not None and id(item) not in keys)
            if inner is not None:
                aggregated = aggregated or any(self.stands_for(c, inner) for c in agg.columns(item))
            found[item.alias_or_name.lower()] = aggregated
        return found


def _is_correlated(query: LineageQuery, outer: set[str]) -> bool:
    """Whether a qualified column inside the query belongs to a table outside of it."""
    inner = {table.alias_or_name.lower() for table in query.node.find_all(exp.Table, exp.Subquery)}
    return any(column.table.lower() in outer - inner for column in query.node.find_all(exp.Column) if column.table)
