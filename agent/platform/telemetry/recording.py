"""Active telemetry: events and calls of chat models become spans and metrics.

invoke_agent text2sql                  the question; below FastAPI's span of the request, if there is one
├── text2sql.entry, .dialect_resolver, .schema_selector, ...    one for each event of a step
│   ├── chat {model}                       a call of a model
│   └── SELECT orders                      a statement in the database
└── ...
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from opentelemetry import trace
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as gen_ai
from opentelemetry.semconv.attributes import db_attributes as db
from opentelemetry.semconv.attributes.error_attributes import ERROR_TYPE
from opentelemetry.trace import Span, SpanKind, Tracer

from agent import __version__
from agent.platform.llm.chat import MAX_TOKENS, WrappedModel
from agent.platform.telemetry.base import QuestionTrace, Telemetry, error_type, log_question
from agent.platform.telemetry.metrics import CALLS, COST, ERRORS_OF_NODE, QUERIES, TOKENS, Metrics
from agent.platform.telemetry.question import (
    QuestionSpans,
    current,
    fail,
    messages_json,
    traceparent_of_span,
)
from agent.platform.telemetry.trace import STEP, traceparent_within, working_for
from executors.errors import UnknownDatabase

if TYPE_CHECKING:
    from fastapi.telemetry import TelemetryConfig

    from agent.core.models import Question
    from agent.platform.config.settings import Settings
    from agent.platform.llm.chat import ChatModel, ChatRequest, Message, Reply
    from agent.platform.telemetry.providers import Providers


class TracedModel(WrappedModel):
    """Records the calls of the wrapped chat model; with `content`, also prompts and replies."""

    def __init__(self, model: ChatModel, provider: str, tracer: Tracer, metrics: Metrics, *, content: bool) -> None:
        super().__init__(model)
        self._provider = provider
        self._tracer, self._metrics, self._content = tracer, metrics, content

    async def complete(self, messages: list[Message], **request: Unpack[ChatRequest]) -> Reply:
        named = {
            gen_ai.GEN_AI_OPERATION_NAME: "chat",
            gen_ai.GEN_AI_PROVIDER_NAME: self._provider,
            gen_ai.GEN_AI_REQUEST_MODEL: self.name,
        }
        wanted = {
            gen_ai.GEN_AI_REQUEST_MAX_TOKENS: request.get("max_tokens", MAX_TOKENS),
            gen_ai.GEN_AI_REQUEST_TEMPERATURE: request.get("temperature", 0.0),
        }
        with record_call(self._tracer, self._metrics, CALLS, f"chat {self.name}", named, wanted) as span:
            if self._content:
                prompt = messages_json([(message.role, message.content) for message in messages])
                span.set_attribute(gen_ai.GEN_AI_INPUT_MESSAGES, prompt)
            reply = await super().complete(messages, **request)
            usage = reply.usage
            span.set_attributes(
                {
                    gen_ai.GEN_AI_USAGE_INPUT_TOKENS: usage.prompt_tokens,
                    gen_ai.GEN_AI_USAGE_OUTPUT_TOKENS: usage.completion_tokens,
                    gen_ai.GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS: usage.cached_tokens,
                    gen_ai.GEN_AI_RESPONSE_FINISH_REASONS: ["length" if reply.truncated else "stop"],
                }
            )
            if self._content:
                span.set_attribute(gen_ai.GEN_AI_OUTPUT_MESSAGES, messages_json([("assistant", reply.text)]))
            step = {**named, "text2sql.node": STEP.get()}
            self._metrics.record(TOKENS, usage.prompt_tokens, {**step, gen_ai.GEN_AI_TOKEN_TYPE: "input"})
            self._metrics.record(TOKENS, usage.completion_tokens, {**step, gen_ai.GEN_AI_TOKEN_TYPE: "output"})
            return reply


@contextmanager
def record_call(
    tracer: Tracer, metrics: Metrics, histogram: str, name: str, named: dict[str, str], more: Mapping[str, Any]
) -> Iterator[Span]:
    """Record a call of another service: its span, current in the block, and its duration. `more`: only for the span."""
    start, failure = time.perf_counter(), {}
    span = tracer.start_span(name, kind=SpanKind.CLIENT, attributes={**named, **more})
    try:
        with current(span):
            yield span
    except BaseException as error:
        failure = {ERROR_TYPE: error_type(error)}
        fail(span, error_type(error))
        raise
    finally:
        span.end()
        metrics.record(histogram, time.perf_counter() - start, named | failure)


ROWS_RETURNED = "db.response.returned_rows"
HEALTH = "/api/health/"  # polled every few seconds by the hosting platform

# dialect -> `db.system.name`, if it differs.
SYSTEMS = {"sqlserver": "microsoft.sql_server", "oracle": "oracle.db", "hana": "sap.hana"}

# provider -> `gen_ai.provider.name`, if it differs. The convention has none for llama.cpp.
PROVIDER_NAMES = {"azure": "azure.ai.openai", "embedded": "llama.cpp"}

_current: ContextVar[QuestionSpans | None] = ContextVar("question_spans", default=None)


class Recording(Telemetry):
    """Records spans and metrics. Args: settings: for the model's provider, and whether content is recorded."""

    def __init__(self, providers: Providers, settings: Settings) -> None:
        self._providers = providers
        self._content = settings.telemetry_content
        self._provider = PROVIDER_NAMES.get(settings.provider, settings.provider)
        self._tracer = providers.tracers.get_tracer("plumbline", __version__)
        self._metrics = Metrics(providers.meters.get_meter("plumbline", __version__))

    def fastapi(self) -> TelemetryConfig:
        return {
            "tracer_provider": self._providers.tracers,
            "meter_provider": self._providers.meters,
            "operation_spans": False,
            "logs": False,
            "exclude": lambda scope: str(scope.get("path", "")).startswith(HEALTH),
        }

    def traceparent(self) -> str:
        return traceparent_of_span(trace.get_current_span())

    @contextmanager
    def arriving(self, of_trace: str) -> Iterator[None]:
        """See `Telemetry.arriving`. Counts refused questions, without their database, which may be any word."""
        start = time.perf_counter()
        try:
            with super().arriving(of_trace):
                yield
        except Exception as error:
            if isinstance(error, UnknownDatabase):
                self._metrics.count("text2sql_dialect_resolved_total", {"status": "failure"})
            self._metrics.count_question(None, error_type(error), _ms_since(start), {})
            raise

    @contextmanager
    def trace_question(self, question: Question, dialect: str) -> Iterator[QuestionTrace]:
        start, failure = time.perf_counter(), ""
        with working_for(traceparent_within(question.trace_id)):
            question_spans = QuestionSpans(
                self._tracer, self._metrics, question, dialect, provider=self._provider, content=self._content
            )
            token = _current.set(question_spans)
            try:
                with current(question_spans.span), working_for(traceparent_of_span(question_spans.span)):
                    yield question_spans
            except BaseException as error:
                if question_spans.answer is None:  # after the answer, an error is no failure
                    failure = error_type(error)
                    fail(question_spans.span, failure)
                raise
            finally:
                _current.reset(token)
                self._metrics.count_question(
                    question_spans.answer, failure, _ms_since(start), question_spans.attributes
                )
                question_spans.end()
                log_question(question, dialect, question_spans.answer, failure)

    @contextmanager
    def step(self, node: str) -> Iterator[None]:
        """See `Telemetry.step`. The span ends with the step's event, which has the results."""
        question_spans = _current.get()
        if question_spans is None:
            yield
            return
        span = question_spans.open(node)
        try:
            with current(span):
                yield
        except BaseException as error:
            fail(span, error_type(error))
            if isinstance(error, Exception):
                self._count_error(question_spans, node, error_type(error))
            raise
        finally:
            question_spans.pause(node)

    def record_failure(self, node: str, error_type: str) -> None:
        """See `Telemetry.record_failure`."""
        question_spans = _current.get()
        if question_spans is not None:
            fail(question_spans.open(node), error_type)
            self._count_error(question_spans, node, error_type)

    def _count_error(self, question_spans: QuestionSpans, node: str, error_type: str) -> None:
        if counter := ERRORS_OF_NODE.get(node):
            self._metrics.count(counter, {**question_spans.attributes, "error_type": error_type})

    def record_cost(self, model: str, cost_usd: float | None) -> None:
        """See `Telemetry.record_cost`."""
        if cost_usd is not None:
            self._metrics.count(COST, {"gen_ai.request.model": model, "text2sql.node": STEP.get()}, cost_usd)

    @contextmanager
    def query(
        self, database: str, dialect: str, sql: str, operation: str, tables: Sequence[str]
    ) -> Iterator[Callable[[int], None]]:
        """See `Telemetry.query`. Spans of another deployment that runs it belong to its span."""
        named: dict[str, str] = {
            db.DB_SYSTEM_NAME: SYSTEMS.get(dialect, dialect),
            db.DB_NAMESPACE: database,
            db.DB_OPERATION_NAME: operation,
        }
        summary = " ".join([operation, *tables])[:255]
        more = {db.DB_QUERY_SUMMARY: summary} | ({db.DB_QUERY_TEXT: sql} if self._content else {})
        with (
            record_call(self._tracer, self._metrics, QUERIES, summary, named, more) as span,
            working_for(traceparent_of_span(span)),
        ):
            yield partial(span.set_attribute, ROWS_RETURNED)

    def trace_model(self, model: ChatModel) -> ChatModel:
        """See `Telemetry.trace_model`."""
        return TracedModel(model, self._provider, self._tracer, self._metrics, content=self._content)

    def close(self) -> None:
        self._providers.close()


def _ms_since(start: float) -> float:
    return (time.perf_counter() - start) * 1000
