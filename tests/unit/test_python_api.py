"""`plumbline.Plumbline`: a question from ordinary code, from a coroutine, and as a stream; rows as tables."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from held_model import HeldModel

from agent.config.settings import Settings
from agent.core.errors import PlumblineError, QuestionInvalid
from agent.core.events import Done, SchemaSelected, Started
from agent.llm.scripted import ScriptedModel
from agent.service import Service, build_service
from executors.errors import DatabaseUnavailable
from plumbline import Plumbline, Result

QUESTION = "How many customers are there?"


@pytest.fixture
def shop(make_service: Callable[..., Service]) -> Iterator[Plumbline]:
    with Plumbline(make_service(enable_evaluation=False, enable_retrieval=False), "shop") as shop:
        yield shop


def script(model: ScriptedModel, sql: str = "SELECT COUNT(*) AS customers FROM customers", text: str = "3.") -> None:
    model.replies(sql=sql)
    model.replies(text=text)


def test_ask(shop: Plumbline, model: ScriptedModel) -> None:
    script(model)
    result = shop.ask(QUESTION)
    assert isinstance(result, Result)
    assert result.results == [{"customers": 3}]
    assert result.sql is not None
    assert "COUNT(*)" in result.sql


async def test_ask_from_a_running_loop(shop: Plumbline, model: ScriptedModel) -> None:
    script(model)
    assert (await shop.ask_async(QUESTION)).results == [{"customers": 3}]


def test_stream_ends_with_the_answer(shop: Plumbline, model: ScriptedModel) -> None:
    script(model)
    *steps, last = shop.stream(QUESTION)
    assert isinstance(steps[0], Started)
    assert isinstance(last, Done)
    assert isinstance(last.answer, Result)
    assert last.answer.results == [{"customers": 3}]


async def test_stream_from_a_coroutine(shop: Plumbline, model: ScriptedModel) -> None:
    script(model)
    events = [event async for event in shop.stream_async(QUESTION)]
    assert isinstance(events[-1], Done)


def test_errors_are_raised_where_the_question_was_asked(shop: Plumbline) -> None:
    with pytest.raises(QuestionInvalid, match="The question is empty"):
        shop.ask("  ")
    with pytest.raises(QuestionInvalid, match="The question is empty"):
        list(shop.stream("  "))


def test_a_stream_that_is_left_cancels_the_question(settings: Settings) -> None:
    held = HeldModel()
    service = build_service(settings.model_copy(update={"enable_retrieval": False}), model=held)
    with Plumbline(service, "shop") as shop:
        events = shop.stream(QUESTION)
        assert isinstance(events, Generator)
        next(event for event in events if isinstance(event, SchemaSelected))
        events.close()
    assert held.cancelled.is_set() or not held.called.is_set()  # the model never had to answer


def test_rows_as_tables(shop: Plumbline, model: ScriptedModel) -> None:
    model.replies(sql="SELECT DATE(ordered_at) AS day, amount FROM orders ORDER BY 1 LIMIT 2")
    result = shop.ask("The first two orders?")
    assert result.arrow().to_pylist() == [
        {"day": dt.date(2024, 1, 5), "amount": 100.0},
        {"day": dt.date(2024, 2, 10), "amount": 40.0},
    ]
    assert result.polars().rows() == [(dt.date(2024, 1, 5), 100.0), (dt.date(2024, 2, 10), 40.0)]
    assert list(result.pandas()["amount"]) == [100.0, 40.0]


def test_closed(shop: Plumbline) -> None:
    shop.close()
    shop.close()
    with pytest.raises(PlumblineError, match="is closed"):
        shop.ask(QUESTION)


def test_open_a_file(tmp_path: Path, settings: Settings) -> None:
    file = tmp_path / "orders.csv"
    file.write_text("order_id,amount\n1,2.5\n", encoding="utf-8")
    with Plumbline.open(file, settings=settings) as orders:
        assert isinstance(orders, Plumbline)
    with pytest.raises(DatabaseUnavailable, match="check the path"):
        Plumbline.open(tmp_path / "none.csv", settings=settings)


async def test_async_with(make_service: Callable[..., Service]) -> None:
    async with Plumbline(make_service(), "shop") as shop:
        assert shop is not None
    with pytest.raises(PlumblineError):
        await asyncio.wait_for(shop.ask_async(QUESTION), 10)
