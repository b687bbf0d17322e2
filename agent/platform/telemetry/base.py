"""The telemetry interface of the code. Here it does nothing; `recording` turns it into spans and metrics."""

# ruff: noqa: ARG002  nothing becomes of the arguments

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from agent.core.answers import Answer
from agent.core.events import Done, Event
from agent.platform.telemetry.trace import traceparent_within, working_for

if TYPE_CHECKING:
    from fastapi.telemetry import TelemetryConfig

    from agent.core.models import Question
    from agent.platform.llm.chat import ChatModel

log = logging.getLogger("agent.questions")


class QuestionTrace:
    """One question that is being answered: it records the events."""

    def __init__(self) -> None:
        self.answer: Answer | None = None

    def saw(self, event: Event) -> None:
        """A step has ended, or all of them have."""
        if isinstance(event, Done):
            self.answer = event.answer


_NOTHING: AbstractContextManager[None] = nullcontext()
_NO_QUERY: AbstractContextManager[Callable[[int], None]] = nullcontext(lambda _: None)


class Telemetry:
    """Does nothing, except that what is logged of a question has its trace id."""

    def fastapi(self) -> TelemetryConfig:
        """What FastAPI's instrumentation records. Never its logs: they would hold the question."""
        return {"logs": False}

    def traceparent(self) -> str:
        """The W3C `traceparent` of the span that is open; empty where there is none."""
        return ""

    @contextmanager
    def arriving(self, of_trace: str) -> Iterator[None]:
        """A question is being looked at: whether it can be taken at all. Args: of_trace: its trace id."""
        with working_for(traceparent_within(of_trace)):
            yield

    @contextmanager
    def trace_question(self, question: Question, dialect: str) -> Iterator[QuestionTrace]:
        """A question is being answered."""
        with working_for(traceparent_within(question.trace_id)):
            question_trace = QuestionTrace()
            try:
                yield question_trace
            finally:
                log_answer(question, question_trace.answer)

    def step(self, node: str) -> AbstractContextManager[None]:
        """A step of the question is running; a step that is opened again continues."""
        return _NOTHING

    def record_failure(self, node: str, error_type: str) -> None:
        """A step gave nothing usable, and the question went on without it."""

    def record_cost(self, model: str, cost_usd: float | None) -> None:
        """A model call has cost so much; None where its price is not known."""

    def query(
        self, database: str, dialect: str, sql: str, operation: str, tables: Sequence[str]
    ) -> AbstractContextManager[Callable[[int], None]]:
        """A statement, with its literals, is being run. Yields what takes the number of its rows at the end."""
        return _NO_QUERY

    def trace_model(self, model: ChatModel) -> ChatModel:
        """The model, with its calls recorded."""
        return model

    def close(self) -> None:
        """Send what is left."""


def log_answer(question: Question, answer: Answer | None) -> None:
    """One line for each answer: its costs, and nothing of its question."""
    if answer is None or not log.isEnabledFor(logging.INFO):
        return
    fields = {
        "database": question.database,
        "dialect": answer.dialect,
        "status": answer.status,
        "verified": answer.verified,
        "attempts": answer.attempts,
        "model_calls": answer.usage.model_calls,
        "prompt_tokens": answer.usage.prompt_tokens,
        "completion_tokens": answer.usage.completion_tokens,
        "cost_usd": answer.usage.cost_usd,
        "timings_ms": answer.timings_ms,
    }
    log.info("Answered a question about %s: %s", question.database, answer.status, extra={"fields": fields})
