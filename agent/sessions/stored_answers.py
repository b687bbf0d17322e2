"""Answers as sessions store them: whole, but for rows beyond the first ones."""

from __future__ import annotations

import json

from agent.core.models import Answer
from executors.base import JsonValue

MAX_ROWS = 200  # of the results, and of the records behind them; the query runs again for more
MAX_BYTES = 600_000  # as JSON; a record of the state store takes half as much again


def storable(answer: Answer) -> dict[str, JsonValue] | None:
    """An answer as JSON for the store; None where it is too large even without its rows."""
    rows = MAX_ROWS
    while True:
        cut = answer.model_copy(update={"results": answer.results[:rows], "raw_results": answer.raw_results[:rows]})
        value = cut.model_dump(mode="json")
        if len(json.dumps(value).encode()) <= MAX_BYTES:
            return value
        if not rows:
            return None
        rows //= 2
