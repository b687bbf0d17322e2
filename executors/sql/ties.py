"""Finds rows that tie with the last row of a result and that its LIMIT cut off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlglot import exp

from executors.base import JsonValue
from executors.dialects.row import Dialect
from executors.sql.row_limit import own_limit, with_limit


class TieQuery(NamedTuple):
    """A query that continues a result beyond its limit. `row_limit`: maximum number of its rows; `keys`: positions of
    the values that the result is ordered by."""

    query: exp.Query
    row_limit: int
    keys: tuple[int, ...]

    def count_ties(self, shown: Sequence[Sequence[JsonValue]], rows: Sequence[Sequence[JsonValue]]) -> int:
        """The number of further rows of this query that tie with the last one shown. A row that equals a shown one does
        not count."""
        place = len(shown) - 1
        if not shown or len(rows) <= len(shown):
            return 0
        last = [rows[place][key] for key in self.keys]
        if all(value is None for value in last):
            return 0
        width = len(shown[0])
        seen = set(map(_comparable, shown))
        is_tied = [[row[key] for key in self.keys] == last for row in rows]
        new = sum(tied and _comparable(row[:width]) not in seen for row, tied in zip(rows, is_tied, strict=True))
        # A sum of floats may differ in its last digit from run to run, so that a shown row looks new.
        return min(new, sum(is_tied[place + 1 :]))


def _comparable(row: Sequence[JsonValue]) -> tuple[object, ...]:
    """A row that compares by value: a sum is 5 among integers, else 5.0."""
    return tuple(repr(cell) if isinstance(cell, list | dict) else cell for cell in row)


def find_tie_query(tree: exp.Query, columns: int, rows: int, most: int, dialect: Dialect) -> TieQuery | None:
    """The query that shows which rows tie with the last one of a result. None if no LIMIT cut off ordered rows.

    Args: tree: the query that ran, which is not changed; columns, rows: numbers of its result; most: number of further
        rows to read.
    """
    if not isinstance(tree, exp.Select) or own_limit(tree) != rows or not rows:
        return None
    order, query = tree.args.get("order"), tree.copy()
    items = [item.unalias() for item in tree.expressions]
    has_star = any(item.is_star for item in tree.expressions)
    keys: list[int] = []
    for key in order.expressions if order is not None else ():
        place = _find_item(key.this, tree.expressions)
        if place is not None and not has_star:
            keys.append(place)
        elif query.args.get("distinct"):
            return None  # another column would make other rows distinct
        else:
            added = items[place] if place is not None else _without_aliases(key.this, tree.expressions, dialect)
            keys.append(columns + len(query.expressions) - len(items))
            query.append("expressions", exp.alias_(added.copy(), f"tie_key_{len(keys)}"))
    if not keys:
        return None
    return TieQuery(with_limit(query, rows + most, dialect), rows + most, tuple(keys))


# Here, ORDER BY may compute with an alias of the select list, and another item of that list may not.
_ALIASES_IN_ORDER = frozenset({"sqlite", "mysql", "mariadb", "oracle", "hana"})
_COLUMNS_FIRST = frozenset({"sqlite", "mysql", "mariadb"})  # there, a name that is a column's, too, means the column


def _without_aliases(key: exp.Expr, items: Sequence[exp.Expr], dialect: Dialect) -> exp.Expr:
    """A copy of an expression of ORDER BY with the items that its aliases mean."""
    named = {it.alias.lower(): it.unalias() for it in items if it.alias and dialect.name in _ALIASES_IN_ORDER}
    if dialect.name in _COLUMNS_FIRST:
        named = {
            alias: item
            for alias, item in named.items()
            if all(column.name.lower() != alias for column in item.find_all(exp.Column))
        }

    def resolve(node: exp.Expr) -> exp.Expr:
        item = named.get(node.name.lower()) if isinstance(node, exp.Column) and not node.table else None
        return exp.paren(item.copy()) if item is not None else node

    return key.copy().transform(resolve)


def _find_item(key: exp.Expr, items: Sequence[exp.Expr]) -> int | None:
    """Position of the selected item that an item of ORDER BY means, by number, alias or expression; or None."""
    if isinstance(key, exp.Literal) and key.is_int and 1 <= int(key.name) <= len(items):
        return int(key.name) - 1
    is_name = isinstance(key, exp.Column) and not key.table
    for place, item in enumerate(items):
        if (is_name and item.alias.lower() == key.name.lower()) or item.unalias() == key:
            return place
    return None
