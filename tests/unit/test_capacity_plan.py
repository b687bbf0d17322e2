"""The arithmetic of capacity: known figures in, known needs out."""

from __future__ import annotations

import re
from typing import Any

import pytest

from agent.platform.config.pricing import Price
from bench import capacity
from bench.capacity_figures import Found, Retrieval, StateUse
from bench.capacity_plan import Assumed, Beyond, Measured, at, cost_of, cpu_of, need

MEASURED = Measured(
    cpu_ms=[(10, 30), (100, 45)],
    embedding_ms=12,
    process_mb=200,
    embedding_mb=300,
    calls=3,
    completion_tokens=100,
    prompt_tokens=[(10, 3000), (300, 9000)],
    retrieval_ms=[(10, 10), (100, 15), (1000, 60)],
    tables_mb=[(10, 0), (1000, 99)],
    index_mb=[(10, 2), (1000, 200)],
    schema_s=[(10, 0.1), (1000, 1.09)],
    columns_a_table=20,
    embedded_a_s=200,
    requests=14,
    hottest=2,
)
ASSUMED = Assumed(
    call_s=2,
    price=Price(input=1, output=10),
    model_tokens_a_minute=1_000_000,
    busy=0.5,
    cores=10,
    memory_gb=50,
    places=16,
    account_requests_s=20_000,
    partition_requests_s=2_000,
    look_s=3,
    schema_s=220,
    indexing_h=24,
)
FOUND = Found(
    MEASURED,
    [Retrieval(10, 10, 180, 900, 2), Retrieval(1000, 60, 279, 90_000, 200)],
    StateUse(14, 2, 20_000, "rate"),
)


@pytest.mark.parametrize(
    "tables, value", [(1, 10), (10, 10), (55, 12.5), (100, 15), (550, 37.5), (1000, 60), (3000, 160)]
)
def test_values_lie_on_lines_between_and_beyond_what_was_measured(tables: float, value: float) -> None:
    assert at(MEASURED.retrieval_ms, tables) == pytest.approx(value)


def test_beyond_the_last_a_flat_curve_stays_and_a_falling_one_does_not_fall() -> None:
    assert at(MEASURED.prompt_tokens, 100_000, Beyond.FLAT) == 9000
    assert [at([(10, 5), (100, 4)], 1000, beyond) for beyond in Beyond] == [4, 4, 4]
    assert [at([(10, 5)], 1000, beyond) for beyond in Beyond] == [5, 5, 5]


def test_a_power_is_that_of_the_last_two_and_never_more_than_a_line_through_nothing() -> None:
    assert at([(10, 2), (1000, 20)], 100_000, Beyond.POWER) == pytest.approx(200)  # the square root
    assert at([(10, 1), (100, 50)], 1000, Beyond.POWER) == pytest.approx(500)


def test_own_cpu_grows_until_the_schemas_budget_is_full_and_then_with_retrieval_alone() -> None:
    assert [cpu_of(MEASURED, it) for it in (10, 55, 100, 1000)] == [30, 37.5, 45, 90]


def test_a_question_costs_its_tokens_with_the_schemas_budget_as_the_most() -> None:
    price = ASSUMED.price
    assert cost_of(MEASURED, price, 10) == pytest.approx((3000 * 1 + 100 * 10) / 1e6)
    assert cost_of(MEASURED, price, 300) == cost_of(MEASURED, price, 100_000) == pytest.approx(0.01)


def test_36000_questions_an_hour_are_10_a_second() -> None:
    it = need(36_000, 1000, MEASURED, ASSUMED)

    assert it.cpu_ms == pytest.approx(90)  # 45, and 45 more of retrieval
    assert it.cores == pytest.approx(10 * 0.090 / 0.5)
    assert it.cores_embedding == pytest.approx(10 * 0.102 / 0.5)
    assert it.in_flight == pytest.approx(10 * 6.09)  # Little's law
    assert it.processes == 4  # 60.9 at once, 16 in each
    assert it.tokens_a_minute == pytest.approx(600 * 9100)
    assert it.dollars_an_hour == pytest.approx(360)
    assert it.memory_gb == pytest.approx(4 * 0.299)
    assert it.index_gb == pytest.approx(0.2)
    assert it.shares == {
        "cores": pytest.approx(0.18),
        "memory": pytest.approx(1.196 / 50),
        "model quota": pytest.approx(5.46),
        "state account": pytest.approx((140 + 4 / 3) / 20_000),
        "state partition": pytest.approx((20 + 4 / 3) / 2_000),
        "schema reading": pytest.approx(1.09 / 220),
        "first indexing": pytest.approx(1000 * 20 / 200 / 3600 / 24),
    }
    assert it.scarce == ["model quota"]


def test_there_is_one_process_at_least_and_cores_can_ask_for_more_than_places_do() -> None:
    assert need(1, 10, MEASURED, ASSUMED).processes == 1
    slow = MEASURED._replace(cpu_ms=[(10, 2000)])
    assert need(36_000, 10, slow, ASSUMED._replace(call_s=0.001)).processes == 40


@pytest.mark.parametrize(
    "first, measured, assumed",
    [
        ("cores", {"cpu_ms": [(10, 50_000)]}, {}),
        ("memory", {"process_mb": 90_000}, {}),
        ("model quota", {}, {"model_tokens_a_minute": 10}),
        ("state account", {"requests": 1e6}, {}),
        ("state partition", {"hottest": 1e6}, {}),
        ("schema reading", {"schema_s": [(10, 500)]}, {}),
        ("first indexing", {"embedded_a_s": 0.001}, {}),
    ],
)
def test_what_is_scarce_runs_out_first(first: str, measured: dict[str, Any], assumed: dict[str, Any]) -> None:
    it = need(1000, 10, MEASURED._replace(**measured), ASSUMED._replace(**assumed))

    assert it.scarce[0] == first
    assert it.shares[first] > 1


def test_the_report_has_a_row_for_each_need_and_marks_what_is_more_than_there_is() -> None:
    lines = capacity.report(FOUND, ASSUMED, "a-model", markdown=True)

    needs = [line for line in lines if re.match(r"\| 10+(,000)* \|", line) or re.match(r"\| 1(00)?,000 \|", line)]
    assert len(needs) == 9
    assert needs[0] == ("| 10 | 10 | 1 | 0.00017 | 0.00023 | 0.017 | 517 | 0.04 | 0.2 | 0.002 | memory under 1% |")
    assert needs[-1].endswith(
        "| 55.0 | 55.7 | 194 | 15,166,667 | 1,000 | 561 | 20.0 | **model quota 1,517%, memory 1,122%, cores 550%** |"
    )
    assert "| completion tokens | 100 |" in lines
    assert any("1 in, 10 out" in line for line in lines)


def test_in_a_terminal_the_columns_are_aligned() -> None:
    lines = capacity.report(FOUND, ASSUMED, "a-model", markdown=False)

    assert len({len(line) for line in lines[: lines.index("")]}) == 1
    assert not any("|" in line or "**" in line for line in lines)


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["--prices", "cheap"], "--prices: "),
        (["--prices", '{"m": {"input": -1, "output": 1}}', "--model", "m"], "--prices: "),
        (["--model", "another"], "--prices has no price for another: add it"),
        (["--measured", "100", "10"], "the fewest first"),
        (["--busy", "0"], "write a number above 0"),
    ],
)
def test_an_option_that_cannot_be_used_is_told(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        capacity.main(arguments)
    assert said in capsys.readouterr().err
