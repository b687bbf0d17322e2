"""Queries that run and are wrong, and what makes them right."""

from __future__ import annotations

import pytest

from executors.base import Column, ForeignKey, Schema, Table
from executors.sql.division import divide_exactly
from executors.sql.moments_compared import moments_subtracted
from executors.sql.silently_wrong import put_right
from executors.sql.tree import tree_to_change


def _column(name: str, type_: str = "INTEGER", *samples: str) -> Column:
    return Column(name=name, type=type_, samples=samples, nullable=name != "id")


def _key(column: str, table: str) -> ForeignKey:
    return ForeignKey(columns=(column,), table=table, referenced=("id",))


SCHEMA = Schema(
    database="library",
    dialect="sqlite",
    tables=(
        Table(
            name="readers",
            columns=(_column("id"), _column("name", "TEXT"), _column("since", "INTEGER", "1999", "2021")),
            primary_key=("id",),
        ),
        Table(
            name="books",
            columns=(_column("id"), _column("title", "TEXT"), _column("pages", "TEXT", "90", "1200")),
            primary_key=("id",),
        ),
        Table(
            name="loans",
            columns=(
                _column("id"),
                _column("reader_id"),
                _column("book_id"),
                _column("taken_at", "TEXT", "2024-03-01 10:15:00"),
                _column("due", "TEXT", "2024-03-01 00:00:00"),
            ),
            primary_key=("id",),
            foreign_keys=(_key("reader_id", "readers"), _key("book_id", "books")),
        ),
    ),
)


@pytest.mark.parametrize(
    "wrong, right",
    [
        (
            "SELECT name FROM readers WHERE NOT id IN (SELECT reader_id FROM loans)",
            "SELECT name FROM readers WHERE NOT id IN (SELECT reader_id FROM loans WHERE NOT reader_id IS NULL)",
        ),
        (
            "SELECT r.id, COUNT(*) FROM readers AS r LEFT JOIN loans AS l ON r.id = l.reader_id GROUP BY r.id",
            "SELECT r.id, COUNT(l.reader_id) FROM readers AS r LEFT JOIN loans AS l ON r.id = l.reader_id "
            "GROUP BY r.id",
        ),
        (
            "SELECT r.name FROM readers AS r JOIN loans AS l ON r.id = l.id",
            "SELECT r.name FROM readers AS r JOIN loans AS l ON r.id = l.reader_id",
        ),
        (
            "SELECT b.title FROM readers AS r JOIN books AS b ON r.id = b.id",
            "SELECT b.title FROM readers AS r JOIN loans ON r.id = loans.reader_id "
            "JOIN books AS b ON loans.book_id = b.id",
        ),
        (
            "SELECT COUNT(r.id) FROM readers AS r JOIN loans AS l ON l.reader_id = r.id WHERE l.book_id = 3",
            "SELECT COUNT(DISTINCT r.id) FROM readers AS r JOIN loans AS l ON l.reader_id = r.id WHERE l.book_id = 3",
        ),
        (
            "SELECT title FROM books WHERE pages > 500 ORDER BY pages DESC",
            "SELECT title FROM books WHERE CAST(pages AS REAL) > 500 ORDER BY CAST(pages AS REAL) DESC",
        ),
        (
            "SELECT id FROM loans WHERE STRFTIME('%Y', taken_at) = 2024 AND STRFTIME('%m', taken_at) IN ('3', '4')",
            "SELECT id FROM loans WHERE STRFTIME('%Y', taken_at) = '2024' AND STRFTIME('%m', taken_at) IN ('03', '04')",
        ),
        (
            "SELECT id FROM loans WHERE STRFTIME('%Y-%m', taken_at) BETWEEN '2024-01-01' AND '2024-03-31'",
            "SELECT id FROM loans WHERE DATE(taken_at) BETWEEN '2024-01-01' AND '2024-03-31'",
        ),
        (
            "SELECT id FROM books WHERE title LIKE 'A%' OR title LIKE 'B%' AND pages = '90'",
            "SELECT id FROM books WHERE (title LIKE 'A%' OR title LIKE 'B%') AND pages = '90'",
        ),
        (
            "SELECT name FROM readers ORDER BY STRFTIME('%Y', since)",
            "SELECT name FROM readers ORDER BY since",
        ),
        (
            "SELECT COUNT(*) FROM loans WHERE taken_at BETWEEN '2024-03-01' AND '2024-03-31'",
            "SELECT COUNT(*) FROM loans WHERE DATE(taken_at) BETWEEN '2024-03-01' AND '2024-03-31'",
        ),
    ],
)
def test_is_put_right(wrong: str, right: str) -> None:
    tree = tree_to_change(wrong, "sqlite")
    assert tree is not None
    assert put_right(tree, SCHEMA)
    assert tree.sql("sqlite") == right


@pytest.mark.parametrize(
    "sql, why",
    [
        ("SELECT name FROM readers WHERE NOT id IN (SELECT id FROM loans)", "a key is never NULL"),
        ("SELECT name FROM readers WHERE id IN (SELECT reader_id FROM loans)", "IN does not mind NULL"),
        ("SELECT r.name FROM readers AS r JOIN loans AS l ON l.reader_id = r.id", "the keys that belong together"),
        ("SELECT 1 FROM loans AS a JOIN loans AS b ON a.reader_id = b.reader_id", "a table and itself"),
        (
            "SELECT r.name, COUNT(*) FROM readers AS r JOIN loans AS l ON l.reader_id = r.id GROUP BY r.id",
            "no LEFT JOIN",
        ),
        (
            "SELECT r.name, COUNT(r.id) FROM readers AS r JOIN loans AS l ON l.reader_id = r.id GROUP BY r.name",
            "how many loans each reader has may be meant",
        ),
        ("SELECT COUNT(l.id) FROM readers AS r JOIN loans AS l ON l.reader_id = r.id", "no loan comes twice"),
        ("SELECT title FROM books ORDER BY title", "no numbers"),
        ("SELECT COUNT(*) FROM loans WHERE taken_at >= '2024-03-01'", "midnight is where the day begins"),
        ("SELECT COUNT(*) FROM loans WHERE due = '2024-03-01'", "always midnight"),
        ("SELECT id FROM books WHERE title = 'A' OR (title = 'B' AND pages = '90')", "parentheses are meant"),
        ("SELECT id FROM books WHERE title = 'A' OR id = 3 AND pages = '90'", "two columns to choose by"),
        ("SELECT COUNT(*) FROM loans WHERE CAST(STRFTIME('%m', due) AS INTEGER) = 3", "a number already"),
    ],
)
def test_is_left_alone(sql: str, why: str) -> None:
    tree = tree_to_change(sql, "sqlite")
    assert tree is not None
    before = tree.sql("sqlite")
    assert put_right(tree, SCHEMA) == [], why
    assert tree.sql("sqlite") == before, why


@pytest.mark.parametrize(
    "question, difference",
    [
        ("How late are they?", "(JULIANDAY(due) - JULIANDAY(taken_at))"),
        ("How many hours late are they?", "(JULIANDAY(due) - JULIANDAY(taken_at)) * 24"),
    ],
)
def test_moments_are_subtracted_as_moments(question: str, difference: str) -> None:
    tree = tree_to_change("SELECT AVG(due - taken_at), id - book_id FROM loans", "sqlite")
    assert tree is not None
    assert len(moments_subtracted(tree, SCHEMA, question)) == 1
    assert tree.sql("sqlite") == f"SELECT AVG({difference}), id - book_id FROM loans"


def test_a_cut_ratio_is_divided_exactly() -> None:
    tree = tree_to_change("SELECT COUNT(reader_id) / COUNT(*) FROM loans", "sqlite")
    assert tree is not None
    assert divide_exactly(tree)
    assert tree.sql("sqlite") == "SELECT 1.0 * COUNT(reader_id) / COUNT(*) FROM loans"


@pytest.mark.parametrize(
    "question, changed",
    [
        ("How many readers have a loan?", True),
        ("Who reads?", True),
        ("What is the number of loans of each book?", False),
        ("How many different books were lent?", False),
    ],
)
def test_a_key_counts_rows_where_the_question_counts_something_else(question: str, changed: bool) -> None:
    tree = tree_to_change("SELECT COUNT(r.id) FROM readers AS r JOIN loans AS l ON l.reader_id = r.id", "sqlite")
    assert tree is not None
    assert bool(put_right(tree, SCHEMA, question)) is changed
