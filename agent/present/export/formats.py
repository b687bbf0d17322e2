"""The formats that rows can be had in. A format is a row of this table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from agent.present.export.arrow_file import arrow_chunks
from agent.present.export.csv_file import csv_chunks
from agent.present.export.markdown_file import markdown_chunks
from agent.present.export.parquet_file import parquet_chunks
from agent.present.export.xlsx_file import xlsx_chunks
from executors.base import QueryResult


@dataclass(frozen=True)
class Format:
    """One format.

    media_type: as an Accept header names it. content_type: as a response says it. suffix: of a file's name.
    chunks: the file of a result, piece by piece; it blocks.
    """

    media_type: str
    content_type: str
    suffix: str
    chunks: Callable[[QueryResult], Iterator[bytes]]


CSV = Format("text/csv", "text/csv; charset=utf-8; header=present", "csv", csv_chunks)
PARQUET = Format("application/vnd.apache.parquet", "application/vnd.apache.parquet", "parquet", parquet_chunks)
ARROW = Format("application/vnd.apache.arrow.stream", "application/vnd.apache.arrow.stream", "arrows", arrow_chunks)

XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
XLSX = Format(XLSX_TYPE, XLSX_TYPE, "xlsx", xlsx_chunks)
MARKDOWN = Format("text/markdown", "text/markdown; charset=utf-8; variant=GFM", "md", markdown_chunks)

FORMATS = (CSV, PARQUET, ARROW, XLSX, MARKDOWN)
