"""The table of a file: its columns, and the SQL that reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from executors.engines.local.files import quote_name

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class FileTable(NamedTuple):
    """A file that can be read.

    columns: names and DuckDB types, as they are read.
    reader: the table function that reads it, types pinned; `select` is what is selected from it.
    whole: whether all of it was looked at.
    notes: what is to be known of a column: its unit, the order of its dates.
    orders, units: what comes first in a column's dates (the day, the month or the year); the unit of its numbers.
    reasons: why columns that look like numbers stay text.
    problems, remarks: what was found in the file, one sentence each; and how it was read, which is no problem.
    delimiter, decimal: of a CSV file; a comma where its numbers have one.
    """

    columns: tuple[tuple[str, str], ...]
    reader: str
    whole: bool
    select: str = "*"
    notes: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()
    delimiter: str = ""
    decimal: str = ""
    orders: tuple[tuple[str, str], ...] = ()
    units: tuple[tuple[str, str], ...] = ()
    reasons: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = ()


# What stands for a missing value in a column of numbers or dates: `N/A`, `-`, `null`, `k. A.`
_ABSENT = r"(?i)^(?:#?n\.?/?a\.?|#n/v|k\.\s?a\.|s/d|null|none|nil|nan|unknown|[-–—]{1,3}|\?)$"


def fetch_row(connection: DuckDBPyConnection, sql: str) -> tuple[Any, ...]:
    """The one row of an aggregate."""
    row: tuple[Any, ...] | None = connection.execute(sql).fetchone()
    assert row is not None  # noqa: S101  it has one
    return row


def value_of(column: str) -> str:
    """The expression of a column's text without what is around it; empty where it says that there is no value."""
    text = f"trim({quote_name(column)})"
    return f"(CASE WHEN regexp_matches({text}, '{_ABSENT}') THEN '' ELSE {text} END)"


def absent_note(connection: DuckDBPyConnection, reader: str, column: str) -> str:
    """How many texts of a column say that there is no value, as a sentence; empty where none does."""
    text = f"trim({quote_name(column)})"
    absent = f"FROM {reader} WHERE regexp_matches({text}, '{_ABSENT}')"
    count, one = fetch_row(connection, f"SELECT count(*), min({text}) {absent}")
    return f"Read as empty: {count:,} {'value' if count == 1 else 'values'} such as {one}." if count else ""
