"""Rewrites an aggregating query into a query of the rows behind its result; see `raw_records`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from executors.records import aggregates as agg
from executors.records.chosen_groups import (
    ChosenGroups,
    compares_groups,
    cuts,
    is_cut,
    join_chosen,
)
from executors.records.lineage import (
    NO_AGGREGATE,
    Lineage,
    LineageKind,
    LineagePlan,
    LineageQuery,
    LineageSource,
    NotDerivable,
    branches,
    conditions,
    scalars,
    sources,
)
from executors.records.record_select import (
    NAME_CLASH,
    NeededCtes,
    RecordColumns,
    RecordSelects,
    own_conditions,
    through,
)

_LIMITED_UNION = "a LIMIT chooses among the rows of a UNION; the records of those left cannot be distinguished"
_SHARED = "the query compares an aggregate with itself and aggregates or chooses among that again"


@dataclass(frozen=True)
class Want:
    """The rows of a query's result whose records are wanted. By default all rows.

    conditions: Conditions on its columns, which `names` may rename by position.
    chosen: A query of the ids of the wanted rows.
    known: Whether all rows that meet the conditions are in the result, so that nothing else has to select them.
    """

    conditions: tuple[exp.Expr, ...] = ()
    names: tuple[str, ...] = ()
    chosen: exp.Expr | None = None
    known: bool = False


ALL = Want()


@dataclass(frozen=True)
class _Chosen:
    """A query of the ids of chosen rows, and the ids as the clauses of the records' query write them."""

    query: exp.Expr
    ids: tuple[exp.Expr, ...]


class _Lost(Exception):
    """A condition on a query's result does not apply to the rows that it reads."""


@dataclass(frozen=True)
class Derived:
    """The query of the records, and the query of their number."""

    tree: exp.Expr
    count: exp.Expr


@dataclass
class Rewriter:
    """Builds one derived query and collects the CTEs that it still reads.

    dialect: sqlglot's name of the dialect.
    columns: Completes the columns of the records. None: they are the keys and the columns inside the aggregates.
    rows: Number of rows of the result. None if it is unknown.
    never_null: Columns of the result without NULLs, in lower case. Empty if not all rows of the result are known.
    """

    lineage: Lineage
    dialect: str
    columns: RecordColumns | None = None
    rows: int | None = None
    never_null: frozenset[str] = frozenset()
    _top: exp.Expr | None = None

    def __post_init__(self) -> None:
        self._read_only(NeededCtes())
        self._groups = ChosenGroups(self.lineage, self.columns)

    def _read_only(self, ctes: NeededCtes) -> None:
        """Continue as if the query had read only these CTEs."""
        self._ctes, self._selects = ctes, RecordSelects(self.lineage, self.columns, ctes)

    def run(self, query: LineageQuery, want: Want = ALL) -> Derived:
        """The query of the records of the wanted rows of a query's result. Raises NotDerivable."""
        self._top = query.node
        try:
            tree = self._rows_behind(query, want)
        except _Lost as error:
            raise NotDerivable("the rows of the result cannot be distinguished by what it shows") from error
        count = _count(tree)
        if self._ctes.clash:
            raise NotDerivable(NAME_CLASH)
        for one in (tree, count):
            if read := self._ctes.read_by(one):
                nodes = [cte.node.copy() for cte in read]
                one.set("with_", exp.With(expressions=nodes, recursive=any(cte.recursive for cte in read)))
        return Derived(tree, count)

    def keys(self, query: LineageQuery) -> tuple[str, ...] | None:
        """The columns of a query's result that distinguish its groups. None if the result does not show all of them, or
        if a row is computed from several groups."""
        try:
            opened = self._groups.open_query(query)
        except NotDerivable:
            return None
        level: LineageQuery | None = query
        while level is not None:
            if isinstance(level.node, exp.Select) and compares_groups(level.node):
                return None
            source = self.lineage.plan(level).source
            level = source.query if source is not None else None
        shown = [self._groups.find_id_name(query, key) for key in opened.ids]
        return tuple(name.name for name in shown if name is not None) if all(shown) else None

    def _rows_behind(self, query: LineageQuery, want: Want, *, label: bool = False) -> exp.Expr:
        plan = self.lineage.plan(query)
        if plan.kind is LineageKind.NONE:
            raise NotDerivable(plan.reason)
        if plan.kind is LineageKind.BRANCHES:
            return self._union(query, want)
        if plan.shared is not None:
            return self._rows_behind(plan.shared, self._want_of_shared(query, plan, want), label=label)
        if not isinstance(query.node, exp.Select):
            raise NotDerivable(NO_AGGREGATE)
        past = want.known and not compares_groups(query.node)  # a rank only selects rows
        pushed = through(query.node, list(want.conditions), want.names, past_windows=past)
        if len(pushed) < len(want.conditions):
            raise _Lost
        if plan.kind is LineageKind.PASSES and plan.source is not None and plan.source.query is not None:
            return self._pass_on(query, query.node, plan.source, want, pushed, label=label)
        if plan.kind is LineageKind.JOINS and plan.source is not None:
            chosen = self._choose_joined(query, query.node, plan.source, want, pushed)
            raw, placed = self._selects.select(query, query.node, plan.source, pushed, label=label)
            if not label:
                self._selects.complete(query, query.node, raw, placed)
            if chosen is not None:
                self._join(raw, chosen.query, chosen.ids)
            return raw
        return self._own(query, query.node, want, pushed, label=label)

    def _own(
        self, query: LineageQuery, select: exp.Select, want: Want, pushed: list[exp.Expr], *, label: bool
    ) -> exp.Expr:
        """The query of the rows that a SELECT itself aggregates."""
        chosen = None if compares_groups(select) else want.chosen
        if chosen is None and not want.known:
            chosen = self._own_groups(query, select)
        raw, placed = self._selects.select(query, select, None, pushed, label=label)
        if not label:
            self._selects.complete(query, select, raw, placed)
        if chosen is not None:
            parts = agg.read_aggregation(select)
            shown = [self._groups.find_id_name(query, key) for key in parts.groups] if select is self._top else []
            sure = {place for place, name in enumerate(shown) if name and name.name.lower() in self.never_null}
            self._join(raw, chosen, parts.groups, never_null=frozenset(sure))
        return raw

    def _own_groups(self, query: LineageQuery, select: exp.Select) -> exp.Select | None:
        """The query of the groups that a SELECT's own HAVING, QUALIFY and LIMIT keep. None if they keep all groups, or
        there are no groups."""
        cut = not compares_groups(select) and self._is_cut(select)
        if not (cut or _having_left(select)) or not agg.read_aggregation(select).groups:
            return None
        return self._note_ctes(query, self._groups.rows_of(self._groups.open_query(query), cut=cut))

    def _pass_on(
        self,
        query: LineageQuery,
        select: exp.Select,
        source: LineageSource,
        want: Want,
        pushed: list[exp.Expr],
        *,
        label: bool,
    ) -> exp.Expr:
        """The query of the rows behind the one aggregate that a SELECT reads."""
        assert source.query is not None  # noqa: S101  checked by `_rows_behind`
        below, before = source.query, self._ctes.copy()
        for narrowed in self._narrow(query, select, source, want, pushed):
            try:
                return self._rows_behind(below, narrowed(), label=label)
            except _Lost:
                self._read_only(before.copy())
        raise _Lost

    def _narrow(
        self, query: LineageQuery, select: exp.Select, source: LineageSource, want: Want, pushed: list[exp.Expr]
    ) -> list[Callable[[], Want]]:
        """Ways to select the rows of its source from which a SELECT's wanted rows are computed, the simplest first."""
        regroups, compares = agg.aggregates(select), compares_groups(select)
        chosen = None if compares else want.chosen
        cut = not (compares or want.known) and self._is_cut(select)
        if regroups:
            if chosen is None and not want.known:
                chosen = self._own_groups(query, select)
            conditions = [*own_conditions(select), *pushed]
        elif chosen is not None:
            return [lambda: Want(chosen=chosen)]
        else:
            conditions = [*([] if want.known else agg.conjuncts(select.args.get("where"))), *pushed]
        if cut and not regroups and pushed:
            raise _Lost  # the LIMIT also counts rows that do not meet the condition
        plain = chosen is None and not (cut and not regroups) and not select.args.get("joins")
        ways: list[Callable[[], Want]] = []
        if plain and all(self._passes(condition, source) for condition in conditions):
            known = want.known and not regroups
            ways.append(
                lambda: Want(conditions=tuple(conditions), names=source.columns, known=known) if conditions else ALL
            )
        if not want.known or regroups:
            ways.append(lambda: self._enter(query, select, chosen, pushed, cut=cut and not regroups))
        return ways

    def _enter(
        self, query: LineageQuery, select: exp.Select, chosen: exp.Expr | None, pushed: list[exp.Expr], *, cut: bool
    ) -> Want:
        """The rows of its source that a SELECT reads. If it groups them again, only those of the chosen groups."""
        entered = self._groups.enter_query(query)
        regroups = agg.aggregates(select)
        if chosen is not None:
            join_chosen(entered.select, chosen, agg.read_aggregation(select).groups, self.dialect)
        if not entered.ids:
            return ALL  # the one row of an aggregate without groups
        also = _having_on_keys(select) if regroups else []
        rows = self._groups.rows_of(entered, [*pushed, *also], cut=cut, grouped=not regroups)
        return Want(chosen=self._note_ctes(query, rows))

    def _passes(self, condition: exp.Expr, source: LineageSource) -> bool:
        """Whether a condition reads only grouping keys of the source."""
        read = agg.columns(condition)
        return bool(read) and all(
            self.lineage.belongs(c, source) and not self.lineage.stands_for(c, source) for c in read
        )

    def _choose_joined(
        self, query: LineageQuery, select: exp.Select, source: LineageSource, want: Want, pushed: list[exp.Expr]
    ) -> _Chosen | None:
        if source.query is None or not isinstance(source.query.node, exp.Select):
            raise NotDerivable("a UNION of aggregates is joined to other rows")
        regroups, compares = agg.aggregates(select), compares_groups(select)
        cut = not (compares or want.known) and self._is_cut(select)
        restricted = (
            want != ALL
            or cut
            or _having_left(select)
            or any(self._selects.reads_aggregate(condition, source) for condition in conditions(select))
            or self._restricts(source.query)
        )
        if not restricted:
            return None
        groups = None
        if regroups:
            groups = None if compares else want.chosen
            if groups is None and not want.known:
                groups = self._own_groups(query, select)
        entered = self._groups.open_join(query)
        if entered.inlined:
            raise NotDerivable("an aggregate is joined to other rows, and its grouping keys are not among its columns")
        if not regroups and not compares and want.chosen is not None:
            return _Chosen(want.chosen, entered.ids)
        if groups is not None:
            join_chosen(entered.select, groups, agg.read_aggregation(select).groups, self.dialect)
        also = _having_on_keys(select) if regroups else []
        rows = self._groups.rows_of(entered, [*pushed, *also], cut=cut and not regroups, grouped=not regroups)
        return _Chosen(_distinct(self._note_ctes(query, rows)), entered.ids)

    def _restricts(self, query: LineageQuery | None) -> bool:
        """Whether a query, or an aggregate that it reads, omits groups."""
        if query is None or not isinstance(query.node, exp.Select):
            return query is not None
        select, source = query.node, self.lineage.plan(query).source
        if self._is_cut(select) or _having_left(select):
            return True
        return source is not None and (select.args.get("where") is not None or self._restricts(source.query))

    def _want_of_shared(self, query: LineageQuery, plan: LineagePlan, want: Want) -> Want:
        """The groups of an aggregate that a query reads several times, each time some of them."""
        select = query.node
        if want != ALL or not isinstance(select, exp.Select) or plan.shared is None:
            raise NotDerivable(_SHARED)
        read = [source for source in sources(query) if self.lineage.hides(source.query)]
        if agg.aggregates(select):
            if select.args.get("where") or _having_left(select) or self._is_cut(select) or len(read) > 1:
                raise NotDerivable(_SHARED)
            return ALL
        if read:
            named = [source for source in read if not self.lineage.is_single_row(source)]  # a total is context
            if not all(self._only_passes(source.query, plan.shared) for source in named):
                raise NotDerivable(_SHARED)
            opened = [self._groups.enter_query(query, source) for source in named]
        else:
            hidden = [scalar for scalar in scalars(query) if self.lineage.hides(scalar)]
            if not all(self._only_passes(scalar, plan.shared) for scalar in hidden):
                return ALL  # it is aggregated again, so all groups count
            opened = [self._groups.open_query(scalar) for scalar in hidden]
        cut = not compares_groups(select)
        found = [self._note_ctes(query, self._groups.rows_of(one, cut=cut)) for one in opened if one.ids]
        if len(found) < len(opened):
            return ALL  # one of them is computed from all groups
        chosen: exp.Expr = _plain(found[0])
        for other in found[1:]:
            chosen = exp.Union(this=chosen, expression=_plain(other), distinct=True)
        return Want(chosen=chosen)

    def _only_passes(self, query: LineageQuery | None, leaf: LineageQuery) -> bool:
        """Whether each row of a query is a row of the leaf."""
        while query is not None and query.node is not leaf.node:
            plan = self.lineage.plan(query)
            if plan.kind is not LineageKind.PASSES or plan.source is None or not isinstance(query.node, exp.Select):
                return False
            if agg.aggregates(query.node) or compares_groups(query.node):
                return False
            query = plan.source.query
        return query is not None

    def _union(self, query: LineageQuery, want: Want) -> exp.Expr:
        """The rows of both branches, joined by UNION ALL, because equal rows are still several records."""
        node = query.node
        if not isinstance(node, exp.Union) or node.args.get("by_name"):
            raise NotDerivable("only UNION puts the records of its branches together, not INTERSECT, EXCEPT or BY NAME")
        if want.chosen is not None or node.args.get("offset") or cuts(node.args.get("limit"), self._rows_of(node)):
            raise NotDerivable(_LIMITED_UNION)
        names = want.names or tuple(self.lineage.outputs(LineageSource(node, query)))
        sides = []
        for side in branches(query):
            if self.lineage.hides(side):
                narrowed = Want(conditions=want.conditions, names=names, known=want.known) if want.conditions else ALL
                sides.append(self._rows_behind(side, narrowed, label=True))
            elif want.conditions:
                raise _Lost
            else:
                cut = side.node.args.get("order") or side.node.args.get("limit")
                sides.append(exp.Subquery(this=side.node.copy()) if cut else side.node.copy())
                self._ctes.add(side.node, side.visible)
        if len({_width(side) for side in sides}) != 1:
            raise NotDerivable("the branches of the UNION have records with different numbers of columns")
        return exp.Union(this=sides[0], expression=sides[1], distinct=False)

    def _note_ctes(self, query: LineageQuery, rows: exp.Select) -> exp.Select:
        """Note the CTEs of a query of ids and return the query. It may be used where these CTEs are not visible."""
        self._ctes.add(rows, query.visible)
        return rows

    def _rows_of(self, node: exp.Expr) -> int | None:
        return self.rows if node is self._top else None

    def _is_cut(self, select: exp.Select) -> bool:
        return is_cut(select, rows=self._rows_of(select))

    def _join(
        self,
        raw: exp.Select,
        chosen: exp.Expr,
        ids: Sequence[exp.Expr],
        never_null: frozenset[int] = frozenset(),
    ) -> None:
        if any(isinstance(item, exp.Star) for item in raw.expressions):
            raise NotDerivable(
                "the table of the records has no name, so that its columns cannot be distinguished from others"
            )
        join_chosen(raw, chosen, ids, self.dialect, never_null=never_null)


def _width(side: exp.Expr) -> tuple[str, ...]:
    """One entry per column. For `t.*`, it is the table without its alias, because the alias does not matter."""
    while isinstance(side, (exp.SetOperation, exp.Subquery)):
        side = side.this
    from_ = side.args.get("from_")
    first = from_.this.copy() if from_ is not None else None
    if first is not None:
        first.set("alias", None)
    return tuple(f"* {first}" if item.is_star else "" for item in side.expressions)


def _having_left(select: exp.Select) -> bool:
    """Whether HAVING has other conditions than those on grouping keys, which are the same for all rows of a group."""
    parts = agg.conjuncts(select.args.get("having"))
    plain = [condition for condition in parts if not any(agg.calls(condition))]
    return len(through(select, plain, (), inputs=True)) < len(parts)


def _having_on_keys(select: exp.Select) -> list[exp.Expr]:
    """The conditions of HAVING on grouping keys, in terms of the rows that are grouped."""
    return own_conditions(select)[len(agg.conjuncts(select.args.get("where"))) :]


def _plain(select: exp.Select) -> exp.Expr:
    """A SELECT as a side of a UNION. One with ORDER BY, LIMIT or OFFSET becomes a subquery."""
    if not (select.args.get("order") or select.args.get("limit") or select.args.get("offset")):
        return select
    names = [exp.column(item.alias) for item in select.expressions]
    return exp.select(*names).from_(exp.Subquery(this=select, alias=exp.TableAlias(this=exp.to_identifier("cut_rows"))))


def _distinct(select: exp.Select) -> exp.Select:
    """The distinct rows of a SELECT of ids."""
    names = [exp.column(item.alias) for item in select.expressions]
    alias = exp.TableAlias(this=exp.to_identifier("chosen_rows"))
    return exp.select(*names).distinct().from_(exp.Subquery(this=select, alias=alias))


def _count(tree: exp.Expr) -> exp.Expr:
    """The query of the number of rows of a derived query."""
    count = exp.alias_(exp.Count(this=exp.Star()), "n")
    if isinstance(tree, exp.Select):
        counted = tree.copy()
        counted.set("expressions", [count])
        return counted
    alias = exp.TableAlias(this=exp.to_identifier("records"))
    return exp.select(count).from_(exp.Subquery(this=_ones(tree), alias=alias))


def _ones(tree: exp.Expr) -> exp.Expr:
    """A query with a 1 for each row of a UNION, whose columns may have no names, or repeated ones."""
    if isinstance(tree, exp.SetOperation):
        return exp.Union(this=_ones(tree.this), expression=_ones(tree.expression), distinct=False)
    one = exp.alias_(exp.Literal.number(1), "one")
    if isinstance(tree, exp.Select):
        counted = tree.copy()
        counted.set("expressions", [one])
        return counted
    cut = exp.Subquery(this=tree.this.copy(), alias=exp.TableAlias(this=exp.to_identifier("cut_rows")))
    return exp.select(one).from_(cut)
