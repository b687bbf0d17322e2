"""The report on a table's files, column by column, with the values that differ from the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from executors.base import ColumnReport, Table, TableReport
from executors.engines.duckdb.engine import literal
from executors.engines.files.file_groups import differences
from executors.engines.files.written_dates import NAMED_DATE
from executors.engines.files.written_numbers import LOOKS_LIKE_NUMBER
from executors.engines.local.files import quote_name

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from executors.engines.files.file_table import FileTable

# What looks like a date: enough to tell which values are of another kind.
_DATE = rf"(?:^\d{{1,4}}[-./]\d{{1,2}}[-./]\d{{1,4}}(\D.*)?$|{NAMED_DATE})"
_MOSTLY = 0.8  # of the values are alike, where the others are told


def table_report(
    cursor: DuckDBPyConnection,
    table: Table,
    *,
    files: Sequence[str],
    encodings: Iterable[str],
    found: Sequence[FileTable],
) -> TableReport:
    """Count what a table holds. Args: table: as it was described; where its rows were not counted, nothing is."""
    counted = _count(cursor, table) if table.row_count is not None else {}
    reasons = {name: reason for it in found for name, reason in it.reasons}
    return TableReport(
        table=table.name,
        files=tuple(files),
        encoding=_one(encodings),
        delimiter=_one(it.delimiter for it in found),
        decimal=_one(it.decimal for it in found),
        rows=table.row_count,
        columns=tuple(
            counted.get(column.name, ColumnReport(name=column.name, type=column.type)).model_copy(
                update={"note": " ".join(filter(None, (column.comment, reasons.get(column.name))))}
            )
            for column in table.columns
        ),
        problems=(
            *dict.fromkeys(sentence for it in found for sentence in (*it.problems, *it.remarks)),
            *(f"{table.name}: {name}: {sentence}" for name, sentence in differences(found).items()),
        ),
    )


def _count(cursor: DuckDBPyConnection, table: Table) -> dict[str, ColumnReport]:
    """Of each column how many rows have a value, and of texts how many look like numbers and dates; in one scan."""
    counts = ["count(*)"]
    for column in table.columns:
        name, is_text = quote_name(column.name), column.type == "VARCHAR"
        text = f"trim({name})"
        counts.append(f"count(nullif({text}, ''))" if is_text else f"count({name})")
        counts += [f"count(*) FILTER (regexp_matches({text}, {literal(it)}))" if is_text else "0" for it in _SHAPES]
    row = cursor.execute(f"SELECT {', '.join(counts)} FROM {quote_name(table.name)}").fetchone()
    assert row is not None  # noqa: S101  an aggregate has one row
    rows, rest = row[0], row[1:]
    found: dict[str, ColumnReport] = {}
    for at, column in enumerate(table.columns):
        values, numbers, dates = rest[3 * at : 3 * at + 3]
        unlike, like = _unlike(values, numbers, dates)
        found[column.name] = ColumnReport(
            name=column.name, type=column.type, values=values, empty=rows - values, unlike=unlike, like=like
        )
    return found


_SHAPES = (LOOKS_LIKE_NUMBER, _DATE)


def _unlike(values: int, numbers: int, dates: int) -> tuple[int, Literal["", "numbers", "dates"]]:
    """How many texts are unlike nearly all the others, which look like dates or numbers."""
    if values and _MOSTLY * values <= dates < values:
        return values - dates, "dates"
    if values and _MOSTLY * values <= numbers < values:
        return values - numbers, "numbers"
    return 0, ""


def _one(found: Iterable[str]) -> str:
    """What all of them say; several joined."""
    return ", ".join(sorted({it for it in found if it}))
