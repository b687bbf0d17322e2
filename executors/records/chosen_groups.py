"""Selects the groups that an answer shows: a query of their keys, with the answer's WHERE, HAVING, ORDER BY and LIMIT.

The *ids* of a query distinguish its rows: its grouping keys if it aggregates, or the ids of the aggregate that it reads
if it only passes rows on. They are added to a subquery or CTE that does not return them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from executors.records import aggregates as agg
from executors.records.lineage import Lineage, LineageKind, LineageQuery, LineageSource, NotDerivable, sources
from executors.records.record_select import RecordColumns
from executors.sql.tree import identifier_of, output_name

KEY = "answer_key_"
ALIAS = "answer_groups"
_CUTS = ("order", "limit", "offset", "qualify")
_RANKS = (exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist, exp.Ntile)
_SETS = "subtotals of ROLLUP, CUBE or GROUPING SETS are cut by HAVING or LIMIT; their groups cannot be distinguished"
_DISTINCT = "DISTINCT rows of groups are cut by a LIMIT; the groups behind them cannot be distinguished"
_NAMES = "the columns of an aggregate are renamed by position, and its grouping keys are not among them"
_UNKNOWN = "the rows that the result was chosen from cannot be distinguished"
_UNION = "the rows of a UNION are chosen by a LIMIT or by an aggregated value"
# Dialects with an operator for which NULL equals NULL. For others, the comparison is written out.
_NULL_SAFE = frozenset({"sqlite", "duckdb", "postgres", "mysql", "databricks", "spark"})


@dataclass(frozen=True)
class Opened:
    """A copy of a SELECT whose `ids` can be selected. They distinguish its rows, and are written as in its clauses.
    `inlined`: whether its source was replaced by a copy with the keys added."""

    select: exp.Select
    ids: tuple[exp.Expr, ...]
    inlined: bool = False


def is_cut(select: exp.Select, *, rows: int | None = None) -> bool:
    """Whether LIMIT, OFFSET or QUALIFY cut off rows of a SELECT. Args: rows: number of rows of its result, if known."""
    if select.args.get("offset") or select.args.get("qualify"):
        return True
    return cuts(select.args.get("limit"), rows)


def cuts(limit: exp.Expr | None, rows: int | None) -> bool:
    """Whether a LIMIT, TOP or FETCH may have cut off rows. Args: rows: number of rows of the result; None: unknown."""
    if limit is None:
        return False
    count = limit.args.get("expression") or limit.args.get("count")
    options = limit.args.get("limit_options")
    plain = options is None or not (options.args.get("percent") or options.args.get("with_ties"))
    if not (isinstance(count, exp.Literal) and count.is_int and plain) or limit.args.get("expressions"):
        return True
    return rows is None or rows >= int(count.name)


def compares_groups(select: exp.Select) -> bool:
    """Whether a window puts values of other rows into a row, as `LAG` and shares of totals do. Ranks do not count."""
    return any(
        isinstance(found, exp.Window) and not isinstance(agg.function(found.this), _RANKS)
        for item in select.expressions
        for found in agg.own(item)
    )


class ChosenGroups:
    """Builds the queries of the ids. Args: columns: knows the key of each table; None: no keys are known."""

    def __init__(self, lineage: Lineage, columns: RecordColumns | None) -> None:
        self._lineage, self._columns = lineage, columns

    def open_query(self, query: LineageQuery) -> Opened:
        """A copy of a query with its ids. Raises NotDerivable if its rows have none."""
        if isinstance(query.node, exp.SetOperation):
            raise NotDerivable(_UNION)
        select = query.node
        if not isinstance(select, exp.Select) or not agg.aggregates(select):
            joins = self._lineage.plan(query).kind is LineageKind.JOINS
            return self.open_join(query) if joins else self.enter_query(query)
        parts = agg.read_aggregation(select)
        if parts.sets:
            raise NotDerivable(_SETS)
        if agg.distinct_window(select):
            raise NotDerivable(_DISTINCT)
        return Opened(select.copy(), tuple(key.copy() for key in parts.groups))

    def enter_query(self, query: LineageQuery, source: LineageSource | None = None) -> Opened:
        """A copy of a query, and the ids of an aggregate that it reads, even if it aggregates that again.
        Args: source: the aggregate; None: the only one. Raises NotDerivable."""
        source = source or self._lineage.plan(query).source
        if source is None or source.query is None or not isinstance(query.node, exp.Select):
            raise NotDerivable(_UNKNOWN)
        node, names, inlined = self.expose_ids(source)
        select = query.node.copy()
        place = next(place for place, read in enumerate(sources(query)) if read.node is source.node)
        if inlined:
            sources(LineageQuery(select, query.visible))[place].node.replace(node)
        alias = identifier_of(source.node)
        ids = tuple(exp.Column(this=name.copy(), table=alias.copy() if alias else None) for name in names)
        return Opened(select, ids, inlined)

    def open_join(self, query: LineageQuery) -> Opened:
        """As `enter_query`, plus the ids of the rows that the aggregate is joined to."""
        joined = self._lineage.plan(query).source
        entered = self.enter_query(query)
        ids = list(entered.ids)
        for source in sources(query):
            if source.hidden or joined is None or source.node is joined.node:
                continue
            keys = self._columns.keys_of(source) if self._columns is not None else []
            if not keys:
                raise NotDerivable(_UNKNOWN)
            ids += keys
        return Opened(entered.select, tuple(ids), entered.inlined)

    def expose_ids(self, source: LineageSource) -> tuple[exp.Expr, list[exp.Identifier], bool]:
        """A source that has its ids as columns, the names of these columns, and whether it is a new source. Raises
        NotDerivable."""
        query = source.query
        if query is None:
            raise NotDerivable(_UNKNOWN)
        inner = self.open_query(query)
        if inner.ids and isinstance(source.node, exp.Lateral):
            raise NotDerivable(_UNKNOWN)
        shown = [self.find_id_name(query, key, source.columns) for key in inner.ids]
        if all(shown) and not inner.inlined:
            return source.node, [name for name in shown if name is not None], False
        if inner.select.args.get("distinct"):
            raise NotDerivable(_DISTINCT)
        renamed = list(source.columns)
        if renamed and (
            len(renamed) != len(inner.select.expressions) or any(item.is_star for item in inner.select.expressions)
        ):
            raise NotDerivable(_NAMES)
        names = []
        for number, (key, name) in enumerate(zip(inner.ids, shown, strict=True), 1):
            if name is None:
                name = exp.to_identifier(f"{KEY}{number}")
                inner.select.append("expressions", exp.alias_(key.copy(), name.copy()))
                renamed += [name.name] if renamed else []
            names.append(name)
        alias = exp.TableAlias(this=identifier_of(source.node) or exp.to_identifier(ALIAS))
        if renamed:
            alias.set("columns", [exp.to_identifier(name) for name in renamed])
        return exp.Subquery(this=inner.select, alias=alias), names, True

    def find_id_name(self, query: LineageQuery, key: exp.Expr, names: Sequence[str] = ()) -> exp.Identifier | None:
        """The name of the column in which a query shows one of its ids. None if it does not show it.
        Args: key: the id, as the query's clauses write it; names: the outer query's names of the columns, by position.
        """
        assert isinstance(query.node, exp.Select)  # noqa: S101  checked by `open_query`
        aggregated, shape = agg.aggregates(query.node), agg.form(key)
        column = key if isinstance(key, exp.Column) and isinstance(key.this, exp.Identifier) else None
        for place, item in enumerate(query.node.expressions):
            inner = item.unalias()
            if item.is_star:
                whose = item.table.lower() if isinstance(item, exp.Column) else ""
                if column is not None and not aggregated and not names and whose in ("", column.table.lower()):
                    name: exp.Identifier = column.this.copy()
                    return name
                continue
            same = agg.form(inner) == shape
            if not same and not aggregated and column is not None and isinstance(inner, exp.Column) and not inner.table:
                same = inner.name.lower() == column.name.lower()  # were it ambiguous, the query would not run
            if same:
                return exp.to_identifier(names[place]) if place < len(names) else output_name(item)
        return None

    def rows_of(
        self, opened: Opened, conditions: Sequence[exp.Expr] = (), *, cut: bool = True, grouped: bool = True
    ) -> exp.Select:
        """The query of a SELECT's ids, `answer_key_1` and so on.

        Args: conditions: further conditions on its input; cut: whether to keep its ORDER BY, LIMIT, OFFSET and QUALIFY;
        grouped: whether to keep its GROUP BY and HAVING; False: the ids are those of the rows that it groups.
        """
        select = opened.select.copy()
        if cut and select.args.get("distinct") and is_cut(select):
            raise NotDerivable(_DISTINCT)
        items = list(select.expressions)
        _resolve_names(select, items)
        dropped = (() if cut else _CUTS) + (() if grouped else ("group", "having", *_CUTS))
        for name in ("distinct", "with_", "options", *dropped):
            select.set(name, None)
        if not (select.args.get("limit") or select.args.get("offset")):
            select.set("order", None)  # T-SQL does not allow it in a subquery
        for condition in conditions:
            select.where(condition, copy=False)
        keys = [exp.alias_(key.copy(), f"{KEY}{number}") for number, key in enumerate(opened.ids, 1)]
        select.set("expressions", keys)
        return select


def join_chosen(
    raw: exp.Select,
    chosen: exp.Expr,
    ids: Sequence[exp.Expr],
    dialect: str,
    *,
    never_null: frozenset[int] = frozenset(),
) -> None:
    """Add a join to a SELECT that keeps only the rows whose ids are among the chosen ones.
    Args: chosen: the query of the distinct ids; never_null: positions of ids that are not NULL in any chosen row."""
    pairs = [(exp.column(f"{KEY}{number}", table=ALIAS), key.copy()) for number, key in enumerate(ids, 1)]
    same = [
        exp.EQ(this=theirs, expression=_bracket(own))
        if place in never_null
        else _null_safe(theirs, _bracket(own), dialect)
        for place, (theirs, own) in enumerate(pairs)
    ]
    condition = exp.and_(*same)
    subquery = exp.Subquery(this=chosen, alias=exp.TableAlias(this=exp.to_identifier(ALIAS)))
    listed = any(not (join.kind or join.side or join.method or join.args.get("on") or join.args.get("using"))
                 for join in raw.args.get("joins") or ())  # fmt: skip
    if listed or raw.args.get("laterals"):  # the ON of a join does not see sources before a comma
        raw.append("joins", exp.Join(this=subquery, kind="CROSS"))
        raw.where(condition, copy=False)
    else:
        raw.append("joins", exp.Join(this=subquery, on=condition))


def _null_safe(one: exp.Expr, other: exp.Expr, dialect: str) -> exp.Expr:
    if dialect in _NULL_SAFE:
        return exp.NullSafeEQ(this=one, expression=other)
    both = exp.and_(exp.Is(this=one.copy(), expression=exp.Null()), exp.Is(this=other.copy(), expression=exp.Null()))
    return exp.paren(exp.or_(exp.EQ(this=one, expression=other), both))


def _bracket(node: exp.Expr) -> exp.Expr:
    return node if isinstance(node, (exp.Column, exp.Literal, exp.Func, exp.Paren, exp.Cast)) else exp.paren(node)


def _resolve_names(select: exp.Select, items: Sequence[exp.Expr]) -> None:
    """Replace aliases and positions of select items in ORDER BY, HAVING, QUALIFY and GROUP BY by their expressions."""
    group = select.args.get("group")
    if group is not None:
        groups = agg.read_aggregation(select).groups
        select.set("group", exp.Group(expressions=[key.copy() for key in groups]))
    named = {item.alias.lower(): item.unalias() for item in items if isinstance(item, exp.Alias)}
    order = select.args.get("order")
    for ordered in order.expressions if order is not None else ():
        key = ordered.this
        if isinstance(key, exp.Literal) and key.is_int and 1 <= int(key.name) <= len(items):
            ordered.set("this", items[int(key.name) - 1].unalias().copy())
        elif isinstance(key, exp.Column) and not key.table and key.name.lower() in named:
            ordered.set("this", named[key.name.lower()].copy())
        else:
            _substitute(ordered, named)
    for name in ("having", "qualify"):
        if (part := select.args.get(name)) is not None:
            _substitute(part, named)


def _substitute(node: exp.Expr, named: dict[str, exp.Expr]) -> None:
    """Replace aliases by their expressions, except those that read a column of the same name."""
    for column in agg.columns(node):
        meant = named.get(column.name.lower()) if not column.table else None
        if meant is None or any(read.name.lower() == column.name.lower() for read in agg.columns(meant)):
            continue
        column.replace(_bracket(meant.copy()))
