"""The cost of model calls, in total and by step."""

from __future__ import annotations

import logging

import pytest

from agent.core.usage import StepUsage, Usage
from agent.platform.config.pricing import Price, Prices
from agent.platform.config.settings import Settings
from agent.platform.telemetry.ledger import Ledger

TABLE = {"gpt-4o-mini": Price(input=0.15, cached=0.075, output=0.6), "plain": Price(input=1, output=2)}


@pytest.mark.parametrize(
    "model, prompt, cached, completion, dollars, why",
    [
        ("gpt-4o-mini", 1_000_000, 0, 0, 0.15, "the prompt"),
        ("gpt-4o-mini", 1_000_000, 400_000, 0, 0.12, "its cached part is cheaper"),
        ("gpt-4o-mini", 0, 0, 1_000_000, 0.6, "the reply"),
        ("plain", 1_000_000, 500_000, 0, 1.0, "no price for what is cached: that of the prompt"),
        ("gpt-4o-mini", 1, 0, 0, 1.5e-07, "one token"),
        ("other", 5, 0, 5, None, "no price is known"),
        ("gpt-4o", 5, 0, 5, None, "a name that begins alike is another model"),
    ],
)
def test_cost(model: str, prompt: int, cached: int, completion: int, dollars: float | None, why: str) -> None:
    usage = Usage(model_calls=1, prompt_tokens=prompt, cached_tokens=cached, completion_tokens=completion)
    assert Prices(TABLE).cost(model, usage) == (dollars if dollars is None else pytest.approx(dollars)), why


@pytest.mark.parametrize(
    "hosted, dollars, why",
    [
        ({}, 0.0, "the embedded model costs nothing"),
        ({"openai_base_url": "https://models.test/v1"}, None, "a hosted one has a price, which nobody has said"),
    ],
)
def test_a_model_without_a_price(hosted: dict[str, str], dollars: float | None, why: str) -> None:
    settings = Settings.model_validate(hosted)
    assert (
        Prices.of(settings.prices, is_hosted=settings.is_hosted).cost(
            "some-model", Usage(model_calls=1, prompt_tokens=10)
        )
        == dollars
    ), why


def test_a_missing_price_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "agent.platform.config.pricing")
    for _ in range(3):
        Prices({}).cost("never-priced", Usage(model_calls=1))
    assert caplog.text.count("never-priced") == 1
    assert "PLUMBLINE_PRICES" in caplog.text


def test_the_table_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLUMBLINE_PRICES", '{"m": {"input": 1.5, "output": 3}}')
    assert Settings().prices == {"m": Price(input=1.5, output=3)}


@pytest.mark.parametrize(
    "table, why",
    [
        ('{"m": {"input": -1, "output": 3}}', "nobody is paid"),
        ('{"m": {"input": 1}}', "replies cost, too"),
        ('{"m": {"input": 1, "output": 1, "outptu": 1}}', "misspelt"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused(table: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLUMBLINE_PRICES", table)
    with pytest.raises(ValueError, match="prices"):
        Settings()


def test_the_ledger_keeps_what_each_step_took() -> None:
    ledger = Ledger(Prices(TABLE), "plain")
    with ledger.time_step("sql_generator"):
        ledger.spend(Usage(model_calls=1, prompt_tokens=100, completion_tokens=10))
        ledger.spend(Usage(model_calls=1, prompt_tokens=100, cached_tokens=50, completion_tokens=10))
    with ledger.time_step("evaluator"):
        ledger.spend(Usage(model_calls=1, prompt_tokens=1000, completion_tokens=1), "gpt-4o-mini")
    generator, judge = ledger.usage.by_step["sql_generator"], ledger.usage.by_step["evaluator"]
    assert generator == StepUsage(
        model_calls=2, prompt_tokens=200, cached_tokens=50, completion_tokens=20, cost_usd=0.00024
    )
    assert judge.cost_usd == pytest.approx(0.0001506)
    assert ledger.usage.model_calls == 3
    assert ledger.usage.prompt_tokens == 1200
    assert ledger.usage.cost_usd == pytest.approx(0.0003906)


def test_one_unknown_price_leaves_the_whole_unknown_and_the_other_steps_known() -> None:
    ledger = Ledger(Prices(TABLE), "plain")
    with ledger.time_step("sql_generator"):
        ledger.spend(Usage(model_calls=1, prompt_tokens=100))
    with ledger.time_step("evaluator"):
        ledger.spend(Usage(model_calls=1, prompt_tokens=100), "unpriced")
    assert ledger.usage.cost_usd is None
    assert ledger.usage.by_step["sql_generator"].cost_usd == pytest.approx(0.0001)
    assert ledger.usage.by_step["evaluator"].cost_usd is None


def test_a_question_without_a_model_call_costs_nothing() -> None:
    assert Ledger(Prices({}), "unpriced").usage.cost_usd == 0


def test_work_ahead_of_a_step_counts_for_it_and_not_for_its_time() -> None:
    ledger = Ledger(Prices(TABLE), "plain")
    with ledger.time_step("evaluator"), ledger.step("raw_records"):
        ledger.spend(Usage(model_calls=1, prompt_tokens=100))
    assert set(ledger.usage.by_step) == {"raw_records"}
    assert set(ledger.timings_ms) == {"evaluator"}
