"""Foreign keys that a schema does not declare, and that a join may be proposed by all the same."""

from __future__ import annotations

from executors.base import Column, ForeignKey, Schema, Table
from rag.docs.documents import Document, make_document
from rag.schema.joins import add_undeclared_keys


def _table(name: str, columns: str, key: str = "", *keys: ForeignKey) -> Table:
    return Table(
        name=name,
        columns=tuple(Column(name=one, type="INTEGER") for one in columns.split()),
        primary_key=(key,) if key else (),
        foreign_keys=keys,
    )


def keys(schema: Schema, *documents: Document) -> dict[str, list[str]]:
    return {
        table.name: [f"{key.columns[0]} -> {key.table}.{key.referenced[0]}" for key in table.foreign_keys]
        for table in add_undeclared_keys(schema, documents).tables
    }


def test_a_column_called_like_the_key_of_one_table_refers_to_it() -> None:
    schema = Schema(
        database="clinic",
        dialect="sqlite",
        tables=(_table("doctors", "doc_id name", "doc_id"), _table("visits", "visit_id doc_id", "visit_id")),
    )

    assert keys(schema) == {"doctors": [], "visits": ["doc_id -> doctors.doc_id"]}


def test_a_key_that_several_tables_have_says_nothing() -> None:
    tables = (_table("a", "id x", "id"), _table("b", "id y", "id"), _table("c", "id z"))

    assert keys(Schema(database="d", dialect="sqlite", tables=tables)) == {"a": [], "b": [], "c": []}


def test_what_is_declared_stays_and_is_not_said_twice() -> None:
    declared = ForeignKey(columns=("doc_id",), table="doctors", referenced=("doc_id",))
    tables = (_table("doctors", "doc_id", "doc_id"), _table("visits", "doc_id", "", declared))

    assert keys(Schema(database="d", dialect="sqlite", tables=tables))["visits"] == ["doc_id -> doctors.doc_id"]


def test_the_docs_may_tell_of_a_join() -> None:
    tables = (_table("prices", "ticker_ref close"), _table("tickers", "ticker_no symbol", "ticker_no"))
    rule = make_document("rule", "prices.ticker_ref can be joined with tickers.ticker_no")

    found = keys(Schema(database="d", dialect="sqlite", tables=tables), rule)

    assert found["prices"] == ["ticker_ref -> tickers.ticker_no"]
