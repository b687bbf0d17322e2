"""`plumbline.Plumbline`: a question from ordinary code, from a coroutine, and as a stream; rows as tables."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable, Generator, Iterator
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from held_model import HeldModel
from pydantic import SecretStr

from agent.core.errors import ModelUnavailable, PlumblineError, QuestionInvalid
from agent.core.events import Done, SchemaSelected, Started
from agent.pipeline.service import Service, build_service
from agent.platform.config.settings import Settings
from agent.platform.llm.files import model_files
from agent.platform.llm.files.model_specs import MODELS, ModelSpec
from executors.errors import DatabaseUnavailable
from plumbline import Plumbline, Result
from testbed.scripted_model import ScriptedModel

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


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "orders.csv"
    file.write_text("order_id,amount\n1,2.5\n", encoding="utf-8")
    return file


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were fetched, by name; each is there afterwards, though empty."""
    names: list[str] = []

    def fetch(spec: ModelSpec, folder: Path, **_: object) -> None:
        folder.mkdir(exist_ok=True)
        (folder / spec.file).touch()
        names.append(spec.file)

    monkeypatch.setattr(model_files, "fetch", fetch)
    return names


def test_open_a_file(file: Path, settings: Settings) -> None:
    with Plumbline.open(file, settings=settings, fetch_model=False) as orders:
        assert isinstance(orders, Plumbline)


def test_open_fetches_the_embedded_model_once_and_warns_before(
    file: Path, settings: Settings, fetched: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(2):
        Plumbline.open(file, settings=settings).close()
    assert fetched == [MODELS["0.5b"].file, MODELS[settings.embedded_model].file]
    (record,) = [it for it in caplog.records if it.name == "plumbline"]
    assert record.levelname == "WARNING", "it reaches stderr also where nobody has set up logging"
    assert "Fetching the embedded model" in record.getMessage()
    assert "GB, once. `plumbline model` fetches it ahead." in record.getMessage()


def test_open_fetches_nothing_that_will_not_answer(file: Path, settings: Settings, fetched: list[str]) -> None:
    hosted = settings.model_copy(update={"openai_api_key": SecretStr("a key")})
    Plumbline.open(file, settings=hosted).close()
    with pytest.raises(DatabaseUnavailable, match="check the path"):
        Plumbline.open(file.with_name("none.csv"), settings=settings)
    assert fetched == []


@pytest.mark.parametrize("installed, command", [(False, "python -m agent model"), (True, "plumbline model")])
def test_without_the_file_a_question_says_how_to_fetch_it(
    installed: bool, command: str, file: Path, settings: Settings, fetched: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def distribution(name: str) -> str:
        if not installed:
            raise PackageNotFoundError(name)
        return name

    monkeypatch.setattr("agent.platform.llm.files.model_specs.distribution", distribution)
    with (
        Plumbline.open(file, settings=settings, fetch_model=False) as orders,
        pytest.raises(ModelUnavailable, match=f"run `{command}`"),
    ):
        orders.ask("How many orders are there?")
    assert fetched == []


async def test_async_with(make_service: Callable[..., Service]) -> None:
    async with Plumbline(make_service(), "shop") as shop:
        assert shop is not None
    with pytest.raises(PlumblineError):
        await asyncio.wait_for(shop.ask_async(QUESTION), 10)
