"""`merged_names` over real rows: names that are shared, categories, and what is shown."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from shop_questions import Make

from agent.core.models import Doubt, Options
from testbed.scripted_model import ScriptedModel

TABLES = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT, city TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), amount REAL);
CREATE TABLE shops (id INTEGER PRIMARY KEY, kind TEXT, label TEXT);
CREATE TABLE sales (id INTEGER PRIMARY KEY, shop_id INTEGER REFERENCES shops (id), amount REAL);
CREATE TABLE staff (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT);
CREATE TABLE shifts (id INTEGER PRIMARY KEY, staff_id INTEGER REFERENCES staff (id), hours INTEGER);
"""
BY_NAME = "SELECT c.name, SUM(o.amount) AS total FROM customers AS c JOIN orders AS o ON o.customer_id = c.id {} "
BY_NAME += "GROUP BY c.name"
FULL_NAME = "SELECT s.first_name, s.last_name, SUM(h.hours) AS n FROM staff AS s JOIN shifts AS h ON h.staff_id = s.id "
FULL_NAME += "GROUP BY s.first_name, s.last_name"
Find = Callable[[str], Awaitable[list[Doubt]]]


@pytest.fixture
async def find(make_service: Make, model: ScriptedModel, registry: Path, tmp_path: Path) -> AsyncIterator[Find]:
    """What `merged_names` finds of a query. Customers 4 and 5 are both Ada; of thirty shops, two have one label."""
    with sqlite3.connect(tmp_path / "trade.sqlite") as made:
        made.executescript(TABLES)
        names = ["Bo", "Cy", "Di", "Ada", "Ada", "Eve", "Flo", "Gus"]
        for number, name in enumerate(names, 1):
            country, city = ("DE", "FR", "IT")[number % 3], ("Ulm", "Lyon", "Rome", "Bari", "Bonn", "Metz")[number % 6]
            made.execute("INSERT INTO customers VALUES (?, ?, ?, ?)", (number, name, country, city))
            made.execute("INSERT INTO orders VALUES (?, ?, ?)", (number, number, 10 * number))
        for number in range(1, 31):
            label = f"shop {min(number, 29)}"
            made.execute("INSERT INTO shops VALUES (?, ?, ?)", (number, "kiosk" if number % 2 else "hall", label))
            made.execute("INSERT INTO sales VALUES (?, ?, ?)", (number, number, 5))
        for number, (first, last) in enumerate([("Ann", "Roy"), ("Ann", "Day"), ("Tim", "Roy"), ("Tim", "Day")], 1):
            made.execute("INSERT INTO staff VALUES (?, ?, ?)", (number, first, last))
            made.execute("INSERT INTO shifts VALUES (?, ?, ?)", (number, number, 8))
    made.close()
    registry.write_text("trade: trade.sqlite\n", encoding="utf-8")
    service = make_service(second_draft=None)

    async def ask(sql: str) -> list[Doubt]:
        model.replies(sql=sql)
        model.replies(sql=sql)
        answer = await service.query(
            "What is the total of each customer?", "trade", options=Options(enable_answer=False)
        )
        assert answer.sql is not None
        return [it for it in answer.doubts if it.rule == "merged_names"]

    yield ask
    await service.close()


async def test_customers_of_one_name_are_told_apart_by_their_key(find: Find) -> None:
    (doubt,) = await find(BY_NAME.format(""))

    assert doubt.evidence == "data"
    assert doubt.detail == (
        "2 customers share a name with another; the query adds them together. Group by customers.id to tell them apart."
    )


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        (BY_NAME.format("WHERE o.amount < 50"), "the rows that it reads are of different names"),
        (BY_NAME.format("") + " HAVING SUM(o.amount) < 50", "no group that is shown has several customers"),
        (BY_NAME.format("") + " ORDER BY total LIMIT 1", "the one that is shown is of a single customer"),
        (BY_NAME.format("").replace("c.name", "c.country"), "countries repeat"),
        (BY_NAME.format("").replace("c.name", "c.city"), "cities repeat"),
        (BY_NAME.format("").replace("c.name", "c.country, c.city"), "so do pairs of them"),
        (BY_NAME.format("").replace("c.name", "c.id"), "by the key"),
        (BY_NAME.format("").replace("c.", "k.").replace("customers AS c", "shops AS k").replace("k.name", "k.kind")
         .replace("orders", "sales").replace("customer_id", "shop_id"), "the first text of a table may be a category"),
        (FULL_NAME, "each name is shared, and both of them by nobody"),
    ],
)  # fmt: skip
async def test_groups_that_merge_nobody_are_not_doubted(find: Find, sql: str, why: str) -> None:
    assert await find(sql) == [], why


async def test_the_group_that_is_shown_counts(find: Find) -> None:
    (doubt,) = await find(BY_NAME.format("") + " ORDER BY total DESC LIMIT 1")

    assert doubt.detail.startswith("2 customers share a name")


async def test_a_label_behind_a_category_names_rows_if_nearly_all_differ(find: Find) -> None:
    (doubt,) = await find(
        "SELECT k.label, COUNT(*) AS n FROM shops AS k JOIN sales AS s ON s.shop_id = k.id GROUP BY k.label"
    )

    assert doubt.detail.startswith("2 shops share a label")
