"""The spans of a question, event by event."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from agent.core.events import Entered, RawRecordsFetched, Repairing
from agent.core.models import Question
from agent.platform.telemetry.metrics import Metrics
from agent.platform.telemetry.question import QuestionSpans

QUESTION = Question(text="How many?", database="shop", trace_id="0af7651916cd43dd8448eb211c80319c", session_id="s1")
REPAIR = Repairing(error_type="JUDGED_WRONG", error="all months")


@pytest.fixture
def ended() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def asked(ended: InMemorySpanExporter) -> Iterator[QuestionSpans]:
    tracers, meters = TracerProvider(), MeterProvider()
    tracers.add_span_processor(SimpleSpanProcessor(ended))
    metrics = Metrics(meters.get_meter("test"))
    yield QuestionSpans(tracers.get_tracer("test"), metrics, QUESTION, "sqlite", provider="openai", content=False)
    tracers.shutdown()
    meters.shutdown()


def names(ended: InMemorySpanExporter) -> list[str]:
    return [span.name for span in ended.get_finished_spans()]


def test_a_step_ends_with_its_event_at_the_time_when_its_work_was_done(
    asked: QuestionSpans, ended: InMemorySpanExporter
) -> None:
    asked.open("raw_records")
    asked.pause("raw_records")
    assert names(ended) == []
    asked.saw(Entered())
    asked.saw(RawRecordsFetched(sql=None))
    entry, raw = ended.get_finished_spans()
    assert (entry.name, raw.name) == ("text2sql.entry", "text2sql.raw_records")
    assert raw.end_time is not None
    assert entry.start_time is not None
    assert raw.end_time <= entry.start_time


def test_work_that_was_begun_at_the_side_goes_on_in_one_span(asked: QuestionSpans) -> None:
    assert asked.open("raw_records") is asked.open("raw_records")


def test_what_was_begun_for_a_query_that_is_not_believed_is_discarded(
    asked: QuestionSpans, ended: InMemorySpanExporter
) -> None:
    asked.open("raw_records")
    asked.saw(REPAIR)
    assert names(ended) == ["text2sql.repair", "text2sql.raw_records"]
    assert (ended.get_finished_spans()[1].attributes or {})["text2sql.discarded"] is True


def test_a_step_without_an_event_ends_with_the_question(asked: QuestionSpans, ended: InMemorySpanExporter) -> None:
    asked.open("planner")
    asked.saw(REPAIR)
    assert names(ended) == ["text2sql.repair"]
    asked.end()
    assert names(ended) == ["text2sql.repair", "text2sql.planner", "invoke_agent text2sql"]
    assert (ended.get_finished_spans()[2].attributes or {})["gen_ai.conversation.id"] == "s1"
