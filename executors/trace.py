"""The trace that work belongs to, as a W3C `traceparent`: set by the caller, sent to other deployments.

https://www.w3.org/TR/trace-context/#traceparent-header
"""

from __future__ import annotations

from contextvars import ContextVar

TRACEPARENT: ContextVar[str] = ContextVar("traceparent", default="")
