"""A part of a question shows only private columns that the user's own words name."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from growing_replies import told_while_written
from shop_questions import Make

from agent.core.callers import ANONYMOUS
from agent.core.events import SqlProgress
from agent.core.models import Options
from testbed.scripted_model import ScriptedModel


@pytest.fixture
def shop_with_email(shop_file: Path, registry: Path) -> None:
    connection = sqlite3.connect(shop_file)
    connection.execute("ALTER TABLE customers ADD COLUMN email TEXT DEFAULT 'ada@mail.example'")
    connection.commit()
    connection.close()
    registry.write_text("shop: {url: shop.sqlite, private: [customers.email]}", encoding="utf-8")


PARTS = ("What is the email of each customer?", "How many customers are there?")


@pytest.mark.usefixtures("shop_with_email")
async def test_a_part_that_names_a_private_column_does_not_open_it(make_service: Make, model: ScriptedModel) -> None:
    service = make_service(plan=True, enable_retrieval=False, max_attempts=2)
    model.replies(text=json.dumps({"questions": PARTS, "calculations": []}))
    model.replies(sql="SELECT email FROM customers")
    model.replies(sql="SELECT * FROM customers")
    model.replies(correct=True, reason="all of them")
    model.replies(sql="SELECT COUNT(*) AS n FROM customers")
    model.replies(correct=True, reason="the count")
    model.replies(text="There are 3 customers.")

    answer = await service.query("Why are there so few customers?", "shop")
    await service.close()

    assert "customers.email is private" in model.asked[2].tail
    assert answer.parts[0].columns == ["customer_id", "name", "country"]
    assert any(warning.startswith("[1] ") and "customers.email" in warning for warning in answer.warnings)
    assert "ada@mail" not in answer.model_dump_json() + "".join(asked.text for asked in model.asked)


@pytest.mark.usefixtures("shop_with_email")
async def test_the_records_behind_a_part_and_its_next_rows_come_without_it(
    make_service: Make, model: ScriptedModel
) -> None:
    service = make_service(plan=True, enable_retrieval=False, max_attempts=1)
    model.replies(text=json.dumps({"questions": PARTS[::-1], "calculations": []}))
    model.replies(sql="SELECT COUNT(*) AS n FROM customers")
    model.replies(correct=True, reason="the count")
    model.replies(text="There are 3 customers.")
    model.replies(sql="SELECT * FROM customers")
    model.replies(correct=True, reason="all of them")

    answer = await service.query("Why are there so few customers?", "shop", options=Options(row_limit=2))
    assert answer.parts[0].raw_results
    assert "email" not in answer.parts[0].raw_results[0]
    assert answer.parts[1].cursor is not None
    page = await service.databases.next_page("shop", answer.parts[1].cursor, principal=ANONYMOUS)
    assert (page.result.columns, page.result.row_count) == (("customer_id", "name", "country"), 1)
    await service.close()


@pytest.mark.usefixtures("shop_with_email")
async def test_it_is_not_told_while_the_query_is_written(
    make_service: Make, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    told_while_written(model, monkeypatch)
    service = make_service(plan=True, enable_retrieval=False, max_attempts=1)
    model.replies(text=json.dumps({"questions": PARTS, "calculations": []}))
    model.replies(sql="SELECT email FROM customers")
    model.replies(sql="SELECT COUNT(*) AS n FROM customers")
    model.replies(correct=True, reason="the count")
    model.replies(text="There are 3 customers.")

    events = [event async for event in service.events("Why are there so few customers?", "shop")]
    await service.close()

    told = [event for event in events if isinstance(event, SqlProgress)]
    assert [event.part for event in told if "COUNT" in event.sql] == [2]
    assert not any("email" in event.sql for event in told)


@pytest.mark.usefixtures("shop_with_email")
async def test_a_column_that_the_person_named_is_shown_in_every_part(make_service: Make, model: ScriptedModel) -> None:
    service = make_service(plan=True, enable_retrieval=False, max_attempts=1)
    model.replies(text=json.dumps({"questions": ["Who are the customers?", PARTS[1]], "calculations": []}))
    model.replies(sql="SELECT email FROM customers")
    model.replies(correct=True, reason="all of them")
    model.replies(sql="SELECT COUNT(*) AS n FROM customers")
    model.replies(correct=True, reason="the count")
    model.replies(text="There are 3 customers.")

    answer = await service.query("Why does each customer have the same email?", "shop")
    await service.close()

    assert answer.parts[0].columns == ["email"]
