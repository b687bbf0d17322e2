"""Values of private columns in what a model asks for: shown where the question names the column, else not.

A query that a model wrote may compare, join, group and count by any column. Values of one that the registry marks
private leave the database only where a person asked for it by its name: neither a model that shows too much nor a
sentence in a comment that talks it into that can do so in their place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from executors.base import CheckedSql, Column, QueryResult, Schema, Table
from executors.dialects import DIALECTS
from executors.errors import ErrorKind, SqlRefused
from rag.words import words

if TYPE_CHECKING:
    from sqlglot import exp

Private = tuple[Table, Column]


def refuse_unasked(query: CheckedSql, schema: Schema, question: str) -> None:
    """Return where the query's rows show no private values but those that the question asks for by name.

    Where `SELECT *` alone would show them, `without_unasked` leaves them out.

    Raises:
        SqlRefused: they would; the hint tells what may be done instead.
    """
    unasked = _unasked(query.tables, schema, question)
    if not unasked:
        return
    from sqlglot.errors import SqlglotError

    from executors.sql.parsed import parsed

    try:
        tree = parsed(query.sql, DIALECTS[schema.dialect].sqlglot)
    except (SqlglotError, RecursionError) as error:
        raise SqlRefused(ErrorKind.RESOURCE, "The query is nested too deeply.", "Write a shorter query.") from error
    for table, column in unasked:
        if _is_named(tree, table, column, schema) or _is_renamed(tree):
            raise SqlRefused(
                ErrorKind.PERMISSION,
                f"{table.name}.{column.name} is private: its values are shown only to a question that names "
                f"{column.name!r}.",
                "It may be counted, compared, joined and grouped by, but not selected.",
            )


def without_unasked(
    result: QueryResult, tables: Sequence[str], schema: Schema, question: str
) -> tuple[QueryResult, tuple[str, ...]]:
    """The rows without the private columns that nobody asked for, and a sentence that says which these were.

    Args:
        result: of a query that `refuse_unasked` let through.
        tables: that the query reads.
        schema: of the database.
        question: as a person asked it.
    """
    unasked = {
        column.name.lower(): f"{table.name}.{column.name}" for table, column in _unasked(tables, schema, question)
    }
    hidden = [name for column in result.columns if (name := unasked.get(column.lower()))]
    if not hidden:
        return result, ()
    kept = [at for at, column in enumerate(result.columns) if column.lower() not in unasked]
    rows = tuple(tuple(row[at] for at in kept) for row in result.rows)
    left = result.model_copy(update={"columns": tuple(result.columns[at] for at in kept), "rows": rows})
    said = f"Left out, because it is private and the question does not name it: {', '.join(dict.fromkeys(hidden))}."
    return left, (said,)


def _unasked(tables: Sequence[str], schema: Schema, question: str) -> list[Private]:
    """The private columns of these tables that the question does not name."""
    read = [table for name in tables if (table := schema.table(name)) is not None]
    private = [(table, column) for table in read for column in table.columns if column.private]
    if not private:
        return []
    asked = words(question) | words(re.sub(r"(?<=\w)-(?=\w)", "", question))  # "e-mail" names `email`
    return [(table, column) for table, column in private if not words(column.name) <= asked]


def _is_named(tree: exp.Expr, owner: Table, private: Column, schema: Schema) -> bool:
    """Whether the column's values reach the rows by its name."""
    from sqlglot import exp

    name = private.name.lower()
    return any(
        column.name.lower() == name and _is_shown(column) and _may_be_of(column, owner, private, schema)
        for column in tree.find_all(exp.Column)
    )


def _is_shown(node: exp.Expr) -> bool:
    """Whether a column's values get from where it stands to the rows; a condition, a count or a group tells none."""
    from sqlglot import exp

    quiet = (exp.Where, exp.Having, exp.Qualify, exp.Count, exp.ApproxDistinct, exp.CountIf, exp.Group, exp.Order)
    at: exp.Expr | None = node
    while at is not None:
        if isinstance(at.parent, quiet) or (isinstance(at.parent, exp.Join) and at.arg_key in {"on", "using"}):
            return False
        at = at.parent
    return True


def _may_be_of(column: exp.Column, owner: Table, private: Column, schema: Schema) -> bool:
    """Whether a column of that name may be the private one, and not another table's."""
    from sqlglot import exp

    from executors.sql.mend import tables_of

    select = column.find_ancestor(exp.Select)
    if select is None:
        return True
    read = {alias.lower(): table for alias, table in tables_of(select, schema).items()}
    if column.table:
        table = read.get(column.table.lower())
        return table is None or table.name == owner.name
    owners = [table for table in read.values() if table is None or table.column(private.name) is not None]
    return not owners or any(table is None or table.name == owner.name for table in owners)


def _is_renamed(tree: exp.Expr) -> bool:
    """Whether columns come to the rows without their names: all of a table's, or a whole row as one value."""
    from sqlglot import exp

    aliases = list(tree.find_all(exp.TableAlias))
    if any(alias.args.get("columns") and isinstance(alias.parent, exp.Table) for alias in aliases):
        return True
    if any(_is_whole_row(column) for column in tree.find_all(exp.Column, exp.TableColumn)):
        return True
    stars = [star for star in tree.find_all(exp.Star) if not isinstance(star.parent, exp.Count)]
    if not stars and tree.find(exp.Columns) is None:
        return False
    renamed = any(alias.args.get("columns") for alias in aliases)
    changed = any(star.args.get("rename") or star.args.get("replace") for star in stars)
    return renamed or changed or tree.find(exp.SetOperation, exp.Pivot, exp.Columns) is not None


def _is_whole_row(column: exp.Expr) -> bool:
    """`c` in `SELECT c FROM customers AS c`; a column of that name comes first, but is no less suspicious here."""
    from sqlglot import exp

    if column.args.get("table"):
        return False
    sources = {source.alias_or_name.lower() for source in column.root().find_all(exp.Table, exp.Subquery, exp.CTE)}
    return column.name.lower() in sources - {""} and _is_shown(column)
