"""The rows behind an aggregate, derived from the query's syntax tree; no model is asked.

FROM, JOIN, WHERE and the CTEs stay; GROUP BY, HAVING, ORDER BY, LIMIT, DISTINCT, QUALIFY, aggregates and windows go.
Selected are the grouping keys and the columns inside the aggregates. Where the aggregate sits in a subquery or CTE, the
rows are those of the innermost aggregate that the outer query reads. What the syntax leaves open is decided so:

- A top group picked by `ORDER BY SUM(x) LIMIT 1` shows the rows of all groups: they are what it was picked from.
- Conditions of an outer WHERE, or of HAVING, on grouping keys alone move into WHERE: they hold for whole groups. Not
  past a window function, which may look at the rows of other groups (`LAG`), nor into the subtotals of ROLLUP.
- `SUM(x) OVER (…)` without GROUP BY keeps every row, and SELECT DISTINCT has no aggregate: neither needs records. Both
  together (`SELECT DISTINCT city, SUM(x) OVER (PARTITION BY city)`) are a GROUP BY in other words, and do.
- An aggregate that only chooses rows (`price > (SELECT AVG(price) …)`, `o.day = m.last_day`) leaves them records.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from executors.base import Frozen
from executors.sql import aggregates as agg
from executors.sql import hana  # noqa: F401  sqlglot knows this dialect from here
from executors.sql.bounded import TooMuchToRead, TooMuchToWrite
from executors.sql.lineage import NO_AGGREGATE, Cte, Kind, Lineage, Query, Source, branches, open_query, sources
from executors.sql.parsed import statements
from executors.sql.predicates import own_conditions, through

_KEPT = ("from_", "joins", "laterals", "prewhere", "where", "connect", "sample", "options")
_NAME_CLASH = "two tables or CTEs of the query share a name, which one flat query cannot tell apart"


class RawQuery(Frozen):
    """The query of the rows behind an aggregate.

    sql: the derived query, without a limit; None where none is needed or none can be derived.
    reason: why there is none; empty otherwise.
    needed: whether the query aggregates, so that its result hides rows.
    """

    sql: str | None
    reason: str
    needed: bool


class _NotDerivable(Exception):
    """Carries the reason, as a sentence's part."""


def derive(sql: str, dialect: str) -> RawQuery:
    """The query of the rows behind `sql`.

    Args:
        sql: one statement.
        dialect: its dialect, as sqlglot names it: `sqlite`, `duckdb`, `postgres`, `tsql`, ….

    Returns:
        The derived query in the same dialect, or the reason why there is none. No SQL text makes this raise.

    Raises:
        ValueError: sqlglot knows no such dialect.
    """
    needed = False
    try:
        trees = [tree for tree in statements(sql, dialect) if tree is not None]
        if len(trees) != 1 or not isinstance(trees[0], (exp.Query, exp.Pivot)):
            return RawQuery(sql=None, reason="only a single SELECT has records behind it", needed=False)
        query, lineage = open_query(trees[0].copy(), {}), Lineage()
        plan = lineage.plan(query)
        if plan.kind is Kind.RECORDS:
            return RawQuery(sql=None, reason=NO_AGGREGATE, needed=False)
        needed = True
        tree = _Rewriter(lineage).run(query)
        return RawQuery(sql=tree.sql(dialect=dialect, comments=False), reason="", needed=True)
    except _NotDerivable as error:
        return RawQuery(sql=None, reason=str(error), needed=True)
    except (RecursionError, TooMuchToRead, TooMuchToWrite):
        return RawQuery(sql=None, reason="the query is nested too deeply", needed=needed)
    except SqlglotError:
        return RawQuery(sql=None, reason="the query cannot be parsed", needed=needed)


class _Rewriter:
    """Writes one derived query and gathers the CTEs that it still reads."""

    def __init__(self, lineage: Lineage) -> None:
        self._lineage = lineage
        self._ctes: dict[str, Cte] = {}
        self._tables: set[str] = set()

    def run(self, query: Query) -> exp.Expr:
        tree = self._rows_behind(query, [], ())
        if self._tables & self._ctes.keys():
            raise _NotDerivable(_NAME_CLASH)
        if self._ctes:
            recursive = any(cte.recursive for cte in self._ctes.values())
            nodes = [cte.node.copy() for cte in self._ctes.values()]
            tree.set("with_", exp.With(expressions=nodes, recursive=recursive))
        return tree

    def _rows_behind(
        self, query: Query, pushed: list[exp.Expr], names: tuple[str, ...], *, label: bool = False
    ) -> exp.Expr:
        """The derived query; `pushed` are conditions on the query's output, whose columns may be renamed by `names`."""
        plan = self._lineage.plan(query)
        if plan.kind is Kind.NONE:
            raise _NotDerivable(plan.reason)
        if plan.kind is Kind.BRANCHES:
            return self._union(query, pushed, names)
        if plan.shared is not None:
            return self._rows_behind(plan.shared, [], (), label=label)
        if not isinstance(query.node, exp.Select):
            raise _NotDerivable(NO_AGGREGATE)
        pushed = through(query.node, pushed, names)
        if plan.kind is Kind.PASSES and plan.source is not None and plan.source.query is not None:
            own = [c for c in own_conditions(query.node) + pushed if self._passes(c, plan.source)]
            return self._rows_behind(plan.source.query, own, plan.source.columns, label=label)
        return self._select(query, query.node, plan.source, pushed, label=label)[0]

    def _passes(self, condition: exp.Expr, source: Source) -> bool:
        """Whether a condition concerns the source's grouping keys alone."""
        read = agg.columns(condition)
        return bool(read) and all(
            self._lineage.belongs(c, source) and not self._lineage.stands_for(c, source) for c in read
        )

    def _union(self, query: Query, pushed: list[exp.Expr], names: tuple[str, ...]) -> exp.Expr:
        """Each branch's rows, one after the other; UNION ALL, since equal rows are still several records."""
        if not isinstance(query.node, exp.Union) or query.node.args.get("by_name"):
            raise _NotDerivable(
                "only UNION puts the records of its branches together, not INTERSECT, EXCEPT or BY NAME"
            )
        names = names or tuple(self._lineage.outputs(Source(query.node, query)))
        sides = []
        for side in branches(query):
            if self._lineage.hides(side):
                sides.append(self._rows_behind(side, pushed, names, label=True))
            else:
                cut = side.node.args.get("order") or side.node.args.get("limit")
                sides.append(exp.Subquery(this=side.node.copy()) if cut else side.node.copy())
                self._need(side.node, side.visible)
        if len({_width(side) for side in sides}) != 1:
            raise _NotDerivable("the branches of the UNION have records with different numbers of columns")
        return exp.Union(this=sides[0], expression=sides[1], distinct=False)

    def _select(
        self, query: Query, select: exp.Select, source: Source | None, pushed: list[exp.Expr], *, label: bool
    ) -> tuple[exp.Select, list[tuple[int | None, exp.Expr]]]:
        """A SELECT without its aggregates, and its items, each with the position it had.

        Where `source` is given, it is an aggregate that is joined to other rows, and is replaced by its rows.
        """
        raw = exp.Select(**{name: _copied(value) for name in _KEPT if (value := select.args.get(name))})
        conditions = [*own_conditions(select), *pushed]
        positions = {id(item): position for position, item in enumerate(select.expressions)}
        if agg.aggregates(select):
            parts = agg.read_aggregation(select, labels=label)
            items: list[exp.Expr] = [*parts.keys, *parts.inside]
            if parts.filters:
                conditions.append(exp.or_(*parts.filters))
        else:
            items = [item for item in select.expressions if not agg.has_window(item)]
        if source is not None:
            items = [item for item in items if not self._aggregated(item, source)]
            conditions = [condition for condition in conditions if not self._aggregated(condition, source)]
        placed: list[tuple[int | None, exp.Expr]] = [(positions.get(id(item)), item.copy()) for item in items]
        if source is not None:
            placed += self._replace(query, raw, source, starred=any(item.is_star for item in items))
        else:
            self._need(raw, query.visible)
        raw.set("where", exp.Where(this=exp.and_(*conditions)) if conditions else None)
        if not [item for _, item in placed if not isinstance(item.unalias(), exp.Literal)]:
            placed.append((None, _all_columns(raw)))
        for _, item in placed:
            self._need(item, query.visible)
        self._need(raw.args.get("where"), query.visible)
        raw.set("expressions", [item for _, item in placed])
        return raw, placed

    def _aggregated(self, node: exp.Expr, source: Source) -> bool:
        return any(self._lineage.stands_for(column, source) for column in agg.columns(node))

    def _replace(
        self, query: Query, raw: exp.Select, source: Source, *, starred: bool
    ) -> list[tuple[int | None, exp.Expr]]:
        """Put the source's rows in its place; gives the columns that are to be shown of them."""
        if source.query is None or not isinstance(source.query.node, exp.Select):
            raise _NotDerivable("a UNION of aggregates is joined to other rows")
        nodes = [read.node for read in sources(query)]
        position = next((place for place, node in enumerate(nodes) if node is source.node), None)
        if position is None:
            raise _NotDerivable("a derived aggregate is joined to other rows")
        rows, shown = self._as_source(source.query, source.query.node, source.columns, _bare_names(query.node))
        copied = sources(Query(raw, query.visible))[position].node
        alias = _name(source.node) or exp.to_identifier("records")
        new: exp.Expr = exp.Subquery(this=rows, alias=exp.TableAlias(this=alias))
        if isinstance(copied, exp.Lateral):
            new = copied.copy()
            new.this.set("this", rows)
            new.set("alias", exp.TableAlias(this=alias))
        hole = exp.Placeholder()
        copied.replace(hole)
        for join in raw.args.get("joins") or ():
            asked = agg.conjuncts(join.args.get("on"))
            left = [condition for condition in asked if not self._aggregated(condition, source)]
            if len(left) < len(asked):
                join.set("on", exp.and_(*left) if left else exp.condition("1 = 1"))
        self._need(raw, query.visible)
        hole.replace(new)
        return [] if starred else [(None, exp.Column(this=name.copy(), table=alias.copy())) for name in shown]

    def _as_source(
        self, query: Query, select: exp.Select, names: tuple[str, ...], avoided: set[str]
    ) -> tuple[exp.Select, list[exp.Identifier]]:
        """The rows behind a joined aggregate, under names that its reader knows, and the names of the added columns.

        `avoided` are names that its reader uses bare: an added column so named would make them ambiguous.
        """
        plan = self._lineage.plan(query)
        if plan.kind not in (Kind.OWN, Kind.JOINS, Kind.PASSES):
            raise _NotDerivable(plan.reason or "a derived aggregate is joined to other rows")
        rows, placed = self._select(query, select, plan.source, [], label=True)
        if names and any(item.is_star for _, item in placed):
            raise _NotDerivable("the columns of a joined aggregate are renamed by position")
        taken: set[str] = set()
        items: list[exp.Expr] = []
        shown: list[exp.Identifier] = []
        for position, item in placed:
            if item.is_star:
                items.append(item)
                continue
            renamed = position is not None and position < len(names)
            name = exp.to_identifier(names[position or 0]) if renamed else _output(item)
            name = _untaken(name, taken if position is not None else taken | avoided)
            taken.add(name.name.lower())
            items.append(item if item.alias_or_name == name.name else exp.alias_(item.unalias(), name))
            if position is None:
                shown.append(name)
        rows.set("expressions", items)
        return rows, shown

    def _need(self, node: exp.Expr | None, visible: Mapping[str, Cte], within: str = "") -> None:
        """Note the CTEs that a piece of the query reads, those that they read first."""
        for read in node.find_all(exp.Table, exp.Column) if node is not None else ():
            name, cte = read.name.lower(), visible.get(read.name.lower())
            is_value = cte is not None and bool(cte.node.args.get("scalar"))  # ClickHouse: WITH 10 AS least
            qualified = read.text("table") if is_value else read.text("db")
            if qualified or name == within or isinstance(read, exp.Column) is not is_value:
                continue
            if cte is None:
                self._tables.add(name)
            elif name not in self._ctes:
                self._need(cte.node.this, cte.visible, within=name)
                self._ctes[name] = cte
            elif self._ctes[name].node is not cte.node:
                raise _NotDerivable(_NAME_CLASH)


def _copied(value: Any) -> Any:
    return [part.copy() for part in value] if isinstance(value, list) else value.copy()


def _name(node: exp.Expr) -> exp.Identifier | None:
    """What the rest of the query calls a source, quotes and all."""
    alias = node.args.get("alias")
    name = alias.this if isinstance(alias, exp.TableAlias) else node.this if isinstance(node, exp.Table) else None
    return name.copy() if isinstance(name, exp.Identifier) else None


def _bare_names(select: exp.Expr) -> set[str]:
    """The column names that a SELECT uses without saying of which table."""
    parts = [*select.expressions, *(join.args.get("on") for join in select.args.get("joins") or ())]
    parts += [select.args.get(name) for name in ("where", "group", "having", "order", "qualify")]
    found = (column for part in parts if part is not None for column in part.find_all(exp.Column))
    return {column.name.lower() for column in found if not column.table}


def _output(item: exp.Expr) -> exp.Identifier:
    """The name of a select item, quotes and all; `key` where it has none."""
    name = (
        item.args.get("alias") if isinstance(item, exp.Alias) else item.this if isinstance(item, exp.Column) else None
    )
    return name.copy() if isinstance(name, exp.Identifier) else exp.to_identifier("key")


def _untaken(name: exp.Identifier, taken: set[str]) -> exp.Identifier:
    """The name, with a number after it where it is taken already."""
    wanted, number = name.name, 1
    while name.name.lower() in taken:
        number += 1
        name = exp.to_identifier(f"{wanted}_{number}", quoted=bool(name.args.get("quoted")))
    return name


def _all_columns(raw: exp.Select) -> exp.Expr:
    """`t.*` for the primary table, `*` where it has no name."""
    name = _name(raw.args["from_"].this)
    return exp.Column(this=exp.Star(), table=name) if name is not None else exp.Star()


def _width(side: exp.Expr) -> tuple[str, ...]:
    """One entry per column; for `t.*` the table, whose columns are as many whatever its alias."""
    while isinstance(side, (exp.SetOperation, exp.Subquery)):
        side = side.this
    from_ = side.args.get("from_")
    first = from_.this.copy() if from_ is not None else None
    if first is not None:
        first.set("alias", None)
    return tuple(f"* {first}" if item.is_star else "" for item in side.expressions)
