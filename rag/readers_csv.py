"""Docs from CSV: a row for each column. Where no field names the table, the file does: `orders.csv` is about orders."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from rag.collector import Collector
from rag.names import bare

_TABLE = ("table", "table_name", "original_table_name")
_COLUMN = ("original_column_name", "column", "column_name", "field")
_LABEL = ("column_name",)
_TEXT = ("description", "column_description", "definition", "comment", "text")
_VALUES = ("value_description", "values")
_TERM = ("term", "rule", "name")
_QUESTION = ("question",)
_SQL = ("sql", "query")

Row = dict[str, str]


def read_csv(text: str, path: Path, collector: Collector) -> None:
    """Read rows of columns, of terms (`term, definition`) or of queries (`question, sql`), by the header's names."""
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if any(map(str.strip, row))]
    except csv.Error as error:
        collector.problem(path.name, f"it is not a CSV file ({error})")
        return
    header = ["_".join(name.strip().lower().split()) for name in rows[0]] if rows else []
    records = [dict(zip(header, row, strict=False)) for row in rows[1:]]
    if _has(header, _QUESTION) and _has(header, _SQL):
        for record in records:
            collector.add_query(path.name, _first(record, _QUESTION), _first(record, _SQL))
    elif _has(header, _COLUMN) and _has(header, _TEXT):
        _read_columns(records, _has(header, _TABLE), path, collector)
    elif _has(header, _TERM) and _has(header, _TEXT):
        for record in records:
            collector.add_rule(path.name, f"{_first(record, _TERM)}: {_first(record, _TEXT)}")
    else:
        found = ", ".join(header) or "nothing"
        collector.problem(path.name, f"a docs CSV has the fields table, column and description; this has {found}")


def _read_columns(records: Iterable[Row], has_table: bool, path: Path, collector: Collector) -> None:
    for record in records:
        said = _description(record)
        if not said:
            continue
        table = collector.table(path.name, _first(record, _TABLE) if has_table else path.stem)
        if table is None:
            continue
        column = _first(record, _COLUMN)
        if column:
            collector.add_column(path.name, table, column, said)
        else:
            collector.add_table(path.name, table, said)


def _description(record: Row) -> str:
    """The description, after a label that says more than the name, and with what is known of the values."""
    name, label = bare(_first(record, _COLUMN)), _first(record, _LABEL)
    text, values = _first(record, _TEXT), _first(record, _VALUES)
    said = [part for part in (text, values) if part]
    if label and _plain(label) != _plain(name) and _plain(label) not in _plain(text):
        said.insert(0, label)
    return "; ".join(said)


def _plain(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())


def _has(header: Iterable[str], names: tuple[str, ...]) -> bool:
    return any(name in header for name in names)


def _first(record: Row, names: tuple[str, ...]) -> str:
    """The first of these fields that holds something."""
    return next((value for name in names if (value := record.get(name, "").strip())), "")
