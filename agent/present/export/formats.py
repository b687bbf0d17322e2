"""The formats of exported rows. A format is a row of this table."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from agent.present.export.arrow_file import ArrowRows, arrow_chunks
from agent.present.export.columns import as_text, columns_of
from agent.present.export.markdown_file import markdown_chunks
from agent.present.export.xlsx_file import xlsx_chunks
from executors.base import JsonValue, QueryResult, make_unique

CHUNK_BYTES = 64 * 1024


def parquet_chunks(result: QueryResult) -> Iterator[bytes]:
    """The file, in pieces. It is written completely before the first piece, because its column index is at the end.

    Names that differ only in case get a number, like repeated ones, because DuckDB ignores case.
    """
    import duckdb

    columns = columns_of(result)
    names = make_unique([column.name for column in columns], same_case=False)
    renamed = [column.model_copy(update={"name": name}) for column, name in zip(columns, names, strict=True)]
    with tempfile.TemporaryDirectory(prefix="plumbline-") as folder:
        path = Path(folder, "rows.parquet")
        with duckdb.connect(config={"threads": 1}) as connection:
            connection.register("result_rows", ArrowRows(result, renamed))
            quoted = str(path).replace("'", "''")
            connection.execute(f"COPY result_rows TO '{quoted}' (FORMAT parquet)")
        with path.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                yield chunk


# Rows as CSV, by RFC 4180: UTF-8, a header row, CRLF; fields in quotes if needed.
#
# NULL is an empty field, an empty text is `""`. In rows of one field, NULL is also `""`, since most readers
# skip empty lines. Nested values are JSON. A text that a spreadsheet would read as a formula (one that begins with
# `=`, `+`, `-` or `@`) stays unchanged: a data file must not be changed for the program that
# might open it. Import files with untrusted data as text.
ROWS_PER_CHUNK = 500
_NEEDS_QUOTES = re.compile(r'[",\r\n]|^$|^\s|\s$')


def csv_chunks(result: QueryResult) -> Iterator[bytes]:
    """The file, `ROWS_PER_CHUNK` rows at a time, the first chunk with the header."""
    empty = '""' if len(result.columns) == 1 else ""
    text = ",".join(map(_quote, result.columns)) + "\r\n"
    for start in range(0, max(result.row_count, 1), ROWS_PER_CHUNK):
        rows = result.rows[start : start + ROWS_PER_CHUNK]
        text += "".join(",".join(_field(value, empty) for value in row) + "\r\n" for row in rows)
        yield text.encode()
        text = ""


def _field(value: JsonValue, empty: str) -> str:
    text = as_text(value)
    return empty if text is None else _quote(text)


def _quote(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _NEEDS_QUOTES.search(text) else text


@dataclass(frozen=True)
class Format:
    """One format.

    media_type: for Accept headers. content_type: for responses. suffix: of file names.
    chunks: returns the file of a result in pieces; blocks.
    """

    media_type: str
    content_type: str
    suffix: str
    chunks: Callable[[QueryResult], Iterator[bytes]]


CSV = Format("text/csv", "text/csv; charset=utf-8; header=present", "csv", csv_chunks)
PARQUET = Format("application/vnd.apache.parquet", "application/vnd.apache.parquet", "parquet", parquet_chunks)
ARROW = Format("application/vnd.apache.arrow.stream", "application/vnd.apache.arrow.stream", "arrows", arrow_chunks)

XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
XLSX = Format(XLSX_TYPE, XLSX_TYPE, "xlsx", xlsx_chunks)
MARKDOWN = Format("text/markdown", "text/markdown; charset=utf-8; variant=GFM", "md", markdown_chunks)

FORMATS = (CSV, PARQUET, ARROW, XLSX, MARKDOWN)
