"""Rows without a partner, asked for by an inner join."""

from __future__ import annotations

import pytest
from small_tables import table

from agent.checks.anti_joins import rows_without
from executors.base import Column, Schema
from executors.sql.tree import tree_to_change

KEY = Column(name="id", type="INTEGER", nullable=False)
SCHEMA = Schema(
    database="library",
    dialect="sqlite",
    tables=(
        table("readers", KEY, "name"),
        table("reader_loans", KEY, "reader_id", "loan", "returned_on", reader_id="readers"),
    ),
)
INNER = "SELECT r.name FROM readers AS r INNER JOIN reader_loans AS l ON r.id = l.reader_id"
LEFT = "SELECT r.name FROM readers AS r LEFT JOIN reader_loans AS l ON r.id = l.reader_id"


@pytest.mark.parametrize(
    "question, condition",
    [
        ("Readers without loans?", "l.id IS NULL"),
        ("Leser, die nie ausgeliehen haben?", "l.reader_id IS NULL"),
        ("Who has no loan?", "l.loan IS NULL"),  # which may be NULL, but only the table is called so
    ],
)
def test_a_row_that_is_not_there_is_asked_for_by_a_left_join(question: str, condition: str) -> None:
    tree = tree_to_change(f"{INNER} WHERE {condition} AND r.name <> 'x'", "sqlite")
    assert tree is not None

    changes = rows_without(tree, SCHEMA, question)

    assert changes == ["rows without reader_loans are asked for: LEFT JOIN, l.reader_id IS NULL"]
    assert tree.sql("sqlite") == f"{LEFT} WHERE l.reader_id IS NULL AND r.name <> 'x'"


@pytest.mark.parametrize(
    "question, sql, why",
    [
        ("Who has not returned a loan?", f"{INNER} WHERE l.returned_on IS NULL", "a column that may be NULL is meant"),
        ("Which loans are open?", f"{INNER} WHERE l.loan IS NULL", "nothing is denied"),
        ("Who has no loan?", f"{LEFT} WHERE l.id IS NULL", "it is right"),
        ("Who has no loan?", f"{INNER} WHERE NOT l.id IS NULL", "rows that are there are asked for"),
        ("Who has no loan?", f"{INNER} WHERE l.id IS NULL OR r.name = 'x'", "it is not the whole condition"),
        ("Who has no loan?", f"{INNER} WHERE l.id IS NULL AND l.loan = 'x'", "more is read of the joined table"),
        ("Who has no loan?", f"{INNER.replace('r.name', 'name')} WHERE l.id IS NULL", "whose column it is, is open"),
        ("Wer hat noch nichts zurückgegeben?", f"{INNER} WHERE l.returned_on IS NULL", "in any language"),
        ("Who still keeps a book and did not bring it back?", f"{INNER} WHERE l.returned_on IS NULL", "in any words"),
        ("What is the loan no. 5?", f"{INNER} WHERE l.loan IS NULL", "a number is nothing denied"),
        ("Who has no loan?", f"{INNER} RIGHT JOIN rooms AS o ON o.id = r.id WHERE l.id IS NULL", "rooms may have none"),
        ("Who has no name?", f"{INNER} WHERE r.name IS NULL", "it is the first table's"),
        ("Who has no loan?", f"{INNER} AND l.loan > 'a' WHERE l.id IS NULL", "the join has a condition of its own"),
    ],
)
def test_nothing_else_is_changed(question: str, sql: str, why: str) -> None:
    tree = tree_to_change(sql, "sqlite")
    assert tree is not None
    before = tree.sql("sqlite")

    assert rows_without(tree, SCHEMA, question) == [], why
    assert tree.sql("sqlite") == before
