"""Predicts what a write will do, as a query that runs before it and returns the rows' keys and new values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from executors.base import Table
from executors.dialects.row import Dialect, words

# Functions that always return the same value for the same arguments. The results of others are not predicted.
_REPEATABLE = words(
    "abs ceil ceiling floor round sign sqrt power mod exp ln log coalesce ifnull isnull nullif case if cast try_cast",
    "concat concat_ws upper lower ucase lcase trim ltrim rtrim left right substring substr replace reverse repeat",
    "replicate lpad rpad length len char_length datalength year month day and or xor not between in like",
    "sum count min max avg exists",
)
_MOST_VALUES = 1000  # every engine supports that many in one row


def of_update(
    target: exp.Table, where: exp.Expr, sets: Mapping[str, exp.Expr], table: Table, dialect: Dialect
) -> tuple[exp.Select | None, tuple[str, ...]]:
    """The query for an UPDATE or a DELETE, and the table's columns that it returns. None: nothing can be predicted.

    Args: sets: new values by column, empty for a DELETE; table: must have a primary key.
    """
    if not _repeats(where):
        return None, ()
    assigned = {name.lower(): value for name, value in sets.items()}
    columns = [*table.primary_key, *(name for name in sets if name.lower() not in _lower(table.primary_key))]
    items: list[exp.Expr] = []
    columns_set: list[str] = []
    for name in columns:
        value = assigned.get(name.lower())
        if value is not None and not (_repeats(value) and _reads_old(name, value, assigned, dialect)):
            if name in table.primary_key:
                return None, ()
            continue
        items.append(exp.column(exp.to_identifier(name, quoted=True)) if value is None else value.copy())
        columns_set.append(name)
    query = exp.Select(expressions=_name_items(items), from_=exp.From(this=target.copy()), where=where.copy())
    return query, tuple(columns_set)


def of_values(
    rows: Sequence[Sequence[exp.Expr]], columns: Sequence[str], table: Table, dialect: Dialect
) -> tuple[exp.Select | None, tuple[str, ...]]:
    """The query for an INSERT of values, which returns all rows side by side in one row; and the column of each value,
    empty if it cannot be predicted. None: the keys cannot be predicted."""
    at = [place for place, name in enumerate(columns) if name.lower() in _lower(table.primary_key)]
    assigned = all(_repeats(row[place]) for row in rows for place in at)
    if len(at) < len(table.primary_key) or not assigned or len(rows) * len(columns) > _MOST_VALUES:
        return None, ()
    known = [all(_repeats(row[place]) for row in rows) for place in range(len(columns))]
    items = [value.copy() if known[place] else exp.null() for row in rows for place, value in enumerate(row)]
    query = exp.Select(expressions=_name_items(items))
    if dialect.one_row_table:
        query = query.from_(dialect.one_row_table)
    return query, tuple(name if known[place] else "" for place, name in enumerate(columns))


def of_query(query: exp.Expr, columns: Sequence[str], table: Table) -> bool:
    """Whether running an INSERT's query predicts its rows, keys included."""
    keys = _lower(table.primary_key) <= _lower(columns)
    return keys and _repeats(query) and query.find(exp.Limit, exp.Fetch, exp.Offset) is None


def _name_items(items: Sequence[exp.Expr]) -> list[exp.Expr]:
    return [exp.alias_(item, exp.to_identifier(f"value_{at}")) for at, item in enumerate(items)]


def _repeats(tree: exp.Expr) -> bool:
    for node in tree.find_all(exp.Func):
        name = node.name if isinstance(node, exp.Anonymous) else node.sql_name()
        if name.lower() not in _REPEATABLE:
            return False
    return tree.find(exp.Placeholder, exp.Parameter, exp.SessionParameter) is None


def _reads_old(name: str, value: exp.Expr, assigned: Mapping[str, exp.Expr], dialect: Dialect) -> bool:
    """Whether a value is computed from the old columns. MySQL and MariaDB assign one by one, and read new values."""
    if dialect.name not in {"mysql", "mariadb"}:
        return True
    read = {column.name.lower() for column in value.find_all(exp.Column)}
    return not (read & assigned.keys() - {name.lower()})


def _lower(names: Sequence[str]) -> frozenset[str]:
    return frozenset(name.lower() for name in names)
