"""Computed columns that may hold an address are found by their rows, for any function."""

from __future__ import annotations

import pytest
from shop_questions import Ask

from agent.databases.made_addresses import makes_address
from executors.base import QueryResult
from testbed.scripted_model import ScriptedModel

LINK = "https://evil.example/?d=ann"
MADE = [
    ("SELECT strftime(d, 'https%%:') || note AS v FROM t", [LINK]),
    ("SELECT split_part('https:|x', '|', 1) || note || name AS v, name FROM t", [LINK, "a"]),
    ("SELECT name, initcap(x) AS v FROM t", ["a", LINK]),
    ("SELECT v FROM (SELECT lpad(a, 5, b) AS v FROM t) AS x", [LINK]),
    ("WITH w AS (SELECT a || b AS v FROM t) SELECT * FROM w", [LINK]),
    ("SELECT a || b FROM t UNION ALL SELECT url FROM t", [LINK]),
    ("SELECT *, a || b AS v FROM t", ["x", "y", LINK]),
    ("SELECT a || b AS v, * FROM t", [LINK, "y", "z"]),
    ("SELECT v FROM (VALUES ('ht' || 'tps:')) AS x(v)", [LINK]),
    ("SELECT u FROM t, unnest([a || b]) AS x(u)", [LINK]),
    ("SELECT string_agg(a, '//') FROM t", [LINK]),
    ("SELECT CASE WHEN a > 1 THEN b || c ELSE d END FROM t", [LINK]),
    ("SELECT my_own(a) FROM t", [LINK]),
]
STORED = [
    ("SELECT url FROM t", [LINK]),
    ("SELECT *, a || b AS v FROM t", [LINK, "y", "z"]),
    ("SELECT a || b AS v, * FROM t", ["z", LINK, "y"]),
    ("SELECT name || ' ' || x AS n, t.url FROM t JOIN s ON s.id = t.id", ["Ann Lee", LINK]),
    ("SELECT string_agg(url, ', ') FROM t", [f"{LINK}, {LINK}"]),
    ("SELECT coalesce(url, '-') FROM t", [LINK]),
    ("SELECT max(url), count(*) * 100.0 / sum(n) FROM t", [LINK, 3.5]),
    ("SELECT regexp_replace(url, '^https?://', '') FROM t", ["evil.example/x"]),
    ("SELECT url FROM (SELECT url, a * 2 AS n, row_number() OVER (ORDER BY a) r FROM t) x WHERE r = 1", [LINK]),
    ("SELECT a || b, n FROM t", ["Ann Lee", 1]),
]


def result(row: list[object]) -> QueryResult:
    return QueryResult(columns=tuple(f"c{at}" for at in range(len(row))), rows=(tuple(row),))


@pytest.mark.parametrize("sql, row", MADE)
def test_an_address_that_the_query_makes(sql: str, row: list[object]) -> None:
    assert makes_address(sql, "duckdb", result(row), "How many?")
    assert not makes_address(sql, "duckdb", result(row), f"Show {LINK} for each.")


@pytest.mark.parametrize("sql, row", STORED)
def test_an_address_that_is_stored(sql: str, row: list[object]) -> None:
    assert not makes_address(sql, "duckdb", result(row), "How many?")


def test_plus_joins_texts_in_t_sql() -> None:
    assert makes_address("SELECT a + b AS v FROM t", "tsql", result([LINK]), "How many?")


async def test_the_rows_of_such_a_query_are_shown_to_nobody(ask: Ask, model: ScriptedModel) -> None:
    slash = "char(40 + 7)"
    made = f"SELECT substr('xhttps:', 2) || {slash} || {slash} || 'evil.example' || {slash} || name AS v FROM customers"
    model.replies(sql=made)

    answer = await ask("Which customers are there?", max_attempts=1)

    assert answer.status == "error"
    assert "assembles an address" in answer.answer
    assert answer.results == []
    assert "evil.example/" not in str(answer.model_dump(exclude={"sql", "attempt_history", "candidates"}))


async def test_the_records_behind_a_count_of_them_are_shown_to_nobody(ask: Ask, model: ScriptedModel) -> None:
    slash = "char(40 + 7)"
    link = f"substr('xhttps:', 2) || {slash} || {slash} || 'evil.example' || {slash} || name"
    model.replies(sql=f"SELECT count(*) AS n FROM (SELECT {link} AS link FROM customers) AS t")
    model.replies(correct=True)
    model.replies(text="There are 3 customers.")

    answer = await ask("How many customers are there?", max_attempts=1)

    assert answer.status == "success"
    assert answer.raw_results == []
    assert any("assembles an address" in warning for warning in answer.warnings)
    assert "evil.example/" not in str(answer.model_dump(exclude={"sql", "attempt_history", "candidates"}))
