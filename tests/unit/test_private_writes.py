"""A change copies no private column into one that can be read, unless the question names it."""

from __future__ import annotations

import pytest

from executors.base import Column, Schema, Table
from executors.errors import SqlRefused
from executors.guard.write import check_write

DIALECTS = ["duckdb", "sqlite", "postgresql", "mariadb", "sqlserver", "oracle"]
HIDDEN = {"customers": frozenset({"email", "old_email"}), "secrets": frozenset({"pin"})}

NOT_THERE = r"There is no column c\.|cannot say this|to_json is not available"  # of engines without whole rows
COPIES = [
    "UPDATE customers SET name = email WHERE id = 1",
    "UPDATE customers SET name = upper(customers.email) WHERE id = 1",
    "UPDATE customers SET name = (SELECT email FROM customers c WHERE c.id = 2) WHERE id = 1",
    "UPDATE customers SET name = (SELECT max(c.email) FROM customers c) WHERE id = 1",
    "UPDATE customers SET name = CASE WHEN email LIKE 'a%' THEN 'a' ELSE 'b' END WHERE id = 1",
    "UPDATE customers SET country = old_email WHERE email IS NOT NULL",
    "UPDATE notes SET body = (SELECT x.e FROM (SELECT email AS e FROM customers) x) WHERE id = 1",
    "UPDATE notes SET body = (SELECT c FROM customers c) WHERE id = 1",
    "UPDATE notes SET body = (SELECT to_json(c) FROM customers c) WHERE id = 1",
    "INSERT INTO notes (id, body) SELECT id, email FROM customers",
    "INSERT INTO notes SELECT id, email FROM customers",
    "INSERT INTO notes SELECT * FROM secrets",
    "INSERT INTO notes SELECT s.* FROM secrets s",
    "INSERT INTO notes VALUES (1, (SELECT email FROM customers WHERE id = 1))",
    "INSERT INTO notes (body, id) VALUES ((SELECT pin FROM secrets WHERE id = 1), 2)",
    "INSERT INTO notes SELECT id, name FROM customers UNION ALL SELECT id, email FROM customers",
    "INSERT INTO notes SELECT 1, email FROM (SELECT email FROM customers) x",
    "INSERT INTO notes SELECT 1, x.body FROM (SELECT * FROM customers) x(a, b, body, d, e)",
    "INSERT INTO customers (id, name, email) SELECT id, email, name FROM customers",
]
OTHERS = [
    "UPDATE customers SET email = lower(email) WHERE id = 1",
    "UPDATE customers SET old_email = email, name = 'x' WHERE email LIKE '%a%'",
    "UPDATE customers SET name = 'x' WHERE email = 'a@b.example'",
    "UPDATE notes SET body = (SELECT name FROM customers c WHERE c.email = 'x') WHERE id = 1",
    "UPDATE notes SET body = (SELECT count(email) FROM customers) WHERE id = 1",
    "UPDATE notes SET body = (SELECT count(*) FROM customers) WHERE id = 1",
    "INSERT INTO notes (id, body) SELECT id, name FROM customers WHERE email IS NOT NULL",
    "INSERT INTO notes SELECT * FROM notes WHERE id = 1",
    "INSERT INTO customers (id, name, email) VALUES (9, 'x', 'a@b.example')",
    "INSERT INTO customers (id, name, email) SELECT id, name, email FROM customers WHERE id = 1",
    "DELETE FROM customers WHERE email = 'x'",
]


def shop(dialect: str) -> Schema:
    tables = {"customers": "id name email country old_email", "notes": "id body", "secrets": "id pin"}
    return Schema(
        database="shop",
        dialect=dialect,
        tables=tuple(
            Table(
                name=name,
                columns=tuple(
                    Column(name=column, type="TEXT", private=column in HIDDEN.get(name, ()))
                    for column in columns.split()
                ),
            )
            for name, columns in tables.items()
        ),
    )


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", COPIES)
def test_what_would_copy_one_is_refused(dialect: str, sql: str) -> None:
    with pytest.raises(SqlRefused, match=f"is private: its values|has private columns|{NOT_THERE}"):
        check_write(sql, shop(dialect), row_limit=9, hidden=HIDDEN)


@pytest.mark.parametrize("dialect", ["duckdb", "postgresql"])  # the others have no whole rows
@pytest.mark.parametrize("sql", COPIES)
def test_who_names_it_may(dialect: str, sql: str) -> None:
    assert check_write(sql, shop(dialect), row_limit=9, hidden={}).sql


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", OTHERS)
def test_what_copies_none_is_let_through(dialect: str, sql: str) -> None:
    assert check_write(sql, shop(dialect), row_limit=9, hidden=HIDDEN) == check_write(sql, shop(dialect), row_limit=9)
