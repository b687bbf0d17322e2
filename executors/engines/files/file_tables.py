"""Finds the columns of a data file, and the SQL that reads it as a table without detecting types again.

Types are inferred from the first lines. Files up to `WHOLE_BYTES` are then read once with these types, and a value that
does not fit widens its column. In a larger file, this happens when a query reads such a line. Files are streamed, so
memory does not grow with their size.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from executors.engines.common.local.files import quote_name
from executors.engines.duckdb.engine import literal
from executors.engines.files.file_table import (
    SAMPLED_LINES,
    ZONED,
    FileTable,
    absent_sentence,
    as_texts,
    check_values,
    describe,
    fetch_row,
    pin,
)
from executors.engines.files.file_tail import are_totals, cut_file, describe_tail, describe_totals, read_tail
from executors.engines.files.json_tables import read_records
from executors.engines.files.preamble import (
    DELIMITERS,
    Preamble,
    describe_header,
    describe_renamed,
    describe_skipped_lines,
    is_column_of_decimals,
    is_counted_header,
    preamble_of,
    straight_delimiter,
)
from executors.engines.files.prepared import SheetFormats, even_out_rows
from executors.engines.files.unreadable import HEAD_BYTES, NO_SUCH_VALUE, SEPARATED, check_text, unreadable, unusable
from executors.engines.files.values.typed_columns import cast_texts
from executors.engines.files.values.written_dates import columns_of_dates, detect_date_format
from executors.engines.files.values.written_numbers import not_integers, open_doubles
from executors.errors import DatabaseUnavailable, is_disk_full

if TYPE_CHECKING:
    import duckdb
    from duckdb import DuckDBPyConnection

MOST_COLUMNS = 2000  # of a table; SQLite has the same limit, and a wider table is a matrix
WHOLE_BYTES = 64 * 1024 * 1024
_REPORT_BYTES = 16 * 1024 * 1024  # a larger file is no report with totals between its rows
BUFFER_BYTES = 8 * 1024 * 1024  # DuckDB's default is 32 MB, several times at once; smaller buffers are as fast
_TABS = (".tsv", ".tab")
_NONE = "(empty)"  # DuckDB's value for a file without quotes
_DATED = {"DATE", "TIMESTAMP"}
_DOUBLES = ("DOUBLE", "HUGEINT")
_DAY_OR_MONTH = re.compile(r"%[dm](\W)%[dm]\1%[yY]")  # how a format of dates begins

_STRAY = re.compile("unterminated quote|a quote that is not closed|quote should be followed")
_NO_QUOTES = {"quote": "''", "escape": "''"}
_UNEVEN = "Expected Number of Columns"


class _Sniffed(NamedTuple):
    """DuckDB's detection of a CSV file's format."""

    delimiter: str
    quote: str
    escape: str
    skip: int
    header: bool
    columns: tuple[tuple[str, str], ...]
    date_format: str | None
    timestamp_format: str | None

    @property
    def numbers(self) -> int:
        """The number of columns that are not text."""
        return sum(kind != "VARCHAR" for _, kind in self.columns)


def inspect(
    connection: DuckDBPyConnection, path: Path, *, whole: bool = False, folder: Path | None = None, first: str = ""
) -> FileTable:
    """Infer the columns of a file.
    Args: whole: whether to read the whole file even if it is large; folder: where a file with uneven rows may be
    rewritten; first: "day" or "month", for dates that can be read in both ways.
    Raises DatabaseUnavailable: names the file, the problem, and what to do."""
    found = _inspect(connection, path, whole=whole, folder=folder, first=first)
    _check_width(path, len(found.columns))
    return found


def _inspect(connection: DuckDBPyConnection, path: Path, *, whole: bool, folder: Path | None, first: str) -> FileTable:
    import duckdb

    try:
        size = path.stat().st_size
        if not size:
            raise unusable(path, "is empty", "put data into it, or remove it")
        whole = whole or size <= WHOLE_BYTES
        suffix = path.suffix.lower()
        if suffix == ".parquet":
            return describe(connection, f"read_parquet({literal(str(path))}, hive_partitioning = false)")
        check_text(path)
        if suffix not in SEPARATED:
            return cast_texts(connection, path, read_records(connection, path, whole), first)
        if folder is None or not whole:
            return _read_separated(connection, path, whole, folder, first)
        try:
            return _without_tail(connection, path, folder, first)
        except (duckdb.Error, DatabaseUnavailable) as error:
            found = _with_stray_quotes(connection, path, first) if _STRAY.search(str(error)) else None
            if found is None:
                raise
            return found
    except OSError as error:
        if is_disk_full(error):
            raise
        raise unusable(path, "cannot be opened", "check that it is there and may be read") from error
    except duckdb.OutOfMemoryException as error:
        raise unusable(path, "needs more memory than there is", "raise PLUMBLINE_DUCKDB_MEMORY") from error
    except duckdb.Error as error:
        raise unreadable(path, str(error)) from error


def _without_tail(connection: DuckDBPyConnection, path: Path, folder: Path, first: str) -> FileTable:
    """The table of a CSV file without the totals and footnotes below its data."""
    look, read = _first_look(path), partial(_read_separated, connection, whole=True, folder=folder, first=first)
    tail = read_tail(path, look.delimiter, look.skip) if look.delimiter else None
    if tail is None:
        found, remarks = read(path), list[str]()
    else:
        cut = cut_file(path, tail.data_end, folder)
        found = read(cut)
        proven = not tail.totals or are_totals(connection, found, tail.totals)
        if not proven:
            end = tail.totals_end
            cut = cut_file(path, end, folder) if end < path.stat().st_size else path
            found = read(cut)
        remarks = describe_tail(path, tail, proven=proven)
    totals = describe_totals(connection, path, found) if path.stat().st_size <= _REPORT_BYTES else []
    return found._replace(problems=(*found.problems, *totals), remarks=(*found.remarks, *remarks))


def _read_separated(
    connection: DuckDBPyConnection, path: Path, whole: bool, folder: Path | None, first: str
) -> FileTable:
    """The table of a CSV file, which is rewritten if its rows differ in their number of fields."""
    read, problems, skipped = path, tuple[str, ...](), tuple[str, ...]()
    try:
        found = _csv(connection, path, whole, first)
    except _UnevenRows as error:
        if folder is None or not whole:
            raise
        even = even_out_rows(path, error.delimiter, folder, skip=error.skip)
        read, problems = even.path, even.problems
        skipped = (describe_skipped_lines(path, error.skip),) if error.skip else ()
        found = _csv(connection, read, whole, first)
    found = cast_texts(connection, read, found, first)
    header = describe_header(
        path, found.columns, is_first=not skipped and "skip = 0," in found.reader, found=found.header
    )
    remarks = (*skipped, *found.remarks, *header)
    return found._replace(path=read, problems=(*problems, *found.problems), remarks=remarks)


def apply_formats(path: Path, found: FileTable, formats: SheetFormats) -> FileTable:
    """The table of a sheet with what the formats of its cells show: units, and digits that are texts, as codes are."""
    columns, notes, reasons = list(found.columns), dict(found.notes), dict(found.reasons)
    expressions = list(found.expressions) or [quote_name(name) for name, _ in columns]
    units, problems = dict(found.units), list(found.problems)
    for at, (name, kind) in enumerate(found.columns):
        if kind == "BIGINT" and at not in formats.numbers and name not in notes:
            columns[at], quoted = (name, "VARCHAR"), quote_name(name)
            expressions[at] = f"CAST({quoted} AS VARCHAR) AS {quoted}"
            reasons[name] = "Kept as text: its cells are texts with digits alone, as codes are."
        elif kind not in ("VARCHAR", "BOOLEAN") and name not in units and (unit := dict(formats.units).get(at)):
            units[name] = unit
            notes[name] = "Its cells are shown in %: 0.5 is 50 %." if unit == "%" else f"Its cells are shown in {unit}."
        elif several := dict(formats.several).get(at):
            problems.append(f"{path.name}: {name}: its cells are shown in several units: {', '.join(several)}.")
    return found._replace(
        columns=tuple(columns),
        expressions=tuple(expressions),
        notes=tuple(notes.items()),
        reasons=tuple(reasons.items()),
        units=tuple(units.items()),
        problems=tuple(problems),
        delimiter="",
    )


def _with_stray_quotes(connection: DuckDBPyConnection, path: Path, first: str) -> FileTable | None:
    """The table of a CSV file with a quote that is not closed or not doubled. None if that would cost a row."""
    import duckdb

    look = _first_look(path)
    with path.open("rb") as file:
        lines = sum(bool(line.strip()) for line in islice(file, look.skip, None))
    ways = (({"strict_mode": "false"}, "one is not closed or not doubled"), (_NO_QUOTES, "they stay in the texts"))
    for options, how in ways:
        try:
            found = _csv(connection, path, True, first, more=options)
            (rows,) = fetch_row(connection, f"SELECT count(*) FROM {found.reader}")
        except (duckdb.Error, DatabaseUnavailable):
            continue
        if rows == lines - found.header:
            found = cast_texts(connection, path, found, first)
            return found._replace(problems=(f"{path.name}: its quotes are wrong: {how}. Check them.", *found.problems))
    return None


class _Look(NamedTuple):
    """What the first lines of a CSV file show: the delimiter (empty if none), and the lines before the header."""

    delimiter: str
    before: Preamble | None

    @property
    def skip(self) -> int:
        """The number of lines before the header."""
        return self.before.lines if self.before else 0


def _first_look(path: Path) -> _Look:
    among = "\t" if path.suffix.lower() in _TABS else DELIMITERS
    straight, before = straight_delimiter(path, among), preamble_of(path, among)
    if before and straight in ("", before.delimiter):
        return _Look(before.delimiter, before)
    return _Look(straight, None)


def _csv(
    connection: DuckDBPyConnection, path: Path, whole: bool, first: str, more: Mapping[str, str] = MappingProxyType({})
) -> FileTable:
    """The table of a CSV file. Args: more: options for DuckDB."""
    import duckdb

    look = _first_look(path)
    before, skip, straight = look.before, look.skip, look.delimiter
    header = _line_after(path, skip)
    _check_width(path, max(header.count(it) for it in DELIMITERS) + 1)  # inspecting that many would take minutes
    given = {"sample_size": str(SAMPLED_LINES), "comment": "''", **more}  # lines that begin with # are rows
    if path.suffix.lower() in _TABS:
        given["delim"] = "'\t'"
    if straight and not before:
        given["delim"] = literal(straight)
    if is_column_of_decimals(path):
        before, skip = None, 0
        given |= {"delim": "';'", "header": "true"}
    if before:
        given |= {"skip": str(skip), "delim": literal(before.delimiter), "header": "true"}
    try:
        found = _sniff(connection, path, given)
    except duckdb.Error:
        _check_fields(connection, path, header, skip)
        _sniff(connection, path, {"sample_size": str(SAMPLED_LINES)})  # its error is more precise
        raise
    # A line with more or fewer fields makes DuckDB's sniffer miss the delimiter, or skip the lines before it.
    if (len(found.columns) == 1 and _delimiters(found.columns[0][0])) or (found.skip > skip and _delimiters(header)):
        _check_fields(connection, path, header, skip)
    if not found.header and (
        _names_only(header.split(found.delimiter))
        or (found.skip == skip and is_counted_header(path, found.delimiter, skip))
    ):
        given["header"] = "true"
        found = _sniff(connection, path, given)
    comma = {"decimal_separator": "','"}
    if found.delimiter == ";" and (better := _sniff(connection, path, given | comma)).numbers > found.numbers:
        found = better
    else:
        comma = {}
    comma |= more
    skipped = (describe_skipped_lines(path, found.skip),) if found.skip else ()
    renamed = describe_renamed(path, header.split(found.delimiter), found.columns) if found.header else ()
    table = _read(connection, path, found, comma, whole, first)
    table = table._replace(remarks=(*skipped, *renamed, *table.remarks))
    return table if whole else check_values(path, table)


def _read(
    connection: DuckDBPyConnection, path: Path, found: _Sniffed, comma: Mapping[str, str], whole: bool, first: str
) -> FileTable:
    """The detected table, in which dates and numbers that DuckDB might misread are texts."""
    if whole:
        found = found._replace(columns=as_texts(found.columns, ZONED))
    if dated := _dates_as_texts(found):
        read = _with_texts(connection, path, dated, comma) if whole else _reader(path, dated, comma)
        if whole and all(it in read.columns or it[1] in _DATED or it[1] == "DOUBLE" for it in found.columns):
            names = [name for name, kind in found.columns if kind in _DATED]
            dates = set(columns_of_dates(connection, read.reader, names).numbered)
            if dates == set(names) or {".", "y"} <= set(found.date_format or ""):  # 1.2.10 is no date
                return read
        elif not whole or first:
            found = _with_order(connection, read, found, first)
    return _with_texts(connection, path, found, comma) if whole else _reader(path, found, comma)


def _dates_as_texts(found: _Sniffed) -> _Sniffed | None:
    """The columns with dates as texts, if the dates begin with a day, a month or a two-digit year. Else None."""
    if all(it is None or it.startswith("%Y") for it in (found.date_format, found.timestamp_format)):
        return None
    columns = tuple((name, "VARCHAR" if kind in _DATED else kind) for name, kind in found.columns)
    return found._replace(columns=columns, date_format=None, timestamp_format=None)


def _with_order(connection: DuckDBPyConnection, texts: FileTable, found: _Sniffed, first: str) -> _Sniffed:
    """Correct DuckDB's formats of dates to the order in the first lines: of dates with a two-digit year first, and of
    those that `first` decides."""
    forms = {"DATE": found.date_format or "", "TIMESTAMP": found.timestamp_format or ""}
    sample = f"(SELECT * FROM {texts.reader} LIMIT {SAMPLED_LINES})"
    for kind, form in forms.items():
        if not form.startswith("%y") and not (first and _DAY_OR_MONTH.match(form)):
            continue
        names = columns_of_dates(connection, sample, [name for name, it in found.columns if it == kind]).numbered
        dates = [detect_date_format(connection, sample, name, first=first) for name in names]
        orders = {date.order for date in dates if date and date.order}
        if len(orders) == 1 and orders != {"year"}:
            parts = ("%d", "%m") if orders == {"day"} else ("%m", "%d")
            forms[kind] = form[2].join((*parts, "%Y" if "%Y" in form else "%y")) + form[8:]
    return found._replace(date_format=forms["DATE"] or None, timestamp_format=forms["TIMESTAMP"] or None)


class _UnevenRows(DatabaseUnavailable):
    """The rows of a CSV file differ in their number of fields."""

    delimiter, skip = ",", 0

    @classmethod
    def of(cls, path: Path, error: duckdb.Error, delimiter: str, skip: int) -> _UnevenRows:
        """DuckDB's error on such rows, with the delimiter and the number of lines before the header."""
        found = cls(str(unreadable(path, str(error))))
        found.delimiter, found.skip = delimiter, skip
        return found


def _with_texts(connection: DuckDBPyConnection, path: Path, found: _Sniffed, more: Mapping[str, str]) -> FileTable:
    """Read the whole file once. Columns that must not be numbers become texts, and integers with decimals DOUBLE."""
    table = _widen(connection, path, found, more)
    integers, doubles = ([name for name, it in table.columns if it in kinds] for kinds in (("BIGINT",), _DOUBLES))
    if not integers and not doubles:
        return table
    texts = _reader(path, _retype(found, table, dict.fromkeys([*integers, *doubles], "VARCHAR")), more).reader
    others = not_integers(connection, texts, integers)
    names = open_doubles(connection, texts, [*doubles, *others], thousands=found.delimiter != ",")
    types = dict.fromkeys(others, "DOUBLE") | dict.fromkeys(names, "VARCHAR")
    return _widen(connection, path, _retype(found, table, types), more) if types else table


def _retype(found: _Sniffed, table: FileTable, types: Mapping[str, str]) -> _Sniffed:
    return found._replace(columns=tuple((name, types.get(name, kind)) for name, kind in table.columns))


def _widen(connection: DuckDBPyConnection, path: Path, found: _Sniffed, more: Mapping[str, str]) -> FileTable:
    """Read the whole file once. If a column has values of another type, widen its type and read the file again."""
    import duckdb

    while True:
        table = _reader(path, found, more)._replace(whole=True)
        counted = ", ".join(f"count({quote_name(name)})" for name, _ in table.columns)
        empty = " AND ".join(f"{quote_name(name)} IS NULL" for name, _ in table.columns)
        doubles = [name for name, kind in table.columns if kind == "DOUBLE"]
        endless = ", ".join(f"count(*) FILTER (NOT isfinite({quote_name(name)}))" for name in doubles) or "NULL"
        try:
            empties, *counts = fetch_row(
                connection, f"SELECT count(*) FILTER ({empty}), {endless}, {counted} FROM {table.reader}"
            )
        except duckdb.Error as error:
            if _UNEVEN in str(error):
                raise _UnevenRows.of(path, error, found.delimiter, found.skip) from error
            misfit = NO_SUCH_VALUE.search(str(error))
            if misfit is None or misfit[3] == "VARCHAR":
                raise
            wider = "DOUBLE" if misfit[3] == "BIGINT" else "VARCHAR"
            columns = tuple((name, wider if name == misfit[1] else kind) for name, kind in found.columns)
            if columns == found.columns:
                raise
            found = found._replace(columns=columns)
        else:
            table = _without_nan(table, dict(zip(doubles, counts, strict=False)))
            if not empties or len(table.columns) == 1:
                return table
            rows = "1 row without any value is" if empties == 1 else f"{empties:,} rows without any value are"
            reader = f"(SELECT * FROM {table.reader} WHERE NOT ({empty}))"
            return table._replace(reader=reader, remarks=(f"{path.name}: {rows} left out.",))


def _without_nan(table: FileTable, counts: Mapping[str, int]) -> FileTable:
    """The table in which NaN and infinity are no values. Args: counts: how many each column of numbers has."""
    if not any(counts.values()):
        return table
    names = {name: quote_name(name) for name, _ in table.columns}
    return table._replace(
        expressions=tuple(
            f"CASE WHEN isfinite({it}) THEN {it} END AS {it}" if counts.get(name) else it for name, it in names.items()
        ),
        notes=tuple((name, absent_sentence(count, "nan or inf")) for name, count in counts.items() if count),
    )


def _sniff(connection: DuckDBPyConnection, path: Path, options: Mapping[str, str]) -> _Sniffed:
    delimiter, quote, escape, skip, header, columns, date_format, timestamp_format = fetch_row(
        connection,
        "SELECT Delimiter, Quote, Escape, SkipRows, HasHeader, Columns, DateFormat, TimestampFormat "
        f"FROM sniff_csv({_arguments(path, options)})",
    )
    types = tuple((column["name"], column["type"]) for column in columns)
    return _Sniffed(delimiter, quote, escape, skip, header, types, date_format, timestamp_format)


def _reader(path: Path, found: _Sniffed, more: Mapping[str, str]) -> FileTable:
    # A file without quotes in its first lines may have some later.
    quote, escape = ('"', '"') if found.quote == _NONE else (found.quote, found.escape)
    options = {
        "auto_detect": "false",
        "hive_partitioning": "false",  # partitions are added in the same way for all kinds of files
        "delim": literal(found.delimiter),
        "quote": literal(quote),
        "escape": literal("" if escape == _NONE else escape),
        "skip": str(found.skip),
        "buffer_size": str(BUFFER_BYTES),
        "header": str(found.header).lower(),
        "columns": pin(found.columns),
        **more,
    }
    if found.date_format:
        options["dateformat"] = literal(found.date_format)
    if found.timestamp_format:
        options["timestampformat"] = literal(found.timestamp_format)
    decimal = "," if "decimal_separator" in more else ""
    reader = f"read_csv({_arguments(path, options)})"
    return FileTable(
        found.columns, reader, whole=False, delimiter=found.delimiter, decimal=decimal, header=found.header
    )


def _check_width(path: Path, columns: int) -> None:
    if columns > MOST_COLUMNS:
        problem = f"has {columns:,} columns, and a table may have {MOST_COLUMNS:,}"
        raise unusable(path, problem, "keep those that are needed, or turn columns into rows")


def _check_fields(connection: DuckDBPyConnection, path: Path, header: str, skip: int) -> None:
    """Raise for the first line whose number of fields is not the header's. Args: skip: lines before the header."""
    import duckdb

    for delimiter in sorted(_delimiters(header), key=header.count, reverse=True)[:1]:
        columns = tuple((f"c{i}", "VARCHAR") for i in range(header.count(delimiter) + 1))
        options = {
            "auto_detect": "false",
            "header": "true",
            "skip": str(skip),
            "buffer_size": str(BUFFER_BYTES),
            "quote": "'\"'",
            "escape": "'\"'",
        }
        options |= {"delim": literal(delimiter), "columns": pin(columns)}
        try:
            connection.execute(f"SELECT count(*) FROM read_csv({_arguments(path, options)})").fetchone()
        except duckdb.Error as error:
            if _UNEVEN in str(error):
                raise _UnevenRows.of(path, error, delimiter, skip) from error
            raise unreadable(path, str(error)) from error


def _arguments(path: Path, options: Mapping[str, str]) -> str:
    return ", ".join([literal(str(path)), *(f"{option} = {value}" for option, value in options.items())])


def _line_after(path: Path, skip: int) -> str:
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        for _ in range(skip):
            file.readline()
        return file.readline(HEAD_BYTES).rstrip("\n")


def _delimiters(text: str) -> set[str]:
    return set(text) & set(DELIMITERS)


def _names_only(fields: list[str]) -> bool:
    """Whether a first line consists of names, some of which are missing, as pandas writes an unnamed index."""
    named = [field for field in fields if field.strip()]
    return 0 < len(named) < len(fields) and not any(character.isdigit() for field in named for character in field)
