"""Realistic questions about realistic data, over HTTP: one test for each earlier failure."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import httpx2
import pytest
from api_client import api_client

from agent.api.app import create_app
from agent.databases.knowledge import build
from agent.pipeline.service import Service
from testbed.embedder import HashingEmbedder
from testbed.scripted_model import ScriptedModel

Make = Callable[..., Service]

pytestmark = pytest.mark.usefixtures("patient")


@pytest.fixture
def meaning() -> None:
    """The service's own embedder, where nearness decides."""


@pytest.fixture(autouse=True)
def embedder(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "meaning" not in request.fixturenames:
        monkeypatch.setattr(build, "build_embedder", lambda _: HashingEmbedder())


async def send(make: Make, method: str, path: str, body: dict[str, Any] | None = None) -> httpx2.Response:
    """One request to a service of its own."""
    async with api_client(create_app(make)) as client:
        return await client.request(method, path, json=body)


async def ask(make: Make, question: str, database: str, **options: Any) -> dict[str, Any]:
    """The response to a question, without a sentence of the model's."""
    body = {"question": question, "database": database, "options": {"enable_answer": False, **options}}
    response = await send(make, "POST", "/query", body)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def replies(model: ScriptedModel, sql: str) -> None:
    model.replies(sql=sql)
    model.replies(correct=True)


def built(path: Path, script: str) -> None:
    """A SQLite file."""
    with sqlite3.connect(path) as connection:
        connection.executescript(script)
    connection.close()


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8"])
async def test_german_money_is_added_up_though_its_name_was_not_quoted(
    make_service: Make, model: ScriptedModel, registry: Path, encoding: str
) -> None:
    rows = "Ort;Brutto Betrag\nMünchen;1.307,81 €\nKöln;20,00 €\nMünchen;2,19 €\n"
    (registry.parent / "umsatz.csv").write_bytes(rows.encode(encoding))
    registry.write_text("umsatz: umsatz.csv\n", encoding="utf-8")
    replies(model, "SELECT sum(Brutto Betrag) AS total FROM umsatz WHERE Ort = 'München'")

    answer = await ask(make_service, "total gross amount from München", "umsatz")

    assert answer["results"] == [{"total": 1310.0}]


CLINIC = """
CREATE TABLE doc (doc_id INTEGER, name TEXT);
CREATE TABLE appointment (appointment_id INTEGER, doc_id INTEGER, starts_at TEXT);
INSERT INTO doc VALUES (1, 'Dr. Groß');
INSERT INTO appointment VALUES (1, 1, '2024-01-03'), (2, 1, '2024-01-04');
"""
BY_DOC = "SELECT d.name, count(*) AS n FROM appointment AS a JOIN doc AS d ON d.doc_id = a.doc_id GROUP BY d.name"


async def test_a_shortened_name_is_told_and_the_question_answered(
    make_service: Make, model: ScriptedModel, registry: Path
) -> None:
    built(registry.parent / "clinic.sqlite", CLINIC)
    registry.write_text("clinic: clinic.sqlite\n", encoding="utf-8")
    replies(model, BY_DOC)

    answer = await ask(make_service, "appointments by each doctor", "clinic")

    assert answer["results"] == [{"name": "Dr. Groß", "n": 2}]
    assert ["doc" in it["detail"] for it in answer["doubts"] if it["rule"] == "missing_data"] == [True]


@pytest.mark.usefixtures("meaning")
async def test_a_question_in_another_language_than_the_names_is_not_refused(
    make_service: Make, model: ScriptedModel, registry: Path
) -> None:
    built(registry.parent / "firma.sqlite", "CREATE TABLE mitarbeiter (id INTEGER); INSERT INTO mitarbeiter VALUES (1)")
    registry.write_text("firma: firma.sqlite\n", encoding="utf-8")
    replies(model, "SELECT count(*) AS n FROM mitarbeiter")

    assert (await ask(make_service, "How many employees do we have?", "firma"))["results"] == [{"n": 1}]


@pytest.mark.usefixtures("meaning")
@pytest.mark.parametrize("place", ["rides_{month:02}.parquet", "2024/{month:02}/rides.parquet",
                                   "month={month:02}/rides.parquet"])  # fmt: skip
async def test_monthly_files_are_one_table(
    make_service: Make, model: ScriptedModel, registry: Path, place: str
) -> None:
    for month in range(1, 13):
        path = registry.parent / "city" / place.format(month=month)
        path.parent.mkdir(parents=True, exist_ok=True)
        day = f"DATE '2024-{month:02}-01'"
        duckdb.execute(f"COPY (SELECT range AS id, {day} AS day FROM range(20)) TO '{path}'")
    registry.write_text("city: city\n", encoding="utf-8")
    (table,) = (await send(make_service, "GET", "/databases/city/schema?enriched=false")).json()["tables"]
    replies(model, f'SELECT count(*) AS n FROM "{table["name"]}" WHERE year(day) = 2024')

    answer = await ask(make_service, "how many rides in 2024?", "city")

    assert answer["results"] == [{"n": 240}], answer["answer"]


@pytest.mark.parametrize("question, kind", [
    ("hello", "small_talk"),
    ("thanks", "small_talk"),
    ("what data do you have?", "about_data"),
    ("what tables are there?", "about_data"),
    ("what columns does orders have?", "about_data"),
    ("describe the orders table", "about_data"),
])  # fmt: skip
async def test_what_needs_no_query_gets_none(make_service: Make, question: str, kind: str) -> None:
    answer = await ask(make_service, question, "shop")  # a call of the model would fail the test

    assert (answer["kind"], answer["sql"], answer["verified"]) == (kind, None, False)


DATES = """
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, country TEXT, signed_up_on DATE);
CREATE TABLE orders (
    order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers, ordered_at DATE, sales REAL
);
INSERT INTO customers VALUES (1, 'DE', '2020-01-01'), (2, 'FR', '2021-06-01');
INSERT INTO orders VALUES (1, 1, '2024-01-01', 5), (2, 2, '2024-06-30', 7);
"""


@pytest.mark.parametrize("question", ["recent sales by country", "Welche Bestellungen (orders) gab es kürzlich?"])
async def test_recent_is_asked_back_about_the_date_that_is_meant(
    make_service: Make, registry: Path, question: str
) -> None:
    built(registry.parent / "dates.sqlite", DATES)
    registry.write_text("dates: dates.sqlite\n", encoding="utf-8")

    answer = await ask(make_service, question, "dates")

    assert (answer["status"], answer["clarification_reason"]) == ("clarification_needed", "vague_time")
    assert "2024-06-30" in answer["clarification"]
    assert "signed_up_on" not in answer["clarification"]


SALES = """
CREATE TABLE products (product_id INTEGER PRIMARY KEY, name TEXT, launched_on DATE);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, ordered_at DATE, amount REAL);
CREATE TABLE order_items (order_id INTEGER REFERENCES orders, product_id INTEGER REFERENCES products, quantity INTEGER);
CREATE TABLE returns (return_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders, returned_on DATE, refund REAL);
INSERT INTO products VALUES (1, 'Lamp', '2019-01-01'), (2, 'Chair', '2020-02-02');
INSERT INTO orders VALUES (1, '2024-01-01', 5), (2, '2024-06-30', 7);
INSERT INTO order_items VALUES (1, 1, 2), (2, 2, 1);
INSERT INTO returns VALUES (1, 1, '2024-02-03', 5);
"""
REVENUE = (
    "## Glossary\n\n- Revenue (chiffre d'affaires, 매출): `SUM(orders.amount)` of all orders, by `orders.ordered_at`.\n"
)
WORDS = {"fr": "les 30 derniers jours", "ko": "최근 30일"}  # of a choice; in no other language


@pytest.mark.parametrize("question, language", [("chiffre d'affaires récemment", "fr"), ("최근 매출은?", "ko")])
async def test_recent_in_french_and_korean_is_asked_back_in_one_language(
    make_service: Make, registry: Path, question: str, language: str
) -> None:
    built(registry.parent / "sales.sqlite", SALES)
    (registry.parent / "sales.md").write_text(REVENUE, encoding="utf-8")
    registry.write_text("sales: {url: sales.sqlite, docs: [sales.md]}\n", encoding="utf-8")

    answer = await ask(make_service, question, "sales")

    assert (answer["status"], answer["clarification_reason"]) == ("clarification_needed", "vague_time")
    assert "orders.ordered_at" in answer["clarification"]
    assert "2024-06-30" in answer["clarification"]
    assert not {"launched_on", "returned_on"} & set(re.findall(r"\w+", answer["clarification"]))
    labels = [choice["label"] for choice in answer["choices"]]
    assert [it for it in labels if it.startswith(WORDS[language])]
    assert not [it for it in labels if re.search(r"\b(?:the|last|days|months|from|to)\b", it)], "no English choices"


CATEGORIES = """
CREATE TABLE categories (category_id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE products (product_id INTEGER PRIMARY KEY, category_id INTEGER REFERENCES categories, name TEXT);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, status TEXT, amount REAL);
INSERT INTO categories VALUES (1, 'Lamps'), (2, 'Chairs');
INSERT INTO products VALUES (1, 1, 'Desk lamp'), (2, 1, 'Floor lamp'), (3, 2, 'Stool');
INSERT INTO orders VALUES (1, 'C', 5), (2, 'X', 7);
"""
PER_CATEGORY = (
    "SELECT c.name, count(*) AS n FROM products AS p JOIN categories AS c ON c.category_id = p.category_id "
    "GROUP BY c.name"
)
CATEGORY_RULE = """
## Glossary

- Category: of its sales, cancelled orders are left out (`orders.status <> 'X'`).
"""


async def test_a_literal_of_a_rule_is_no_word_of_the_question(
    make_service: Make, model: ScriptedModel, registry: Path
) -> None:
    built(registry.parent / "categories.sqlite", CATEGORIES)
    (registry.parent / "categories.md").write_text(CATEGORY_RULE, encoding="utf-8")
    registry.write_text("categories: {url: categories.sqlite, docs: [categories.md]}\n", encoding="utf-8")
    replies(model, PER_CATEGORY)

    answer = await ask(make_service, "how many products are in each category?", "categories")

    prompts = "\n".join(call.text for call in model.asked)
    assert "orders.status <> 'X'" in prompts, "the rule was retrieved"
    assert "orders.status = 'X'" not in prompts
    assert {row["n"] for row in answer["results"]} == {1, 2}
    assert not [it for it in answer["doubts"] if "'X'" in it["detail"]]
    assert not [it for it in answer["checks"] if not it["passed"] and "'X'" in it["detail"]]


async def test_all_rows_that_are_wanted_come(make_service: Make, registry: Path) -> None:
    built(
        registry.parent / "long.sqlite",
        "CREATE TABLE t (n INTEGER); WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 700) "
        "INSERT INTO t SELECT n FROM c",
    )
    registry.write_text("long: long.sqlite\n", encoding="utf-8")
    body = {"database": "long", "sql": "SELECT n FROM t ORDER BY n", "row_limit": 10_000}
    whole = (await send(make_service, "POST", "/execute", body)).json()

    assert (whole["row_count"], whole["truncated"]) == (700, False)


async def test_a_latin_1_file_leaves_the_instance_ready(make_service: Make, registry: Path) -> None:
    (registry.parent / "orte.csv").write_bytes("Ort\nMünchen\nKöln\n".encode("latin-1"))
    registry.write_text("shop: shop.sqlite\norte: orte.csv\n", encoding="utf-8")
    ready = await send(make_service, "GET", "/health/ready")

    found = {part["name"]: part["ready"] for part in ready.json()["parts"]}
    assert (found["database orte"], found["database shop"]) == (True, True)


WARDS = (
    CLINIC
    + """
CREATE TABLE diag (diag_id INTEGER, icd TEXT, main INTEGER);
CREATE TABLE archived_visits (visit_id INTEGER, fee REAL, ward TEXT);
CREATE TABLE visits (visit_id INTEGER, ward TEXT, cost REAL, visited_on TEXT);
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 40) INSERT INTO diag
  SELECT n, 'A' || (n % 4), n % 2 FROM c;
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 40) INSERT INTO visits
  SELECT n, CASE n % 2 WHEN 0 THEN 'North' ELSE 'South' END, n * 10.5, '2024-0' || (1 + n % 9) || '-11' FROM c;
"""
)


@pytest.mark.usefixtures("meaning")
async def test_the_questions_of_a_new_database_were_run(
    make_service: Make, model: ScriptedModel, registry: Path
) -> None:
    built(registry.parent / "clinic.sqlite", WARDS)
    registry.write_text("clinic: clinic.sqlite\n", encoding="utf-8")
    shown = (await send(make_service, "GET", "/databases/clinic")).json()["questions"]
    chat = {"database": "clinic"}
    started = (await send(make_service, "POST", "/agents/text-to-sql/start-session", chat)).json()["sample_questions"]
    hello = (await ask(make_service, "hello", "clinic"))["answer"]
    hallo = (await ask(make_service, "Guten Tag, wie geht es dir?", "clinic"))["answer"]
    model.replies(sql="SELECT none FROM visits")
    failed = await ask(make_service, "What do visits cost?", "clinic", max_attempts=1)

    assert "What was the total cost of visits in each month of 2024?" in shown
    assert started == shown
    assert f"- {shown[0]}" in hello
    assert "Wie hoch war die Summe von cost in visits in jedem Monat von 2024?" in hallo
    assert {it["question"] for it in failed["choices"]} == set(shown)
    every = " ".join([*shown, *started, hello, hallo])
    assert "main" not in every, "a flag is no measure"
    assert "archived" not in every, "a table without rows answers nothing"


async def test_where_no_question_gives_rows_none_is_shown(make_service: Make, registry: Path) -> None:
    built(registry.parent / "codes.sqlite", "CREATE TABLE k1 (x7 INTEGER, icd TEXT); INSERT INTO k1 VALUES (1, 'A0')")
    registry.write_text("codes: codes.sqlite\n", encoding="utf-8")
    hello = (await ask(make_service, "hello", "codes"))["answer"]
    started = await send(make_service, "POST", "/agents/text-to-sql/start-session", {"database": "codes"})

    assert hello.startswith("Hello!")
    assert "For example" not in hello
    assert started.json()["sample_questions"] == []
