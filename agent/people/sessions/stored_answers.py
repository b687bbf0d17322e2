"""Answers as sessions store them: whole, but for rows beyond the first ones."""

from __future__ import annotations

import json
from typing import Any

from agent.core.models import Answer, AnswerPart
from executors.base import JsonValue

MAX_ROWS = 200  # of the results, and of the records behind them; the query runs again for more
MAX_BYTES = 600_000  # as JSON; a record of the state store takes half as much again


def storable(answer: Answer) -> dict[str, JsonValue] | None:
    """An answer as JSON for the store; None where it is too large even without its rows."""
    rows = MAX_ROWS
    while True:
        parts = [part.model_copy(update=_first(part, rows)) for part in answer.parts]
        value = answer.model_copy(update={**_first(answer, rows), "parts": parts}).model_dump(mode="json")
        if len(json.dumps(value).encode()) <= MAX_BYTES:
            return value
        if not rows:
            return None
        rows //= 2


def _first(answer: Answer | AnswerPart, rows: int) -> dict[str, Any]:
    return {"results": answer.results[:rows], "raw_results": answer.raw_results[:rows]}
