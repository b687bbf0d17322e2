"""The facts that a query states about its result: the origin of columns, the conditions, and the choice of rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from sqlglot import exp

MAX_DEPTH = 4


class Projection(NamedTuple):
    """A column of the result.

    aggregate: `count`, `sum`, `avg`, `min` or `max`; `rank` for a position in an order; empty for a stored column.
    sources: the names of the stored columns that it is computed from.
    hundredfold: whether it is a quotient or mean multiplied by 100.
    grouped: whether the rows are grouped by it. distinct: whether it counts each value once.
    tables: the tables of its columns, if stated.
    quotient: whether columns are divided by columns. product: whether they are multiplied.
    tested: whether its columns only decide what is counted: the delay of `AVG(CASE WHEN delay <= 5 THEN 1 ELSE 0 END)`.
    monthly: whether it holds the first days of months, for months.
    scaled: whether it is multiplied or divided by a number other than 1.
    rescaled: whether that number is a power of ten from 100 on, so that it may be in another scale than its sources.
    divisors: the columns by which it divides, in lower case.
    spans: whether it may be a difference of two times.
    compared: the kind of comparison that it is, so that it says yes or no: `gt`, `lte`, `exists`, `not`; else empty.
    counts: `records` for one count and nothing else, `share` for a count divided by COUNT(*); else empty.
    """

    name: str
    aggregate: str = ""
    sources: tuple[str, ...] = ()
    hundredfold: bool = False
    grouped: bool = False
    distinct: bool = False
    quotient: bool = False
    product: bool = False
    tested: bool = False
    tables: tuple[str, ...] = ()
    monthly: bool = False
    scaled: bool = False
    rescaled: bool = False
    divisors: frozenset[str] = frozenset()
    spans: bool = False
    compared: str = ""
    counts: str = ""


class Condition(NamedTuple):
    """A condition that holds for all rows: the columns it reads and the values it compares with.

    denied: NOT, !=, IS NULL. present: IS NOT NULL.
    bounds: values that the rows themselves can have. `< '2025-01-01'` excludes its own.
    equal: whether it is a column, `=` and a value.
    tables: of its columns, as far as the query names them.
    excludes: whether it leaves out a value of the outermost query: `<>`, without OR, NOT or a subquery around it.
    """

    columns: tuple[str, ...]
    values: tuple[str, ...]
    denied: bool = False
    present: bool = False
    bounds: tuple[str, ...] = ()
    equal: bool = False
    tables: tuple[str, ...] = ()
    excludes: bool = False


class QueryFacts(NamedTuple):
    """The facts of a query.

    order: the outermost ORDER BY: column names, each with whether it is descending.
    joined: whether tables are joined, so that a record may occur several times.
    read: the tables of the outermost FROM and its joins. Empty if a subquery is among them, or queries are combined.
    groups: whether the query or a subquery groups rows.
    bounds: numbers that it compares something with, anywhere. ranks: how it compares two aggregates, or a column
    with the same one of another row: `gt`, `lte`; empty if it does not.
    compared: the columns, or their aggregates, that it compares with numbers: in lower case, each with its number.
    """

    projections: tuple[Projection, ...] = ()
    conditions: tuple[Condition, ...] = ()
    order: tuple[tuple[str, bool], ...] = ()
    limit: int | None = None
    grouped: bool = False
    tables: tuple[str, ...] = ()
    joined: bool = False
    read: tuple[str, ...] = ()
    groups: bool = False
    bounds: frozenset[str] = frozenset()
    ranks: str = ""
    compared: tuple[tuple[str, str], ...] = ()

    @property
    def of_each(self) -> bool:
        """Whether its result applies to each of several things: groups or records, a mean or a quotient."""
        spread = any(it.aggregate == "avg" or it.quotient or it.hundredfold for it in self.projections)
        return spread or self.groups or not self.aggregates

    @property
    def aggregates(self) -> bool:
        """Whether the result is one row of aggregates over all rows that meet the conditions."""
        return not self.grouped and any(it.aggregate not in ("", "rank") for it in self.projections)


@lru_cache(maxsize=64)
def query_facts(sql: str, dialect: str) -> QueryFacts:
    """The facts of a query. Empty if it cannot be parsed. Args: dialect: of the database, a key of `DIALECTS`."""
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    from executors.dialects.table import DIALECTS
    from executors.sql.parsed import parse_sql

    try:
        tree = parse_sql(sql, DIALECTS[dialect].sqlglot)
    except (SqlglotError, RecursionError):
        return QueryFacts()
    if not isinstance(tree, exp.Query):
        return QueryFacts()
    select = tree.find(exp.Select)
    if select is None:
        return QueryFacts()
    grouped = _group_keys(select)
    limit = tree.args.get("limit")
    count = getattr(limit, "expression", None) or (limit.args.get("count") if limit is not None else None)
    return QueryFacts(
        projections=tuple(_projection(it, tree, grouped) for it in select.expressions),
        conditions=tuple(_conditions(tree)),
        order=tuple(_order(tree, select)),
        limit=int(count.this) if isinstance(count, exp.Literal) and str(count.this).isdigit() else None,
        grouped=select.args.get("group") is not None,
        tables=tuple(dict.fromkeys(it.name for it in tree.find_all(exp.Table))),
        joined=tree.find(exp.Join) is not None,
        read=_tables_read(tree),
        groups=tree.find(exp.Group, exp.Window) is not None,
        bounds=frozenset(literal.name for it in _inequalities(tree) for literal in it.find_all(exp.Literal)),
        ranks=next((it.key for it in _inequalities(tree) if _compares_like_values(it)), ""),
        compared=tuple(find_compared_numbers(tree)),
    )


def _tables_read(tree: exp.Query) -> tuple[str, ...]:
    from sqlglot import exp

    start = tree.args.get("from_")
    if start is None:
        return ()
    read = [start.this, *(join.this for join in tree.args.get("joins") or ())]
    steps = {it.alias for it in tree.find_all(exp.CTE)}
    is_stored = all(isinstance(it, exp.Table) and it.name and it.name not in steps for it in read)
    return tuple(dict.fromkeys(it.name for it in read)) if is_stored else ()


def _inequalities(tree: exp.Query) -> Iterator[exp.Binary]:
    from sqlglot import exp

    return tree.find_all(exp.GT, exp.GTE, exp.LT, exp.LTE)


def find_compared_numbers(tree: exp.Query) -> Iterator[tuple[str, str]]:
    """The columns, or their aggregates, that a query compares with numbers, each with its number."""
    from sqlglot import exp

    for it in tree.find_all(exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between):
        sides = [it.this, *(it.args.get(name) for name in ("expression", "low", "high"))]
        plain = [side.unnest() for side in sides if side is not None]
        numbers = [side.name for side in plain if side.is_number and isinstance(side, exp.Literal)]
        for side in plain:
            while isinstance(side, exp.Cast | exp.Paren | exp.Sum | exp.Avg | exp.Min | exp.Max | exp.Abs):
                side = side.this
            if isinstance(side, exp.Column):
                yield from ((side.name.lower(), number) for number in numbers)


def _compares_like_values(comparison: exp.Binary) -> bool:
    """Whether both sides are aggregates, or the same column of two rows: "e.salary > m.salary"."""
    from sqlglot import exp

    sides = (comparison.this, comparison.expression)
    aggregates = [it.find(exp.AggFunc) is not None for it in sides]
    one, other = ({column.name.lower() for column in it.find_all(exp.Column)} for it in sides)
    return all(aggregates) or bool(one & other)


def _group_keys(select: exp.Select) -> frozenset[str]:
    from sqlglot import exp

    group = select.args.get("group")
    found: set[str] = set()
    for key in group.expressions if group is not None else ():
        if isinstance(key, exp.Literal) and str(key.this).isdigit() and int(key.this) <= len(select.expressions):
            found.add(select.expressions[int(key.this) - 1].unalias().sql())
        else:
            found.add(key.sql())
    return frozenset(found)


def _projection(column: exp.Expr, tree: exp.Query, grouped: frozenset[str]) -> Projection:
    from sqlglot import exp

    inner = column.unalias()
    whole, seen = [inner], {column.alias_or_name.lower()}
    for _ in range(MAX_DEPTH):  # resolve names of subqueries
        names = {it.name.lower() for one in whole for it in one.find_all(exp.Column)} - seen
        more = [it.this for it in tree.find_all(exp.Alias) if it.alias.lower() in names]
        if not more:
            break
        seen |= names
        whole += more
    columns = [it for one in whole for it in one.find_all(exp.Column)]
    sources = dict.fromkeys(it.name.lower() for it in columns)
    found = [it for one in whole for it in one.find_all(exp.AggFunc)]
    kinds = ["count" if isinstance(it, exp.CountIf) else it.key for it in found]
    if isinstance(inner, exp.Window) and isinstance(inner.this, exp.Rank | exp.DenseRank | exp.RowNumber):
        kinds = ["rank"]
    aliases = {it.alias_or_name: it.name for it in tree.find_all(exp.Table)}
    return Projection(
        name=column.alias_or_name,
        tables=tuple(dict.fromkeys(aliases.get(it.table, "") for it in columns if it.table))
        or (tuple(aliases.values()) if columns and len(aliases) == 1 else ()),
        aggregate=kinds[0] if kinds else "",
        sources=tuple(sources),
        hundredfold=any(_is_hundred(it) for one in whole for it in one.find_all(exp.Mul))
        and any(one.find(exp.Div, exp.SafeDivide, exp.IntDiv, exp.Avg) is not None for one in whole),
        tested=bool(columns) and len(whole) == 1 and all(it.find_ancestor(exp.Predicate) is not None for it in columns),
        quotient=any(_is_of_columns(it) for one in whole for it in one.find_all(exp.Div)),
        product=any(_is_of_columns(it) for one in whole for it in one.find_all(exp.Mul)),
        scaled=any(_is_scaled(it) for one in whole for it in one.find_all(exp.Mul, exp.Div)),
        divisors=frozenset(
            column.name.lower()
            for one in whole
            for it in one.find_all(exp.Div)
            for column in it.right.find_all(exp.Column)
        ),
        rescaled=any(_is_rescaled(it) for one in whole for it in one.find_all(exp.Mul, exp.Div)),
        spans=any(one.find(exp.Sub, exp.DateDiff, exp.TimestampDiff, exp.DatetimeDiff) is not None for one in whole),
        distinct=any(it.find(exp.Distinct) is not None for it in found),
        compared=inner.unnest().key if isinstance(inner.unnest(), exp.Predicate | exp.Connector | exp.Not) else "",
        counts=_what_it_counts(inner),
        grouped=inner.sql() in grouped or column.alias_or_name in grouped,
        monthly=any(_begins_month(it) for one in whole for it in one.walk()),
    )


def _begins_month(node: exp.Expr) -> bool:
    """Whether it is the first day of a month, as `DATE_TRUNC` and its like in other dialects make it."""
    from sqlglot import exp

    match node:
        case exp.DateTrunc() | exp.TimestampTrunc():
            return node.text("unit").lower() in ("month", "mon", "mm")
        case exp.TimeToStr():
            return node.text("format") == "%Y-%m-01"
        case exp.DateFromParts():
            return isinstance(node.args.get("month"), exp.Month) and node.text("day") == "1"
        case exp.Anonymous():
            return any(it.name == "start of month" for it in node.expressions)
    return False


def _what_it_counts(item: exp.Expr) -> str:
    from sqlglot import exp

    if isinstance(item.unnest(), exp.Count | exp.CountIf):
        return "records"
    return "share" if _is_share(item) else ""


def _is_share(item: exp.Expr) -> bool:
    """Whether it is a count divided by COUNT(*), or a hundred times that. A sum of ones is a count."""
    from sqlglot import exp

    divisions = list(item.find_all(exp.Div))
    if len(divisions) != 1 or item.find(exp.Add, exp.Sub, exp.Select, exp.Distinct, exp.Window) is not None:
        return False
    counted, all_rows = list(divisions[0].left.find_all(exp.AggFunc)), divisions[0].right
    while isinstance(all_rows, exp.Paren | exp.Cast | exp.Nullif):
        all_rows = all_rows.this
    if not isinstance(all_rows, exp.Count) or not isinstance(all_rows.this, exp.Star) or len(counted) != 1:
        return False
    numbers = {it.name for one in item.find_all(exp.Mul) for it in one.unnest_operands() if it.is_number}
    return numbers <= {"1", "1.", "1.0", "100", "100.", "100.0"} and _is_count(counted[0])


def _is_count(aggregate: exp.AggFunc) -> bool:
    from sqlglot import exp

    inner = aggregate.this.unnest() if isinstance(aggregate, exp.Sum) else None
    if isinstance(inner, exp.Case):
        results = [it.args["true"] for it in inner.args["ifs"]] + [it for it in [inner.args.get("default")] if it]
        return {it.sql() for it in results} <= {"1", "0", "1.0", "0.0", "NULL"}
    return isinstance(aggregate, exp.Count | exp.CountIf) or isinstance(inner, exp.Predicate)


def _is_of_columns(operation: Any) -> bool:
    from sqlglot import exp

    return all(it.find(exp.Column) is not None for it in (operation.left, operation.right))


def _is_scaled(operation: Any) -> bool:
    return any(it.is_number and float(it.name) != 1 for it in (operation.left.unnest(), operation.right.unnest()))


def _is_rescaled(operation: Any) -> bool:
    sides = (it for it in (operation.left.unnest(), operation.right.unnest()) if it.is_number)
    return any(re.fullmatch(r"1(?:00+(?:\.0*)?|\.?0*e[2-9])", it.name) for it in sides)


def _is_hundred(product: Any) -> bool:
    return any(it.is_number and float(it.name) == 100 for it in (product.left.unnest(), product.right.unnest()))


def _conditions(tree: exp.Query) -> Iterator[Condition]:
    from sqlglot import exp

    aliases = {it.alias_or_name: it.name for it in tree.find_all(exp.Table)}
    for clause in tree.find_all(exp.Where, exp.Having):
        for part in clause.this.flatten() if isinstance(clause.this, exp.And) else [clause.this]:
            yield _condition(part, aliases)
    for table in tree.find_all(exp.Join):
        on = table.args.get("on")
        if on is not None and on.find(exp.Literal) is not None:
            yield _condition(on, aliases)


def _condition(part: exp.Expr, aliases: Mapping[str, str]) -> Condition:
    from sqlglot import exp

    values = tuple(str(it.this) for it in part.find_all(exp.Literal) if not isinstance(it.parent, exp.Select))
    below = {str(it.expression.this) for it in part.find_all(exp.LT) if isinstance(it.expression, exp.Literal)}
    below |= {str(it.this) for one in part.find_all(exp.LT) for it in one.expression.find_all(exp.Literal)}
    missing = any(isinstance(it.expression, exp.Null) for it in part.find_all(exp.Is))
    absent = part.find(exp.Not, exp.NEQ) is not None
    return Condition(
        columns=tuple(dict.fromkeys(it.name.lower() for it in part.find_all(exp.Column))),
        values=values,
        denied=missing != (part.find(exp.Not) is not None) if missing else absent,
        present=missing and part.find(exp.Not) is not None and not values,
        bounds=tuple(it for it in values if it not in below),
        equal=isinstance(plain := part.unnest(), exp.EQ) and isinstance(plain.this, exp.Column),
        excludes=isinstance(plain, exp.NEQ) and part.parent_select is part.root(),
        tables=tuple({aliases.get(it.table, "") for it in part.find_all(exp.Column) if it.table})
        or (tuple(aliases.values()) if len(aliases) == 1 else ()),
    )


def _order(tree: exp.Query, select: exp.Select) -> Iterator[tuple[str, bool]]:
    from sqlglot import exp

    order = tree.args.get("order")
    for key in order.expressions if order is not None else ():
        this = key.this
        place = int(this.this) if isinstance(this, exp.Literal) and str(this.this).isdigit() else None
        columns: Sequence[exp.Expr] = select.expressions
        if place is not None and 0 < place <= len(columns):
            name = columns[place - 1].alias_or_name
        else:
            same = [it.alias_or_name for it in columns if it.unalias().sql() == this.sql()]
            name = same[0] if same else this.name
        yield name.lower(), bool(key.args.get("desc"))
