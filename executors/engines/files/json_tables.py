"""Reads files of JSON records as tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from executors.engines.common.local.files import quote_name
from executors.engines.duckdb.engine import literal
from executors.engines.files.file_table import (
    SAMPLED_LINES,
    ZONED,
    FileTable,
    as_texts,
    check_values,
    describe,
    fetch_row,
    pin,
)
from executors.engines.files.values.written_numbers import open_doubles

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_JSON_LINES = (".jsonl", ".ndjson")


def read_records(connection: DuckDBPyConnection, path: Path, whole: bool) -> FileTable:
    """The table of a JSON file. Lines that are not valid are left out, if each line is a record."""
    import duckdb

    try:
        return _json(connection, path, whole)
    except duckdb.Error as error:
        if path.suffix.lower() not in _JSON_LINES or not whole or "Malformed JSON" not in str(error):
            raise
        table = _json(connection, path, whole, ", ignore_errors = true")
        empty = " AND ".join(f"{quote_name(name)} IS NULL" for name, _ in table.columns)
        rows, wrong = fetch_row(connection, f"SELECT count(*), count(*) FILTER ({empty}) FROM {table.reader}")
        if wrong * 2 >= rows:
            raise
    what = "1 line is not valid JSON and is" if wrong == 1 else f"{wrong:,} lines are not valid JSON and are"
    reader = f"(SELECT * FROM {table.reader} WHERE NOT ({empty}))"
    return table._replace(reader=reader, problems=(f"{path.name}: {what} left out.",))


def _json(connection: DuckDBPyConnection, path: Path, whole: bool, more: str = "") -> FileTable:
    lines = path.suffix.lower() in _JSON_LINES
    shape = f"{literal(str(path))}, format = '{'newline_delimited' if lines else 'auto'}'{more}"
    found = describe(connection, f"read_json({shape}, sample_size = {-1 if whole else SAMPLED_LINES})")
    columns = as_texts(found.columns, ZONED) if whole else found.columns
    doubles = [name for name, kind in columns if kind in ("DOUBLE", "HUGEINT")] if whole else []
    if doubles:
        texts = f"read_json({shape}, columns = {pin(as_texts(columns, 'DOUBLE', 'HUGEINT'))})"
        codes = open_doubles(connection, texts, doubles, thousands=False)
        columns = tuple((name, "VARCHAR" if name in codes else kind) for name, kind in columns)
    table = FileTable(columns, f"read_json({shape}, columns = {pin(columns)})", whole)
    if not lines:
        return _unwrap_list(connection, path, table)
    return table if whole else check_values(path, table)


def _unwrap_list(connection: DuckDBPyConnection, path: Path, table: FileTable) -> FileTable:
    """The records of a list, if the file is a single record around it, as in an API's response: `{"data": [...]}`."""
    lists = [name for name, kind in table.columns if kind.startswith("STRUCT(") and kind.endswith(")[]")]
    if len(lists) != 1:
        return table
    row = connection.execute(f"SELECT count(*) FROM (SELECT 1 FROM {table.reader} LIMIT 2)").fetchone()
    if row is None or row[0] != 1:
        return table
    found = describe(connection, f"(SELECT unnest({quote_name(lists[0])}, max_depth := 2) FROM {table.reader})")
    others = [name for name, _ in table.columns if name not in lists]
    left_out = f"; left out: {', '.join(others)}" if others else ""
    remark = f"{path.name}: its rows are the records of {lists[0]}{left_out}."
    return found._replace(whole=table.whole, remarks=(remark,))
