"""Records without a value, which a sum or an average leaves out, and a share counts as no."""

from __future__ import annotations

from collections.abc import Sequence

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
    tree = _read(sql, dialect)
    if tree is None:
        return {}
    taken = [it for item in tree.selects for it in item.find_all(exp.Sum, exp.Avg) if it.find(*_FILLS) is None]
    return _count_empty([it for it in taken if it.parent_select is tree], records)


def find_denied_values(sql: str, dialect: str, records: QueryResult) -> dict[str, int]:
    """For each column that a share tests, the number of records without a value, which `ELSE 0` counts as no."""
    tree = _read(sql, dialect)
    if tree is None:
        return {}
    shares = [it for item in tree.selects for it in item.find_all(exp.Sum, exp.Avg) if it.parent_select is tree]
    shares = [it for it in shares if isinstance(it, exp.Avg) or _is_of_all(it)]
    cases = [it.this.unnest() for it in shares if isinstance(it.this.unnest(), exp.Case)]
    tests = [one.this for it in cases if _is_yes_or_no(it) for one in it.args["ifs"]]
    return _count_empty([it for it in tests if it.find(exp.Is, exp.Or, exp.Query, *_FILLS) is None], records)


def _read(sql: str, dialect: str) -> exp.Select | None:
    tree = tree_to_change(sql, dialect)
    if not isinstance(tree, exp.Select) or any(it.side for it in tree.find_all(exp.Join)):
        return None
    return tree


def _is_of_all(part: exp.Expr) -> bool:
    """Whether it is divided by the number of all records: COUNT(status) and a sum leave some out."""
    division = part.find_ancestor(exp.Div)
    whole = division.right if division is not None else None
    while isinstance(whole, exp.Paren | exp.Cast | exp.Nullif):
        whole = whole.this
    return isinstance(whole, exp.Count) and isinstance(whole.this, exp.Star | exp.Literal)


def _is_yes_or_no(case: exp.Case) -> bool:
    """Whether it gives one number, and 0 otherwise."""
    otherwise, found = case.args.get("default"), {it.args["true"].name for it in case.args["ifs"]}
    is_zero = otherwise is not None and otherwise.is_number and float(otherwise.name) == 0
    return is_zero and found <= {"1", "1.0", "100", "100.0"} and case.this is None


def _count_empty(parts: Sequence[exp.Expr], records: QueryResult) -> dict[str, int]:
    """For each column in these parts of a query, the number of records without a value, if there are any."""
    read = {column.name.lower() for it in parts for column in it.find_all(exp.Column)}
    names = [it.lower() for it in records.columns]
    empty: dict[str, int] = {}
    for place, column in enumerate(records.columns):
        if names[place] in read and f"{names[place]}_2" not in names:  # else two tables have a column of this name
            empty[column] = sum(row[place] is None for row in records.rows)
    return {column: number for column, number in empty.items() if number}
