"""Rows as Arrow: record batches, and the IPC stream of them.

nanoarrow (one megabyte) builds the arrays and writes the stream. pyarrow could do both, but is larger than
everything else that runs on Azure, including DuckDB.
"""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from agent.present.export.columns import CellKind, ExportColumn, as_decimal, as_text, columns_of
from executors.base import JsonValue, QueryResult

if TYPE_CHECKING:
    from nanoarrow.c_array import CArray

ROWS_PER_BATCH = 2_000
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND = dt.timedelta(microseconds=1)


def arrow_chunks(result: QueryResult) -> Iterator[bytes]:
    """The IPC stream, one record batch at a time; one empty batch if there are no rows."""
    from nanoarrow.ipc import StreamWriter

    sink = io.BytesIO()
    with StreamWriter.from_writable(sink) as writer:
        for batch in batches(result, columns_of(result)):
            writer.write_array(batch)
            yield _take(sink)
    yield _take(sink)


class ArrowRows:
    """The record batches in memory, for readers of Arrow's C stream, which may request it more than once."""

    def __init__(self, result: QueryResult, columns: Sequence[ExportColumn]) -> None:
        from nanoarrow.c_schema import c_schema

        self._batches, self._schema = list(batches(result, columns)), c_schema(_schema(columns))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """A new stream over all batches, by Arrow's PyCapsule protocol."""
        from nanoarrow.c_array_stream import CArrayStream

        stream = CArrayStream.from_c_arrays(self._batches, self._schema)
        return stream.__arrow_c_stream__(requested_schema)


def batches(result: QueryResult, columns: Sequence[ExportColumn]) -> Iterator[CArray]:
    """Record batches of `ROWS_PER_BATCH` rows, at least one. The columns' names may differ from the result's."""
    from nanoarrow import c_array_from_buffers

    for start in range(0, max(result.row_count, 1), ROWS_PER_BATCH):
        rows = result.rows[start : start + ROWS_PER_BATCH]
        cells = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
        children = [_array(column, values) for column, values in zip(columns, cells, strict=True)]
        yield c_array_from_buffers(_schema(columns), len(rows), [None], children=children)


def _schema(columns: Sequence[ExportColumn]) -> Any:
    import nanoarrow as na

    return na.struct({column.name: _type(column) for column in columns})


def _type(column: ExportColumn) -> Any:
    """nanoarrow's schema of a column."""
    import nanoarrow as na

    if column.kind is CellKind.DECIMAL:
        return na.decimal128(column.digits, column.scale)
    return {
        CellKind.TEXT: na.string,
        CellKind.BOOLEAN: na.bool_,
        CellKind.INTEGER: na.int64,
        CellKind.DOUBLE: na.float64,
        CellKind.DATE: na.date32,
        CellKind.TIMESTAMP: lambda: na.timestamp("us"),
        CellKind.INSTANT: lambda: na.timestamp("us", "UTC"),
    }[column.kind]()


def _array(column: ExportColumn, values: Sequence[JsonValue]) -> CArray:
    from nanoarrow import c_array

    if column.kind is CellKind.DECIMAL:
        return _decimals(column, values)
    stored = _STORED[column.kind]
    return c_array([None if value is None else stored(value) for value in values], _type(column))


def _decimals(column: ExportColumn, values: Sequence[JsonValue]) -> CArray:
    """Decimals as 128-bit integers, which no constructor of the library supports."""
    import nanoarrow as na

    unscaled = b"".join(
        int(as_decimal(0 if value is None else value).scaleb(column.scale)).to_bytes(16, "little", signed=True)
        for value in values
    )
    validity = na.c_buffer([value is not None for value in values], na.bool_())
    nulls = sum(value is None for value in values)
    return na.c_array_from_buffers(_type(column), len(values), [validity, unscaled], null_count=nulls)


def _days(text: str) -> int:
    return (dt.date.fromisoformat(text) - _EPOCH.date()).days


def _microseconds(text: str) -> int:
    moment = dt.datetime.fromisoformat(text)
    return ((moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)) - _EPOCH) // _MICROSECOND


_STORED: dict[CellKind, Callable[[Any], Any]] = {
    CellKind.TEXT: as_text,
    CellKind.BOOLEAN: bool,
    CellKind.INTEGER: int,
    CellKind.DOUBLE: float,
    CellKind.DATE: _days,
    CellKind.TIMESTAMP: _microseconds,
    CellKind.INSTANT: _microseconds,
}


def _take(sink: io.BytesIO) -> bytes:
    """The bytes written since the last call."""
    written = sink.getvalue()
    sink.seek(0)
    sink.truncate()
    return written
