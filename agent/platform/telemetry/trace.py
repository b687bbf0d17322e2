"""The trace of the current task or thread, even if nothing is exported."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from executors.base import TRACEPARENT


def new_trace_id() -> str:
    """A new trace id: 32 hexadecimal digits, as W3C trace context requires."""
    return uuid.uuid4().hex


# https://www.w3.org/TR/trace-context/#traceparent-header: version, trace id, parent id, flags; ids are never all zeros.
PATTERN = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(?:$|-)")
_TRACE_ID = re.compile(r"(?!0{32})[0-9a-f]{32}")

STEP: ContextVar[str] = ContextVar("step", default="")  # the current node


def trace_id() -> str:
    """The trace id of the current work, 32 hexadecimal digits; empty outside a trace."""
    return TRACEPARENT.get()[3:35]


def traceparent_of(header: str) -> str:
    """A `traceparent` of any version in the form of version 00; empty if it is invalid."""
    match = PATTERN.match(header)
    return f"00-{match[1]}-{match[2]}-{match[3]}" if match else ""


def traceparent_for(trace: str) -> str:
    """A sampled `traceparent` for a trace id from this process; empty if it is not a trace id."""
    return f"00-{trace}-{uuid.uuid4().hex[:16]}-01" if _TRACE_ID.fullmatch(trace) else ""


def traceparent_within(of_trace: str) -> str:
    """The current `traceparent` if it has this trace id, else a new one."""
    return TRACEPARENT.get() if of_trace == trace_id() else traceparent_for(of_trace)


@contextmanager
def working_for(traceparent: str) -> Iterator[None]:
    """Assign everything inside the block to that trace, including tasks and threads that it starts."""
    token = TRACEPARENT.set(traceparent)
    try:
        yield
    finally:
        TRACEPARENT.reset(token)
