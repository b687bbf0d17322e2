"""Where NULLs sort in an ORDER BY, for Transact-SQL, which has no syntax for it.

There a CASE before the column does it, and a query with DISTINCT, or of several SELECTs, can be ordered by
nothing but what it selects (145, 104): such a query is ordered from outside.
"""

from __future__ import annotations

from sqlglot import exp

from executors.dialects.table import Dialect
from executors.errors import ErrorKind, SqlRefused

_ALIAS = "ordered"


def ordered_outside(query: exp.Query, dialect: Dialect) -> exp.Query:
    """The query, or one around it that orders its rows. Args: query: stays as it is.

    Raises:
        SqlRefused: SYNTAX_ERROR, where its columns cannot be distinguished from outside.
    """
    if dialect.kin != "sqlserver":
        return query
    for node in query.find_all(exp.Select, exp.SetOperation):
        if node is not query and _needs(node):
            raise _refused()
    if not _needs(query):
        return query
    inner = query.copy()
    items = inner.selects
    names = [item.output_name for item in items]
    if not all(names) or len({name.lower() for name in names}) < len(names):
        raise _refused()
    outer = exp.select("*")
    for part in ("with_", "limit", "offset"):
        outer.set(part, inner.args.get(part))
        inner.set(part, None)
    order = inner.args["order"]
    inner.set("order", None)
    for one in order.expressions:
        one.set("this", exp.column(exp.to_identifier(_selected(one.this, items, names), quoted=True)))
    outer.set("order", order)
    return outer.from_(exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(_ALIAS))), copy=False)


def _needs(node: exp.Expr) -> bool:
    order = node.args.get("order")
    combines = isinstance(node, exp.SetOperation) or bool(node.args.get("distinct"))
    return combines and order is not None and any(map(_is_foreign, order.expressions))


def _is_foreign(item: exp.Expr) -> bool:
    """Whether NULLs are wanted at the other end than the server puts them: it takes them for the smallest."""
    return bool(item.args.get("nulls_first")) == bool(item.args.get("desc"))


def _selected(item: exp.Expr, items: list[exp.Expr], names: list[str]) -> str:
    """The name of the selected column that an item of ORDER BY stands for."""
    if isinstance(item, exp.Literal) and item.is_int and 0 < int(item.name) <= len(names):
        return names[int(item.name) - 1]
    for selected, name in zip(items, names, strict=True):
        if _same(selected.unalias(), item) or (isinstance(item, exp.Column) and item.name.lower() == name.lower()):
            return name
    raise _refused()


def _same(selected: exp.Expr, item: exp.Expr) -> bool:
    """Whether both are one expression; of columns, one may go without its table's name."""
    if isinstance(selected, exp.Column) and isinstance(item, exp.Column) and not (selected.table and item.table):
        return selected.name.lower() == item.name.lower()
    return selected == item


def _refused() -> SqlRefused:
    message = "NULLS FIRST and NULLS LAST do not work here together with DISTINCT, UNION, INTERSECT or EXCEPT."
    return SqlRefused(
        ErrorKind.SYNTAX_ERROR,
        message,
        "Give each selected column a unique name and order by these, or leave it out.",
    )
