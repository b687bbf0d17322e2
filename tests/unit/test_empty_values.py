"""Records that a sum or an average leaves out are counted."""

from __future__ import annotations

import pytest
from shop_questions import Ask

from executors.base import QueryResult
from executors.records.empty_values import find_denied_values, find_empty_values
from testbed.scripted_model import ScriptedModel

RECORDS = QueryResult(
    columns=("id", "budget", "days", "name", "name_2"),
    rows=((1, 5.0, 2, "a", "b"), (2, None, None, None, "c"), (3, None, 4, "d", None)),
)


@pytest.mark.parametrize(
    "sql, empty, why",
    [
        ("SELECT SUM(budget) FROM cruises", {"budget": 2}, "a sum"),
        ("SELECT AVG(budget), SUM(days) FROM cruises", {"budget": 2, "days": 1}, "two aggregates"),
        ("SELECT year, SUM(budget * days) FROM cruises GROUP BY year", {"budget": 2, "days": 1}, "a product"),
        ("SELECT SUM(c.Budget) / 12 FROM cruises AS c", {"budget": 2}, "in a calculation, by alias"),
        ("SELECT MAX(budget) FROM cruises", {}, "nothing is added up"),
        ("SELECT COUNT(budget) FROM cruises", {}, "a count says what it counts"),
        ("SELECT SUM(COALESCE(budget, 0)) FROM cruises", {}, "filled in"),
        ("SELECT SUM(CASE WHEN budget > 1 THEN 1 END) FROM cruises", {}, "a count of a condition"),
        ("SELECT SUM(name) FROM cruises", {}, "two columns of that name"),
        ("SELECT SUM(id) FROM cruises", {}, "no record is without it"),
        ("SELECT SUM(c.budget) FROM ships AS s LEFT JOIN cruises AS c ON c.ship = s.id", {}, "an outer join"),
        (
            "SELECT SUM(budget) FROM (SELECT c.budget FROM ships AS s LEFT JOIN cruises AS c ON c.ship = s.id) AS each",
            {},
            "an outer join in a subquery",
        ),
        (
            "WITH each AS (SELECT c.budget FROM ships AS s LEFT JOIN cruises AS c ON c.ship = s.id) "
            "SELECT SUM(budget) FROM each",
            {},
            "an outer join in a named query",
        ),
        ("SELECT (SELECT AVG(budget) FROM cruises)", {}, "in a subquery"),
        ("SELECT SUM(budget", {}, "no query"),
    ],
)
def test_records_without_a_value_of_a_sum(sql: str, empty: dict[str, int], why: str) -> None:
    assert find_empty_values(sql, "sqlite", RECORDS) == empty, why


@pytest.mark.parametrize(
    "sql, denied, why",
    [
        ("SELECT AVG(CASE WHEN budget > 1 THEN 1 ELSE 0 END) FROM cruises", {"budget": 2}, "an average of yes and no"),
        ("SELECT 100.0 * SUM(CASE WHEN days THEN 1 ELSE 0 END) / COUNT(*) FROM cruises", {"days": 1}, "a quotient"),
        ("SELECT AVG(CASE WHEN budget > 1 AND days = 2 THEN 1.0 ELSE 0 END) FROM cruises", {"budget": 2, "days": 1},
         "two columns"),
        ("SELECT SUM(CASE WHEN budget > 1 THEN 1 ELSE 0 END) FROM cruises", {}, "a count"),
        ("SELECT AVG(CASE WHEN budget > 1 THEN 1 END) FROM cruises", {}, "nothing otherwise"),
        ("SELECT AVG(CASE WHEN budget IS NULL THEN 1 ELSE 0 END) FROM cruises", {}, "a test for no value"),
        ("SELECT AVG(CASE WHEN id > 1 THEN 1 ELSE 0 END) FROM cruises", {}, "no record is without it"),
        ("SELECT AVG(CASE WHEN days > 2 THEN budget ELSE 0 END) FROM cruises", {}, "an average of amounts"),
        ("SELECT AVG(budget > 1) FROM cruises", {}, "an average leaves them out"),
        ("SELECT 100.0 * SUM(CASE WHEN days > 1 THEN 1 ELSE 0 END) / NULLIF(COUNT(*), 0) FROM cruises", {"days": 1},
         "of all records, if any"),
        ("SELECT 1.0 * SUM(CASE WHEN days > 1 THEN 1 ELSE 0 END) / COUNT(days) FROM cruises", {}, "of those with days"),
        ("SELECT SUM(CASE WHEN days > 1 THEN 1.0 ELSE 0 END) / SUM(CASE WHEN days = 1 THEN 1 ELSE 0 END) FROM cruises",
         {}, "a ratio of two parts"),
        ("SELECT AVG(CASE WHEN id IN (SELECT cruise_id FROM legs WHERE days > 1) THEN 1 ELSE 0 END) FROM cruises", {},
         "a column of another table"),
    ],
)  # fmt: skip
def test_records_that_a_share_counts_as_no(sql: str, denied: dict[str, int], why: str) -> None:
    assert find_denied_values(sql, "sqlite", RECORDS) == denied, why


async def test_an_answer_says_how_many_records_a_share_counts_as_no(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT AVG(CASE WHEN customer_id = 1 THEN 1 ELSE 0 END) AS share FROM orders")
    model.replies(correct=True, reason="the share")
    model.replies(text="The share is 0.4.")

    answer = await ask("What share of the orders is of the customer 1?")

    assert "1 of the 5 records has no customer_id; the share counts it as no." in answer.warnings


async def test_a_column_of_a_share_and_an_average_has_a_warning_for_each(ask: Ask, model: ScriptedModel) -> None:
    share = "AVG(CASE WHEN customer_id = 1 THEN 1 ELSE 0 END) AS share"
    model.replies(sql=f"SELECT AVG(customer_id) AS mean, {share} FROM orders")
    model.replies(correct=True, reason="both")
    model.replies(text="The mean is 1.5 and the share is 0.4.")

    answer = await ask("What are the mean customer and the share of the customer 1 in the orders?")

    assert [it for it in answer.warnings if "customer_id" in it] == [
        "1 of the 5 records has no customer_id; the sum or average of customer_id leaves it out.",
        "1 of the 5 records has no customer_id; the share counts it as no.",
    ]


async def test_an_answer_says_how_many_records_its_sum_leaves_out(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT SUM(customer_id) AS total FROM orders")
    model.replies(correct=True, reason="the sum")
    model.replies(text="The total is 7.")

    answer = await ask("What is the total of the customer ids of all orders?")

    assert "1 of the 5 records has no customer_id; the sum or average of customer_id leaves it out." in answer.warnings
