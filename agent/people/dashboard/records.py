"""The records of a dashboard: tiles with their alerts, and their last runs."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from agent.core.answers import Chart
from executors.base import Frozen, JsonValue

MIN_MINUTES, MAX_MINUTES = 5, 10_080  # a week
MAX_URL = 2_000  # characters
MAX_COLUMN = 200

Direction = Literal["above", "below"]
Minutes = Annotated[int, Field(ge=MIN_MINUTES, le=MAX_MINUTES)]


class Alert(Frozen):
    """A bound on a number of a tile's result. Plumbline sends a webhook when the number passes it."""

    column: Annotated[str, Field(min_length=1, max_length=MAX_COLUMN)] = Field(
        description="Column of the result. The alert compares its largest number for `above`, its smallest for `below`."
    )
    direction: Direction = Field(description="Whether the alert fires above or below the bound.")
    bound: Annotated[float, Field(allow_inf_nan=False)] = Field(
        description="The number to compare with. A number equal to the bound does not fire the alert."
    )
    url: Annotated[str, Field(min_length=1, max_length=MAX_URL)] = Field(
        description="Address of the webhook: `https` and a public host, or an address that the operator allows."
    )

    def is_passed(self, value: float) -> bool:
        """Whether a value lies beyond the bound."""
        return value > self.bound if self.direction == "above" else value < self.bound


class AlertState(Frozen):
    """The current state of an alert."""

    passed: bool = Field(False, description="Whether the number passed the bound at the last run that returned rows.")
    value: float | None = Field(None, description="The number that was compared. Null if there was none.")
    delivered: bool = Field(
        True, description="Whether the last webhook was delivered. If false, it is sent again at the next run."
    )
    delivered_at: datetime | None = Field(
        None, description="When a webhook was last delivered, in UTC. Null if none was."
    )
    problem: str = Field(
        "",
        description="Why the last webhook was not delivered, or why no number could be compared. Empty if all is well.",
    )


class TileRun(Frozen):
    """One run of a tile's query.

    at: When the query ran, in UTC.
    columns: Column names, in the query's order.
    rows: The first rows, each an array of JSON values.
    chart: A suggested chart of all rows. Null if no chart fits.
    """

    at: datetime
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[JsonValue, ...], ...] = ()
    row_count: int = Field(0, description="Number of rows of the result. `rows` may hold fewer.")
    truncated: bool = Field(False, description="Whether the database has more rows than `row_count`.")
    chart: Chart | None = None


class TileFailure(Frozen):
    """A run that returned no rows.

    at: When the query ran, in UTC.
    problem: Why the run failed.
    """

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
