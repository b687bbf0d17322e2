"""Limits the number of rows of a query, in its dialect's syntax."""

from __future__ import annotations

from sqlglot import exp

from executors.dialects.row import ROW_MAKERS, Dialect, Limit
from executors.errors import ErrorKind, SqlRefused

# Engines that allow `SELECT *` from a derived table with two columns of one name.
_REPEATS_NAMES = frozenset({"postgresql", "sqlite", "duckdb", "databricks"})


def apply_limit(query: exp.Query, cap: int, dialect: Dialect) -> tuple[exp.Query, exp.Query]:
    """The query for display, and the query that runs.

    Both are the same if the query's own limit is within the cap, or if it can return only one row. Else the first is
    limited to the cap, and the second to one row more, so that truncation is detected. If this requires an outer query
    that the engine refuses because of the columns' names, both are the query itself: an executor never reads more rows
    than the cap.

    Args:
        query: The root of a checked tree. It is not changed.
    """
    query = _order_outside(query, dialect)
    if _gives_one_row(query, dialect):
        return query, query
    own, ordered = own_limit(query), query.args.get("order") or query.args.get("offset")
    if own is not None and own <= cap:
        return query, query
    if own is None and not _is_unlimited(query):
        # A percentage, ties, or a limit that must be computed: an outer query limits the rows.
        if not _can_stand_in_from(query, dialect):
            return query, query
        query = _inside(query)
    elif dialect.limit is Limit.TOP and isinstance(query, exp.SetOperation) and not ordered:
        # FETCH requires an ORDER BY, and some types cannot be ordered by: xml, text, geography.
        if not _can_stand_in_from(query, dialect):
            return query, query
        query = _inside(query)
    return with_limit(query, cap, dialect), with_limit(query, cap + 1, dialect)


def _can_stand_in_from(query: exp.Query, dialect: Dialect) -> bool:
    """Whether the engine accepts a query in FROM. SQL Server requires names for all columns; few allow a name twice."""
    select: exp.Expr = query
    while isinstance(select, exp.SetOperation | exp.Subquery):
        select = select.this
    if not isinstance(select, exp.Select):
        return True
    if dialect.kin in _REPEATS_NAMES:
        return True
    if any(item.is_star for item in select.expressions):
        return len(select.expressions) == 1 and not select.args.get("joins")
    names = [item.output_name.lower() for item in select.expressions]
    named = [name for name in names if name]
    return len(set(named)) == len(named) and (named == names or dialect.limit is not Limit.TOP)


def _inside(query: exp.Query) -> exp.Select:
    """An outer query around a copy of the query, whose WITH moves to the outer one."""
    inner = query.copy()
    outer = exp.select("*")
    outer.set("with_", inner.args.get("with_"))
    inner.set("with_", None)
    return outer.from_(exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier("limited"))), copy=False)


def own_limit(query: exp.Query) -> int | None:
    """The query's own limit. None if it has none, or if the limit is not a plain number."""
    limit, offset = query.args.get("limit"), query.args.get("offset")
    options = limit.args.get("limit_options") if limit is not None else None
    if any(part is not None and part.expressions for part in (limit, offset)):
        return None  # ClickHouse: LIMIT 2 BY customer_id
    if limit is None or (options is not None and (options.args.get("percent") or options.args.get("with_ties"))):
        return None
    count = limit.args.get("count") if isinstance(limit, exp.Fetch) else limit.expression
    while isinstance(count, exp.Paren):
        count = count.this
    if isinstance(limit, exp.Fetch) and count is None:
        return 1  # FETCH FIRST ROW ONLY
    is_number = isinstance(count, exp.Literal) and not count.is_string and count.name.isdigit()
    return int(count.name) if is_number and count is not None else None


def _is_unlimited(query: exp.Query) -> bool:
    """Whether the query has no limit, or one that means "all": LIMIT ALL, LIMIT NULL, or LIMIT -1."""
    limit = query.args.get("limit")
    if limit is None:
        return True
    count = limit.args.get("expression")
    if isinstance(count, exp.Neg):
        return isinstance(count.this, exp.Literal)
    return isinstance(count, exp.Null) or (isinstance(count, exp.Var | exp.Column) and count.name.upper() == "ALL")


def with_limit(query: exp.Query, rows: int, dialect: Dialect) -> exp.Query:
    """A copy of the query that returns at most that many rows."""
    query = query.copy()
    number = exp.Literal.number(rows)
    if dialect.limit is Limit.TOP and (query.args.get("offset") or isinstance(query, exp.SetOperation)):
        # TOP applies to one SELECT and excludes OFFSET. FETCH requires ORDER BY and OFFSET.
        if not query.args.get("order"):
            nothing: exp.Expr = exp.Subquery(this=exp.select(exp.null()))
            if isinstance(query, exp.SetOperation) or query.args.get("distinct"):
                nothing = exp.Literal.number(1)  # such a query can be ordered only by selected items
            query.set("order", exp.Order(expressions=[exp.Ordered(this=nothing, nulls_first=True)]))
        if not query.args.get("offset"):
            query.set("offset", exp.Offset(expression=exp.Literal.number(0)))
        query.set("limit", exp.Fetch(direction="NEXT", count=number, limit_options=exp.LimitOptions(rows=True)))
    elif dialect.limit is Limit.FETCH:
        query.set("limit", exp.Fetch(direction="FIRST", count=number, limit_options=exp.LimitOptions(rows=True)))
    else:
        query.set("limit", exp.Limit(expression=number))
    return query


def _gives_one_row(query: exp.Query, dialect: Dialect) -> bool:
    """Whether a query is an aggregate over all rows, or a SELECT of values without FROM."""
    if not isinstance(query, exp.Select) or query.args.get("limit") or query.args.get("group"):
        return False
    calls = [call for item in query.expressions for call in _calls(item)]
    names = {call.name.lower() for call in calls if not isinstance(call.parent, exp.Window)}
    if names & (ROW_MAKERS if dialect.kin == "postgresql" else ROW_MAKERS - {"regexp_matches"}):
        return False
    if query.args.get("from_") is None:
        return True
    known = dialect.aggregates
    many = {"max", "min"} if dialect.kin == "sqlite" else set()  # not aggregates if they have several arguments
    return any(
        call.name.lower() in known and not (call.name.lower() in many and len(call.expressions) > 1)
        for call in calls
        if not isinstance(_find_whole_call(call).parent, exp.Window)
    )


def _find_whole_call(call: exp.Expr) -> exp.Expr:
    """The call including the FILTER, WITHIN GROUP, IGNORE NULLS and RESPECT NULLS around it."""
    while isinstance(call.parent, exp.Filter | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls):
        call = call.parent
    return call


def _calls(item: exp.Expr) -> list[exp.Anonymous | exp.ParameterizedAgg]:
    """The calls in an item of a select list, except those in queries inside it."""
    nodes = item.walk(prune=lambda node: isinstance(node, exp.Query))
    return [node for node in nodes if isinstance(node, exp.Anonymous | exp.ParameterizedAgg)]


# NULLS FIRST and NULLS LAST for Transact-SQL, which has no syntax for them.
#
# A CASE before the column has the same effect. But a query with DISTINCT, or of several SELECTs, can be ordered only by
# selected items (errors 145 and 104), so an outer query orders it.
_ALIAS = "ordered"


def _order_outside(query: exp.Query, dialect: Dialect) -> exp.Query:
    """The query, or an outer query that orders its rows. The query is not changed.
    Raises SqlRefused: SYNTAX_ERROR, if an outer query cannot distinguish its columns."""
    if dialect.kin != "sqlserver":
        return query
    for node in query.find_all(exp.Select, exp.SetOperation):
        if node is not query and _needs(node):
            raise _build_refusal()
    if not _needs(query):
        return query
    inner = query.copy()
    items = inner.selects
    names = [item.output_name for item in items]
    if not all(names) or len({name.lower() for name in names}) < len(names):
        raise _build_refusal()
    outer = exp.select("*")
    for part in ("with_", "limit", "offset"):
        outer.set(part, inner.args.get(part))
        inner.set(part, None)
    order = inner.args["order"]
    inner.set("order", None)
    for one in order.expressions:
        one.set("this", exp.column(exp.to_identifier(_find_selected_name(one.this, items, names), quoted=True)))
    outer.set("order", order)
    return outer.from_(exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(_ALIAS))), copy=False)


def _needs(node: exp.Expr) -> bool:
    order = node.args.get("order")
    combines = isinstance(node, exp.SetOperation) or bool(node.args.get("distinct"))
    return combines and order is not None and any(map(_is_foreign, order.expressions))


def _is_foreign(item: exp.Expr) -> bool:
    """Whether NULLs are requested at the other end than the server's default, which treats them as lowest."""
    return bool(item.args.get("nulls_first")) == bool(item.args.get("desc"))


def _find_selected_name(item: exp.Expr, items: list[exp.Expr], names: list[str]) -> str:
    """The name of the selected column that an item of ORDER BY means. Raises SqlRefused: there is none."""
    if isinstance(item, exp.Literal) and item.is_int and 0 < int(item.name) <= len(names):
        return names[int(item.name) - 1]
    for selected, name in zip(items, names, strict=True):
        if _same(selected.unalias(), item) or (isinstance(item, exp.Column) and item.name.lower() == name.lower()):
            return name
    raise _build_refusal()


def _same(selected: exp.Expr, item: exp.Expr) -> bool:
    """Whether two expressions are the same. A column without a table's name equals one with it."""
    if isinstance(selected, exp.Column) and isinstance(item, exp.Column) and not (selected.table and item.table):
        return selected.name.lower() == item.name.lower()
    return selected == item


def _build_refusal() -> SqlRefused:
    message = "NULLS FIRST and NULLS LAST do not work here together with DISTINCT, UNION, INTERSECT or EXCEPT."
    return SqlRefused(
        ErrorKind.SYNTAX_ERROR,
        message,
        "Give each selected column a unique name and order by these, or leave it out.",
    )
