"""The telemetry interface. This base does nothing; `recording` produces spans and metrics."""

# ruff: noqa: ARG002  arguments are unused here

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from agent.core.answers import Answer
from agent.core.events import Done, Event
from agent.platform.telemetry.trace import traceparent_within, working_for
from executors.errors import SqlError

if TYPE_CHECKING:
    from fastapi.telemetry import TelemetryConfig

    from agent.core.models import Question
    from agent.platform.llm.chat import ChatModel

log = logging.getLogger("agent.questions")


class QuestionTrace:
    """Records the events of one question."""

    def __init__(self) -> None:
        self.answer: Answer | None = None

    def saw(self, event: Event) -> None:
        """Record an event: the end of a step or of the question."""
        if isinstance(event, Done):
            self.answer = event.answer


_NOTHING: AbstractContextManager[None] = nullcontext()
_NO_QUERY: AbstractContextManager[Callable[[int], None]] = nullcontext(lambda _: None)


class Telemetry:
    """Does nothing, except that log lines of a question have its trace id."""

    def fastapi(self) -> TelemetryConfig:
        """The configuration of FastAPI's instrumentation. It never records logs, which would contain the question."""
        return {"logs": False}

    def traceparent(self) -> str:
        """The W3C `traceparent` of the open span; empty if there is none."""
        return ""

    @contextmanager
    def arriving(self, of_trace: str) -> Iterator[None]:
        """Trace the checks before a question is accepted. Args: of_trace: its trace id."""
        with working_for(traceparent_within(of_trace)):
            yield

    @contextmanager
    def trace_question(self, question: Question, dialect: str) -> Iterator[QuestionTrace]:
        """Trace the answering of a question."""
        with working_for(traceparent_within(question.trace_id)):
            question_trace, failure = QuestionTrace(), ""
            try:
                yield question_trace
            except BaseException as error:
                failure = error_type(error)
                raise
            finally:
                log_question(question, dialect, question_trace.answer, failure)

    def step(self, node: str) -> AbstractContextManager[None]:
        """Trace a step of the question. A step that is opened again continues."""
        return _NOTHING

    def record_failure(self, node: str, error_type: str) -> None:
        """Record that a step failed and the question continued without it."""

    def record_cost(self, model: str, cost_usd: float | None) -> None:
        """Record the cost of a model call; None if its price is unknown."""

    def query(
        self, database: str, dialect: str, sql: str, operation: str, tables: Sequence[str]
    ) -> AbstractContextManager[Callable[[int], None]]:
        """Trace a statement, with its literals. Yields a function that takes the number of rows."""
        return _NO_QUERY

    def trace_model(self, model: ChatModel) -> ChatModel:
        """The model, with its calls recorded."""
        return model

    def close(self) -> None:
        """Send the remaining data."""


def error_type(error: BaseException) -> str:
    """The kind of a query's error, else the error's class. Never its message."""
    return str(error.kind) if isinstance(error, SqlError) else type(error).__name__


def log_question(question: Question, dialect: str, answer: Answer | None, failure: str) -> None:
    """Log one line per question: its costs, or the type of the error that ended it, but nothing of the question."""
    if not log.isEnabledFor(logging.INFO):
        return
    fields: dict[str, object] = {
        "answer_id": question.answer_id,
        "database": question.database,
        "dialect": dialect,
    }
    if answer is None:
        fields |= {"status": "failed", "error_type": failure}
        log.info("Did not answer a question about %s: %s", question.database, failure, extra={"fields": fields})
        return
    fields |= {
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
