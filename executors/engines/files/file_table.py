"""The table of a file: its columns, and the SQL that reads them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from executors.engines.common.local.files import quote_name

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class FileTable(NamedTuple):
    """A file that can be read.

    columns: Names and DuckDB types of its columns.
    reader: The table function that reads the file, with fixed types.
    expressions: SQL over `reader` for each column, with its name. Empty if the columns are read as they are.
    valueless: Columns of texts without any value.
    whole: Whether the whole file was read.
    notes: Notes on columns: the unit, the order of dates.
    orders, units: The first part of a column's dates (day, month or year); the unit of a column's numbers.
    reasons: Why columns that look like numbers stay text.
    problems, remarks: Problems of the file, and remarks on how it was read, one sentence each.
    delimiter, decimal: Delimiter of a CSV file; a comma if its numbers have a decimal comma.
    header: Whether its first row has the names of the columns. path: The rewritten copy that is read instead of a file.
    """

    columns: tuple[tuple[str, str], ...]
    reader: str
    whole: bool
    expressions: tuple[str, ...] = ()
    valueless: tuple[str, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()
    delimiter: str = ""
    decimal: str = ""
    orders: tuple[tuple[str, str], ...] = ()
    units: tuple[tuple[str, str], ...] = ()
    reasons: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = ()
    header: bool = True
    path: Path | None = None

    @property
    def select(self) -> str:
        """The select list over `reader`."""
        return ", ".join(self.expressions) or "*"


# Texts that mean a missing value in a column of numbers or dates: `N/A`, `-`, `null`, `k. A.`, and Excel's errors.
_ABSENT = (
    r"(?i)^(?:#?n\.?/?a\.?|#n/?v|k\.\s?a\.|keine angaben?|s/d|null|none|nil|nan|[-+]?inf(?:inity)?|unknown|[-–—]{1,3}|"
    r"\?|#(?:div/0|ref|value|name|num|null|wert|bezug|zahl)[!?])$"
)


def fetch_row(connection: DuckDBPyConnection, sql: str) -> tuple[Any, ...]:
    """The single row of an aggregate."""
    row: tuple[Any, ...] | None = connection.execute(sql).fetchone()
    assert row is not None  # noqa: S101  an aggregate has one row
    return row


def value_of(column: str) -> str:
    """The SQL of a column's trimmed text. It is empty for texts that mean a missing value."""
    text = f"trim({quote_name(column)})"
    return f"(CASE WHEN regexp_matches({text}, '{_ABSENT}') THEN '' ELSE {text} END)"


def absent_note(connection: DuckDBPyConnection, reader: str, column: str) -> str:
    """A sentence on the number of texts in a column that mean a missing value. Empty if there are none."""
    text = f"trim({quote_name(column)})"
    absent = f"FROM {reader} WHERE regexp_matches({text}, '{_ABSENT}')"
    count, one = fetch_row(connection, f"SELECT count(*), min({text}) {absent}")
    return absent_sentence(count, one) if count else ""


def absent_sentence(count: int, one: str) -> str:
    """A sentence on texts that mean a missing value. Args: one: one of them."""
    return f"Read as empty: {count:,} {'value' if count == 1 else 'values'} such as {one}."
