"""Feedback of callers with a row filter: it reaches their own queries, and reveals no hidden row."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from api_client import problem
from people_shop import ANN, BEN, REX, Client, fail, served, succeed
from shop_questions import Make

from agent.databases.knowledge import build
from testbed.embedder import HashingEmbedder
from testbed.scripted_model import ScriptedModel

REGISTRY = """
shop:
  url: shop.sqlite
  docs: [shop.md]
  row_filter: {orders: "amount > :least"}
  reviewers: [ben@example.org, rex@example.org]
  principals:
    ann@example.org: {least: 0}
    ben@example.org: {least: 100}
    rex@example.org: all
"""
DOCS = """# Shop

## Questions

- Who earns most?

```sql
SELECT salary FROM customers
```
"""


@pytest.fixture
async def client(
    make_service: Make, registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Client]:
    monkeypatch.setattr(build, "build_embedder", lambda _: HashingEmbedder())
    registry.write_text(REGISTRY, encoding="utf-8")
    (tmp_path / "shop.md").write_text(DOCS, encoding="utf-8")
    async with served(make_service) as client:
        yield client


async def test_a_wrong_answer_of_who_sees_some_rows_is_not_reused(client: Client, model: ScriptedModel) -> None:
    answer = await succeed(client, model)
    said = await client.post("/feedback", json={"trace_id": answer["trace_id"], "correct": False}, headers=ANN)
    assert said.status_code == 200, said.text

    assert (await succeed(client, model))["reused"] is False


async def test_who_sees_some_rows_reviews_no_answers_of_others(client: Client, model: ScriptedModel) -> None:
    review = (await fail(client, model))["review_id"]

    for who in (BEN, REX):
        seen = await client.get(f"/reviews/{review}", headers=who)
        settled = await client.post(f"/reviews/{review}", json={"decision": "reject"}, headers=who)
        if who is BEN:
            problem(seen, 404, "unknown-review")
            problem(settled, 404, "unknown-review")
        else:
            assert (seen.status_code, settled.status_code) == (200, 200)


async def test_problems_of_the_docs_are_told_to_who_sees_everything(client: Client) -> None:
    for who, is_told in ((REX, True), (ANN, False)):
        indexed = await client.post("/databases/shop/index", headers=who)
        assert indexed.status_code == 200, indexed.text
        assert bool(indexed.json()["problems"]) is is_told
        assert ("customers" in indexed.text) is is_told
