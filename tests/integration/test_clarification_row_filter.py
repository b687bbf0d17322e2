"""Hidden rows are in no choice and no range of a clarification."""

from __future__ import annotations

from pathlib import Path

import pytest
from clarify_databases import make_databases

from agent.core.answers import Answer
from agent.pipeline.service import build_service
from agent.platform.config.settings import Settings
from testbed.scripted_model import ScriptedModel

RULES = """, row_filter: {orders: "client_id = :client", clients: "client_id = :client"},
  principals: {ann: {client: 1}, bob: {client: 2}}"""


@pytest.fixture
def filtered(tmp_path: Path, settings: Settings) -> Settings:
    return settings.model_copy(update={"registry": make_databases(tmp_path, RULES)})


async def ask_as(settings: Settings, model: ScriptedModel, principals: list[str]) -> list[Answer]:
    service = build_service(settings, model=model)
    try:
        return [await service.query("Show me recent orders.", "trade", principal=name) for name in principals]
    finally:
        await service.close()


async def test_a_range_is_that_of_the_rows_that_one_sees(filtered: Settings, model: ScriptedModel) -> None:
    ann, bob = await ask_as(filtered, model, ["ann", "bob"])

    assert "from 2024-03-01 to 2024-03-01" in ann.answer
    assert "from 2024-05-02 to 2024-05-02" in bob.answer


async def test_a_name_is_not_asked_about_for_values_that_one_does_not_see(
    filtered: Settings, model: ScriptedModel
) -> None:
    model.replies(sql="SELECT sum(total_amount) AS t FROM orders")
    model.replies(correct=True, reason="as scripted")
    model.replies(text="300.")
    service = build_service(filtered, model=model)
    try:
        answer = await service.query("What is the total amount of orders of Smith?", "trade", principal="ann")
    finally:
        await service.close()

    assert answer.status == "success"
    assert answer.choices == []
