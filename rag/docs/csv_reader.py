"""Docs from CSV: a row for each column, term or query. Otherwise the file name is the table: `orders.csv`."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from rag.docs.collector import DocsCollector
from rag.docs.fields import Records, field_of

_DELIMITERS = (",", ";", "\t", "|")
_STATED_DELIMITER = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)  # as spreadsheets write it above the header
_HEADER_ROWS = 4  # a title may stand above the header
# What a file about the columns of a table is called besides: `orders_columns.csv`, `orders.description.csv`.
_ABOUT = re.compile(r"[ _.-](?:columns?|descriptions?|fields?|docs?|(?:data[ _-]?)?dictionary)$", re.IGNORECASE)

Rows = list[list[str]]


def read_csv(text: str, path: Path, collector: DocsCollector) -> None:
    """Read rows of columns, of terms (`term, definition`) or of queries (`question, sql`), by the header's names.

    Comma, semicolon, tab or bar: the one that makes a header of the first row.
    """
    stated = _STATED_DELIMITER.match(text)
    body = text[stated.end() :] if stated else text
    try:
        delimiter = (
            stated[1] if stated else max(_DELIMITERS, key=lambda one: _count_known_fields(_rows(_start(body), one)))
        )
        rows = _rows(body, delimiter, strict=True)
    except csv.Error as error:
        collector.problem(path.name, f"it is not a CSV file ({error})")
        return
    table, is_table = _table_of(path, collector)
    for at, header in enumerate(rows[:_HEADER_ROWS]):
        records = Records(header, rows[at + 1 :], path.name, collector, table=table, has_topic=is_table)
        if records.read():
            return
    found = ", ".join(name.strip() for name in rows[0]) if rows else "nothing"
    collector.problem(path.name, f"a docs CSV has the fields table, column and description; this has {found}")


def _start(body: str) -> str:
    return "\n".join(body.splitlines()[: _HEADER_ROWS + 2])


def _count_known_fields(rows: Rows) -> int:
    """Fields whose names say what they hold, in the row with the most of them."""
    return max((sum(field_of(name) is not None for name in row) for row in rows[:_HEADER_ROWS]), default=0)


def _rows(text: str, delimiter: str, *, strict: bool = False) -> Rows:
    """The rows that hold anything. Args: strict: a quote that never ends is an error; others are read as they are."""
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict))
    except csv.Error as error:
        if "unexpected end" in str(error) or not strict:
            raise
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    return [row for row in rows if any(map(str.strip, row))]


def _table_of(path: Path, collector: DocsCollector) -> tuple[str, bool]:
    """The table that a file's name may mean, and whether there is one of that name."""
    stem = path.stem
    for name in (stem, _ABOUT.sub("", stem)):
        if collector.names is not None and collector.names.table(name) is not None:
            return name, True
    return _ABOUT.sub("", stem) if collector.names is None else stem, False
