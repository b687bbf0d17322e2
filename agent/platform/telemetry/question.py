"""The spans of one question: its own, and a child for every event of a step."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from opentelemetry import trace
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as gen_ai
from opentelemetry.semconv.attributes.error_attributes import ERROR_TYPE
from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer

from agent.core.answers import Answer
from agent.core.events import (
    Evaluated,
    Event,
    NodeComplete,
    RawRecordsFetched,
    Repairing,
    SchemaSelected,
    SqlExecuted,
    SqlGenerated,
    SqlValidated,
)
from agent.core.models import Question
from agent.platform.telemetry.base import QuestionTrace
from agent.platform.telemetry.metrics import Metrics


def fail(span: Span, error_type: str) -> None:
    """Mark a span as failed, with only the error's type: messages may contain the question or an address."""
    span.set_attribute(ERROR_TYPE, error_type)
    span.set_status(StatusCode.ERROR)


def current(span: Span) -> AbstractContextManager[Span]:
    """Make the span current inside the block, without ending it."""
    return trace.use_span(span, record_exception=False, set_status_on_exception=False)


def traceparent_of_span(span: Span) -> str:
    """The W3C `traceparent` of a span; empty if it is invalid."""
    context = span.get_span_context()
    if not context.is_valid:
        return ""
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"


def messages_json(messages: Sequence[tuple[str, str]]) -> str:
    """Roles and texts in the form of `gen_ai.input.messages` and `gen_ai.output.messages`."""
    parts: list[dict[str, Any]] = [
        {"role": role, "parts": [{"type": "text", "content": text}]} for role, text in messages
    ]
    return json.dumps(parts, ensure_ascii=False)


AGENT = "text2sql"

# Span names of the generate API that differ from the node's name, after `text2sql.`.
SPAN_NAMES = {"sql_generator": "generator", "sql_executor": "executor", "sql_repair": "repair"}

AHEAD = ("raw_records", "answer_formatter")  # steps that start while the judge runs

Values = dict[str, str | int | float | bool]


class QuestionSpans(QuestionTrace):
    """The spans of one question, open until `end`. With `content`, they hold the question, its answer and rows."""

    def __init__(
        self, tracer: Tracer, metrics: Metrics, question: Question, dialect: str, *, provider: str, content: bool
    ) -> None:
        super().__init__()
        self._tracer, self._metrics, self._content = tracer, metrics, content
        self.attributes = {"database": question.database, "dialect": dialect}
        known: Values = {
            gen_ai.GEN_AI_OPERATION_NAME: "invoke_agent",
            gen_ai.GEN_AI_PROVIDER_NAME: provider,
            gen_ai.GEN_AI_AGENT_NAME: AGENT,
            "text2sql.database": question.database,
            "text2sql.dialect": dialect,
            "text2sql.answer_id": question.answer_id,
        }
        if question.session_id is not None:
            known[gen_ai.GEN_AI_CONVERSATION_ID] = question.session_id
        if content:
            known[gen_ai.GEN_AI_INPUT_MESSAGES] = messages_json([("user", question.text)])
        self.span = tracer.start_span(f"invoke_agent {AGENT}", kind=SpanKind.INTERNAL, attributes=known)
        self._below = trace.set_span_in_context(self.span)
        self._open: dict[str, Span] = {}
        self._paused: dict[str, int] = {}

    def open(self, node: str) -> Span:
        """The span of a step; the same one if work on the step was started earlier."""
        if node not in self._open:
            self._open[node] = self._start(node)
        return self._open[node]

    def pause(self, node: str) -> None:
        """Note that work on a step stopped. If it does not resume, the step ended now."""
        self._paused[node] = time.time_ns()

    def saw(self, event: Event) -> None:
        """End the span of the event's step. A span that was never opened is created here."""
        super().saw(event)
        self._metrics.saw(event, self.attributes)
        if not isinstance(event, NodeComplete):
            return
        span = self._open.pop(event.node, None) or self._start(event.node)
        span.set_attributes(self._read_event(event))
        if isinstance(event, SqlValidated | SqlExecuted) and event.error_type:
            fail(span, str(event.error_type))
        span.end(self._paused.pop(event.node, None))
        if isinstance(event, Repairing):
            self._end(AHEAD)  # steps that were started for the rejected query

    def end(self) -> None:
        """End the question's span, with the outcome of its answer."""
        self._end(tuple(self._open))
        if self.answer is not None:
            self.span.set_attributes(_outcome(self.answer))
            if self._content:
                output = messages_json([("assistant", self.answer.answer)])
                self.span.set_attribute(gen_ai.GEN_AI_OUTPUT_MESSAGES, output)
        self.span.end()

    def _start(self, node: str) -> Span:
        name = f"text2sql.{SPAN_NAMES.get(node, node)}"
        return self._tracer.start_span(name, context=self._below, attributes={"text2sql.node": node})

    def _end(self, nodes: Sequence[str]) -> None:
        """End the spans of steps without an event."""
        for node in nodes:
            span = self._open.pop(node, None)
            if span is not None:
                span.set_attributes({"text2sql.discarded": True} if node in AHEAD else {})
                span.end(self._paused.pop(node, None))

    def _read_event(self, event: NodeComplete) -> Values:
        """The results of a step, without content."""
        found: Values = {"text2sql.attempt": event.attempt} if event.attempt else {}
        match event:
            case SchemaSelected():
                found |= {"text2sql.tables": len(event.tables), "text2sql.documents": len(event.documents)}
                found |= {"text2sql.schema_tokens": event.tokens, "text2sql.pruned": event.pruned}
            case SqlGenerated():
                found["text2sql.source"] = event.source
            case SqlExecuted():
                found |= {"text2sql.row_count": event.row_count, "text2sql.truncated": event.truncated}
                if self._content:
                    found["text2sql.rows"] = json.dumps(event.rows, ensure_ascii=False, default=str)
            case Repairing():
                found["text2sql.error_type"] = str(event.error_type)
            case Evaluated(verdict=verdict) if verdict is not None:
                found |= {"text2sql.correct": verdict.correct, "text2sql.judged_by": verdict.source}
            case RawRecordsFetched():
                found |= {"text2sql.row_count": event.row_count}
        return found


def _outcome(answer: Answer) -> Values:
    usage = answer.usage
    found: Values = {
        "text2sql.status": answer.status,
        "text2sql.verified": answer.verified,
        "text2sql.attempts": answer.attempts,
        "text2sql.needs_human_review": answer.needs_human_review,
        gen_ai.GEN_AI_USAGE_INPUT_TOKENS: usage.prompt_tokens,
        gen_ai.GEN_AI_USAGE_OUTPUT_TOKENS: usage.completion_tokens,
        gen_ai.GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS: usage.cached_tokens,
    }
    return found | ({"text2sql.cost_usd": usage.cost_usd} if usage.cost_usd is not None else {})
