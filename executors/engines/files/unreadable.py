"""What is wrong with a file that cannot be read as a table, in a sentence with advice and without the folder's name."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from executors.errors import DatabaseUnavailable

SEPARATED = (".csv", ".tsv", ".txt", ".tab")
NO_SUCH_VALUE = re.compile(r"Error when converting column \"(.+?)\". Could not convert string \"(.*?)\" to '(.+?)'")
HEAD_BYTES = 64 * 1024
_MAGIC = {b"PK\x03\x04": "a ZIP or Excel file", b"\x1f\x8b": "compressed", b"%PDF": "a PDF file", b"PAR1": "Parquet"}
_TOO_LONG = re.compile(r"Maximum line size of (\d+) bytes exceeded\. Actual Size: ?(\d+)")


def unreadable(path: Path, message: str) -> DatabaseUnavailable:
    """DuckDB's error on a file, as a sentence with advice and without the folder's name."""
    line = re.search(r"CSV Error on Line: (\d+)", message)
    where = f" in line {int(line[1]):,}" if line else ""
    if "not utf-8 encoded" in message:
        return _not_utf8(path, where)
    if fields := re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message):
        return unusable(
            path,
            f"has another number of fields{where} ({fields[2]}) than above ({fields[1]})",
            "correct that line; a field that holds the delimiter must be in quotes",
        )
    if convert := NO_SUCH_VALUE.search(message):
        problem = f"has a value in column {convert[1]}{where} that is no {convert[3]}"  # the value may be private
        return unusable(path, problem, "correct the file")
    if long := _TOO_LONG.search(message):
        problem = f"has a line of {int(long[2]):,} bytes{_place_of_long(path, int(long[1]))}"
        return unusable(path, problem, f"break it up: a line may have {int(long[1]):,} bytes")
    if "unterminated quote" in message and line:
        return unusable(path, f"has a quote that is not closed{where}", "close it, or double a quote inside quotes")
    if record := re.search(r"Malformed JSON.*? in (?:record/value|line) (\d+): ([^\n]+?)\.?\s*(?:\n|$)", message):
        number = max(1, int(record[1]) - 1)  # DuckDB counts one too many
        return unusable(path, f"is not valid JSON (record {number:,}: {record[2]})", "correct the file")
    if path.suffix.lower() == ".parquet":
        return unusable(path, "cannot be read as Parquet", "write it again, or check what it holds")
    if path.suffix.lower() in SEPARATED:
        return unusable(path, "cannot be understood as a table", "check its delimiter, its quotes and its encoding")
    return unusable(path, "cannot be understood as JSON records", "check what it holds")


def _place_of_long(path: Path, limit: int) -> str:
    """The number of the first line that has more bytes. DuckDB cannot count lines if it has not found their ends."""
    number, length = 1, 0
    with path.open("rb") as file:
        while piece := file.readline(limit):
            length += len(piece)
            if length > limit:
                return f" (line {number:,})"
            if piece.endswith(b"\n"):
                number, length = number + 1, 0
    return ""  # a quoted field spans several lines


def check_text(path: Path) -> None:
    """Raise DatabaseUnavailable for problems on which DuckDB's messages are unhelpful."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if not head.strip(b" \t\r\n\xef\xbb\xbf"):
        raise unusable(path, "is empty", "put data into it, or remove it")
    for magic, kind in _MAGIC.items():
        if head.startswith(magic) and (b"xl/" in head or b"[Content_Types].xml" in head):
            raise unusable(path, "is not text but an Excel workbook", "name it .xlsx")
        if head.startswith(magic):
            raise unusable(path, f"is not text but {kind}", "export it as CSV in UTF-8")
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise _not_utf8(path)
    if b"\x00" in head:
        raise unusable(path, "is not text", "check that it is the right file")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError as error:
        raise _not_utf8(path, f" in line {head.count(bytes([10]), 0, error.start) + 1:,}") from error


def _not_utf8(path: Path, where: str = "") -> DatabaseUnavailable:
    return unusable(path, f"is not UTF-8 text{where}", "save it as UTF-8 (in Excel: 'CSV UTF-8')")


def unusable(path: Path, what: str, advice: str) -> DatabaseUnavailable:
    return DatabaseUnavailable(f"{path.name} {what}: {advice}.")
