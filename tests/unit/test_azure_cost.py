"""The table of costs: free items, items that grow with questions, and equality with the docs."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.azure_cost import PRICES, QUESTIONS, Price, Question, main, table, used

DOCS = Path(__file__).parents[2] / "infra" / "README.md"


def test_what_is_free_costs_nothing() -> None:
    price = Price(2, 10, "GB", "a list", free=5)
    assert [price.cost(used) for used in (0, 5, 15)] == [0, 0, 2]


def test_everything_that_is_used_has_a_price_with_its_source() -> None:
    assert used(1, Question()).keys() == PRICES.keys()
    assert all("20" in price.source for price in PRICES.values()), "and the year of it"


def test_the_timers_run_where_nobody_asks() -> None:
    idle, busy = used(0, Question()), used(1_000, Question(seconds=5))
    assert idle["executions"] > 8_640, "every five minutes"
    assert busy["memory while it works"] - idle["memory while it works"] == pytest.approx(1_000 * 5 * 2)


def test_cached_tokens_are_taken_from_the_prompt() -> None:
    found = used(10, Question(prompt_tokens=100, cached=0.25))
    assert (found["gpt-5-mini, prompt"], found["gpt-5-mini, cached prompt"]) == (750, 250)


def test_the_docs_have_the_table_as_it_is_computed() -> None:
    shown = DOCS.read_text(encoding="utf-8").partition("bench.azure_cost -->\n")[2].partition("\n<!-- /azure-cost")[0]
    assert shown == table(Question()), "print it anew: make azure-cost"
    assert len(QUESTIONS) == 3


def test_what_is_assumed_is_an_option_and_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--prompt-tokens", "1"])
    assert "prompt_tokens 1," in capsys.readouterr().out
