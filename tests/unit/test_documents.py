"""Docs: what is read from each kind of file, and what is said of the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from executors.base import Column, Schema, Table
from rag.documents import Document, ReadResult, comment_documents, make_document, read_documents


@pytest.fixture
def schema() -> Schema:
    orders = Table(
        name="orders",
        comment="One row for each order.",
        columns=(
            Column(name="order_id", type="INTEGER"),
            Column(name="total", type="DECIMAL", comment="In euros."),
            Column(name="Unit Price", type="DECIMAL"),
        ),
    )
    customers = Table(name="crm.customers", columns=(Column(name="customer_id", type="INTEGER"),))
    return Schema(database="shop", dialect="duckdb", tables=(orders, customers))


def read(folder: Path, name: str, content: str | bytes, schema: Schema | None) -> ReadResult:
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_documents([file], schema)


def facts(result: ReadResult) -> list[tuple[str, str, str, str]]:
    return [(it.kind, it.table, it.column, it.text) for it in result.documents]


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


def test_comments_of_the_database_are_documents(schema: Schema) -> None:
    found = [(it.kind, it.table, it.column, it.text, it.source) for it in comment_documents(schema)]
    assert found == [
        ("table", "orders", "", "One row for each order.", "comment"),
        ("column", "orders", "total", "In euros.", "comment"),
    ]


# ------------------------------------------------------------------------------------------------- markdown


@pytest.mark.parametrize(
    "line, kind, column, text",
    [
        ("- `total`: without tax", "column", "total", "without tax"),
        ("- total: without tax", "column", "total", "without tax"),
        ("* **total**: without tax", "column", "total", "without tax"),
        ("- total — without tax", "column", "total", "without tax"),
        ("- total - without tax", "column", "total", "without tax"),
        ("- `total` (decimal): without tax", "column", "total", "without tax"),
        ("- TOTAL: without tax", "column", "total", "without tax"),
        ("- `Unit Price`: of one piece", "column", "Unit Price", "of one piece"),
        ("- orders.total — without tax", "column", "total", "without tax"),
        ("- total: without\n  tax", "column", "total", "without tax"),
        ("- total: one of\n  - net\n  - gross", "column", "total", "one of net gross"),
        ("| column | text |\n|---|---|\n| total | without tax |", "column", "total", "without tax"),
        ("Kept for ten years.", "table", "", "Kept for ten years."),
        ("- Kept for ten years", "rule", "", "Kept for ten years"),
        ("- Note: kept for ten years", "rule", "", "Note: kept for ten years"),
    ],
)
def test_under_a_tables_heading(tmp_path: Path, schema: Schema, line: str, kind: str, column: str, text: str) -> None:
    result = read(tmp_path, "shop.md", f"# Shop\n\n## orders\n\n{line}\n", schema)
    assert facts(result) == [(kind, "orders", column, text)]
    assert result.problems == ()


@pytest.mark.parametrize(
    "heading", ["## orders", "## Orders", "### `orders`", "## Table orders", "## The table: orders"]
)
def test_a_heading_names_a_table_in_many_ways(tmp_path: Path, schema: Schema, heading: str) -> None:
    assert facts(read(tmp_path, "shop.md", f"{heading}\n- total: net", schema)) == [
        ("column", "orders", "total", "net")
    ]


def test_a_table_is_found_without_its_schemas_name(tmp_path: Path, schema: Schema) -> None:
    result = read(tmp_path, "shop.md", "## customers\n- customer_id: a number", schema)
    assert facts(result) == [("column", "crm.customers", "customer_id", "a number")]


@pytest.mark.parametrize(
    "content, text",
    [
        ("- times are UTC", "times are UTC"),
        ("Times are UTC.", "Times are UTC."),
        ("## Rules\n- times are UTC", "times are UTC"),
        ("## Fiscal year\n- starts in February", "Fiscal year: starts in February"),
        ("# Shop\n\nAll of it is invented.", "All of it is invented."),
        ("## Terms\n- ARPU = revenue / users", "ARPU = revenue / users"),
        ("## Glossary\n- guest: customer is NULL", "guest: customer is NULL"),
        ("- two rows:\n  - the first\n  - the second", "two rows: the first the second"),
        ("## Rules\nActive means:\n\n```sql\ntotal > 0\n```", "Active means: total > 0"),
    ],
)
def test_what_is_about_no_table_is_a_rule(tmp_path: Path, schema: Schema, content: str, text: str) -> None:
    assert facts(read(tmp_path, "rules.md", content, schema)) == [("rule", "", "", text)]


@pytest.mark.parametrize(
    "content",
    [
        "## Questions\n\nHow many orders?\n\n```sql\nSELECT count(*)\nFROM orders;\n```",
        "## Examples\n\n- How many orders?\n\n  ```sql\n  SELECT count(*)\n  FROM orders\n  ```",
        "## Example queries\n\n### How many orders?\n\n```sql\nSELECT count(*)\nFROM orders\n```",
    ],
)
def test_questions_come_with_their_query(tmp_path: Path, schema: Schema, content: str) -> None:
    (document,) = read(tmp_path, "shop.md", content, schema).documents
    assert (document.kind, document.text) == ("query", "How many orders?")
    assert document.sql == "SELECT count(*)\nFROM orders"


@pytest.mark.parametrize(
    "content, problem",
    [
        ("## orders\n- `totl`: net", "table 'orders' has no column 'totl'; the nearest is 'total'"),
        ("## orders\n- zip_code: five digits", "table 'orders' has no column 'zip_code'"),
        ("## `ordres`\n- total: net", "there is no table 'ordres'; the nearest is 'orders'"),
        ("## ordres\n- total: net", "there is no table 'ordres'; the nearest is 'orders'"),
        ("## Questions\nHow many?", "the question 'How many?' has no query below it"),
    ],
)
def test_what_the_schema_does_not_have_is_told_and_left_out(
    tmp_path: Path, schema: Schema, content: str, problem: str
) -> None:
    result = read(tmp_path, "shop.md", content, schema)
    assert result.problems == (f"shop.md: {problem}",)
    assert result.documents == ()


def test_without_a_schema_names_are_taken_as_they_are(tmp_path: Path) -> None:
    result = read(tmp_path, "shop.md", "# Shop\n## orders\n- total: net\n## Rules\n- all is UTC", None)
    assert facts(result) == [("column", "orders", "total", "net"), ("rule", "", "", "all is UTC")]


@pytest.mark.parametrize("content, column, text", [
    ("### total\n\nWithout tax.", "total", "Without tax."),
    ("### `Unit Price`\n\nOf one piece.", "Unit Price", "Of one piece."),
    ("### Columns\n\n#### total\n\nWithout tax.", "total", "Without tax."),
    ("### total\n\n- 0: free\n- 1: one euro", "total", "0: free; 1: one euro"),
    ("### total\n\n| value | meaning |\n|---|---|\n| 0 | free |", "total", "0: free"),
    ("### Details\n\n- total: net", "total", "net"),
    ("- total DECIMAL(10, 2): net", "total", "net"),
    ("- `total` NUMERIC — net", "total", "net"),
    ("- unit_price: of one piece", "Unit Price", "of one piece"),
])  # fmt: skip
def test_a_column_below_its_table(tmp_path: Path, schema: Schema, content: str, column: str, text: str) -> None:
    result = read(tmp_path, "shop.md", f"# Shop\n\n## orders\n\n{content}\n", schema)
    assert facts(result) == [("column", "orders", column, text)]
    assert result.problems == ()


@pytest.mark.parametrize("grid, found", [
    ("| column | type | meaning |\n|---|---|---|\n| `total` | DEC | net |", ("column", "orders", "total", "net")),
    ("| name | notes |\n|---|---|\n| **total** | net |", ("column", "orders", "total", "net")),
    ("| Feld | Sinn |\n|---|---|\n| total | net |", ("column", "orders", "total", "net")),
    ("| column | allowed values |\n|---|---|\n| total | 0, 1 |",
     ("column", "orders", "total", "allowed values: 0, 1")),
])  # fmt: skip
def test_a_grid_below_a_table(tmp_path: Path, schema: Schema, grid: str, found: tuple[str, str, str, str]) -> None:
    result = read(tmp_path, "shop.md", f"## orders\n\n{grid}\n", schema)
    assert facts(result) == [found]
    assert result.problems == ()


@pytest.mark.parametrize("content, found", [
    ("| table | column | description |\n|---|---|---|\n| orders | total | net |", ("column", "orders", "total", "net")),
    ("| table | description |\n|---|---|\n| orders | all sales |", ("table", "orders", "", "all sales")),
    ("| name | description |\n|---|---|\n| orders | all sales |", ("table", "orders", "", "all sales")),
    ("| term | definition |\n|---|---|\n| guest | no customer |", ("rule", "", "", "guest: no customer")),
    ("| code | sense |\n|---|---|\n| X | cancelled |", ("rule", "", "", "X: cancelled")),
    ("| question | sql |\n|---|---|\n| How many? | SELECT 1 |", ("query", "", "", "How many?")),
    ("- orders\n  - total: net", ("column", "orders", "total", "net")),
    ("- `Unit Price`: of one piece", ("column", "orders", "Unit Price", "of one piece")),
    ("- customer_id: a number", ("column", "crm.customers", "customer_id", "a number")),
    ("- total: of all we sell", ("rule", "", "", "total: of all we sell")),
    ("---\ntitle: Shop\n---\n\n- times are UTC", ("rule", "", "", "times are UTC")),
    ("## orders\n### Rules\n- kept for ten years", ("rule", "orders", "", "kept for ten years")),
])  # fmt: skip
def test_wherever_it_stands(tmp_path: Path, schema: Schema, content: str, found: tuple[str, str, str, str]) -> None:
    result = read(tmp_path, "shop.md", f"{content}\n", schema)
    assert facts(result) == [found]
    assert result.problems == ()


def test_a_list_of_tables_has_their_columns_inside(tmp_path: Path, schema: Schema) -> None:
    content = "- `orders`: all sales\n  - total: net\n  - totl: gross\n- times are UTC\n"
    result = read(tmp_path, "shop.md", content, schema)
    assert facts(result) == [
        ("table", "orders", "", "all sales"),
        ("column", "orders", "total", "net"),
        ("rule", "", "", "times are UTC"),
    ]
    assert result.problems == ("shop.md: table 'orders' has no column 'totl'; the nearest is 'total'",)


@pytest.mark.parametrize("heading", ["## sales", "## Schema sales", "## The schema: `sales`", "## sales schema"])
def test_tables_below_a_schemas_heading_are_of_it(tmp_path: Path, heading: str) -> None:
    tables = tuple(
        Table(name=f"{space}.orders", namespace=space, columns=(Column(name="total", type="INTEGER"),))
        for space in ("crm", "sales")
    )
    schema = Schema(database="shop", dialect="postgresql", tables=tables, namespace="public")
    result = read(tmp_path, "shop.md", f"# Shop\n\n{heading}\n\n### orders\n\n- total: net\n", schema)
    assert facts(result) == [("column", "sales.orders", "total", "net")]


@pytest.mark.parametrize("content, problem, kept", [
    ("- `orders.totl`: net", "table 'orders' has no column 'totl'; the nearest is 'total'", 0),
    ("- ordrs.total: net", "there is no table 'ordrs'; the nearest is 'orders'", 0),
    ("Revenue is `orders.totl`.", "table 'orders' has no column 'totl'; the nearest is 'total'", 1),
    ("## orders\n### `totl`\nNet.", "table 'orders' has no column 'totl'; the nearest is 'total'", 0),
    ("## ordres\n| column | text |\n|---|---|\n| total | net |", "no table 'ordres'; the nearest is 'orders'", 0),
    ("| table | description |\n|---|---|\n| ordres | sales |", "no table 'ordres'; the nearest is 'orders'", 0),
])  # fmt: skip
def test_a_wrong_name_is_told_wherever_it_stands(
    tmp_path: Path, schema: Schema, content: str, problem: str, kept: int
) -> None:
    result = read(tmp_path, "shop.md", content, schema)
    assert len(result.problems) == 1
    assert problem in result.problems[0]
    assert len(result.documents) == kept


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


# ----------------------------------------------------------------------------------------------------- yaml


@pytest.mark.parametrize(
    "content, fact",
    [
        ("tables: {orders: {columns: {total: net}}}", ("column", "orders", "total", "net")),
        ("tables: {orders: {columns: {total: {description: net}}}}", ("column", "orders", "total", "net")),
        ("tables: [{name: orders, columns: [{name: total, text: net}]}]", ("column", "orders", "total", "net")),
        ("models: [{name: orders, description: all sales}]", ("table", "orders", "", "all sales")),
        ("sources: [{name: s, tables: [{name: orders, description: sold}]}]", ("table", "orders", "", "sold")),
        ("tables: {orders: all sales}", ("table", "orders", "", "all sales")),
        ("rules: [times are UTC]", ("rule", "", "", "times are UTC")),
        ("terms: {guest: no customer}", ("rule", "", "", "guest: no customer")),
        ("glossary: [{term: guest, definition: no customer}]", ("rule", "", "", "guest: no customer")),
        ('queries: [{question: "How many?", sql: SELECT 1}]', ("query", "", "", "How many?")),
        ('queries: {"How many?": SELECT 1}', ("query", "", "", "How many?")),
        ("orders: {columns: {total: net}}", ("column", "orders", "total", "net")),
        ("tables: {orders: {columns: [total: net]}}", ("column", "orders", "total", "net")),
        (
            "tables: {orders: {columns: {total: {text: net, values: [0, no]}}}}",
            ("column", "orders", "total", "net; values: 0, no"),
        ),
        (
            "tables: {orders: {columns: {total: {allowed_values: {C: done, X: void}}}}}",
            ("column", "orders", "total", "allowed values: C: done, X: void"),
        ),
        ("tables: {orders: {rules: [kept for ten years]}}", ("rule", "orders", "", "kept for ten years")),
        ("metrics: [{name: ARPU, description: per user, sql: a / b}]", ("rule", "", "", "ARPU: per user; a / b")),
        ("- {table: orders, column: total, description: net}", ("column", "orders", "total", "net")),
        ("- {term: guest, definition: no customer}", ("rule", "", "", "guest: no customer")),
        ("rules: [2024-01-01 is a holiday]", ("rule", "", "", "2024-01-01 is a holiday")),
        ("terms: {version: 1.0}", ("rule", "", "", "version: 1.0")),
        ("---\nrules: [a]\n---\n", ("rule", "", "", "a")),
    ],
)
def test_yaml(tmp_path: Path, schema: Schema, content: str, fact: tuple[str, str, str, str]) -> None:
    result = read(tmp_path, "shop.yaml", content, schema)
    assert facts(result) == [fact]
    assert result.problems == ()


@pytest.mark.parametrize(
    "content, problem",
    [
        ("tables: [", "not valid YAML"),
        ("- a list", "`tables`, `rules` or `queries`"),
        ("tables: {ordrs: all sales}", "no table 'ordrs'; the nearest is 'orders'"),
        ("tables: {orders: {columns: {totals: net}}}", "no column 'totals'; the nearest is 'total'"),
        ('queries: [{question: "How many?"}]', "a `question` and its `sql`"),
        ("rules: 3", "neither a list nor a mapping"),
    ],
)
def test_yaml_that_cannot_be_used(tmp_path: Path, schema: Schema, content: str, problem: str) -> None:
    result = read(tmp_path, "shop.yml", content, schema)
    assert len(result.problems) == 1
    assert problem in result.problems[0]
    assert result.problems[0].startswith("shop.yml: ")


def test_a_glossary_is_known_by_its_files_name(tmp_path: Path, schema: Schema) -> None:
    assert facts(read(tmp_path, "glossary.yaml", "guest: no customer\nARPU: revenue per user", schema)) == [
        ("rule", "", "", "guest: no customer"),
        ("rule", "", "", "ARPU: revenue per user"),
    ]


# ------------------------------------------------------------------------------------------------------ csv


@pytest.mark.parametrize(
    "name, content, fact",
    [
        ("d.csv", "table,column,type,description\norders,total,DEC,net", ("column", "orders", "total", "net")),
        ("d.csv", "Table Name,Column Name,Description\norders,total,net", ("column", "orders", "total", "net")),
        ("d.csv", "table,column,description\norders,,all sales", ("table", "orders", "", "all sales")),
        ("orders.csv", "column,description\ntotal,net", ("column", "orders", "total", "net")),
        ("orders.csv", "field,comment,values\ntotal,net,0: free", ("column", "orders", "total", "net; 0: free")),
        (
            "orders.csv",
            "original_column_name,column_name,column_description,data_format,value_description\n total ,sum,net,dec,",
            ("column", "orders", "total", "sum; net"),
        ),
        ("t.csv", "term,definition\nguest,no customer", ("rule", "", "", "guest: no customer")),
        ("q.csv", "question,sql\nHow many?,SELECT 1", ("query", "", "", "How many?")),
        ("d.csv", "table;column;description\norders;total;net, of tax", ("column", "orders", "total", "net, of tax")),
        ("d.tsv", "table\tcolumn\tdescription\norders\ttotal\tnet", ("column", "orders", "total", "net")),
        ("d.csv", "sep=;\r\ntable;column;meaning\r\norders;total;net", ("column", "orders", "total", "net")),
        ("d.csv", "Our docs,,\ntable,column,text\norders,total,net", ("column", "orders", "total", "net")),
        ("d.csv", "tableName,columnName,columnComment\norders,total,net", ("column", "orders", "total", "net")),
        (
            "d.csv",
            "TABLE_SCHEMA,TABLE_NAME,COLUMN_NAME,REMARKS\nx,orders,total,net",
            ("column", "orders", "total", "net"),
        ),
        (
            "d.csv",
            "Attribute,Entity,Definition,Is Nullable\ntotal,orders,net,yes",
            ("column", "orders", "total", "net"),
        ),
        ("d.csv", "column,description\norders.total,net", ("column", "orders", "total", "net")),
        ("d.csv", "table,description\norders,all sales", ("table", "orders", "", "all sales")),
        ("tables.csv", "name,description\norders,all sales", ("table", "orders", "", "all sales")),
        ("orders.csv", "name,meaning\ntotal,net", ("column", "orders", "total", "net")),
        ("orders_columns.csv", "name,meaning\ntotal,net", ("column", "orders", "total", "net")),
        (
            "crm.customers.csv",
            "name,meaning\nCustomer ID,a number",
            ("column", "crm.customers", "customer_id", "a number"),
        ),
        ("orders.csv", "name,allowed values\ntotal,0 or 1", ("column", "orders", "total", "allowed values: 0 or 1")),
        ("orders.csv", "name,meaning,unit\ntotal,net,EUR", ("column", "orders", "total", "net; unit: EUR")),
        ("orders.csv", "name,meaning,format\ntotal,net,#.## €", ("column", "orders", "total", "net; format: #.## €")),
        ("orders.csv", "name,data_format,meaning\ntotal,decimal(10),net", ("column", "orders", "total", "net")),
        (
            "orders.csv",
            "column,label,description\ntotal,Net sum,in euros",
            ("column", "orders", "total", "Net sum; in euros"),
        ),
        ("orders.csv", "column,description\ntotal,net, of tax", ("column", "orders", "total", "net, of tax")),
        ("t.csv", "Business Term,Meaning\nguest,no customer", ("rule", "", "", "guest: no customer")),
        ("t.csv", "metric,description,formula\nARPU,per user,a / b", ("rule", "", "", "ARPU: per user; a / b")),
        ("t.csv", "abbreviation,synonym,meaning\nAOV,basket,a / b", ("rule", "", "", "AOV (basket): a / b")),
        ("t.csv", "rule\ntimes are UTC", ("rule", "", "", "times are UTC")),
    ],
)
def test_csv(tmp_path: Path, schema: Schema, name: str, content: str, fact: tuple[str, str, str, str]) -> None:
    result = read(tmp_path, name, content, schema)
    assert facts(result) == [fact]
    assert result.problems == ()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_csv_as_spreadsheets_write_it(tmp_path: Path, schema: Schema, encoding: str) -> None:
    content = 'column,description\r\ntotal,"Beträge\r\nin €"\r\n'.encode(encoding)
    assert facts(read(tmp_path, "orders.csv", content, schema)) == [("column", "orders", "total", "Beträge in €")]


def test_a_spreadsheets_unicode_text_is_read(tmp_path: Path, schema: Schema) -> None:
    content = "column\tdescription\r\ntotal\tBeträge\r\n".encode("utf-16")
    assert facts(read(tmp_path, "orders.csv", content, schema)) == [("column", "orders", "total", "Beträge")]


def test_a_table_that_is_not_said_again_is_that_of_the_row_above(tmp_path: Path, schema: Schema) -> None:
    content = "table,column,description\norders,total,net\n,order_id,a number\ncustomers,customer_id,who"
    assert facts(read(tmp_path, "d.csv", content, schema)) == [
        ("column", "orders", "total", "net"),
        ("column", "orders", "order_id", "a number"),
        ("column", "crm.customers", "customer_id", "who"),
    ]


def test_one_row_may_say_both_of_a_table_and_of_its_column(tmp_path: Path, schema: Schema) -> None:
    content = "table,table_description,column,column_description\norders,all sales,total,net"
    assert facts(read(tmp_path, "d.csv", content, schema)) == [
        ("table", "orders", "", "all sales"),
        ("column", "orders", "total", "net"),
    ]


@pytest.mark.parametrize(
    "name, content, problem",
    [
        ("orders.csv", "column,description\ntotl,", "no column 'totl'; the nearest is 'total'"),
        ("d.csv", "table,description\nordrs,sales", "no table 'ordrs'; the nearest is 'orders'"),
        ("q.csv", "question,sql\nHow many?,", "'How many?' is a question or a query without the other"),
        ("ordrs.csv", "column,description\ntotal,net\norder_id,key", "no table 'ordrs'; the nearest is 'orders'"),
        ("orders.csv", "column,description\ntotl,net", "no column 'totl'; the nearest is 'total'"),
        ("orders.csv", "a,b\n1,2", "has the fields table, column and description; this has a, b"),
        ("orders.csv", "", "this has nothing"),
        ("orders.csv", 'column,description\ntotal,"net', "not a CSV file"),
        ("orders.csv", b"column\0", "not a text file"),
    ],
)
def test_csv_that_cannot_be_used(tmp_path: Path, schema: Schema, name: str, content: str | bytes, problem: str) -> None:
    result = read(tmp_path, name, content, schema)
    assert len(result.problems) == 1
    assert problem in result.problems[0]


# ---------------------------------------------------------------------------------------------------- files


def test_a_bad_file_does_not_stop_the_others(tmp_path: Path, schema: Schema) -> None:
    (tmp_path / "a.yaml").write_text("tables: [")
    (tmp_path / "b.md").write_text("- times are UTC")
    (tmp_path / "logo.png").write_bytes(b"\x89PNG")
    result = read_documents([tmp_path, tmp_path / "missing.md", tmp_path / "logo.png"], schema)
    assert [it.text for it in result.documents] == ["times are UTC"]
    assert [problem.split(":")[0] for problem in result.problems] == ["a.yaml", "missing.md", "logo.png"]


def test_a_fact_that_two_files_state_is_kept_once(tmp_path: Path, schema: Schema) -> None:
    (tmp_path / "a.md").write_text("## orders\n- total: net")
    (tmp_path / "b.yaml").write_text("tables: {orders: {columns: {total: net}}}")
    result = read_documents([tmp_path], schema)
    assert [it.source for it in result.documents] == ["a.md"]


def test_a_folder_may_hold_files_of_every_kind(tmp_path: Path, schema: Schema) -> None:
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
    result = read_documents([tmp_path], schema)
    assert [(it.source, it.text) for it in result.documents] == [
        ("customers.tsv", "who"),
        ("orders.csv", "net"),
        ("glossary.yml", "guest: no customer"),
        ("notes.md", "times are UTC"),
        ("schema.yml", "all sales"),
    ]
    assert result.problems == ()


# -------------------------------------------------------------------------- wrong names, however they are written


@pytest.mark.parametrize(
    "content, why",
    [
        ("## orders\n\n- `totla`: in euros\n", "a list line"),
        ("## orders\n\norder_id: the key\ntotla: in euros\n", "a line of a paragraph that names columns"),
        ("## orders\n\n### order_id\n\nThe key.\n\n### totla\n\nIn euros.\n", "a heading beside those of columns"),
        ("## Rules\n\n- Revenue is `orders.totla`.\n", "a rule's code"),
        ("## Rules\n\n- Revenue is `orders`.`totla`.\n", "each part quoted by itself"),
        ("## Rules\n\n- **orders.totla** – the revenue\n", "bold type"),
    ],
)
def test_a_column_that_does_not_exist_is_told_with_the_nearest(
    tmp_path: Path, schema: Schema, content: str, why: str
) -> None:
    problems = read(tmp_path, "shop.md", content, schema).problems
    assert problems == ("shop.md: table 'orders' has no column 'totla'; the nearest is 'total'",), why


@pytest.mark.parametrize(
    "content, why",
    [
        ("## orders\n\nSee also: the invoices.\n", "no line of it names a column"),
        ("## orders\n\ntotal: in euros\nand more.\n", "a line of it is none of a column"),
        ("## orders\n\n### order_id\n\nThe key.\n\n### How to count\n\nOnce each.\n", "a heading of another kind"),
        ("## Rules\n\n- Count `orders.*`, or 2*orders.total*3.\n", "any column, and a product"),
    ],
)
def test_what_names_no_column_is_not_taken_for_a_wrong_name(
    tmp_path: Path, schema: Schema, content: str, why: str
) -> None:
    assert read(tmp_path, "shop.md", content, schema).problems == (), why


def test_lines_of_a_paragraph_may_each_be_of_a_column(tmp_path: Path, schema: Schema) -> None:
    result = read(tmp_path, "shop.md", "## orders\n\nOne row each.\n\norder_id: the key\ntotal: in euros\n", schema)
    assert facts(result) == [
        ("table", "orders", "", "One row each."),
        ("column", "orders", "order_id", "the key"),
        ("column", "orders", "total", "in euros"),
    ]
