"""Rows as Parquet, written by DuckDB, which the service has anyway, from Arrow batches."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from agent.present.export.arrow_file import ArrowRows
from agent.present.export.columns import columns_of
from executors.base import QueryResult, named_apart

CHUNK_BYTES = 64 * 1024


def parquet_chunks(result: QueryResult) -> Iterator[bytes]:
    """The file, in pieces. It is written whole before the first of them, since its index of columns is at its end.

    Names that differ in nothing but their case get a number, as repeated ones do: DuckDB tells no such names apart.
    """
    import duckdb

    columns = columns_of(result)
    names = named_apart([column.name for column in columns], same_case=False)
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
