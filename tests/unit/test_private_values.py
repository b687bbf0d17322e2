"""Private columns in a model's query: only those that the question names."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.core.models import Options
from agent.databases.database import describe_left_out, find_hidden_columns
from agent.pipeline.service import Service
from executors.base import CheckedSql, Column, Schema, Table
from executors.errors import SqlRefused
from executors.guard.guard import check
from testbed.scripted_model import ScriptedModel

CUSTOMERS = Table(
    name="customers",
    columns=(
        Column(name="id", type="INTEGER"),
        Column(name="email", type="TEXT", private=True),
        Column(name="home_phone", type="TEXT", private=True),
        Column(name="city", type="TEXT"),
    ),
)
STAFF = Table(name="staff", columns=(Column(name="id", type="INTEGER"), Column(name="email", type="TEXT")))
PLAIN = "How many customers are there in each city?"


def schema(dialect: str) -> Schema:
    return Schema(database="people", dialect=dialect, tables=(CUSTOMERS, STAFF))


def held(sql: str, question: str = PLAIN, dialect: str = "duckdb") -> CheckedSql:
    known = schema(dialect)
    return check(sql, known, row_limit=100, hidden=find_hidden_columns(known, question))


def refusal(sql: str, question: str = PLAIN, dialect: str = "duckdb") -> str:
    """Why it is not run; empty where it is. Both the guard and the rule may say no."""
    try:
        held(sql, question, dialect)
    except SqlRefused as error:
        return error.message
    return ""


@pytest.mark.parametrize("sql, why", [
    ("SELECT city, count(*) FROM customers GROUP BY city", "others alone"),
    ("SELECT count(email), count(DISTINCT home_phone) FROM customers", "counted"),
    ("SELECT city FROM customers WHERE email = 'ada@mail.example'", "compared"),
    ("SELECT c.city FROM customers c JOIN staff s ON s.email = c.email", "joined"),
    ("SELECT count(*) FROM customers GROUP BY email HAVING count(*) > 1 ORDER BY email", "grouped and ordered by"),
    ("SELECT city FROM customers WHERE id IN (SELECT id FROM customers WHERE home_phone IS NULL)", "in a subquery"),
    ("SELECT email FROM staff", "another table's of the same name"),
    ("SELECT s.email, c.city FROM staff s JOIN customers c ON c.id = s.id", "beside the private one"),
    ("SELECT * FROM customers", "left out of the rows afterwards"),
    ("SELECT count(*) FROM (SELECT * FROM customers) AS c", "counted rows"),
])  # fmt: skip
def test_what_shows_no_private_value_is_run(sql: str, why: str) -> None:
    assert refusal(sql) == "", why


@pytest.mark.parametrize("sql, why", [
    ("SELECT email FROM customers", "by its name"),
    ("SELECT c.EMAIL AS city FROM customers AS c", "under another name"),
    ("SELECT upper(substr(email, 1, 3)) FROM customers", "in pieces"),
    ("SELECT max(home_phone) FROM customers", "one of them"),
    ("SELECT string_agg(email, ',') FROM customers", "all of them"),
    ("SELECT CASE WHEN email LIKE 'a%' THEN 1 END FROM customers", "letter by letter"),
    ("SELECT city FROM customers UNION ALL SELECT email FROM customers", "in another branch"),
    ("SELECT 1, 'a', 'b', 'c' UNION ALL SELECT * FROM customers", "all columns, named by another branch"),
    ("WITH c AS (SELECT email AS e FROM customers) SELECT e FROM c", "through a CTE"),
    ("WITH c(a, b, d, e) AS (SELECT * FROM customers) SELECT b FROM c", "whose columns are named anew"),
    ("SELECT b FROM (SELECT * FROM customers) AS t(a, b, c, d)", "a subquery likewise"),
    ("SELECT b FROM customers AS t(a, b, c, d)", "a table likewise"),
    ("SELECT (SELECT email FROM customers LIMIT 1) AS x", "as a value"),
    ("SELECT email FROM (SELECT * FROM customers) AS t", "through all columns"),
    ("SELECT id FROM customers ORDER BY (SELECT min(email) FROM customers)", ""),
    ("SELECT * RENAME (email AS e) FROM customers", "renamed"),
    ("SELECT * REPLACE (email AS city) FROM customers", "in the place of another"),
])  # fmt: skip
def test_what_would_show_them_is_not(sql: str, why: str) -> None:
    assert bool(refusal(sql)) == bool(why), why


@pytest.mark.parametrize("question, shown", [
    ("What is the email of Ada?", True),
    ("What are the e-mails of all customers?", True),
    ("List the emails.", True),
    ("What is the home phone of Ada?", True),
    ("Who can be reached at home?", False),
    (PLAIN, False),
])  # fmt: skip
def test_who_names_a_column_is_shown_it(question: str, shown: bool) -> None:
    sql = "SELECT home_phone FROM customers" if "home" in question else "SELECT email FROM customers"
    assert (refusal(sql, question) == "") is shown


def test_all_columns_come_without_them_and_the_answer_says_so() -> None:
    query = held("SELECT * FROM customers", "Show the e-mail of everybody")
    assert describe_left_out(query).endswith(": customers.home_phone.")
    assert "home_phone" not in query.executable
    assert describe_left_out(held("SELECT count(*) FROM (SELECT * FROM customers) AS c")) == "", (
        "nothing of it was to be shown"
    )
    assert describe_left_out(held("SELECT * FROM staff")) == ""


def add_email(shop_file: Path) -> None:
    """Give the customers an e-mail address."""
    connection = sqlite3.connect(shop_file)
    connection.execute("ALTER TABLE customers ADD COLUMN email TEXT DEFAULT 'ada@mail.example'")
    connection.commit()
    connection.close()


async def test_a_model_that_selects_one_is_told_and_its_rows_never_leave(
    make_service: Callable[..., Service], registry: Path, model: ScriptedModel, shop_file: Path
) -> None:
    add_email(shop_file)
    registry.write_text("shop: {url: shop.sqlite, private: [customers.email]}", encoding="utf-8")
    service = make_service(enable_retrieval=False)
    model.replies(sql="SELECT email FROM customers")
    model.replies(sql="SELECT * FROM customers")
    model.replies(correct=True, reason="all of them")

    answer = await service.query("Show all customers", "shop")
    await service.close()

    assert "customers.email is private" in model.asked[1].tail
    assert answer.columns == ["customer_id", "name", "country"]
    assert any("customers.email" in warning for warning in answer.warnings)
    assert "ada@mail" not in answer.model_dump_json() + "".join(asked.text for asked in model.asked)


async def test_the_rows_of_a_change_come_without_them(
    make_service: Callable[..., Service], registry: Path, model: ScriptedModel, shop_file: Path
) -> None:
    add_email(shop_file)
    registry.write_text(
        "shop: {url: shop.sqlite, writable: true, writers: [ann], private: [customers.email]}", encoding="utf-8"
    )
    service = make_service(enable_retrieval=False, allow_writes=True)
    model.replies(sql="UPDATE customers SET country = 'FR' WHERE name = 'Ada'")

    answer = await service.query(
        "Change the country of Ada to FR", "shop", options=Options(allow_writes=True), principal="ann"
    )
    await service.close()

    assert answer.kind == "change"
    assert "ada@mail" not in answer.model_dump_json() + "".join(asked.text for asked in model.asked)
