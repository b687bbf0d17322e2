"""The sample shop: made alike every time, the same rows in every form, and questions whose answers are known."""

from __future__ import annotations

import csv
import hashlib
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from agent.core.row_comparison import is_ordered, same_rows
from executors.base import QueryResult
from samples.make_shop import HERE, TABLES, make_shop

QUESTIONS: list[dict[str, Any]] = json.loads((HERE / "questions.json").read_text(encoding="utf-8"))

# What somebody asks who knows the schema and not the docs; one for each question that needs them.
IN_2024 = "ordered_at >= '2024-01-01' AND ordered_at < '2025-01-01'"
NAIVE = {
    "What was our revenue in fiscal year 2025?": "SELECT SUM(amount) FROM orders WHERE year(ordered_at) = 2025",
    "How many orders of 2024 were cancelled?": f"SELECT COUNT(*) FROM orders WHERE status = 'C' AND {IN_2024}",
    "How many active customers do we have?": "SELECT COUNT(DISTINCT customer_id) FROM orders",
    "What is the average order value of telephone orders?": (
        "SELECT AVG(amount) FROM orders WHERE channel = 'telephone'"
    ),
    "How many units were sent back because they were damaged?": "SELECT SUM(quantity) FROM returns",
    "What was the revenue in each month of 2024?": (
        f"SELECT strftime(ordered_at, '%Y-%m'), SUM(amount) FROM orders WHERE {IN_2024} GROUP BY 1"
    ),
    "Which five products brought in the most revenue in 2024? Show the name and the revenue.": (
        "SELECT p.name, SUM(i.quantity * p.unit_price) AS revenue FROM order_items AS i JOIN products AS p USING "
        f"(product_id) JOIN orders USING (order_id) WHERE {IN_2024} GROUP BY p.name ORDER BY revenue DESC LIMIT 5"
    ),
    "What percentage of the orders in fiscal year 2024 were guest orders?": (
        f"SELECT 100.0 * COUNT(*) FILTER (WHERE customer_id IS NULL) / COUNT(*) FROM orders WHERE {IN_2024}"
    ),
}
ANSWERS = [
    ("What was our revenue in fiscal year 2025?", "643160.90"),
    ("How many orders of 2024 were cancelled?", "454"),
    ("How many active customers do we have?", "1368"),
    ("How many units were sent back because they were damaged?", "437"),
    ("How many customers have never placed an order?", "267"),
]
SECRETS = ("guest", "cancel", "fiscal", "active", "damaged", "telephone", "tax", "UTC")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the shop was made."""
    folder = tmp_path_factory.mktemp("shop folder")
    assert make_shop(folder)
    return folder


@pytest.fixture(scope="module")
def database(shop: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(shop / "shop.duckdb"), read_only=True) as connection:
        yield connection


def ask(database: duckdb.DuckDBPyConnection, sql: str) -> QueryResult:
    cursor = database.execute(sql)
    columns = tuple(str(column[0]) for column in cursor.description or ())
    return QueryResult(columns=columns, rows=tuple(tuple(row) for row in cursor.fetchall()))


def gold(question: str) -> list[str]:
    return next(list(entry["gold"]) for entry in QUESTIONS if entry["question"] == question)


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.glob("shop/*.csv"))}


def read_csv(folder: Path, table: str) -> list[tuple[str, ...]]:
    with (folder / "shop" / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return [tuple(row) for row in csv.reader(file)]


def test_there_are_tens_of_thousands_of_rows_in_seven_tables(shop: Path) -> None:
    counts = {table: len(read_csv(shop, table)) - 1 for table in TABLES}

    assert len(counts) == 7
    assert counts["orders"] > 10_000
    assert counts["order_items"] > 25_000
    assert counts["customers"] > 3_000
    assert counts["returns"] > 1_000


def test_the_orders_span_two_years_without_a_gap(database: duckdb.DuckDBPyConnection) -> None:
    found = ask(
        database, "SELECT MIN(ordered_at)::DATE, MAX(ordered_at)::DATE, COUNT(DISTINCT ordered_at::DATE) FROM orders"
    )

    assert [str(value) for value in found.rows[0]] == ["2023-07-01", "2025-06-30", "731"]


def test_what_is_there_is_left_alone_and_what_is_missing_is_made_alike(shop: Path, tmp_path: Path) -> None:
    assert make_shop(tmp_path)
    assert digests(tmp_path) == digests(shop)
    made = (tmp_path / "shop.duckdb").stat().st_mtime_ns

    assert not make_shop(tmp_path)
    assert (tmp_path / "shop.duckdb").stat().st_mtime_ns == made

    (tmp_path / "shop" / ".stamp").write_text("another version")
    (tmp_path / "shop" / "orders.csv").write_text("cut short")
    assert make_shop(tmp_path)
    assert digests(tmp_path) == digests(shop)


def test_the_command_makes_the_shop_in_a_process_of_its_own(shop: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "samples.make_shop", "--folder", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, cwd=HERE.parent)

    assert digests(tmp_path) == digests(shop)


@pytest.mark.parametrize("table", TABLES)
def test_all_three_forms_hold_the_same_rows(table: str, shop: Path, database: duckdb.DuckDBPyConnection) -> None:
    header, *written = read_csv(shop, table)
    with sqlite3.connect(shop / "shop.sqlite") as connection:
        in_sqlite = connection.execute(f"SELECT * FROM {table}").fetchall()
    connection.close()
    in_csv = QueryResult(columns=header, rows=tuple(tuple(cell or None for cell in row) for row in written))
    in_duckdb = ask(database, f"SELECT * FROM {table}")

    assert in_duckdb.columns == header
    assert same_rows(in_csv, in_duckdb, ordered=True)
    assert same_rows(in_csv, QueryResult(columns=header, rows=tuple(in_sqlite)), ordered=True)


def test_every_reference_leads_somewhere(shop: Path) -> None:
    with sqlite3.connect(shop / "shop.sqlite") as connection:
        dangling = connection.execute("PRAGMA foreign_key_check").fetchall()
        keys = [row for table in TABLES for row in connection.execute(f"PRAGMA foreign_key_list({table})")]
    connection.close()

    assert dangling == []
    assert len(keys) == 7  # one of them of two columns


@pytest.mark.parametrize(
    "wrong, why",
    [
        (
            "SELECT o.order_id FROM orders o JOIN order_items i USING (order_id) GROUP BY o.order_id, o.amount "
            "HAVING SUM(i.quantity * i.unit_price) <> o.amount",
            "an order's amount is the sum of its lines",
        ),
        ("SELECT 1 FROM payments JOIN orders USING (order_id) WHERE status = 'X'", "nobody pays a cancelled order"),
        (
            "SELECT o.order_id FROM orders o JOIN payments p USING (order_id) GROUP BY o.order_id, o.amount, o.tax, "
            "o.shipping HAVING COUNT(*) = 2 AND SUM(p.amount) <> o.amount + o.tax + o.shipping",
            "two payments make the whole, with tax and shipping",
        ),
        (
            "SELECT 1 FROM orders JOIN customers USING (customer_id) WHERE ordered_at < signed_up_on",
            "nobody orders before the account is opened",
        ),
        (
            "SELECT 1 FROM order_items JOIN orders USING (order_id) JOIN products USING (product_id) "
            "WHERE ordered_at < launched_on",
            "nothing is sold before its first day",
        ),
        (
            "SELECT 1 FROM returns r JOIN order_items i USING (order_id, line_number) WHERE r.quantity > i.quantity",
            "no more comes back than was sold",
        ),
    ],
)
def test_the_data_is_sound(wrong: str, why: str, database: duckdb.DuckDBPyConnection) -> None:
    assert ask(database, wrong).rows == (), why


def test_the_databases_do_not_say_what_only_the_docs_say(database: duckdb.DuckDBPyConnection) -> None:
    comments = ask(
        database,
        "SELECT comment FROM duckdb_tables() UNION ALL SELECT comment FROM duckdb_columns() WHERE NOT internal",
    )
    text = " ".join(str(comment) for (comment,) in comments.rows)
    docs = (HERE / "docs" / "shop.md").read_text(encoding="utf-8")

    assert "One row per order" in text
    assert [word for word in SECRETS if word.lower() in text.lower()] == []
    assert [word for word in SECRETS if word.lower() not in docs.lower()] == []


def test_the_docs_name_only_tables_and_columns_that_exist() -> None:
    table, named = "", []
    for line in (HERE / "docs" / "shop.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            table = line.removeprefix("## ")
        if table in TABLES and line.startswith("- `"):
            named.append((table, line.split("`")[1]))

    assert len(named) > 15
    assert [(table, column) for table, column in named if column not in TABLES[table][2]] == []


def test_the_example_queries_of_the_docs_run_and_are_no_sample_questions(database: duckdb.DuckDBPyConnection) -> None:
    text = (HERE / "docs" / "shop.md").read_text(encoding="utf-8")
    examples = [block.split("```")[0] for block in text.split("```sql")[1:]]

    assert len(examples) == 4
    assert all(ask(database, example).rows for example in examples)
    assert [entry["question"] for entry in QUESTIONS if entry["question"] in text] == []


@pytest.mark.parametrize("entry", QUESTIONS, ids=lambda entry: entry["question"])
def test_every_gold_query_runs_and_returns_something(
    entry: dict[str, Any], database: duckdb.DuckDBPyConnection
) -> None:
    results = [ask(database, sql) for sql in entry["gold"]]

    assert entry["database"] == "shop.duckdb"
    assert all(value is not None for result in results for row in result.rows for value in row)
    assert {result.row_count for result in results} == {results[0].row_count}
    assert results[0].row_count > 0


def test_ten_questions_of_which_eight_need_the_docs() -> None:
    assert len(QUESTIONS) == 10
    assert {entry["question"] for entry in QUESTIONS if entry.get("needs_docs")} == set(NAIVE)


@pytest.mark.parametrize("question", NAIVE)
def test_without_the_docs_the_answer_is_another(question: str, database: duckdb.DuckDBPyConnection) -> None:
    naive = ask(database, NAIVE[question])

    for sql in gold(question):
        assert not same_rows(ask(database, sql), naive, ordered=is_ordered(sql, "duckdb"))


@pytest.mark.parametrize("question, answer", ANSWERS)
def test_the_answers_are_known(question: str, answer: str, database: duckdb.DuckDBPyConnection) -> None:
    assert str(ask(database, gold(question)[0]).rows[0][0]) == answer
