"""Right queries stay as they were written, and wrong ones that run are not verified: drafted twice alike, so that the
vote alone would take them."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import duckdb
import pytest
from shop_questions import Make

from agent.core.models import Options
from agent.pipeline.service import Service
from testbed.scripted_model import ScriptedModel

NO_SENTENCE = Options(enable_answer=False)
TABLES = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT, channel TEXT);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), status TEXT, amount REAL,
    ordered_at TEXT, rating TEXT, approved_by INTEGER REFERENCES employees (id));
CREATE TABLE order_items (order_id INTEGER REFERENCES orders (id), product TEXT, quantity INTEGER);
CREATE TABLE employees (id INTEGER PRIMARY KEY, name TEXT, manager_id INTEGER REFERENCES employees (id));
CREATE TABLE payroll (id INTEGER PRIMARY KEY REFERENCES employees (id), salary REAL);
CREATE TABLE staff (id INTEGER PRIMARY KEY, country TEXT, headcount INTEGER);
CREATE TABLE invoices (id INTEGER PRIMARY KEY, state TEXT);
CREATE TABLE plans (plan_id INTEGER, label TEXT);
CREATE TABLE members (member_id INTEGER, plan_id INTEGER, town TEXT);
CREATE TABLE payments (payment_id INTEGER, member_id INTEGER, paid REAL);
CREATE TABLE visits (member_id INTEGER, day TEXT);
CREATE TABLE towns (name TEXT, region TEXT);
CREATE TABLE codes (code TEXT PRIMARY KEY, meaning TEXT);
CREATE TABLE calls (id INTEGER PRIMARY KEY, code TEXT REFERENCES codes (code));
INSERT INTO customers VALUES (1, 'Ada', 'Niger', 'T'), (2, 'Bo', 'Nigeria', 'M'), (3, 'Cy', 'Nigeria', 'M'),
    (4, 'Di', NULL, 'T');
INSERT INTO employees VALUES (1, 'Eve', NULL), (2, 'Flo', 1), (3, 'Gus', 1);
INSERT INTO orders VALUES (1, 1, 'X', 20, '2024-12-24 10:00:00', '9', 1),
    (2, 2, 'S', 60, '2024-12-31 09:30:00', '10', 2),
    (3, 2, 'S', 10, '2024-06-01 00:00:00', '7', 2), (4, NULL, 'C', 99, '2025-01-01 08:00:00', '8', 3);
INSERT INTO order_items VALUES (1, 'pen', 2), (1, 'ink', 1), (2, 'pen', 1), (2, 'mug', 4), (3, 'pen', 1), (4, 'mug', 2);
INSERT INTO payroll VALUES (1, 300), (2, 200), (3, 100);
INSERT INTO staff VALUES (1, 'Nigeria', 70), (2, 'Togo', 5);
INSERT INTO invoices VALUES (1, 'Awaiting Payment'), (2, 'Paid'), (3, 'Paid');
INSERT INTO plans VALUES (1, 'Basic'), (2, 'Plus');
INSERT INTO members VALUES (1, 1, 'York'), (2, 2, 'Hull'), (3, 1, 'York');
INSERT INTO payments VALUES (1, 1, 20), (2, 1, 20), (3, 2, 35), (4, 3, 20);
INSERT INTO codes VALUES ('N', 'No-show'), ('C', 'Completed'), ('X', 'Cancelled by caller'), ('U', 'Undone'),
    ('A', 'Active'), ('I', 'Inactive');
INSERT INTO calls VALUES (1, 'N'), (2, 'C'), (3, 'X'), (4, 'C'), (5, 'U'), (6, 'A'), (7, 'I');
INSERT INTO towns VALUES ('Leeds', 'north'), ('leeds', 'north'), ('Bath', 'south');
INSERT INTO visits VALUES (1, '2024-03-01'), (1, '2024-03-02'), (3, '2024-03-02');
"""
DOCS = """
# customers

## channel

How they came: T = telephone, M = mobile app.
"""


@pytest.fixture
async def voting(make_service: Make, registry: Path, tmp_path: Path) -> AsyncIterator[Service]:
    """Has drafts vote in the place of a judge, over a database of its own and a DuckDB file with real timestamps."""
    with sqlite3.connect(tmp_path / "trade.sqlite") as made:
        made.executescript(TABLES)
    made.close()
    with duckdb.connect(str(tmp_path / "events.duckdb")) as events:
        events.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, ordered_at TIMESTAMP, amount DOUBLE)")
        events.execute(
            "INSERT INTO orders VALUES (1, '2024-01-01 00:00:00', 5), (2, '2024-12-24 12:00:00', 7), "
            "(3, '2024-12-31 23:00:00', 11), (4, '2025-01-01 00:00:00', 13)"
        )
    (tmp_path / "trade.md").write_text(DOCS, encoding="utf-8")
    registry.write_text("trade: {url: trade.sqlite, docs: trade.md}\nevents: events.duckdb\n", encoding="utf-8")
    built = make_service(second_draft=None)
    yield built
    await built.close()


RIGHT = [
    ("Which orders are cancelled (X), or shipped (S) above 50?",
     "SELECT id FROM orders WHERE status = 'X' OR status = 'S' AND amount > 50"),
    ("How many open invoices are there?", "SELECT COUNT(*) AS n FROM invoices WHERE state = 'Awaiting Payment'"),
    ("What are the name and salary of each employee?",
     "SELECT e.name, p.salary FROM employees AS e JOIN payroll AS p ON e.id = p.id"),
    ("Which country has the most customers?",
     "SELECT country, COUNT(*) AS n FROM customers GROUP BY country ORDER BY n DESC LIMIT 1"),
    ("Which customers ordered at least two times?",
     "SELECT c.name FROM customers AS c JOIN orders AS o ON o.customer_id = c.id GROUP BY c.id HAVING COUNT(*) >= 2"),
    ("List the countries of the customers.", "SELECT country FROM customers WHERE NOT country IS NULL"),
    ("Who is the customer of order 1?", "SELECT customer_id FROM orders WHERE id = 1"),
    ("What information is there on the invoices?", "SELECT id, state FROM invoices"),
    ("Which customers have no orders?",
     "SELECT name FROM customers WHERE NOT id IN (SELECT customer_id FROM orders WHERE NOT customer_id IS NULL)"),
    ("How many orders does each employee approve?",
     "SELECT e.name, COUNT(o.id) AS n FROM employees AS e LEFT JOIN orders AS o ON o.approved_by = e.id GROUP BY e.id"),
    ("What is the total amount of orders with a pen?",
     "SELECT SUM(amount) AS s FROM orders WHERE id IN (SELECT order_id FROM order_items WHERE product = 'pen')"),
    ("What is the total of the orders of customers from Niger?",
     "SELECT SUM(o.amount) AS s FROM orders AS o JOIN customers AS c ON o.customer_id = c.id "
     "WHERE c.country = 'Niger'"),
    ("How much is sold of each product?", "SELECT product, SUM(quantity) AS n FROM order_items GROUP BY product"),
    ("How many customers came by telephone?", "SELECT COUNT(*) AS n FROM customers WHERE channel = 'T'"),
    ("How many orders since June 2024?", "SELECT COUNT(*) AS n FROM orders WHERE ordered_at >= '2024-06-01'"),
    ("What is the share of shipped orders?",
     "SELECT 1.0 * SUM(CASE WHEN status = 'S' THEN 1 ELSE 0 END) / COUNT(*) AS share FROM orders"),
    ("Who manages whom?",
     "SELECT e.name, m.name AS boss FROM employees AS e JOIN employees AS m ON e.manager_id = m.id"),
    ("Which employee earns the most?",
     "SELECT e.name FROM employees AS e JOIN payroll AS p ON p.id = e.id ORDER BY p.salary DESC LIMIT 1"),
    ("What is the average order amount of customers from Nigeria?",
     "SELECT AVG(o.amount) AS a FROM orders AS o JOIN customers AS c ON c.id = o.customer_id "
     "WHERE c.country = 'Nigeria'"),
    ("For each customer, their latest order?",
     "SELECT customer_id, MAX(ordered_at) AS at FROM orders GROUP BY customer_id"),
    # questions whose words tempt: to drop a column, a filter, a join; to take another value, key or order
    ("Who spent the most, and how much was it?",
     "SELECT c.name, SUM(o.amount) AS total FROM customers AS c JOIN orders AS o ON o.customer_id = c.id "
     "GROUP BY c.id ORDER BY total DESC LIMIT 1"),
    ("Give all details of the employees.", "SELECT id, name FROM employees"),
    ("What do the managers earn?",
     "SELECT DISTINCT p.salary FROM employees AS e JOIN payroll AS p ON p.id = e.manager_id"),
    ("Which orders are cancelled (X), complete (C), or shipped (S) below 20?",
     "SELECT id FROM orders WHERE status = 'X' OR status = 'C' OR status = 'S' AND amount < 20"),
    ('Which customer is called "Ada"?', "SELECT id FROM customers WHERE name = 'Ada'"),
    ("How many customers are there in Niger?", "SELECT COUNT(*) AS n FROM customers WHERE country = 'Niger'"),
    ("How many full pairs were sold?", "SELECT SUM(quantity / 2) AS n FROM order_items"),
    ("How many pens were sold?", "SELECT SUM(quantity) AS n FROM order_items WHERE product = 'pen'"),
    ("Show the statuses of the orders.", "SELECT DISTINCT status FROM orders"),
    ("How many orders have a known customer?", "SELECT COUNT(*) AS n FROM orders WHERE NOT customer_id IS NULL"),
    ("How many items do the orders of customer 2 have in all?",
     "SELECT SUM(i.quantity) AS n FROM orders AS o JOIN order_items AS i ON i.order_id = o.id WHERE o.customer_id = 2"),
    ("How many orders have items?",
     "SELECT COUNT(DISTINCT o.id) AS n FROM orders AS o JOIN order_items AS i ON i.order_id = o.id"),
    ("What are the id, name and number of orders of each customer?",
     "SELECT c.id, c.name, COUNT(o.id) AS n FROM customers AS c LEFT JOIN orders AS o ON o.customer_id = c.id "
     "GROUP BY c.id"),
    ("What share of the amount of all complete or shipped orders is of shipped ones?",
     "SELECT SUM(CASE WHEN status = 'S' THEN amount END) / SUM(CASE WHEN status <> 'X' THEN amount END) AS s "
     "FROM orders"),
    ("Who spent how much, the most first?",
     "WITH spent AS (SELECT c.id, c.name, SUM(o.amount) AS s FROM customers AS c JOIN orders AS o "
     "ON o.customer_id = c.id GROUP BY c.id) SELECT name, s FROM spent ORDER BY s DESC"),
    ("How much was the greatest total of a customer, and whose?",
     "SELECT x.who, MAX(x.s) AS m FROM (SELECT c.name AS who, SUM(o.amount) AS s FROM customers AS c JOIN orders AS o "
     "ON o.customer_id = c.id GROUP BY c.id) AS x"),
    ("How many full dozens were sold?", "SELECT SUM(quantity) / 12 AS n FROM order_items"),
    ("Which orders are from before 2025?", "SELECT id FROM orders WHERE ordered_at < '2025-01-01'"),
    # no table has a key, and the values of what is joined by are all different
    ("How much did the members in York pay?",
     "SELECT SUM(p.paid) AS s FROM payments AS p JOIN members AS m ON p.member_id = m.member_id WHERE m.town = 'York'"),
    ("How much was paid for each plan?",
     "SELECT l.label, SUM(p.paid) AS s FROM payments AS p JOIN members AS m ON p.member_id = m.member_id "
     "JOIN plans AS l ON l.plan_id = m.plan_id GROUP BY l.label"),
    ("Who is no manager?",
     "SELECT name FROM employees EXCEPT SELECT m.name FROM employees AS e JOIN employees AS m ON e.manager_id = m.id"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "sql"), RIGHT, ids=[case[0] for case in RIGHT])
async def test_a_right_query_runs_as_it_was_written_and_is_verified(
    voting: Service, model: ScriptedModel, question: str, sql: str
) -> None:
    model.replies(sql=sql)
    model.replies(sql=sql)

    answer = await voting.query(question, "trade", options=NO_SENTENCE)

    assert answer.sql is not None
    assert answer.sql.startswith(sql)
    assert [it for it in answer.doubts if it.evidence != "language"] == []
    assert (answer.attempts, answer.corrections) == (1, [])
    assert next(check.passed for check in answer.checks if check.name == "second_draft")


WRONG = [
    ("trade", "How many staff are there in Niger?", "SELECT SUM(headcount) AS n FROM staff WHERE country = 'Niger'",
     "stored_values"),
    ("trade", "What is the total of the orders with a pen or ink?",
     "SELECT SUM(o.amount) AS s FROM orders AS o JOIN order_items AS i ON i.order_id = o.id "
     "WHERE i.product IN ('pen', 'ink')", "fan_out"),
    ("trade", "What is the total of all orders, with their items?",
     "SELECT SUM(o.amount) AS s FROM orders AS o JOIN order_items AS i ON i.order_id = o.id", "fan_out"),
    ("trade", "What is the average amount of the orders with items?",
     "SELECT AVG(o.amount) AS a FROM orders AS o, order_items AS i WHERE i.order_id = o.id", "fan_out"),
    ("trade", "How many customers ordered?",
     "SELECT COUNT(c.id) AS n FROM customers AS c JOIN orders AS o ON o.customer_id = c.id", "fan_out"),
    ("trade", "What share of the orders is shipped, cancelled ones aside?",
     "SELECT 1.0 * SUM(CASE WHEN status = 'S' AND status <> 'X' THEN 1 ELSE 0 END) / COUNT(*) AS s FROM orders",
     "share_part"),
    ("trade", "How many customers came by telephone?",
     "SELECT COUNT(*) AS n FROM customers WHERE channel = 'M'", "contradicted_code"),
    ("trade", "What does each customer pay, and when?",
     "SELECT customer_id, ordered_at, SUM(amount) AS s FROM orders GROUP BY customer_id", "ungrouped_columns"),
    ("trade", "How many orders does each customer have?",
     "SELECT c.id, COUNT(*) AS n FROM customers AS c LEFT JOIN orders AS o ON o.customer_id = c.id GROUP BY c.id",
     "counted_nothing"),
    ("trade", "How many orders above 15 does each customer have?",
     "SELECT c.id, COUNT(o.id) AS n FROM customers AS c LEFT JOIN orders AS o ON o.customer_id = c.id "
     "WHERE o.amount > 15 GROUP BY c.id", "undone_join"),
    ("trade", "What share of the amount in 2024 did each customer order?",
     "SELECT customer_id, SUM(amount) / (SELECT SUM(amount) FROM orders) AS share FROM orders "
     "WHERE ordered_at < '2025-01-01' GROUP BY customer_id", "share_part"),
    ("trade", "How many orders have a pen or ink?",
     "SELECT COUNT(*) AS n FROM orders AS o JOIN order_items AS i ON i.order_id = o.id "
     "WHERE i.product IN ('pen', 'ink')", "counted_rows"),
    ("trade", "What was ordered from January to December 2024?",
     "SELECT SUM(amount) AS s FROM orders WHERE ordered_at >= '2024-01-01' AND ordered_at < '2024-12-31'", "day_ends"),
    ("trade", "What do the approvers of orders earn?",
     "SELECT DISTINCT o.id, e.name FROM orders AS o JOIN employees AS e ON o.id = e.id", "unrelated_keys"),
    ("trade", "What is the total of the orders by product?",
     "SELECT i.product, SUM(o.amount * 1.1) AS s FROM order_items AS i JOIN orders AS o ON i.order_id = o.id "
     "WHERE o.id = 2 OR o.id = 1 GROUP BY o.status", "ungrouped_columns"),
    ("trade", "What is the average amount of orders with items, by status?",
     "SELECT o.status, AVG(o.amount) AS a FROM orders AS o LEFT JOIN order_items AS i ON i.order_id = o.id "
     "GROUP BY o.status", "fan_out"),
    ("trade", "List the approvers of orders with items in one line.",
     "SELECT GROUP_CONCAT(o.approved_by) AS a FROM orders AS o JOIN order_items AS i ON i.order_id = o.id", "fan_out"),
    ("trade", "How many orders are there with items?",
     "SELECT COUNT(o.id) AS n FROM orders AS o JOIN order_items AS i ON i.order_id = o.id", "fan_out"),
    ("trade", "What do approvers of orders earn in all?",
     "SELECT SUM(p.salary) AS s FROM payroll AS p JOIN orders AS o ON o.approved_by = p.id", "fan_out"),
    ("trade", "What is the total of orders with items, of customers?",
     "SELECT x.total FROM (SELECT SUM(o.amount) AS total FROM orders AS o JOIN customers AS c ON o.customer_id = c.id "
     "JOIN order_items AS i ON i.order_id = o.id) AS x", "fan_out"),
    ("trade", "How much did the members pay who came in March 2024?",
     "SELECT SUM(p.paid) AS s FROM payments AS p JOIN visits AS v ON v.member_id = p.member_id "
     "WHERE v.day LIKE '2024-03-%'", "fan_out"),
    ("trade", "How much did the visitors of each plan pay?",
     "SELECT m.plan_id, SUM(p.paid) AS s FROM payments AS p JOIN members AS m ON m.member_id = p.member_id "
     "JOIN visits AS v ON v.member_id = m.member_id GROUP BY m.plan_id", "fan_out"),
    ("trade", "What is the total salary of managers?",
     "SELECT TOTAL(p.salary) AS s FROM payroll AS p JOIN employees AS e ON e.manager_id = p.id", "fan_out"),
    ("trade", "What share of orders that are not cancelled is over 15?",
     "SELECT 1.0 * SUM(CASE WHEN amount > 15 THEN 1 ELSE 0 END) / SUM(CASE WHEN status <> 'X' THEN 1 ELSE 0 END) AS s "
     "FROM orders", "share_part"),
    ("trade", "What share of orders that are not cancelled has a customer and is over 15?",
     "SELECT 1.0 * (SELECT COUNT(*) FROM orders WHERE amount > 15 AND NOT customer_id IS NULL) "
     "/ (SELECT COUNT(*) FROM orders WHERE status <> 'X') AS s", "share_part"),
    ("trade", "Which customers came by mobile app?", "SELECT name FROM customers WHERE channel IN ('T')",
     "contradicted_code"),
    ("trade", "What are the names in each country, and how many?",
     "SELECT country, UPPER(name) AS n, COUNT(*) AS m FROM customers GROUP BY country", "ungrouped_columns"),
    ("trade", "How many invoices await a payment?",
     "SELECT COUNT(*) AS n FROM invoices WHERE state = 'Awaiting'", "stored_values"),
]  # fmt: skip
# A plain check refuses these before any vote, so they are written once more.
TRIED_AGAIN = {"How many staff are there in Niger?", "How many invoices await a payment?"}


@pytest.mark.parametrize(("database", "question", "sql", "rule"), WRONG, ids=[case[1] for case in WRONG])
async def test_a_wrong_query_that_runs_is_doubted_and_not_verified(
    voting: Service, model: ScriptedModel, database: str, question: str, sql: str, rule: str
) -> None:
    for _ in range(4 if question in TRIED_AGAIN else 2):
        model.replies(sql=sql)

    answer = await voting.query(question, database, options=NO_SENTENCE)

    assert rule in {it.rule for it in answer.doubts}
    assert not answer.verified


PROPOSED = [
    ("trade", "Who lives in NIGER?", "SELECT name FROM customers WHERE country = 'NIGER'", [["Ada"]]),
    ("trade", "Which order has the best rating?", "SELECT id FROM orders ORDER BY rating DESC LIMIT 1", [[2]]),
    ("trade", "What is the ratio of orders with a customer?",
     "SELECT COUNT(customer_id) / COUNT(*) AS r FROM orders", [[0.75]]),
    ("trade", "How many orders until the end of 2024?",
     "SELECT COUNT(*) AS n FROM orders WHERE ordered_at BETWEEN '2024-01-01' AND '2024-12-31'", [[3]]),
    ("events", "What was sold in 2024?",
     "SELECT SUM(amount) AS s FROM orders WHERE ordered_at BETWEEN '2024-01-01' AND '2024-12-31'", [[23.0]]),
    ("events", "How many orders on 24 December 2024?",
     "SELECT COUNT(*) AS n FROM orders WHERE ordered_at = '2024-12-24'", [[1]]),
    ("events", "How many orders up to 31 December 2024?",
     "SELECT COUNT(*) AS n FROM orders WHERE ordered_at <= DATE '2024-12-31'", [[3]]),
    ("trade", "Which customers never ordered?", "SELECT c.name FROM customers AS c JOIN orders AS o "
     "ON o.customer_id = c.id WHERE o.id IS NULL", [["Cy"], ["Di"]]),
    ("trade", "How many orders in 2025?", "SELECT COUNT(*) AS n FROM orders WHERE STRFTIME('%Y', ordered_at) = 2025",
     [[1]]),
    ("events", "How many orders on 24 or 31 December 2024?",
     "SELECT COUNT(*) AS n FROM orders WHERE ordered_at IN ('2024-12-24', '2024-12-31')", [[2]]),
    ("events", "How many orders not on 24 December 2024?",
     "SELECT COUNT(*) AS n FROM orders WHERE ordered_at <> DATE '2024-12-24'", [[3]]),
    ("events", "How many orders after 2024?",
     "SELECT COUNT(*) AS n FROM orders WHERE ordered_at > '2024-12-31'", [[1]]),
    ("events", "How many orders until the end of 2024?",
     "SELECT COUNT(*) AS n FROM orders WHERE CAST('2024-12-31' AS DATE) >= ordered_at", [[3]]),
    ("trade", "What is the share of orders with a pen?",
     "SELECT (SELECT COUNT(DISTINCT order_id) FROM order_items WHERE product = 'pen') / COUNT(*) AS s FROM orders",
     [[0.75]]),
    ("trade", "What do the quantities leave of 10, each as a share?",
     "SELECT SUM(1 - quantity / 10) AS s FROM order_items", [[4.9]]),
    ("trade", "What is the highest rating?", "SELECT MAX(rating) AS r FROM orders", [[10.0]]),
]  # fmt: skip


@pytest.mark.parametrize(("database", "question", "sql", "rows"), PROPOSED, ids=[case[1] for case in PROPOSED])
async def test_what_schema_and_data_propose_is_answered_named_and_not_verified(
    voting: Service, model: ScriptedModel, database: str, question: str, sql: str, rows: list[list[object]]
) -> None:
    model.replies(sql=sql)
    model.replies(sql=sql)

    answer = await voting.query(question, database, options=NO_SENTENCE)

    assert [list(row.values()) for row in answer.results] == rows
    assert answer.corrections
    assert not answer.verified


SAME_MEANING = [
    ("Which customers have no orders?", "SELECT name FROM customers WHERE NOT id IN (SELECT customer_id FROM orders)",
     [["Cy"], ["Di"]]),
    ("How many towns are called Leeds?", "SELECT COUNT(*) AS n FROM towns WHERE name = 'Leeds'", [[2]]),
]  # fmt: skip


@pytest.mark.parametrize(("question", "sql", "rows"), SAME_MEANING, ids=[case[0] for case in SAME_MEANING])
async def test_what_the_query_means_is_verified_if_drafts_agree_on_it(
    voting: Service, model: ScriptedModel, question: str, sql: str, rows: list[list[object]]
) -> None:
    model.replies(sql=sql)
    model.replies(sql=sql)

    answer = await voting.query(question, "trade", options=NO_SENTENCE)

    assert [list(row.values()) for row in answer.results] == rows
    assert answer.corrections
    assert answer.verified


@pytest.mark.parametrize(
    ("question", "code", "doubted"),
    [
        ("How many no-shows were there?", "N", False),
        ("How many calls were completed?", "C", False),
        ("How many calls were cancelled?", "C", True),
        ("How many calls failed?", "U", True),
        ("How many calls were closed?", "C", False),
        ("How many calls are active?", "I", True),
    ],
    ids=[
        "explained",
        "short form",
        "another code has the word",
        "unexplained",
        "a short form of a word",
        "a word inside another one",
    ],
)
async def test_a_code_is_explained_by_the_table_that_it_is_a_key_of(
    voting: Service, model: ScriptedModel, question: str, code: str, doubted: bool
) -> None:
    for _ in range(2):
        model.replies(sql=f"SELECT COUNT(*) AS n FROM calls WHERE code = '{code}'")

    answer = await voting.query(question, "trade", options=NO_SENTENCE)

    assert ("guessed_code" in {it.rule for it in answer.doubts}) is doubted
