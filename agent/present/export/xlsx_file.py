"""Rows as an Excel file, written by openpyxl: one sheet, a fixed header row, typed columns.

Every text is written as text: one that begins with `=` does not become a formula. Excel keeps 15 digits of a number and
no year before 1900. Longer numbers and older dates are written as text, which loses nothing.
"""

from __future__ import annotations

import datetime as dt
import re
import tempfile
from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from agent.core.errors import NotAcceptable
from agent.present.export.columns import CellKind, ExportColumn, as_decimal, as_text, columns_of
from executors.base import JsonValue, QueryResult

if TYPE_CHECKING:
    from openpyxl.cell import WriteOnlyCell  # type: ignore[import-untyped]

MAX_COLUMNS, MAX_TEXT = 16_384, 32_767  # per sheet; characters per cell
EXACT = Decimal(10) ** 15  # below this, Excel keeps every integer
DIGITS = 15
CHUNK_BYTES = 64 * 1024
SHEET = "Rows"
_LOOKS_ESCAPED = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def xlsx_chunks(result: QueryResult) -> Iterator[bytes]:
    """The file, in pieces. It is written completely before the first piece, because it is a ZIP.

    Raises NotAcceptable if there are too many columns or a text is too long for a sheet.
    """
    from openpyxl import Workbook  # type: ignore[import-untyped]

    columns = columns_of(result)
    if len(columns) > MAX_COLUMNS:
        raise NotAcceptable(f"An Excel sheet has {MAX_COLUMNS} columns at most. Ask for text/csv.")
    if any(len(_escape(text)) > MAX_TEXT for text in _texts(result)):
        raise NotAcceptable(f"A cell of Excel has {MAX_TEXT:,} characters at most; a text is longer. Ask for text/csv.")
    book = Workbook(write_only=True)
    sheet = book.create_sheet(SHEET)
    sheet.freeze_panes = "A2"
    try:
        sheet.append([_text_cell(sheet, name) for name in result.columns])
        for row in result.rows:
            sheet.append([_cell(sheet, column, value) for column, value in zip(columns, row, strict=True)])
        with tempfile.TemporaryFile() as file:
            book.save(file)
            file.seek(0)
            while chunk := file.read(CHUNK_BYTES):
                yield chunk
    finally:
        book.close()


def _cell(sheet: Any, column: ExportColumn, value: JsonValue) -> WriteOnlyCell | None:
    if value is None:
        return None
    native = _native(column.kind, value)
    return _text_cell(sheet, as_text(value) or "") if native is None else _other_cell(sheet, native)


def _native(kind: CellKind, value: JsonValue) -> object | None:
    """The value in Excel's type; None if that would lose something, or it is a text."""
    match kind:
        case CellKind.BOOLEAN:
            return bool(value)
        case CellKind.INTEGER:
            number = as_decimal(value)
            return int(number) if abs(number) < EXACT else None
        case CellKind.DECIMAL:
            number = as_decimal(value)
            return number if len(number.as_tuple().digits) <= DIGITS else None
        case CellKind.DOUBLE:
            return float(value) if isinstance(value, int | float) else None  # NaN is stored as text
        case CellKind.DATE | CellKind.TIMESTAMP | CellKind.INSTANT:
            return _moment(kind, str(value))
        case _:
            return None


def _moment(kind: CellKind, text: str) -> dt.date | dt.datetime | None:
    moment = dt.datetime.fromisoformat(text)
    if moment.tzinfo is not None:
        try:
            moment = moment.astimezone(dt.UTC).replace(tzinfo=None)
        except OverflowError:  # before the year 1 or after 9999 in UTC
            return None
    if (moment.year, moment.month) < (1900, 3):  # Excel wrongly has a 29 February 1900
        return None
    return moment.date() if kind is CellKind.DATE else moment


def _text_cell(sheet: Any, text: str) -> WriteOnlyCell:
    """A text cell, whatever its content looks like."""
    cell = _other_cell(sheet, _escape(text))
    cell.data_type = "s"  # else openpyxl reads texts that begin with = as formulas
    return cell


def _escape(text: str) -> str:
    """Text escaped for the file's XML."""
    return _CONTROL.sub(lambda found: f"_x{ord(found[0]):04X}_", _LOOKS_ESCAPED.sub("_x005F_", text))


def _texts(result: QueryResult) -> Iterator[str]:
    yield from result.columns
    for row in result.rows:
        yield from (as_text(value) or "" for value in row if isinstance(value, str | list | dict))


def _other_cell(sheet: Any, value: object) -> WriteOnlyCell:
    from openpyxl.cell import WriteOnlyCell

    return WriteOnlyCell(sheet, value)
