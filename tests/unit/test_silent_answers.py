"""What a database answers without a word, over real rows: see `rule_cases_silent` for the queries."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import duckdb
import pytest
from shop_questions import Make

from agent.core.answers import Answer
from agent.core.models import Options
from testbed.scripted_model import ScriptedModel

ROWS = """
CREATE TABLE products (id INTEGER PRIMARY KEY, name VARCHAR, colour VARCHAR, sold_on DATE);
INSERT INTO products VALUES (1, 'Coffee Mug', 'red', '2023-03-01'), (2, 'Iced coffee', 'blue', '2024-03-02'),
    (3, 'Tea', NULL, '2024-04-03');
CREATE TABLE repairs (id INTEGER PRIMARY KEY, maker VARCHAR, cost INTEGER);
INSERT INTO repairs VALUES (1, 'Vestas', 5), (2, 'vestas ', 5), (3, 'Enercon', 9), (4, 'Enercon', 1), (5, 'Nordex', 1);
"""
Ask = Callable[[str, str], Awaitable[Answer]]


@pytest.fixture
async def ask(make_service: Make, model: ScriptedModel, registry: Path, tmp_path: Path) -> AsyncIterator[Ask]:
    """Ask one of two databases with the same rows; both drafts are the given query."""
    with duckdb.connect(str(tmp_path / "duck.duckdb")) as made:
        made.execute(ROWS)
    with sqlite3.connect(tmp_path / "lite.sqlite") as lite:
        lite.executescript(ROWS)
    lite.close()
    registry.write_text("duck: duck.duckdb\nlite: lite.sqlite\n", encoding="utf-8")
    service = make_service(second_draft=None)

    async def asked(database: str, sql: str) -> Answer:
        model.replies(sql=sql)
        model.replies(sql=sql)
        return await service.query("How many products are there?", database, options=Options(enable_answer=False))

    yield asked
    await service.close()


def doubts_of(answer: Answer, rule: str) -> list[str]:
    return [it.detail for it in answer.doubts if it.rule == rule]


async def test_products_without_a_colour_are_told_when_a_colour_is_denied(ask: Ask) -> None:
    answer = await ask("duck", "SELECT COUNT(*) AS n FROM products WHERE colour <> 'red'")

    assert doubts_of(answer, "dropped_nulls") == ["colour <> 'red' also leaves out rows without colour."]
    assert not answer.verified


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) AS n FROM products WHERE colour <> 'red' AND NOT colour IS NULL",
        "SELECT COUNT(*) AS n FROM products WHERE colour <> 'red' AND name = 'Iced coffee'",
        "SELECT COUNT(*) AS n FROM products WHERE name <> 'Tea'",
    ],
)
async def test_nothing_is_told_where_the_rows_are_the_same_with_them(ask: Ask, sql: str) -> None:
    assert doubts_of(await ask("duck", sql), "dropped_nulls") == []


@pytest.mark.parametrize(("database", "month"), [("duck", "MONTH(sold_on)"), ("lite", "strftime('%m', sold_on)")])
async def test_the_marches_of_two_years_are_not_one(ask: Ask, database: str, month: str) -> None:
    answer = await ask(database, f"SELECT {month} AS m, COUNT(*) AS n FROM products GROUP BY {month}")

    assert doubts_of(answer, "merged_months") == [
        "Nothing groups by the year: months or weeks of 2 years are added together."
    ]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT MONTH(sold_on) AS m, COUNT(*) AS n FROM products WHERE YEAR(sold_on) = 2024 GROUP BY m",
        "SELECT sold_on, COUNT(*) AS n FROM products GROUP BY sold_on, MONTH(sold_on)",
        "SELECT MONTH(sold_on) AS m, COUNT(*) AS n FROM products GROUP BY m HAVING MIN(YEAR(sold_on)) = 2024",
        "WITH products AS (SELECT * FROM main.products WHERE id > 1) "
        "SELECT MONTH(sold_on) AS m, COUNT(*) AS n FROM products GROUP BY m",
    ],
)
async def test_months_that_are_each_of_one_year_need_no_year(ask: Ask, sql: str) -> None:
    assert doubts_of(await ask("duck", sql), "merged_months") == []


async def test_a_pattern_that_misses_capitals_is_doubted(ask: Ask) -> None:
    answer = await ask("duck", "SELECT COUNT(*) AS n FROM products WHERE name LIKE '%coffee%'")

    assert doubts_of(answer, "like_case") == [
        "LIKE is case-sensitive: name LIKE '%coffee%' -> LOWER(name) LIKE LOWER('%coffee%') gives other rows."
    ]
    assert not answer.verified


async def test_a_pattern_that_finds_the_same_rows_in_any_case_is_not(ask: Ask) -> None:
    answer = await ask("duck", "SELECT COUNT(*) AS n FROM products WHERE name LIKE '%Mug'")

    assert doubts_of(answer, "like_case") == []


@pytest.mark.parametrize(
    ("sql", "shown"),
    [
        ("SELECT name FROM products ORDER BY colour LIMIT 1", "Iced coffee"),
        ("SELECT name FROM products ORDER BY colour DESC LIMIT 1", "Coffee Mug"),
        ("SELECT name FROM products WHERE colour IS NULL ORDER BY colour LIMIT 1", "Tea"),
        (
            "WITH p AS (SELECT * FROM products) SELECT name FROM p GROUP BY name ORDER BY MIN(colour) LIMIT 1",
            "Iced coffee",
        ),
    ],
)
async def test_a_product_without_a_colour_is_not_the_first_by_its_colour(ask: Ask, sql: str, shown: str) -> None:
    assert [(await ask(name, sql)).results for name in ("lite", "duck")] == [[{"name": shown}]] * 2


async def test_the_first_by_a_colour_is_told_to_be_another_than_the_drafts_have(ask: Ask) -> None:
    answer = await ask("lite", "SELECT name FROM products ORDER BY colour LIMIT 1")

    assert [it.rule for it in answer.doubts] == []
    assert not answer.verified
    assert answer.sql == "SELECT name FROM products WHERE NOT colour IS NULL ORDER BY colour LIMIT 1"


@pytest.mark.parametrize("database", ["duck", "lite"])
async def test_spellings_of_one_maker_are_counted_once(ask: Ask, database: str) -> None:
    answer = await ask(database, "SELECT COUNT(DISTINCT maker) AS n FROM repairs")

    assert answer.results == [{"n": 3}]
    assert answer.verified, "the drafts agree on what is counted"


@pytest.mark.parametrize("database", ["duck", "lite"])
async def test_the_first_of_the_makers_is_doubted_where_a_spelling_is_cut_off(ask: Ask, database: str) -> None:
    answer = await ask(database, "SELECT maker FROM repairs GROUP BY maker ORDER BY COUNT(*) DESC LIMIT 1")

    assert doubts_of(answer, "case_groups") == [
        "maker stores 'Vestas', 'vestas ': groups are told apart that differ only in case or spaces."
    ]
    assert not answer.verified


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT maker FROM repairs WHERE cost <> 5 GROUP BY maker ORDER BY SUM(cost) DESC LIMIT 1",
        "SELECT maker FROM repairs GROUP BY maker ORDER BY SUM(cost) DESC, maker LIMIT 1",
        "SELECT maker, MAX(cost) AS top FROM repairs GROUP BY 1 HAVING MAX(cost) > 5 ORDER BY top LIMIT 3",
        "SELECT r.maker FROM repairs r JOIN products p ON p.id = r.cost GROUP BY r.maker ORDER BY MAX(p.id) LIMIT 1",
    ],
)
async def test_groups_that_spellings_do_not_change_are_not(ask: Ask, sql: str) -> None:
    assert [doubts_of(await ask(name, sql), "case_groups") for name in ("duck", "lite")] == [[], []]
