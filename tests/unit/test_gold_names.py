"""The tables, columns and texts that a gold query names."""

from __future__ import annotations

import pytest

from agent.evaluation.gold import gold_names
from agent.evaluation.harness import EvaluationInvalid
from executors.base import Column, Schema, Table


def table(name: str, *columns: str) -> Table:
    return Table(name=name, columns=tuple(Column(name=column, type="TEXT") for column in columns))


SCHEMA = Schema(
    database="shop",
    dialect="sqlite",
    tables=(
        table("Customer", "id", "name", "city"),
        table("orders", "id", "customer_id", "total", "placed", "city"),
        table("items", "order_id", "product", "price"),
        table("notes", "order_id", "written"),
    ),
)


@pytest.mark.parametrize(
    "sql, names, why",
    [
        ("SELECT name FROM customer", "Customer.name", "spelled as the schema has it"),
        ("SELECT * FROM orders", "", "a star names no column"),
        ("SELECT COUNT(*) FROM orders AS o", "", "nor does the star of a count"),
        ("SELECT c.* FROM customer AS c", "", "nor that of one table"),
        (
            "SELECT t1.name FROM customer AS t1 JOIN orders AS t2 ON t1.id = t2.customer_id",
            "Customer.name Customer.id orders.customer_id",
            "aliases",
        ),
        ("SELECT name, total FROM customer, orders", "Customer.name orders.total", "without a qualifier"),
        (
            "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders WHERE total > 5)",
            "Customer.name Customer.id orders.customer_id orders.total",
            "a subquery",
        ),
        (
            "SELECT name FROM customer WHERE EXISTS (SELECT 1 FROM items WHERE name = product)",
            "Customer.name items.product",
            "a column of the query around it",
        ),
        (
            "SELECT name FROM customer AS c WHERE 3 < (SELECT COUNT(*) FROM orders WHERE customer_id = c.id)",
            "Customer.name Customer.id orders.customer_id",
            "the same with its alias",
        ),
        (
            "SELECT city FROM customer WHERE name IN (SELECT city FROM orders)",
            "Customer.city Customer.name orders.city",
            "a name that both have belongs to the query where it stands",
        ),
        (
            "WITH best AS (SELECT customer_id AS name, SUM(total) AS id FROM orders) SELECT name, id FROM best",
            "orders.customer_id orders.total",
            "what a CTE makes is no column, though a table has one of that name",
        ),
        (
            "WITH customer AS (SELECT product FROM items) SELECT product FROM customer",
            "items.product",
            "a CTE goes before a table of its name",
        ),
        (
            "SELECT s.total FROM (SELECT * FROM orders) AS s",
            "orders.total",
            "through the star of a subquery",
        ),
        (
            "WITH a AS (SELECT * FROM orders), b AS (SELECT * FROM a) SELECT placed FROM b",
            "orders.placed",
            "through two of them",
        ),
        (
            "SELECT city AS place, COUNT(*) AS n FROM customer GROUP BY place ORDER BY n",
            "Customer.city",
            "aliases of the select list are no columns",
        ),
        (
            "SELECT name FROM customer UNION SELECT product FROM items ORDER BY name",
            "Customer.name items.product",
            "both sides of a union",
        ),
        (
            "SELECT product FROM items JOIN notes USING (order_id)",
            "items.product items.order_id notes.order_id",
            "a join that names its column once",
        ),
        (
            "SELECT written FROM items NATURAL JOIN notes",
            "notes.written items.order_id notes.order_id",
            "a join that does not name it at all",
        ),
        (
            "SELECT RANK() OVER (PARTITION BY city ORDER BY total) FROM orders",
            "orders.city orders.total",
            "a window",
        ),
        (
            'SELECT name FROM customer WHERE city = "Paris"',
            "Customer.name Customer.city",
            "a word in double quotes that is no column is a text",
        ),
        (
            "SELECT a.total FROM orders a JOIN items a ON a.id = a.order_id",
            "orders.total orders.id items.order_id",
            "two sources of one alias, whose scopes cannot be told apart",
        ),
    ],
)
def test_columns_of_a_gold_query(sql: str, names: str, why: str) -> None:
    found = gold_names(sql, SCHEMA)
    assert {f"{owner}.{column}" for owner, column in found.columns} == set(names.split()), why


def test_tables_are_real_ones_even_where_no_column_of_theirs_is_named() -> None:
    found = gold_names("WITH few AS (SELECT COUNT(*) AS n FROM orders) SELECT n FROM few, customer", SCHEMA)
    assert found.tables == {"orders", "Customer"}


@pytest.mark.parametrize(
    "sql, texts, why",
    [
        ("SELECT id FROM orders WHERE city = 'Paris' AND total > 5", ["Paris"], "numbers are no texts"),
        ('SELECT id FROM orders WHERE city = "Paris"', ["Paris"], "SQLite takes the word for a text"),
        ('SELECT "total" FROM orders', [], "but not where it is a column"),
        ("SELECT id FROM orders WHERE city LIKE '%york%'", ["york"], "a pattern's text"),
        ("SELECT id FROM orders WHERE city IN ('Rome', 'Oslo', 'Rome')", ["Rome", "Oslo"], "each once"),
        ("SELECT id FROM orders WHERE city = ''", [], "nobody looks for nothing"),
    ],
)
def test_texts_of_a_gold_query(sql: str, texts: list[str], why: str) -> None:
    assert list(gold_names(sql, SCHEMA).literals) == texts, why


def test_a_gold_query_that_is_no_sql_is_named() -> None:
    with pytest.raises(EvaluationInvalid, match="cannot be parsed: SELECT FROM WHERE"):
        gold_names("SELECT FROM WHERE", SCHEMA)
