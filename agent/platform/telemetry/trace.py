"""The trace of the current task or thread, whether or not anything is exported."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from executors.base import TRACEPARENT


def new_trace_id() -> str:
    """32 hexadecimal digits, as W3C trace context wants them."""
    return uuid.uuid4().hex


# https://www.w3.org/TR/trace-context/#traceparent-header: version, trace id, parent id, flags; ids are never all zeros.
PATTERN = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(?:$|-)")
_TRACE_ID = re.compile(r"(?!0{32})[0-9a-f]{32}")

STEP: ContextVar[str] = ContextVar("step", default="")  # the node that is being worked for


def trace_id() -> str:
    """The 32 hexadecimal digits of the trace that this belongs to; empty outside of any."""
    return TRACEPARENT.get()[3:35]


def traceparent_of(header: str) -> str:
    """A `traceparent` of any version as version 00 has it, to be handed on as it came; empty where it is not one."""
    match = PATTERN.match(header)
    return f"00-{match[1]}-{match[2]}-{match[3]}" if match else ""


def traceparent_for(trace: str) -> str:
    """A `traceparent`, sampled, for a trace id that was made here; empty where it is no trace id."""
    return f"00-{trace}-{uuid.uuid4().hex[:16]}-01" if _TRACE_ID.fullmatch(trace) else ""


def traceparent_within(of_trace: str) -> str:
    """That of the current work, where it has this trace id already; else a new one."""
    return TRACEPARENT.get() if of_trace == trace_id() else traceparent_for(of_trace)


@contextmanager
def working_for(traceparent: str) -> Iterator[None]:
    """Everything inside, tasks and threads that it starts included, belongs to that trace."""
    token = TRACEPARENT.set(traceparent)
    try:
        yield
    finally:
        TRACEPARENT.reset(token)
