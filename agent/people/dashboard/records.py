"""The records of a dashboard: tiles with their alerts, and their last runs."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from agent.core.models import Chart
from executors.base import Frozen, JsonValue

MIN_MINUTES, MAX_MINUTES = 5, 10_080  # a week
MAX_URL = 2_000  # characters
MAX_COLUMN = 200

Direction = Literal["above", "below"]
Minutes = Annotated[int, Field(ge=MIN_MINUTES, le=MAX_MINUTES)]


class Alert(Frozen):
    """A bound that a number may not pass."""

    column: Annotated[str, Field(min_length=1, max_length=MAX_COLUMN)] = Field(
        description="Of the result. The alert looks at the row whose number lies farthest on the named side."
    )
    direction: Direction = Field(description="The side of the bound that sets the alert off.")
    bound: Annotated[float, Field(allow_inf_nan=False)] = Field(description="The bound itself is not passed.")
    url: Annotated[str, Field(min_length=1, max_length=MAX_URL)] = Field(
        description="Where the webhook is sent: `https` and a public host, or one that the operator lists."
    )

    def is_passed(self, value: float) -> bool:
        """Whether a value lies beyond the bound."""
        return value > self.bound if self.direction == "above" else value < self.bound


class AlertState(Frozen):
    """Where an alert stands."""

    passed: bool = Field(False, description="Whether the bound was passed at the last run that gave rows.")
    value: float | None = Field(None, description="The number that was compared; null where there was none.")
    delivered: bool = Field(True, description="False: the webhook was not taken, and is sent again at the next run.")
    delivered_at: datetime | None = Field(None, description="When a webhook was last taken.")
    problem: str = Field("", description="Why the last webhook was not taken, or the bound could not be compared.")


class TileRun(Frozen):
    """One run of a tile's query, with as many rows as a tile shows. chart: of all these rows."""

    at: datetime
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[JsonValue, ...], ...] = ()
    row_count: int = Field(0, description="Rows that came; `rows` may hold fewer.")
    truncated: bool = Field(False, description="Whether the database had more rows than that.")
    chart: Chart | None = None


class TileFailure(Frozen):
    """A run that gave no rows, and why."""

    at: datetime
    problem: str


class TileRuns(Frozen):
    """The last run that gave rows, and the failure after it."""

    model_config = ConfigDict(extra="ignore")

    last: TileRun | None = None
    failed: TileFailure | None = None


class Tile(Frozen):
    """A saved query on its principal's dashboard.

    id: of the saved query.
    minutes: between two runs.
    secret: that signs the webhooks; empty without an alert.
    next_at: seconds since the epoch from which it is due.
    claimed_until: seconds since the epoch until which a process runs it.
    """

    model_config = ConfigDict(extra="ignore")

    id: str
    principal: str
    minutes: int
    alert: Alert | None = None
    state: AlertState = AlertState()
    secret: str = ""
    next_at: float
    claimed_until: float = 0
