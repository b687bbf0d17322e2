"""Docs of a small shop, read from a file that a test writes."""

from __future__ import annotations

from pathlib import Path

from executors.base import Column, Schema, Table
from rag.docs.documents import ReadResult
from rag.docs.reading import read_documents

_ORDERS = Table(
    name="orders",
    comment="One row for each order.",
    columns=(
        Column(name="order_id", type="INTEGER"),
        Column(name="total", type="DECIMAL", comment="In euros."),
        Column(name="Unit Price", type="DECIMAL"),
    ),
)
_CUSTOMERS = Table(name="crm.customers", columns=(Column(name="customer_id", type="INTEGER"),))
SCHEMA = Schema(database="shop", dialect="duckdb", tables=(_ORDERS, _CUSTOMERS))


def read(folder: Path, name: str, content: str | bytes, schema: Schema | None) -> ReadResult:
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_documents([file], schema)


def facts(result: ReadResult) -> list[tuple[str, str, str, str]]:
    return [(it.kind, it.table, it.column, it.text) for it in result.documents]
