"""Of two drafts that give other rows, which one is taken?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agent.callers import LOCAL
from agent.evaluation.without import asking_without
from agent.models import Answer
from agent.scripted import ScriptedModel
from agent.service import Service

Make = Callable[..., Service]

ONE = "SELECT customer_id FROM orders WHERE order_id = 1"  # no count, though one is asked for
COUNT = "SELECT COUNT(*) AS n FROM customers"


def second_drafts(answer: Answer) -> list[bool | None]:
    return [check.passed for check in answer.checks if check.name == "second_draft"]


async def test_the_better_one_is_taken_where_nothing_is_mended(make_service: Make, model: ScriptedModel) -> None:
    service = make_service(second_draft=None)
    for sql in (ONE, COUNT, COUNT):
        model.replies(sql=sql)
    model.replies(text="There are 3 customers.")

    answer = await asking_without(service, {"mends"}).query("How many customers are there?", "shop", principal=LOCAL)

    assert answer.sql is not None
    assert answer.sql.startswith(COUNT)
    assert (answer.verified, answer.attempts, answer.usage.model_calls) == (True, 2, 4)
    await service.close()


async def test_without_mends_a_query_that_a_check_refused_is_written_anew(
    make_service: Make, model: ScriptedModel
) -> None:
    service = make_service()
    model.replies(sql="SELECT COUNT(*) AS n FROM customers WHERE name = 'ada'")  # stored: 'Ada'
    model.replies(sql="SELECT COUNT(*) AS n FROM customers WHERE name = 'Ada'")
    model.replies(correct=True)
    model.replies(text="There is 1.")

    answer = await asking_without(service, {"mends"}).query("How many customers are Ada?", "shop", principal=LOCAL)

    assert answer.attempts == 2
    await service.close()


async def test_none_is_better_that_a_check_would_refuse(make_service: Make, model: ScriptedModel) -> None:
    service = make_service(second_draft=None)
    model.replies(sql="SELECT name FROM customers")  # neither the name nor the count
    model.replies(sql="SELECT COUNT(*) AS n FROM customers WHERE name = 'Zed 77'")  # who is not stored
    model.replies(text="Ada, Bo and Cy.")

    answer = await service.query("How many customers are called Zed 77?", "shop")

    assert second_drafts(answer) == [False]
    assert (answer.attempts, answer.verified, answer.needs_human_review) == (1, False, False)
    await service.close()


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
