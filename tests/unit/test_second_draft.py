"""A second draft: does it judge the first, and of two that give other rows, which one is taken?"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from shop_questions import TOTAL, Make

from agent import agreement
from agent.callers import LOCAL
from agent.context import Context
from agent.database import Database
from agent.evaluation.without import asking_without
from agent.mending import Faults, find_faults
from agent.models import Answer, Options
from agent.scripted import ScriptedModel
from agent.service import Service
from executors.base import Schema

ONE = "SELECT amount FROM orders WHERE order_id = 1"  # no count, though one is asked for
COUNT = "SELECT COUNT(*) AS n FROM customers"
SECOND = [
    ("SELECT SUM(o.amount) AS s FROM orders AS o", True, True),
    ("SELECT SUM(orders.amount) AS s FROM orders AS o", True, True),  # mended as a first draft would be
    ("SELECT SUM(amount) AS s FROM orders WHERE status IN ('Very Old', 'Quite New')", True, True),  # nobody asked for
    ("SELECT SUM(amount) AS s FROM orders WHERE status = 'C'", False, False),
    ("SELECT nonsense FROM orders", None, False),
]


def second_drafts(answer: Answer) -> list[bool | None]:
    return [check.passed for check in answer.checks if check.name == "second_draft"]


@pytest.fixture
async def doubting(make_service: Make) -> AsyncIterator[Service]:
    """Has a second draft written where its profile does: in the place of a judge."""
    built = make_service(second_draft=None)
    yield built
    await built.close()


@pytest.mark.parametrize("second, passed, verified", SECOND)
async def test_it_judges_in_the_place_of_a_small_model(
    doubting: Service, model: ScriptedModel, second: str, passed: bool | None, verified: bool
) -> None:
    model.replies(sql=TOTAL)
    model.replies(sql=second)
    model.replies(text="All orders together come to 460.5.")

    answer = await doubting.query("What is the total of all orders?", "shop")

    assert second_drafts(answer) == [passed]
    assert (answer.verified, answer.attempts, answer.usage.model_calls) == (verified, 1, 3)


async def test_what_is_written_anew_is_never_cooler_than_the_first(make_service: Make, model: ScriptedModel) -> None:
    service = make_service(second_draft=None, temperature=1.3)
    for sql in ("SELECT nope FROM orders", "SELECT nope FROM orders", TOTAL, TOTAL):  # twice, then anew; the second
        model.replies(sql=sql)
    model.replies(text="All orders together come to 460.5.")

    await service.query("What is the total of all orders?", "shop")

    assert [asked.temperature for asked in model.asked[:4]] == [1.3] * 4
    await service.close()


@pytest.mark.parametrize("second, passed, verified", SECOND)
async def test_besides_a_judge_one_with_other_rows_leaves_the_answer_unverified(
    make_service: Make, model: ScriptedModel, second: str, passed: bool | None, verified: bool
) -> None:
    service = make_service(second_draft=True)
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="the sum over all orders")
    model.replies(sql=second)
    model.replies(text="All orders together come to 460.5.")

    answer = await service.query("What is the total of all orders?", "shop")

    assert second_drafts(answer) == [passed]
    assert answer.verified is verified
    assert answer.attempts == 1
    await service.close()


@pytest.mark.parametrize("third, verified", [("SELECT COUNT(*) FROM customers", True), ("SELECT 7", False)])
async def test_the_better_of_two_drafts_is_taken_and_judged_by_a_third(
    doubting: Service, model: ScriptedModel, third: str, verified: bool
) -> None:
    for sql in (ONE, COUNT, third):
        model.replies(sql=sql)
    model.replies(text="There are 3 customers.")

    answer = await doubting.query("How many customers are there?", "shop")

    assert answer.sql is not None
    assert answer.sql.startswith(COUNT)
    assert (answer.verified, answer.attempts, answer.usage.model_calls) == (verified, 2, 4)
    refused = answer.attempt_history[0].verdict
    assert refused is not None
    assert "holds more of what was asked" in refused.reason
    assert "holds more of what was asked" in answer.attempt_history[1].note


async def test_the_last_attempt_is_not_given_up_for_a_better_one(doubting: Service, model: ScriptedModel) -> None:
    model.replies(sql=ONE)
    model.replies(sql=COUNT)
    model.replies(text="It is 100.")

    answer = await doubting.query("How many customers are there?", "shop", options=Options(max_attempts=1))

    assert (answer.status, answer.needs_human_review, answer.verified) == ("success", False, False)


async def test_two_queries_without_rows_agree_on_nothing(doubting: Service, model: ScriptedModel) -> None:
    nobody = "SELECT name FROM customers WHERE customer_id > 99"
    model.replies(sql=nobody)
    model.replies(sql=nobody)  # asked again because there are no rows; no second draft of it is asked for
    model.replies(text="There are none.")

    answer = await doubting.query("Which customers have a number over 99?", "shop", options=Options(max_attempts=2))

    assert not answer.verified
    assert second_drafts(answer) == [None]


@pytest.mark.parametrize(
    "second, looked_at",
    [
        (COUNT, [COUNT]),
        # What was put right is looked at anew: it is another text.
        ("SELECT COUNT(customers.name) AS n FROM customers AS c", ["SELECT COUNT(c.name) AS n FROM customers AS c"]),
        (f"{COUNT} WHERE name = 'ada'", [f"{COUNT} WHERE name = 'ada'", f"{COUNT} WHERE name = 'Ada'"]),
    ],
)
async def test_faults_of_one_text_are_looked_for_once(
    doubting: Service, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch, second: str, looked_at: list[str]
) -> None:
    seen: list[str] = []

    async def counted(sql: str, question: str, context: Context, schema: Schema, database: Database) -> Faults:
        seen.append(sql)
        return await find_faults(sql, question, context, schema, database)

    monkeypatch.setattr(agreement, "find_faults", counted)
    model.replies(sql=ONE)
    model.replies(sql=second)
    model.replies(text="It is 100.")

    await doubting.query("How many customers are called ada?", "shop", options=Options(max_attempts=1))

    assert seen == looked_at


async def test_the_better_one_is_taken_where_nothing_is_mended(doubting: Service, model: ScriptedModel) -> None:
    for sql in (ONE, COUNT, COUNT):
        model.replies(sql=sql)
    model.replies(text="There are 3 customers.")

    answer = await asking_without(doubting, {"mends"}).query("How many customers are there?", "shop", principal=LOCAL)

    assert answer.sql is not None
    assert answer.sql.startswith(COUNT)
    assert (answer.verified, answer.attempts, answer.usage.model_calls) == (True, 2, 4)


async def test_without_mends_a_query_that_a_check_refused_is_written_anew(
    service: Service, model: ScriptedModel
) -> None:
    model.replies(sql="SELECT COUNT(*) AS n FROM customers WHERE name = 'ada'")  # stored: 'Ada'
    model.replies(sql="SELECT COUNT(*) AS n FROM customers WHERE name = 'Ada'")
    model.replies(correct=True)
    model.replies(text="There is 1.")

    answer = await asking_without(service, {"mends"}).query("How many customers are Ada?", "shop", principal=LOCAL)

    assert answer.attempts == 2


async def test_none_is_better_that_a_check_would_refuse(doubting: Service, model: ScriptedModel) -> None:
    model.replies(sql="SELECT name FROM customers")  # neither the name nor the count
    model.replies(sql="SELECT COUNT(*) AS n FROM customers WHERE name = 'Zed 77'")  # who is not stored
    model.replies(text="Ada, Bo and Cy.")

    answer = await doubting.query("How many customers are called Zed 77?", "shop")

    assert second_drafts(answer) == [False]
    assert (answer.attempts, answer.verified, answer.needs_human_review) == (1, False, False)


@pytest.mark.parametrize(
    "first, second, passed",
    [
        (ONE, "SELECT COUNT(*) AS n, MAX(name) AS name FROM customers", None),  # would be refused
        (
            "SELECT COUNT(*) OVER () AS n, c.* FROM customers AS c",
            "SELECT COUNT(*) OVER () AS n, * FROM customers",
            True,
        ),
    ],
)
async def test_private_values_are_kept_from_both(
    make_service: Make, model: ScriptedModel, registry: Path, first: str, second: str, passed: bool | None
) -> None:
    registry.write_text("shop: {url: shop.sqlite, private: [customers.name]}", encoding="utf-8")
    service = make_service(second_draft=None)
    model.replies(sql=first)
    model.replies(sql=second)
    model.replies(text="Some.")

    answer = await service.query("How many customers are there?", "shop")

    assert second_drafts(answer) == [passed]
    assert (answer.attempts, answer.needs_human_review) == (1, False)
    assert not any("name" in row for row in answer.results)
    await service.close()
