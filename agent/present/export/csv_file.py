"""Rows as CSV, by RFC 4180: UTF-8, a header row, CRLF; a field in quotes where it needs them.

NULL is an empty field, an empty text is `""`; where a row is one field alone, NULL is `""` too, since most readers
skip an empty line. Nested values are JSON. A text that a spreadsheet would take for a formula (one that begins with
`=`, `+`, `-` or `@`) stays as the database has it: a file that is data must not be changed for the program that might
open it. Import such files as text where the data is not your own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent.present.export.columns import as_text
from executors.base import JsonValue, QueryResult

ROWS_PER_CHUNK = 500
_NEEDS_QUOTES = re.compile(r'[",\r\n]|^$|^\s|\s$')


def csv_chunks(result: QueryResult) -> Iterator[bytes]:
    """The file, some hundred rows at a time, the first chunk with the header."""
    empty = '""' if len(result.columns) == 1 else ""
    text = ",".join(map(_quoted, result.columns)) + "\r\n"
    for start in range(0, max(result.row_count, 1), ROWS_PER_CHUNK):
        rows = result.rows[start : start + ROWS_PER_CHUNK]
        text += "".join(",".join(_field(value, empty) for value in row) + "\r\n" for row in rows)
        yield text.encode()
        text = ""


def _field(value: JsonValue, empty: str) -> str:
    text = as_text(value)
    return empty if text is None else _quoted(text)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _NEEDS_QUOTES.search(text) else text
