"""Records that a sum or an average leaves out are counted."""

from __future__ import annotations

import pytest
from shop_questions import Ask

from executors.base import QueryResult
from executors.records.empty_values import find_empty_values
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


async def test_an_answer_says_how_many_records_its_sum_leaves_out(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT SUM(customer_id) AS total FROM orders")
    model.replies(correct=True, reason="the sum")
    model.replies(text="The total is 7.")

    answer = await ask("What is the total of the customer ids of all orders?")

    assert "1 of the 5 records has no customer_id; the sum or average of customer_id leaves it out." in answer.warnings
