"""The table of a file: its columns, and the SQL that reads them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from executors.engines.common.local.files import quote_name
from executors.engines.duckdb.engine import literal

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SAMPLED_LINES = 20_480
ZONED = "TIMESTAMP WITH TIME ZONE"  # DuckDB would convert it to UTC


class FileTable(NamedTuple):
    """A file that can be read.

    columns: Names and DuckDB types of its columns.
    reader: The table function that reads the file, with fixed types.
    expressions: SQL over `reader` for each column, with its name. Empty if the columns are read as they are.
    valueless: Columns of texts without any value.
    whole: Whether the whole file was read.
    notes: Notes on columns: the unit, the order of dates.
    orders, units: The first part of a column's dates (day, month or year); the unit of a column's numbers.
    reasons: Why columns that look like numbers stay text.
    problems, remarks: Problems of the file, and remarks on how it was read, one sentence each.
    delimiter, decimal: Delimiter of a CSV file; a comma if its numbers have a decimal comma.
    header: Whether its first row has the names of the columns. path: The rewritten copy that is read instead of a file.
    """

    columns: tuple[tuple[str, str], ...]
    reader: str
    whole: bool
    expressions: tuple[str, ...] = ()
    valueless: tuple[str, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()
    delimiter: str = ""
    decimal: str = ""
    orders: tuple[tuple[str, str], ...] = ()
    units: tuple[tuple[str, str], ...] = ()
    reasons: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = ()
    header: bool = True
    path: Path | None = None

    @property
    def select(self) -> str:
        """The select list over `reader`."""
        return ", ".join(self.expressions) or "*"


# Texts that mean a missing value in a column of numbers or dates: `N/A`, `-`, `null`, `k. A.`, and Excel's errors.
_ABSENT = (
    r"(?i)^(?:#?n\.?/?a\.?|#n/?v|k\.\s?a\.|keine angaben?|s/d|null|none|nil|nan|[-+]?inf(?:inity)?|unknown|[-–—]{1,3}|"
    r"\?|#(?:div/0|ref|value|name|num|null|wert|bezug|zahl)[!?])$"
)


def fetch_row(connection: DuckDBPyConnection, sql: str) -> tuple[Any, ...]:
    """The single row of an aggregate."""
    row: tuple[Any, ...] | None = connection.execute(sql).fetchone()
    assert row is not None  # noqa: S101  an aggregate has one row
    return row


def value_of(column: str) -> str:
    """The SQL of a column's trimmed text. It is empty for texts that mean a missing value."""
    text = f"trim({quote_name(column)})"
    return f"(CASE WHEN regexp_matches({text}, '{_ABSENT}') THEN '' ELSE {text} END)"


def absent_note(connection: DuckDBPyConnection, reader: str, column: str) -> str:
    """A sentence on the number of texts in a column that mean a missing value. Empty if there are none."""
    text = f"trim({quote_name(column)})"
    absent = f"FROM {reader} WHERE regexp_matches({text}, '{_ABSENT}')"
    count, one = fetch_row(connection, f"SELECT count(*), min({text}) {absent}")
    return absent_sentence(count, one) if count else ""


def absent_sentence(count: int, one: str) -> str:
    """A sentence on texts that mean a missing value. Args: one: one of them."""
    return f"Read as empty: {count:,} {'value' if count == 1 else 'values'} such as {one}."


def describe(connection: DuckDBPyConnection, reader: str) -> FileTable:
    rows = connection.execute(f"DESCRIBE SELECT * FROM {reader}").fetchall()
    return FileTable(tuple((row[0], row[1]) for row in rows), reader, whole=True)


def pin(columns: tuple[tuple[str, str], ...]) -> str:
    return "{" + ", ".join(f"{quote_name(name)}: {literal(kind)}" for name, kind in columns) + "}"


def as_texts(columns: tuple[tuple[str, str], ...], *kinds: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, "VARCHAR" if kind in kinds else kind) for name, kind in columns)


def check_values(path: Path, table: FileTable) -> FileTable:
    """The table of a file whose last lines were not read. If a column of integers has another value, such as 2.5 or
    007, a query raises an error, and `FilesExecutor` infers the types from all lines. DuckDB would round it. Times with
    an offset keep their wall time, and NaN is no value."""
    kinds = dict(table.columns)
    fault = literal(f"CSV Error on Line: a value of {path} is no integer")
    selected, notes = [], dict[str, str]()
    for name, kind in kinds.items():
        text, number = quote_name(name), f"TRY_CAST({quote_name(name)} AS BIGINT)"
        expression = text
        if kind == "BIGINT":
            expression = (
                f"CASE WHEN {text} IS NULL OR trim({text}) = '' THEN NULL "
                f"WHEN CAST({number} AS VARCHAR) = trim({text}) THEN {number} ELSE CAST(error({fault}) AS BIGINT) END"
            )
        elif kind == "DOUBLE":
            expression = f"CASE WHEN isfinite({text}) THEN {text} END"
        elif kind == ZONED:
            expression, kinds[name] = f"CAST({text} AS TIMESTAMP)", "TIMESTAMP"
            notes[name] = "Times are as written, without their offset from UTC."
        selected.append(f"{expression} AS {text}")
    read = tuple((name, "VARCHAR" if kind in ("BIGINT", ZONED) else kind) for name, kind in table.columns)
    return table._replace(
        columns=tuple(kinds.items()),
        reader=table.reader.replace(pin(table.columns), pin(read)),
        expressions=tuple(selected),
        notes=tuple(notes.items()),
    )
