"""The table of a file: its columns, and the SQL that reads them."""

from __future__ import annotations

from typing import NamedTuple


class FileTable(NamedTuple):
    """A file that can be read.

    columns: names and DuckDB types, as they are read.
    reader: the table function that reads it, types pinned.
    whole: whether all of it was looked at.
    select: what is selected from the reader: texts that are numbers are read as such.
    notes: what is to be known of a column: its unit, the order of its dates.
    problems: what was found in the file and is told, one sentence each.
    delimiter: between the fields of a CSV file; decimal: a comma, where its numbers have one.
    orders: of columns of dates, what comes first in their texts: the day, the month or the year.
    units: of columns of numbers, as their texts name them.
    reasons: why columns that look like numbers stay text.
    remarks: what else is to be known of how the file was read, and is no problem.
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

    @property
    def query(self) -> str:
        """Everything that the file holds."""
        return f"SELECT {self.select} FROM {self.reader}"
