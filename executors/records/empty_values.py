"""Records that a sum or an average leaves out, because the value that it adds up is NULL."""

from __future__ import annotations

from sqlglot import exp

from executors.base import QueryResult
from executors.sql.tree import tree_to_change

_FILLS = (exp.Coalesce, exp.Case, exp.If, exp.Subquery)


def find_empty_values(sql: str, dialect: str, records: QueryResult) -> dict[str, int]:
    """For each column that SUM or AVG reads, the number of records without a value; columns without such records are
    left out.

    Only aggregates of the query itself are read, not those of its subqueries, and none that fills in missing values. An
    outer join adds records without values, so queries with one anywhere are not read.
    """
    tree = tree_to_change(sql, dialect)
    if not isinstance(tree, exp.Select) or any(it.side for it in tree.find_all(exp.Join)):
        return {}
    taken = [it for item in tree.selects for it in item.find_all(exp.Sum, exp.Avg) if it.find(*_FILLS) is None]
    read = {column.name.lower() for it in taken if it.parent_select is tree for column in it.find_all(exp.Column)}
    names = [it.lower() for it in records.columns]
    empty: dict[str, int] = {}
    for place, column in enumerate(records.columns):
        if names[place] in read and f"{names[place]}_2" not in names:  # else two tables have a column of this name
            empty[column] = sum(row[place] is None for row in records.rows)
    return {column: number for column, number in empty.items() if number}
