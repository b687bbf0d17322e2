"""What every span here has in common."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from opentelemetry import trace
from opentelemetry.semconv.attributes.error_attributes import ERROR_TYPE
from opentelemetry.trace import Span, StatusCode

from executors.errors import SqlError


def error_type(error: BaseException) -> str:
    """A word of a short list: the kind of a query's error, else the error's class. Never what it says."""
    return str(error.kind) if isinstance(error, SqlError) else type(error).__name__


def fail(span: Span, error_type: str) -> None:
    """Mark a span as failed, by the error's type alone: messages may hold the question, or an address."""
    span.set_attribute(ERROR_TYPE, error_type)
    span.set_status(StatusCode.ERROR)


def current(span: Span) -> AbstractContextManager[Span]:
    """What is started inside belongs to the span, which is not ended."""
    return trace.use_span(span, record_exception=False, set_status_on_exception=False)


def traceparent_of_span(span: Span) -> str:
    """A span as W3C trace context names it; empty for none."""
    context = span.get_span_context()
    if not context.is_valid:
        return ""
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"


def messages_json(messages: Sequence[tuple[str, str]]) -> str:
    """Roles and texts as `gen_ai.input.messages` and `gen_ai.output.messages` have them."""
    parts: list[dict[str, Any]] = [
        {"role": role, "parts": [{"type": "text", "content": text}]} for role, text in messages
    ]
    return json.dumps(parts, ensure_ascii=False)
