"""Finds the rows below a table's data: totals and footnotes, in CSV files and sheets.

A footnote is a line with one text that is not a value of its column. A total has a label, and each of its numbers is
the sum or the average of those above. Rows with such a label that prove nothing are kept, and reported.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from executors.engines.common.local.files import quote_name
from executors.engines.duckdb.engine import literal
from executors.engines.files.file_table import FileTable, fetch_row

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_TAIL_BYTES = 64 * 1024
_MOST_ROWS = 20  # rows below the data
_FEWEST = 2  # minimum number of rows above them
_SHOWN = 3  # texts in a sentence
_LONGEST = 80  # characters of a text in a sentence
_PIECE = 1024 * 1024
_MOST_TOTALS = 0.34  # larger share of labels that are values
_SURE = (
    r"(?:grand |sub-?|zwischen|end|gesamt)?(?:total[es]?|totaux|summen?|sums?)|insgesamt|somm[ea]|suma|"
    r"gesamt(?:ergebnis|betrag|umsatz|wert|zahl)?|zwischenergebnis"
)
_ANY = rf"{_SURE}|ergebnis|alle|durchschnitt|mittelwert|average|mean|moyenne|promedio|media|ø"
_AFTER = r"\b\W*(?:\w+\W*)?"  # a unit or a year
_ASIAN = "합계|총계|总计|合计|小计|소계"
_IS_TOTAL = rf"(?i)^\W*(?:(?:{_ANY}){_AFTER}|(?:{_ASIAN}).*)$"
_IS_SURE = rf"(?i)^\W*(?:(?:{_SURE}){_AFTER}|(?:{_ASIAN}).*)$"
_IS_ANY = rf"(?i)^\W*(?:(?:[^\d]{{1,40}} )?(?:{_ANY}){_AFTER}|(?:{_ASIAN}).*)$"
_VALUE = re.compile(r"\W*\d[\d\s.,:'’/T-]*[^\w\s]*(?:\s?\w{1,3})?")
_NOTE = re.compile(
    r"(?i)\W*(?:quellen?|sources?|stand|hinweise?|anmerkung(?:en)?|notes?|fu(?:ß|ss)note|fuente|fonte)\b.*"
)
_SIGN = re.compile(r"[*†©_=–—-]|\(c\)|\d\)|\(\d")
_NUMBERS = re.compile(r"BIGINT|DOUBLE|DECIMAL.*|HUGEINT|INTEGER")


class Tail(NamedTuple):
    """The rows below the data. data_end, totals_end: the file's bytes up to the end of the data, and of its totals."""

    data_end: int
    totals_end: int
    totals: tuple[list[str], ...]
    notes: tuple[str, ...]


class _Row(NamedTuple):
    """A row near the end of a file. start: its offset."""

    start: int
    fields: list[str]

    @property
    def values(self) -> list[str]:
        return [field for field in self.fields if field]


def read_tail(path: Path, delimiter: str, skip: int) -> Tail | None:
    """The totals and footnotes at the end of a UTF-8 CSV file. None if it has neither.
    Args: skip: number of lines before the header."""
    rows = list(_last_rows(path, delimiter, skip))
    widths = [len(row.fields) for row in rows if len(row.values) > 1]
    width = max(set(widths), key=widths.count) if widths else 0
    if width <= 1:
        return None
    size = path.stat().st_size
    at, notes, totals, end = len(rows), list[str](), list[list[str]](), size
    for at in range(len(rows) - 1, -1, -1):
        row = rows[at]
        if not row.values:
            continue
        if totals or not _is_note(row, rows[:at], width):
            break
        notes.insert(0, row.values[0])
        end = row.start
    else:
        return None
    totals_end = end
    while at >= 0 and _label(rows[at].fields, _IS_TOTAL) and sum(map(bool, map(_readings, rows[at].values))):
        totals.insert(0, rows[at].fields)
        end, at = rows[at].start, at - 1
        while at >= 0 and not rows[at].values:
            at -= 1
    above = sum(bool(row.values) for row in rows[: at + 1])
    if above < _FEWEST:
        return Tail(totals_end, totals_end, (), tuple(notes)) if notes else None
    return Tail(end, totals_end, tuple(totals), tuple(notes)) if totals or notes else None


def _last_rows(path: Path, delimiter: str, skip: int) -> Iterator[_Row]:
    """The last rows of a file, without its header. None of them may be a part of a field of several lines."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        start = max(0, size - _TAIL_BYTES)
        file.seek(start)
        lines = file.read().splitlines(keepends=True)
    lines, before = (lines[1:], len(lines[0])) if start else (lines[skip + 1 :], sum(map(len, lines[: skip + 1])))
    found, place = list[_Row](), start + before + sum(map(len, lines))
    for line in reversed(lines[-_MOST_ROWS * 2 :]):
        if line.count(b'"') % 2:
            break
        place -= len(line)
        fields = next(csv.reader([line.decode("utf-8-sig", errors="replace")], delimiter=delimiter), [])
        found.append(_Row(place, [field.strip() for field in fields]))
    yield from reversed(found)


def _is_note(row: _Row, above: Sequence[_Row], width: int) -> bool:
    """Whether a row is a text that is no row of the table: a longer one in fewer fields, apart, or one that says so."""
    if len(row.values) != 1 or _VALUE.fullmatch(row.values[0]) or not above or _label(row.fields):
        return False
    text = row.values[0]
    column = next(at for at, field in enumerate(row.fields) if field)
    values = [it.fields[column] for it in above if len(it.values) > 1 and column < len(it.fields) and it.fields[column]]
    other = len(values) >= _FEWEST and all(map(_VALUE.fullmatch, values))
    short = len(row.fields) < width and len(text) > max(map(len, values), default=0)  # else a row that lacks fields
    return short or not above[-1].values or other or bool(_NOTE.fullmatch(text) or _SIGN.match(text))


def _label(fields: Sequence[str], pattern: str = _IS_ANY) -> str:
    """The label of a total: the first text of a row. Empty if it has none."""
    text = next((field for field in fields if field), "")
    return text if re.match(pattern, text) else ""


def _readings(text: str) -> list[float]:
    """The numbers that a text may mean, with a decimal point and with a decimal comma."""
    if not _VALUE.fullmatch(text.strip("()-−–+ €$£¥")):
        return []
    sign = -1 if re.search(r"[-−(]", text) else 1
    bare = re.sub(r"[^\d.,]", "", text).strip(".,")
    found = []
    for thousands, decimal in ((",", "."), (".", ",")):
        digits = bare.replace(thousands, "").replace(decimal, ".")
        if digits.count(".") <= 1 and (decimal not in bare or thousands not in bare.partition(decimal)[2]):
            found.append(sign * float(digits))
    return found


def cut_file(path: Path, end: int, folder: Path) -> Path:
    """Write the first bytes of a file to `folder`."""
    target = folder / f"cut_{path.name}"
    with path.open("rb") as source, target.open("wb") as out:
        while piece := source.read(min(_PIECE, end)):
            out.write(piece)
            end -= len(piece)
    return target


def are_totals(connection: DuckDBPyConnection, found: FileTable, totals: Sequence[Sequence[str]]) -> bool:
    """Whether each number of these rows is the sum, or each the average, of its column.
    Args: found: the table without these rows."""
    numbers = [at for at, (_, kind) in enumerate(found.columns) if _NUMBERS.fullmatch(kind)]
    if not numbers:
        return False
    names = [quote_name(found.columns[at][0]) for at in numbers]
    wanted = ", ".join(f"CAST({which}({name}) AS DOUBLE)" for name in names for which in ("sum", "avg"))
    row = fetch_row(connection, f"SELECT count(*), {wanted} FROM (SELECT {found.select} FROM {found.reader})")
    count, sums, averages = row[0], row[1::2], row[2::2]
    return count >= _FEWEST and all(any(_agrees(total, numbers, each) for each in (sums, averages)) for total in totals)


def _agrees(total: Sequence[str], numbers: Sequence[int], wanted: Sequence[float | None]) -> bool:
    cells = [(total[at], it) for at, it in zip(numbers, wanted, strict=True) if at < len(total) and total[at]]
    cells = [(text, it) for text, it in cells if not _label([text])]
    return any(it for _, it in cells) and all(
        it is not None and any(math.isclose(it, one, rel_tol=1e-9, abs_tol=0.006) for one in _readings(text))
        for text, it in cells
    )


def describe_tail(path: Path, tail: Tail, *, proven: bool) -> list[str]:
    """Sentences on the rows that are set aside."""
    found = []
    if tail.totals and proven:
        rows = "its last row has the sums of the others, and is not read as one"
        if len(tail.totals) > 1:
            rows = f"its last {len(tail.totals)} rows have the sums of the others, and are not read as rows"
        found.append(f"{path.name}: {rows}.")
    if tail.notes:
        shown = ", ".join(f"“{it[:_LONGEST]}{'…' if len(it) > _LONGEST else ''}”" for it in tail.notes[:_SHOWN])
        more = f" and {len(tail.notes) - _SHOWN:,} more" if len(tail.notes) > _SHOWN else ""
        what = "1 line below the data was" if len(tail.notes) == 1 else f"{len(tail.notes)} lines below the data were"
        found.append(f"{path.name}: {what} not read as rows: {shown}{more}.")
    return found


def describe_totals(connection: DuckDBPyConnection, path: Path, found: FileTable) -> list[str]:
    """A sentence on the rows of a table whose labels are those of totals. Empty if there are none."""
    texts = [quote_name(name) for name, kind in found.columns if not _NUMBERS.fullmatch(kind)]
    if not any(kind == "VARCHAR" for _, kind in found.columns) or len(texts) == len(found.columns):
        return []
    label = f"trim(coalesce({', '.join(f'CAST({it} AS VARCHAR)' for it in texts)}))"
    empty = " OR ".join(f"{it} IS NULL" for it in texts)
    sure, likely = (f"regexp_matches({label}, {literal(it)})" for it in (_IS_SURE, _IS_ANY))
    alone = "false" if len(texts) == 1 else f"({likely} AND ({empty}))"
    rows, count, one = fetch_row(
        connection,
        f"SELECT count(*), count(*) FILTER (total), list(DISTINCT label ORDER BY label) FILTER (total) FROM "
        f"(SELECT {label} AS label, {sure} OR {alone} AS total FROM (SELECT {found.select} FROM {found.reader}))",
    )
    if not count or count > _MOST_TOTALS * rows:
        return []
    shown = ", ".join(it[:_LONGEST] for it in one[:_SHOWN]) + (" …" if len(one) > _SHOWN else "")
    what = "1 row looks like a total" if count == 1 else f"{count:,} rows look like totals"
    return [f"{path.name}: {what} ({shown}); {'it is' if count == 1 else 'they are'} counted."]
