"""A question as a collector sees it: spans with parents and attributes, metrics, and nothing of the content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from otlp_receiver import GrpcReceiver, HttpReceiver, Received
from pydantic import SecretStr

from agent.core.answers import Answer
from agent.core.errors import ModelUnavailable, QuestionInvalid
from agent.pipeline.service import build_service
from agent.platform import telemetry
from agent.platform.config.settings import Settings
from agent.platform.telemetry.metrics import COUNTERS, COUNTS, LATENCIES
from executors.errors import UnknownDatabase
from testbed.scripted_model import ScriptedModel

QUESTION = "What did Ada's completed orders come to?"
WRONG = "SELECT SUM(amout) AS total FROM orders WHERE status = 'C'"
RIGHT = "SELECT SUM(amount) AS total FROM orders WHERE status = 'C'"
TEXT = "Ada's completed orders come to 360.5."
ROOT = "invoke_agent text2sql"
STEPS = """entry dialect_resolver schema_selector planner generator sql_validator repair generator sql_validator
executor evaluator raw_records answer_formatter"""
OFF = {"enable_retrieval": False}


@pytest.fixture
def receiver() -> Iterator[HttpReceiver]:
    with HttpReceiver() as receiver:
        yield receiver


@pytest.fixture
def traced(receiver: HttpReceiver, settings: Settings, model: ScriptedModel) -> Iterator[Callable[..., Settings]]:
    """Set telemetry up, with changes to the settings; what the test leaves on is ended."""

    def traced(**changes: object) -> Settings:
        changed = settings.model_copy(update={"otel_exporter_otlp_endpoint": receiver.endpoint, **OFF, **changes})
        telemetry.setup(changed)
        return changed

    yield traced
    telemetry.shutdown()


def a_failed_attempt_then_an_answer(model: ScriptedModel) -> None:
    model.replies(sql=WRONG)
    model.replies(sql=RIGHT)
    model.replies(correct=True, reason="the sum over completed orders")
    model.replies(text=TEXT)


async def asked(settings: Settings, model: ScriptedModel, question: str = QUESTION, database: str = "shop") -> Answer:
    """One question, and all that is told about it sent."""
    service = build_service(settings, model=model)
    try:
        return await service.query(question, database)
    finally:
        await service.close()
        telemetry.shutdown()


async def test_every_step_is_a_span_below_the_questions(
    traced: Callable[..., Settings], model: ScriptedModel, receiver: HttpReceiver
) -> None:
    a_failed_attempt_then_an_answer(model)
    answer = await asked(traced(), model)
    found = receiver.received
    root = found.one(ROOT)
    assert root.parent_id == ""
    assert {span.trace_id for span in found.spans} == {answer.trace_id}
    assert {span.service for span in found.spans} == {"plumbline"}
    expected = [f"text2sql.{name}" for name in STEPS.split()]
    assert Counter(expected) <= Counter(found.below(root))
    nodes = {span.attributes["text2sql.node"] for span in found.spans if "text2sql.node" in span.attributes}
    assert {"sql_generator", "sql_executor", "sql_repair"} <= nodes, "the attribute has the node's own name"
    assert root.attributes["text2sql.status"] == "success"
    assert root.attributes["text2sql.attempts"] == 2
    assert root.attributes["gen_ai.operation.name"] == "invoke_agent"


async def test_an_attempt_that_failed_is_a_span_that_failed(
    traced: Callable[..., Settings], model: ScriptedModel, receiver: HttpReceiver
) -> None:
    a_failed_attempt_then_an_answer(model)
    await asked(traced(), model)
    first, second = receiver.received.named("text2sql.sql_validator")
    assert (first.failed, first.attributes["error.type"]) == (True, "COLUMN_NOT_FOUND")
    assert (second.failed, "error.type" in second.attributes) == (False, False)
    assert [first.attributes["text2sql.attempt"], second.attributes["text2sql.attempt"]] == [1, 2]
    assert all(span.events == 0 for span in receiver.received.spans), "an exception's text is recorded nowhere"


async def test_model_calls_and_queries_are_spans_of_the_conventions(
    traced: Callable[..., Settings], model: ScriptedModel, receiver: HttpReceiver
) -> None:
    a_failed_attempt_then_an_answer(model)
    answer = await asked(traced(), model)
    found = receiver.received
    calls = found.named("chat scripted")
    assert len(calls) == 4
    assert {call.attributes["gen_ai.request.model"] for call in calls} == {"scripted"}
    assert {call.attributes["gen_ai.operation.name"] for call in calls} == {"chat"}
    assert {call.attributes["gen_ai.provider.name"] for call in calls} == {"llama.cpp"}
    assert all(call.attributes["gen_ai.response.finish_reasons"] == ["stop"] for call in calls)
    assert sum(call.attributes["gen_ai.usage.input_tokens"] for call in calls) == answer.usage.prompt_tokens
    assert found.below(found.named("text2sql.generator")[0]) == ["chat scripted"]
    assert found.below(found.one("text2sql.executor")) == ["SELECT orders"]
    assert found.below(found.one("text2sql.raw_records")) == ["SELECT orders"], "though it ran beside the judge"
    query = found.named("SELECT orders")[0].attributes
    assert (query["db.system.name"], query["db.namespace"], query["db.operation.name"]) == ("sqlite", "shop", "SELECT")
    assert query["db.response.returned_rows"] == 1


async def test_the_metrics_have_their_names_and_values(
    traced: Callable[..., Settings], model: ScriptedModel, receiver: HttpReceiver
) -> None:
    a_failed_attempt_then_an_answer(model)
    prices = {"scripted": {"input": 1.0, "output": 2.0}}
    settings = Settings.model_validate(traced().model_dump() | {"prices": prices})
    answer = await asked(settings, model)
    found, of = receiver.received, {"database": "shop", "dialect": "sqlite"}
    assert set(LATENCIES) | set(COUNTS) <= found.metrics.keys()
    assert found.total("text2sql_requests_total", status="success", **of) == 1
    assert found.total("text2sql_requests_success_total", verified=True, **of) == 1
    assert found.total("text2sql_dialect_resolved_total", status="success", **of) == 1
    assert found.total("text2sql_generation_errors_total", error_type="COLUMN_NOT_FOUND", **of) == 1
    assert found.total("text2sql_retries_total", error_type="COLUMN_NOT_FOUND", **of) == 1
    assert found.total("text2sql_answer_built_total", **of) == 1
    assert found.times("text2sql_generation_latency_ms", **of) == 1
    assert found.times("text2sql_repair_latency_ms", **of) == 1, "the second draft repairs the first"
    assert found.times("text2sql_schema_fetch_latency_ms", **of) == 1
    assert found.total("text2sql_candidate_count", **of) == 2
    assert found.total("text2sql_execution_row_count", **of) == 1
    assert found.total("text2sql_total_latency_ms", **of) > 0
    assert found.total("gen_ai.client.token.usage", **{"gen_ai.token.type": "input"}) == answer.usage.prompt_tokens
    assert found.times("gen_ai.client.operation.duration") == 4
    assert found.times("db.client.operation.duration", **{"db.system.name": "sqlite"}) == 4, "also what is looked up"
    assert answer.usage.cost_usd is not None
    assert found.total("text2sql_cost_usd_total") == pytest.approx(answer.usage.cost_usd)


async def test_the_other_counters_count_what_goes_wrong(
    traced: Callable[..., Settings], model: ScriptedModel, receiver: HttpReceiver
) -> None:
    model.replies(text="I would rather not plan.")
    model.replies(sql="SELECT SUM(9223372036854775807) AS total FROM orders")  # which only the database can refuse
    settings = Settings.model_validate(traced().model_dump() | {"planner": "separate", "max_attempts": 1})
    await asked(settings, model)
    found = receiver.received
    assert found.total("text2sql_planning_errors_total", error_type="UNUSABLE_REPLY") == 1
    assert found.total("text2sql_execution_errors_total") == 1
    assert found.one("text2sql.executor").failed
    # The questions that the review suggests come from a first look, which runs queries of its own.
    assert [it.failed for it in found.named("SELECT orders")].count(True) == 1
    assert found.total("text2sql_human_review_total") == 1
    assert found.total("text2sql_requests_total", status="error") == 1


def test_the_names_are_those_of_the_generate_api() -> None:
    assert set(COUNTERS) == {
        "text2sql_requests_total",
        "text2sql_dialect_resolved_total",
        "text2sql_planning_errors_total",
        "text2sql_generation_errors_total",
        "text2sql_execution_errors_total",
        "text2sql_requests_success_total",
        "text2sql_retries_total",
        "text2sql_answer_built_total",
        "text2sql_human_review_total",
    }
    assert {*LATENCIES, *COUNTS} == {
        "text2sql_schema_fetch_latency_ms",
        "text2sql_planning_latency_ms",
        "text2sql_generation_latency_ms",
        "text2sql_execution_latency_ms",
        "text2sql_repair_latency_ms",
        "text2sql_total_latency_ms",
        "text2sql_candidate_count",
        "text2sql_execution_row_count",
    }


async def test_a_question_that_is_not_taken_is_counted_without_its_words(
    traced: Callable[..., Settings], model: ScriptedModel, receiver: HttpReceiver
) -> None:
    settings = traced()
    with pytest.raises(UnknownDatabase):
        await asked(settings, model, database="planted-name")
    traced()
    with pytest.raises(QuestionInvalid):
        await asked(settings, model, question=" ")
    found = receiver.received
    assert found.total("text2sql_requests_total", status="failed", error_type="QuestionInvalid") == 1
    assert "planted-name" not in found.text


async def test_an_error_is_a_type_and_no_text(
    traced: Callable[..., Settings], model: ScriptedModel, receiver: HttpReceiver
) -> None:
    model.replies(raises=ModelUnavailable("https://user:planted-password@model refuses the key sk-planted."))
    settings = traced(openai_api_key=SecretStr("sk-planted"))
    with pytest.raises(ModelUnavailable):
        await asked(settings, model)
    found = receiver.received
    for name in ("chat scripted", "text2sql.generator", ROOT):
        assert found.one(name).failed
        assert found.one(name).attributes["error.type"] == "ModelUnavailable"
    assert found.total("text2sql_requests_total", status="failed", error_type="ModelUnavailable") == 1
    assert "planted" not in found.text


CONTENT = [QUESTION, "status = 'C'", TEXT, "360.5"]


@pytest.mark.parametrize("on", [False, True])
async def test_content_is_recorded_only_when_switched_on(
    on: bool, traced: Callable[..., Settings], model: ScriptedModel, receiver: HttpReceiver
) -> None:
    a_failed_attempt_then_an_answer(model)
    await asked(traced(telemetry_content=on), model)
    found = receiver.received
    attributes = [str(value) for span in found.spans for value in span.attributes.values()]
    for content in CONTENT:
        assert any(content in value for value in attributes) is on, content
    assert ("db.query.text" in found.named("SELECT orders")[0].attributes) is on
    assert ("text2sql.rows" in found.one("text2sql.executor").attributes) is on


async def test_a_first_answer_that_is_written_ahead_is_one_span_with_the_last(
    traced: Callable[..., Settings], model: ScriptedModel, receiver: HttpReceiver
) -> None:
    settings = Settings.model_validate(traced().model_dump() | {"speculative_answer": True})
    model.replies(sql=RIGHT)
    model.replies(text=TEXT)  # asked for before the judge is: rules look at the query in between
    model.replies(correct=True, reason="right")
    answer = await asked(settings, model)
    found = receiver.received
    assert found.below(found.one("text2sql.answer_formatter")) == ["chat scripted"]
    assert answer.usage.by_step["answer_formatter"].model_calls == 1
    assert answer.usage.by_step["evaluator"].model_calls == 1, "though both were asked at once"


async def test_grpc_is_spoken_where_it_is_asked_for(settings: Settings, model: ScriptedModel) -> None:
    a_failed_attempt_then_an_answer(model)
    with GrpcReceiver() as receiver:
        to = {"otel_exporter_otlp_endpoint": receiver.endpoint, "otel_exporter_otlp_protocol": "grpc"}
        changed = settings.model_copy(update={**to, **OFF})
        telemetry.setup(changed)
        answer = await asked(changed, model)
        found: Received = receiver.received
    assert found.one(ROOT).trace_id == answer.trace_id
    assert found.total("text2sql_requests_total") == 1
