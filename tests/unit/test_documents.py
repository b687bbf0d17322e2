"""Docs: what is read from each kind of file, and the problems that are reported."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs_read import SCHEMA, facts, read

from executors.base import Column, Schema, Table
from rag.docs.documents import Document, comment_documents, make_document
from rag.docs.reading import read_documents

# ------------------------------------------------------------------------------------------------ documents


def test_an_id_depends_on_what_is_said_and_not_on_the_file_or_its_line_breaks() -> None:
    one = make_document("column", "without\n  tax", database="shop", table="orders", column="total", source="a.md")
    two = make_document("column", "without tax", database="shop", table="orders", column="total", source="b.yaml")
    assert one.id == two.id
    assert one.text == "without tax"


@pytest.mark.parametrize(
    "change",
    [{"text": "with tax"}, {"kind": "rule"}, {"table": "x"}, {"column": "x"}, {"database": "x"}, {"sql": "SELECT 1"}],
)
def test_an_id_changes_with_each_part_of_the_fact(change: dict[str, str]) -> None:
    fact = {"kind": "column", "text": "no tax", "database": "shop", "table": "orders", "column": "total", "sql": ""}
    assert make_document(**{**fact, **change}).id != make_document(**fact).id  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "document, passage",
    [
        (make_document("column", "no tax", table="orders", column="total"), "orders.total: no tax"),
        (make_document("table", "all sales", table="orders"), "orders: all sales"),
        (make_document("rule", "times are UTC"), "times are UTC"),
        (make_document("query", "How many?", sql="SELECT 1"), "How many?"),
    ],
)
def test_what_is_embedded_names_what_it_explains(document: Document, passage: str) -> None:
    assert document.passage == passage


def test_comments_of_the_database_are_documents() -> None:
    found = [(it.kind, it.table, it.column, it.text, it.source) for it in comment_documents(SCHEMA)]
    assert found == [
        ("table", "orders", "", "One row for each order.", "comment"),
        ("column", "orders", "total", "In euros.", "comment"),
    ]


# ---------------------------------------------------------------------------------------------------- names


@pytest.fixture
def spaces() -> Schema:
    names = (("", "orders"), ("sales", "sales.orders"), ("sales", "sales.visits"), ("crm", "crm.visits"))
    columns = (Column(name="total", type="INTEGER"),)
    tables = tuple(Table(name=name, namespace=space, columns=columns) for space, name in names)
    return Schema(database="shop", dialect="postgresql", tables=tables, namespace="public")


@pytest.mark.parametrize("written, table", [
    ("orders", "orders"),
    ("public.orders", "orders"),
    ("shop.public.orders", "orders"),
    ("sales.orders", "sales.orders"),
    ("SALES.Orders", "sales.orders"),
    ("shop.sales.orders", "sales.orders"),
    ("anything.orders", "orders"),
    ("crm.visits", "crm.visits"),
])  # fmt: skip
def test_a_table_is_named_with_and_without_its_schema(tmp_path: Path, spaces: Schema, written: str, table: str) -> None:
    result = read(tmp_path, "d.csv", f"table,column,description\n{written},total,net", spaces)
    assert facts(result) == [("column", table, "total", "net")]


@pytest.mark.parametrize("written, problem", [
    ("visits", "'visits' may be any of sales.visits, crm.visits; write which"),
    ("crm.orders", "there is no table 'crm.orders'; the nearest is 'orders'"),
    ("sales.orderz", "there is no table 'sales.orderz'; the nearest is 'orders'"),
])  # fmt: skip
def test_a_table_of_another_schema_is_not_meant(tmp_path: Path, spaces: Schema, written: str, problem: str) -> None:
    result = read(tmp_path, "d.csv", f"table,column,description\n{written},total,net", spaces)
    assert result.documents == ()
    assert result.problems == (f"d.csv: {problem}",)


# ---------------------------------------------------------------------------------------------------- files


def test_a_bad_file_does_not_stop_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("tables: [")
    (tmp_path / "b.md").write_text("- times are UTC")
    (tmp_path / "logo.png").write_bytes(b"\x89PNG")
    result = read_documents([tmp_path, tmp_path / "missing.md", tmp_path / "logo.png"], SCHEMA)
    assert [it.text for it in result.documents] == ["times are UTC"]
    assert [problem.split(":")[0] for problem in result.problems] == ["a.yaml", "missing.md", "logo.png"]


def test_a_fact_that_two_files_state_is_kept_once(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("## orders\n- total: net")
    (tmp_path / "b.yaml").write_text("tables: {orders: {columns: {total: net}}}")
    result = read_documents([tmp_path], SCHEMA)
    assert [it.source for it in result.documents] == ["a.md"]


def test_a_folder_may_hold_files_of_every_kind(tmp_path: Path) -> None:
    (tmp_path / "columns").mkdir()
    (tmp_path / ".git").mkdir()
    files = {
        "columns/orders.csv": "column,description\ntotal,net",
        "columns/customers.tsv": "column\tdescription\ncustomer_id\twho",
        "glossary.yml": "guest: no customer",
        "notes.md": "- times are UTC",
        "schema.yml": "models: [{name: orders, description: all sales}]",
        ".git/config.yml": "a: b",
        "logo.svg": "<svg/>",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    result = read_documents([tmp_path], SCHEMA)
    assert [(it.source, it.text) for it in result.documents] == [
        ("customers.tsv", "who"),
        ("orders.csv", "net"),
        ("glossary.yml", "guest: no customer"),
        ("notes.md", "times are UTC"),
        ("schema.yml", "all sales"),
    ]
    assert result.problems == ()
