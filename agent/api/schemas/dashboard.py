"""The bodies of the dashboard routes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import ConfigDict, Field

from agent.core.answers import Chart
from agent.people.dashboard.dashboard import Shown
from agent.people.dashboard.records import MAX_MINUTES, MIN_MINUTES, Alert, AlertState, Minutes, TileFailure, TileRun
from agent.people.feedback.records import moment
from executors.base import Frozen

_ALERT = Alert(column="orders", direction="above", bound=100, url="https://hooks.example.com/plumbline")
_EXAMPLE: dict[str, Any] = {"minutes": 60, "alert": _ALERT.model_dump(mode="json")}


class PutTileRequest(Frozen):
    """The schedule of a tile, and its alert. Unknown fields are refused."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    minutes: Minutes = Field(60, description=f"Minutes between two runs, {MIN_MINUTES} to {MAX_MINUTES}.")
    alert: Alert | None = Field(None, description="Alert that sends a webhook. Default: none.")


class TileResponse(Frozen):
    """A tile of the caller's dashboard.

    name: Name of the saved query.
    database: The database that the query runs on.
    question: What the query answers. Empty if there is none.
    sql: The query.
    minutes: Minutes between two runs.
    next_run_at: When the query runs next, in UTC.
    alert: The alert. Null if there is none.
    """

    id: str = Field(description="Id of the saved query.")
    name: str
    database: str
    question: str
    sql: str
    minutes: int
    next_run_at: datetime
    last_run: TileRun | None = Field(None, description="The last run that returned rows. Null before the first one.")
    failed: TileFailure | None = Field(None, description="A run after `last_run` that failed. Null if there is none.")
    alert: Alert | None = None
    alert_state: AlertState | None = Field(None, description="State of the alert. Null if there is no alert.")

    @classmethod
    def of(cls, shown: Shown) -> TileResponse:
        """The wire's shape of a tile."""
        return cls(**_fields(shown))


class PutTileResponse(TileResponse):
    """A tile, with the secret of its webhooks."""

    secret: str = Field(
        description="Secret that signs the webhooks. Returned only if the alert or its address is new; store it. Empty "
        "otherwise."
    )

    @classmethod
    def with_secret(cls, shown: Shown, secret: str) -> PutTileResponse:
        """The wire's shape of a tile that was put on the dashboard."""
        return cls(**_fields(shown), secret=secret)


class DashboardResponse(Frozen):
    """The caller's dashboard.

    tiles: The tiles, ordered by the name of their query.
    """

    tiles: list[TileResponse]


def _fields(shown: Shown) -> dict[str, Any]:
    tile, query, runs = shown
    return {
        "id": tile.id,
        "name": query.name,
        "database": query.database,
        "question": query.question,
        "sql": query.sql,
        "minutes": tile.minutes,
        "next_run_at": moment(tile.next_at),
        "last_run": runs.last,
        "failed": runs.failed,
        "alert": tile.alert,
        "alert_state": tile.state if tile.alert else None,
    }


_DAY = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
TILE_EXAMPLE = TileResponse(
    id="3f1c0d5e8a7b4c2d9e6f1a0b3c5d7e9f",
    name="Orders by month",
    database="shop",
    question="How many orders are there each month?",
    sql="SELECT date_trunc('month', ordered_at) AS month, COUNT(*) AS orders FROM orders GROUP BY 1 ORDER BY 1",
    minutes=60,
    next_run_at=_DAY + timedelta(hours=1),
    last_run=TileRun(
        at=_DAY,
        columns=("month", "orders"),
        rows=(("2026-01-01", 41), ("2026-02-01", 104), ("2026-03-01", 88)),
        row_count=3,
        chart=Chart(type="line", x="month", y="orders", spec={"mark": "line"}),
    ),
    failed=None,
    alert=_ALERT,
    alert_state=AlertState(passed=True, value=104, delivered_at=_DAY),
).model_dump(mode="json")
PUT_EXAMPLE = TILE_EXAMPLE | {"secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}
