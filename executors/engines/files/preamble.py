"""Detects lines before a table's header: titles, the date of an export, `sep=;`, empty lines."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

DELIMITERS = ",;\t|"
_HEAD_CHARACTERS = 64 * 1024
_MOST_LINES = 200  # lines that are read
_MOST_SHARE = 0.5  # minimum share of rows that have as many fields as the table has columns
_SHOWN = 3  # lines in a sentence
_LONGEST = 80  # characters of a line in a sentence
_VALUE = re.compile(r"\W*\d[\d\s.,:'’/T-]*\W*")  # a number, a date or a time, which is not a column's name
_WHOLE = re.compile(r"\d{1,4}")
_YEARS = (1900, 2100)
_FEWEST = 2  # numbers that make a header
_MOST_NAMES = 6  # names in a sentence
_DECIMAL = re.compile(r"[-+]?\d[\d.]*,\d+")


class Preamble(NamedTuple):
    """The number of lines before the header, and the delimiter of the table."""

    lines: int
    delimiter: str


def preamble_of(path: Path, among: str = DELIMITERS) -> Preamble | None:
    """The lines before the header of a UTF-8 CSV file. None if the header is the first line, or cannot be detected.

    The header is the first row whose fields are all names. Rows before it have at most half as many values.
    Args: among: possible delimiters.
    """
    lines = _head(path)
    found = [(width, it) for it in among if (width := _width(_rows(lines, it)))]
    if not found:
        return None
    width, delimiter = max(found)
    for fields, end in _rows(lines, delimiter):
        filled = [field.strip() for field in fields if field.strip()]
        differ = len({name.casefold() for name in filled}) == len(filled)
        names = not any(map(_VALUE.fullmatch, filled)) or _have_years(fields)
        if len(fields) == len(filled) == width and differ and names:
            before = end - 1 - sum(field.count("\n") for field in fields)
            return Preamble(before, delimiter) if before else None
        if len(filled) > width // 2:
            return None
    return None


def straight_delimiter(path: Path, among: str) -> str:
    """The delimiter with which the first line has as many fields as most rows. Empty if there is none."""
    lines, found = _head(path), []
    for delimiter in among:
        widths = [len(fields) for fields, _ in _rows(lines, delimiter)]
        share = widths.count(widths[0]) / len(widths) if widths else 0
        if len(widths) > 1 and widths[0] > 1 and share >= _MOST_SHARE:
            found.append((share, widths[0], delimiter))
    return max(found)[2] if found else ""


def is_counted_header(path: Path, delimiter: str, skip: int) -> bool:
    """Whether the first row is a header of years or numbers: `Product,2021,2022`. The second row has other values."""
    rows = [[field.strip() for field in fields] for fields, end in _rows(_head(path), delimiter) if end > skip][:2]
    return len(rows) > 1 and any(test(rows[0]) and not test(["", *rows[1][1:]]) for test in (_have_years, _count_up))


def _have_years(fields: list[str]) -> bool:
    """Whether a row has a text or nothing, and then different years."""
    numbers = _numbers_after_text(fields)
    years = all(_YEARS[0] <= it <= _YEARS[1] for it in numbers)
    return bool(numbers) and years and len(set(numbers)) == len(numbers)


def _count_up(fields: list[str]) -> bool:
    """Whether a row has a text or nothing, and then numbers that rise by one."""
    numbers = _numbers_after_text(fields)
    return bool(numbers) and numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def _numbers_after_text(fields: list[str]) -> list[int]:
    first, *rest = [field.strip() for field in fields]
    if len(rest) < _FEWEST or _VALUE.fullmatch(first) or not all(map(_WHOLE.fullmatch, rest)):
        return []
    return list(map(int, rest))


def describe_header(path: Path, columns: Sequence[tuple[str, str]], *, is_first: bool, found: bool) -> tuple[str, ...]:
    """A sentence on the header if its table cannot show whether it has one.
    Args: is_first: whether it is the first line of the file; found: whether there is a header."""
    if not found:
        return (f"{path.name}: it has no header; its columns are named {columns[0][0]} to {columns[-1][0]}.",)
    if is_first and len(columns) > 1 and all(kind == "VARCHAR" for _, kind in columns):
        shown = ", ".join(name for name, _ in columns[:_MOST_NAMES]) + (" …" if len(columns) > _MOST_NAMES else "")
        return (f"{path.name}: the first line was read as the header: {shown}.",)
    return ()


def describe_renamed(path: Path, fields: Sequence[str], columns: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """A sentence on columns whose names DuckDB has changed, because they are there twice.
    Args: fields: of the header."""
    if len(fields) != len(columns):
        return ()
    bare = [field.strip().strip('"') for field in fields]
    changed = [f"{old} to {name}" for old, (name, _) in zip(bare, columns, strict=True) if old and old != name.strip()]
    shown = ", ".join(changed[:_MOST_NAMES]) + (" …" if len(changed) > _MOST_NAMES else "")
    return (f"{path.name}: columns are renamed: {shown}.",) if changed else ()


def is_column_of_decimals(path: Path) -> bool:
    """Whether a UTF-8 CSV file is one column of numbers with a decimal comma, so that `1,5` is not two fields."""
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        name, *values = [it.strip() for it in file.read(_HEAD_CHARACTERS).splitlines()[:_MOST_LINES]] or [""]
    filled = [it for it in values if it]
    return bool(name and filled) and not set(name) & set(DELIMITERS) and all(map(_DECIMAL.fullmatch, filled))


def describe_skipped_lines(path: Path, count: int) -> str:
    """A sentence on the lines before the header, with their texts. Args: path: a file in UTF-8."""
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        texts = [text for line in islice(file, count) if (text := line.strip(" \t\r\n,;|"))]
    shown = ", ".join(f"“{text[:_LONGEST]}{'…' if len(text) > _LONGEST else ''}”" for text in texts[:_SHOWN])
    more = f" and {len(texts) - _SHOWN:,} more" if len(texts) > _SHOWN else ""
    lines = "line before the header was" if count == 1 else "lines before the header were"
    return f"{path.name}: {count:,} {lines} not read as rows: {shown + more if shown else 'they are empty'}."


def _head(path: Path) -> list[str]:
    """The first lines of a UTF-8 file, without one that is cut off."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        lines = file.read(_HEAD_CHARACTERS).splitlines(keepends=True)
    return lines[:-1] if len(lines) > 1 and not lines[-1].endswith(("\n", "\r")) else lines


def _rows(lines: list[str], delimiter: str) -> list[tuple[list[str], int]]:
    """The rows that are not empty, each with the number of its last line."""
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        return [(row, reader.line_num) for row in islice(reader, _MOST_LINES) if row]
    except csv.Error:  # a field of more than 128 KB is not a title
        return []


def _width(rows: list[tuple[list[str], int]]) -> int:
    """The number of fields of at least half of the rows. 0 if the rows differ more, or if there is only one column."""
    counts = Counter(len(fields) for fields, _ in rows)
    width, count = counts.most_common(1)[0] if counts else (0, 0)
    return width if width > 1 and count >= _MOST_SHARE * len(rows) else 0
