"""Finds what one SELECT aggregates: its calls, its grouping keys, and the columns inside. Its sources are not read.

A node is a SELECT's *own* if no nested query lies between them: aggregates of a subquery do not count here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from sqlglot import exp

from executors.sql import tree

_Node = TypeVar("_Node", bound=exp.Expr)

# Aggregates that sqlglot parses as calls of an unknown function.
_NAMES = frozenset(
    name
    for names in (
        "total product histogram histogram_exact every entropy favg fsum sumkahan kahan_sum mad geomean geometric_mean",
        "bitstring_agg arbitrary arg_max_null arg_min_null reservoir_quantile weighted_avg wavg sem last count_star",
        "countif percentile decimal_sum checksum_agg json_group_object jsonb_group_array jsonb_group_object jsonb_agg",
        "json_object_agg json_arrayagg json_objectagg json_agg_strict jsonb_agg_strict xmlagg range_agg bool_xor",
        "range_intersect_agg varp var stdev stdevp string_agg group_concat listagg",
        "approx_median approx_percentile bit_and_agg bit_or_agg bit_xor_agg boolean_and_agg boolean_or_agg corr_k",
        "corr_s kurtosis_pop kurtosis_samp skewness_pop skewness_samp stats_mode auto_corr corr_spearman",
        "histogram_numeric mean std try_avg try_sum",
    )
    for name in names.split()
)
# Window functions that number rows or read neighbouring rows. They never aggregate rows.
_RANKING = (
    *(exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist, exp.Ntile),
    *(exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue),
)
_WRAPPERS = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)
_SETS = (exp.Rollup, exp.Cube, exp.GroupingSets, exp.Tuple, exp.Paren)


def own(node: exp.Expr) -> Iterator[exp.Expr]:
    """The node and all nodes below it, without nested queries."""
    for found in node.walk(prune=lambda below: isinstance(below, exp.Query)):
        if not isinstance(found, exp.Query):
            yield found


def columns(node: exp.Expr) -> list[exp.Column]:
    """The node's own columns in order of appearance, without `*` and `t.*`."""
    return [found for found in own(node) if isinstance(found, exp.Column) and not isinstance(found.this, exp.Star)]


def form(node: exp.Expr) -> exp.Expr:
    """A copy for comparison, without its alias, and with names in lower case and unquoted."""
    node = node.unalias()
    parts = {key: part for key, part in node.args.items() if part}
    plain = (type(it) is exp.Identifier and it.args.keys() <= {"this", "quoted"} for it in parts.values())
    if type(node) is exp.Column and all(plain):
        # The same as below in a fifth of the time. Most nodes are plain columns.
        return exp.Column(**{key: exp.Identifier(this=part.name.lower(), quoted=False) for key, part in parts.items()})
    copied = node.copy()
    for name in copied.find_all(exp.Identifier):
        name.set("this", name.name.lower())
        name.set("quoted", False)
    return copied


def has_window(node: exp.Expr) -> bool:
    return any(isinstance(found, exp.Window) for found in own(node))


def has_query(node: exp.Expr) -> bool:
    return any(isinstance(found, exp.Query) for found in node.walk())


def conjuncts(condition: exp.Expr | None) -> list[exp.Expr]:
    """The parts of `a AND b AND c`, without parentheses. Args: condition: also a WHERE or HAVING; None has no parts."""
    inner = condition.this if isinstance(condition, exp.Where | exp.Having) else condition
    return [part.unnest() for part in tree.conjuncts(inner)]


def parts_of(select: exp.Expr, *clauses: str) -> list[exp.Expr]:
    """The items of a SELECT, the conditions of its joins, and the given clauses, if it has them."""
    parts = [*select.expressions, *(join.args.get("on") for join in select.args.get("joins") or ())]
    parts += [select.args.get(name) for name in clauses]
    return [part for part in parts if part is not None]


def function(node: exp.Expr) -> exp.Expr:
    """The call itself, without FILTER, WITHIN GROUP or IGNORE NULLS around it."""
    while isinstance(node, _WRAPPERS):
        node = node.this
    return node


def _is_call(node: exp.Expr) -> bool:
    call = function(node)
    return isinstance(call, exp.AggFunc) or (isinstance(call, exp.Anonymous) and str(call.this).lower() in _NAMES)


def _is_windowed_aggregate(node: exp.Expr) -> bool:
    return isinstance(node, exp.Window) and _is_call(node.this) and not isinstance(function(node.this), _RANKING)


def calls(node: exp.Expr, *, windowed: bool = False) -> Iterator[exp.Expr]:
    """The node's own aggregate calls, with their FILTER and WITHIN GROUP.

    `SUM(x) OVER (…)` is not one; `SUM(SUM(x)) OVER (…)` contains one. With `windowed`, the former counts too.
    """
    if isinstance(node, exp.Query):
        return
    if isinstance(node, exp.Window):
        if windowed and _is_windowed_aggregate(node):
            yield node
            return
        call = function(node.this)
        below = [*call.iter_expressions(), *(e for e in node.iter_expressions() if e is not node.this)]
    elif _is_call(node):
        yield node
        return
    else:
        below = list(node.iter_expressions())
    for child in below:
        yield from calls(child, windowed=windowed)


def distinct_window(select: exp.Select) -> bool:
    """Whether a SELECT is like `SELECT DISTINCT city, SUM(x) OVER (PARTITION BY city)`, which is equivalent to GROUP
    BY. T-SQL needs this form for medians."""
    return bool(select.args.get("distinct")) and any(
        _is_windowed_aggregate(found) for item in select.expressions for found in own(item)
    )


def aggregates(select: exp.Select) -> bool:
    """Whether the SELECT itself hides rows: it groups, or has an aggregate call outside of windows."""
    if select.args.get("group") or distinct_window(select):
        return True
    parts = [*select.expressions, *(select.args.get(name) for name in ("having", "qualify", "order"))]
    return any(True for part in parts if part is not None for _ in calls(part))


@dataclass(frozen=True)
class Aggregation:
    """The parts of an aggregating SELECT.

    keys: The items to select first: select items that are the same for a whole group, then other grouping keys.
    inside: Columns inside the aggregate calls of the select list, HAVING, QUALIFY and ORDER BY.
    filters: FILTER conditions. Every wanted row meets one of them. Empty if a call reads all rows.
    groups: The grouping keys, with positions and aliases resolved.
    sets: Whether there are ROLLUP, CUBE or GROUPING SETS. If so, a key may be NULL because the row is a subtotal.
    """

    keys: tuple[exp.Expr, ...]
    inside: tuple[exp.Column, ...]
    filters: tuple[exp.Expr, ...]
    groups: tuple[exp.Expr, ...]
    sets: bool


def read_aggregation(select: exp.Select, *, labels: bool = False) -> Aggregation:
    """The parts of an aggregating SELECT, which is not changed. With `labels`, constant select items count as keys."""
    windowed = distinct_window(select)
    found = [list(calls(item, windowed=windowed)) for item in select.expressions]
    aliases = {item.alias.lower() for item, inside in zip(select.expressions, found, strict=True) if inside}
    groups = tuple(_resolve(key, select) for key in _list_keys(select.args.get("group")))
    if (group := select.args.get("group")) is not None and group.args.get("all") is True:
        plain = zip(select.expressions, found, strict=True)
        groups = tuple(item.unalias() for item, inside in plain if not inside and not has_window(item))
    aliases -= {key.name.lower() for key in groups if isinstance(key, exp.Column)}
    shapes = [form(key) for key in groups]
    keys = [
        item
        for item, inside in zip(select.expressions, found, strict=True)
        if (not inside and not has_window(item) and (_varies(item, aliases) or form(item) in shapes))
        or (labels and isinstance(item.unalias(), (exp.Literal, exp.Null, exp.Boolean)))
    ]
    others = [select.args.get(name) for name in ("having", "qualify", "order")]
    every = [*(c for inside in found for c in inside), *(c for part in others if part for c in calls(part))]
    if windowed:
        windows = [call for call in every if isinstance(call, exp.Window)]
        groups = (*groups, *(key for window in windows for key in window.args.get("partition_by") or ()))
    keys += _select_new(groups, keys)
    keys = [key for key in keys if columns(key) or has_query(key) or _is_star(key) or labels]
    filters, mixed = _filters(every)
    if groups:  # a group has records even if none of its rows meets the condition
        filters, mixed = (), True
    inside = [column for call in every for column in _inside(call, mixed)]
    if not select.args.get("group"):  # SQLite allows a bare column beside an aggregate
        called = {id(column) for call in every for column in columns(call)}
        beside = [column for item in select.expressions if item not in keys for column in columns(item)]
        inside += [column for column in beside if id(column) not in called and _varies(column, aliases)]
    whole = {key.table.lower() for key in keys if isinstance(key, exp.Column) and _is_star(key)}
    if any(isinstance(key, exp.Star) for key in keys):
        inside = []
    inside = [column for column in inside if not column.table or column.table.lower() not in whole]
    return Aggregation(tuple(keys), tuple(_select_new(inside, keys)), filters, groups, _has_sets(select))


def constant_per_group(item: exp.Expr, parts: Aggregation) -> bool:
    """Whether a select item is computed from grouping keys alone, so that it is the same for all rows of a group."""
    keys = {form(key) for key in parts.groups}
    if form(item) in keys:
        return True
    return not any(calls(item)) and not has_query(item) and all(form(column) in keys for column in columns(item))


def _is_star(item: exp.Expr) -> bool:
    return isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star))


def _varies(item: exp.Expr, aliases: set[str]) -> bool:
    """Whether the item reads columns of its rows, not an aggregate's alias (DuckDB allows `SUM(x) AS s, s / 2`)."""
    return _is_star(item) or any(column.table or column.name.lower() not in aliases for column in columns(item))


def _list_keys(node: exp.Expr | None) -> Iterator[exp.Expr]:
    """The keys of a GROUP BY, including those inside ROLLUP, CUBE, sets and parentheses."""
    if isinstance(node, exp.Group):
        for name in ("expressions", "grouping_sets", "cube", "rollup"):
            for key in node.args.get(name) or ():
                yield from _list_keys(key)
    elif isinstance(node, _SETS):
        for key in node.expressions if not isinstance(node, exp.Paren) else (node.this,):
            yield from _list_keys(key)
    elif node is not None:
        yield node


def _has_sets(select: exp.Select) -> bool:
    group = select.args.get("group")
    return group is not None and (
        any(group.args.get(name) for name in ("grouping_sets", "cube", "rollup", "totals"))
        or any(isinstance(key, (exp.Rollup, exp.Cube, exp.GroupingSets)) for key in group.expressions)
    )


def _resolve(key: exp.Expr, select: exp.Select) -> exp.Expr:
    """The expression that a key means: the second select item for `2`, the aliased item for an alias.

    If a name is both an alias and a column inside the alias's expression, it means the column in all four dialects. The
    rows are the same in both cases, so the select item is returned here.
    """
    if isinstance(key, exp.Literal) and key.is_int and 1 <= int(key.name) <= len(select.expressions):
        item: exp.Expr = select.expressions[int(key.name) - 1]
        return item.unalias()
    if isinstance(key, exp.Column) and not key.table:
        for item in select.expressions:
            if isinstance(item, exp.Alias) and item.alias.lower() == key.name.lower() and not any(calls(item)):
                return item.unalias()
    return key


def _condition(call: exp.Expr) -> exp.Expr | None:
    """The FILTER condition of a call, or None."""
    node = call.this if isinstance(call, exp.Window) else call
    while isinstance(node, _WRAPPERS):
        if isinstance(node, exp.Filter):
            condition: exp.Expr = node.expression.this
            return condition
        node = node.this
    return None


def _filters(every: list[exp.Expr]) -> tuple[tuple[exp.Expr, ...], bool]:
    """The distinct FILTER conditions, if every call has one; and whether the calls have different ones."""
    conditions = [_condition(call) for call in every if not isinstance(function(call), exp.Grouping)]
    different = [c for i, c in enumerate(conditions) if c is not None and c not in conditions[:i]]
    if None in conditions:
        return (), bool(different)
    return tuple(different), len(different) > 1


def _inside(call: exp.Expr, mixed: bool) -> list[exp.Column]:
    """The columns inside a call. Those of its FILTER count only if rows of several filters are shown together."""
    condition = _condition(call)
    skipped = {id(column) for column in columns(condition)} if condition is not None and not mixed else set()
    return [column for column in columns(call) if id(column) not in skipped]


def _select_new(nodes: Iterable[_Node], shown: list[exp.Expr]) -> list[_Node]:
    """The distinct nodes that are not shown yet."""
    seen, new = {form(item) for item in shown}, []
    for node in nodes:
        shape = form(node)
        if shape not in seen:
            seen.add(shape)
            new.append(node)
    return new
