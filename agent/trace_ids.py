"""Trace ids: what a request, its answer and all that is logged of it have in common."""

from __future__ import annotations

import uuid


def new_trace_id() -> str:
    """32 hexadecimal digits, as W3C trace context wants them."""
    return uuid.uuid4().hex
