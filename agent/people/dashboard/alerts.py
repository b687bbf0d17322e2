"""Whether an alert is set off, and what its webhook says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime

from agent.core.errors import TileInvalid
from agent.people.dashboard.records import Alert, AlertState
from agent.people.feedback.saved import SavedQuery
from executors.base import JsonValue, QueryResult

PASSED, BACK = "alert.passed", "alert.back"  # types of webhooks


def state_after(alert: Alert, before: AlertState, result: QueryResult) -> AlertState:
    """Where an alert stands after a run. It is sent where that differs from before, and until it was delivered.

    Raises:
        TileInvalid: the result has no such column, or no number in it.
    """
    value = extreme(alert, result)
    passed = value is not None and alert.is_passed(value)
    changes: dict[str, object] = {"value": value, "passed": passed, "problem": ""}
    if passed != before.passed:
        # Back before anybody was told: there is nothing to take back.
        changes["delivered"] = not passed and not before.delivered
    return before.model_copy(update=changes)


def extreme(alert: Alert, result: QueryResult) -> float | None:
    """The number farthest on the alert's side; None where there is no row, or no value. Raises TileInvalid."""
    if alert.column not in result.columns:
        raise TileInvalid(f"The result has no column {alert.column!r}; it has {', '.join(result.columns)}.")
    at = result.columns.index(alert.column)
    stored = [row[at] for row in result.rows if row[at] is not None]
    numbers = _numbers(stored)
    if stored and not numbers:
        raise TileInvalid(f"The column {alert.column!r} has no numbers. Choose one that does.")
    return (max if alert.direction == "above" else min)(numbers, default=None)


def _numbers(values: Sequence[JsonValue]) -> list[float]:
    """Those that are numbers; long ones come as text, which keeps their digits."""
    found = []
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            continue
        try:
            number = float(value)
        except ValueError:
            continue
        if math.isfinite(number):
            found.append(number)
    return found


def payload(query: SavedQuery, alert: Alert, state: AlertState, at: datetime) -> dict[str, JsonValue]:
    """The body of a webhook: the number and its bound. Rows stay here."""
    side = alert.direction if state.passed else f"no longer {alert.direction}"
    number = "no value" if state.value is None else f"{state.value:.15g}"
    return {
        "type": PASSED if state.passed else BACK,
        "timestamp": at.isoformat(),
        "text": f"{query.name}: {alert.column} is {number}, {side} {alert.bound:.15g}.",
        "data": {
            "id": query.id,
            "name": query.name,
            "database": query.database,
            "column": alert.column,
            "direction": alert.direction,
            "bound": alert.bound,
            "value": state.value,
        },
    }
