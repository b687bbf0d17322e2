"""Docs in Markdown: what is read from headings, lists, grids and prose, and the problems that are reported."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs_read import SCHEMA, facts, read

from executors.base import Column, Schema, Table


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
def test_under_a_tables_heading(tmp_path: Path, line: str, kind: str, column: str, text: str) -> None:
    result = read(tmp_path, "shop.md", f"# Shop\n\n## orders\n\n{line}\n", SCHEMA)
    assert facts(result) == [(kind, "orders", column, text)]
    assert result.problems == ()


@pytest.mark.parametrize(
    "heading", ["## orders", "## Orders", "### `orders`", "## Table orders", "## The table: orders"]
)
def test_a_heading_names_a_table_in_many_ways(tmp_path: Path, heading: str) -> None:
    assert facts(read(tmp_path, "shop.md", f"{heading}\n- total: net", SCHEMA)) == [
        ("column", "orders", "total", "net")
    ]


def test_a_table_is_found_without_its_schemas_name(tmp_path: Path) -> None:
    result = read(tmp_path, "shop.md", "## customers\n- customer_id: a number", SCHEMA)
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
def test_what_is_about_no_table_is_a_rule(tmp_path: Path, content: str, text: str) -> None:
    assert facts(read(tmp_path, "rules.md", content, SCHEMA)) == [("rule", "", "", text)]


@pytest.mark.parametrize(
    "content",
    [
        "## Questions\n\nHow many orders?\n\n```sql\nSELECT count(*)\nFROM orders;\n```",
        "## Examples\n\n- How many orders?\n\n  ```sql\n  SELECT count(*)\n  FROM orders\n  ```",
        "## Example queries\n\n### How many orders?\n\n```sql\nSELECT count(*)\nFROM orders\n```",
    ],
)
def test_questions_come_with_their_query(tmp_path: Path, content: str) -> None:
    (document,) = read(tmp_path, "shop.md", content, SCHEMA).documents
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
def test_what_the_schema_does_not_have_is_told_and_left_out(tmp_path: Path, content: str, problem: str) -> None:
    result = read(tmp_path, "shop.md", content, SCHEMA)
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
def test_a_column_below_its_table(tmp_path: Path, content: str, column: str, text: str) -> None:
    result = read(tmp_path, "shop.md", f"# Shop\n\n## orders\n\n{content}\n", SCHEMA)
    assert facts(result) == [("column", "orders", column, text)]
    assert result.problems == ()


@pytest.mark.parametrize("grid, found", [
    ("| column | type | meaning |\n|---|---|---|\n| `total` | DEC | net |", ("column", "orders", "total", "net")),
    ("| name | notes |\n|---|---|\n| **total** | net |", ("column", "orders", "total", "net")),
    ("| Feld | Sinn |\n|---|---|\n| total | net |", ("column", "orders", "total", "net")),
    ("| column | allowed values |\n|---|---|\n| total | 0, 1 |",
     ("column", "orders", "total", "allowed values: 0, 1")),
])  # fmt: skip
def test_a_grid_below_a_table(tmp_path: Path, grid: str, found: tuple[str, str, str, str]) -> None:
    result = read(tmp_path, "shop.md", f"## orders\n\n{grid}\n", SCHEMA)
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
def test_wherever_it_stands(tmp_path: Path, content: str, found: tuple[str, str, str, str]) -> None:
    result = read(tmp_path, "shop.md", f"{content}\n", SCHEMA)
    assert facts(result) == [found]
    assert result.problems == ()


def test_a_list_of_tables_has_their_columns_inside(tmp_path: Path) -> None:
    content = "- `orders`: all sales\n  - total: net\n  - totl: gross\n- times are UTC\n"
    result = read(tmp_path, "shop.md", content, SCHEMA)
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
def test_a_wrong_name_is_told_wherever_it_stands(tmp_path: Path, content: str, problem: str, kept: int) -> None:
    result = read(tmp_path, "shop.md", content, SCHEMA)
    assert len(result.problems) == 1
    assert problem in result.problems[0]
    assert len(result.documents) == kept


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
def test_a_column_that_does_not_exist_is_told_with_the_nearest(tmp_path: Path, content: str, why: str) -> None:
    problems = read(tmp_path, "shop.md", content, SCHEMA).problems
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
def test_what_names_no_column_is_not_taken_for_a_wrong_name(tmp_path: Path, content: str, why: str) -> None:
    assert read(tmp_path, "shop.md", content, SCHEMA).problems == (), why


def test_lines_of_a_paragraph_may_each_be_of_a_column(tmp_path: Path) -> None:
    result = read(tmp_path, "shop.md", "## orders\n\nOne row each.\n\norder_id: the key\ntotal: in euros\n", SCHEMA)
    assert facts(result) == [
        ("table", "orders", "", "One row each."),
        ("column", "orders", "order_id", "the key"),
        ("column", "orders", "total", "in euros"),
    ]
