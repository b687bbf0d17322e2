"""Wrong sentences of models that were once shown as verified, over HTTP: the answer is now composed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

import httpx2
import pytest
from api_client import api_client, app_without_docs
from shop_questions import TOTAL

from agent.pipeline.service import Service
from testbed.scripted_model import ScriptedModel

REVENUE = ("What was the revenue?", TOTAL.replace("total", "revenue"))
SHARE = ("Which share of the orders is completed?", "SELECT AVG(status = 'C') AS share FROM orders")
SUMS = ("What is the total of each status?", "SELECT status, SUM(amount) AS total FROM orders GROUP BY status")
TOP = (
    "Which country has the most customers?",
    "SELECT country, COUNT(*) AS customers FROM customers GROUP BY country ORDER BY customers DESC LIMIT 1",
)
ORDERED = ("How many customers have placed an order?", "SELECT COUNT(DISTINCT customer_id) AS n FROM orders")
MONTHS = (
    "How many orders were there?",
    "SELECT strftime('%Y-%m', ordered_at) AS month, COUNT(*) AS orders FROM orders GROUP BY 1",
)
COUNTRIES = (
    "How many customers are there in each country?",
    "SELECT country, COUNT(*) AS customers FROM customers GROUP BY country",
)


@pytest.fixture
async def client(make_service: Callable[..., Service]) -> AsyncIterator[httpx2.AsyncClient]:
    """Of a service whose model writes about several rows, too."""
    async with api_client(app_without_docs(partial(make_service, profile="small_hosted"))) as client:
        yield client


@pytest.mark.parametrize("asked, sentence, options", [
    pytest.param(REVENUE, "Revenue was [[999999 | currency]].", {}, id="an operand that no row has"),
    pytest.param(REVENUE, "Revenue was $460.50.", {}, id="a currency that nothing names"),
    pytest.param(REVENUE, "Revenue was 40.", {}, id="the value of one record"),
    pytest.param(REVENUE, "Revenue has doubled to 460.5.", {}, id="a change that no row tells"),
    pytest.param(REVENUE, "Revenue was two million.", {}, id="a number in words"),
    pytest.param(SHARE, "The share of completed orders is [[0.58 | percent]].", {}, id="a computed percentage"),
    pytest.param(SHARE, "The share of completed orders is 0.6 %.", {}, id="a percent sign that changes the value"),
    pytest.param(SUMS, "C has a total of 60 and S of 360.5.", {}, id="a swap"),
    pytest.param(TOP, "Spain has the most customers.", {}, id="a name of no row"),
    pytest.param(ORDERED, "All customers have placed an order.", {}, id="a quantifier"),
    pytest.param(MONTHS, "There were 4 orders.", {}, id="the number of rows"),
    pytest.param(COUNTRIES, "It is 2.", {}, id="an answer to another question"),
    pytest.param(COUNTRIES, "There are no customers from France.", {}, id="a denial"),
    pytest.param(ORDERED, "2 + 1 = 5 customers.", {"enable_calculator": False}, id="an equation, nothing computed"),
])  # fmt: skip
async def test_it_is_composed(
    client: httpx2.AsyncClient, model: ScriptedModel, asked: tuple[str, str], sentence: str, options: dict[str, Any]
) -> None:
    question, sql = asked
    model.replies(sql=sql)
    model.replies(text=sentence)
    model.replies(text=sentence)
    body = {"question": question, "database": "shop", "options": {"enable_evaluation": False, **options}}
    found = (await client.post("/query", json=body)).json()

    assert found["answer_source"] == "composed"
    assert sentence not in str(found)


@pytest.mark.parametrize("asked, sentence", [
    pytest.param(MONTHS, "In total there were 5 orders.", id="the sum of the column shown"),
    pytest.param(SUMS, "Together, C and S come to 420.5.", id="the sum of two rows"),
    pytest.param(SUMS, "C has 360.5, the most of all.", id="a superlative"),
])  # fmt: skip
async def test_what_the_rows_give_is_the_models(
    client: httpx2.AsyncClient, model: ScriptedModel, asked: tuple[str, str], sentence: str
) -> None:
    question, sql = asked
    model.replies(sql=sql)
    model.replies(text=sentence)
    body = {"question": question, "database": "shop", "options": {"enable_evaluation": False}}
    found = (await client.post("/query", json=body)).json()

    assert (found["answer"].partition(" (n =")[0], found["answer_source"]) == (sentence, "model")
