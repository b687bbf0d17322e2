"""The bodies of the routes for saved queries and the dashboard."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import Field, model_validator

from agent.api.schemas.common import (
    FILLED,
    PLACEHOLDERS,
    ROW_LIMIT,
    SOMETHING,
    WHOLE,
    Name,
    RowLimit,
    Text,
    Value,
    any_of,
    with_example,
)
from agent.api.schemas.reviews import WITH_ANSWER, AnswerRequest, Sql
from agent.core.answers import Chart
from agent.core.models import take_fields
from agent.core.resilience.deadline import utc_at
from agent.people.dashboard.dashboard import (
    MAX_MINUTES,
    MIN_MINUTES,
    Alert,
    AlertState,
    Minutes,
    Shown,
    TileFailure,
    TileRun,
)
from agent.people.feedback.records import MAX_TEXT
from agent.people.feedback.saved import NewQuery, SavedQuery
from executors.base import Frozen

WITH_SQL: dict[str, Any] = {"required": ["sql"], "properties": {"sql": FILLED}}
_EXAMPLE: dict[str, Any] = {
    "name": "Orders by status", "database": "shop", "question": "Which orders have this status?",
    "sql": "SELECT order_id FROM orders WHERE status = :status", "parameters": {"status": "C"},
}  # fmt: skip
SAVED_ID = "^[0-9a-f]{32}$"

Title = Annotated[str, Field(min_length=1, max_length=100, pattern=SOMETHING), WHOLE]
_Parameters = Annotated[list[Value], Field(max_length=100)] | Annotated[dict[Name, Value], Field(max_length=100)] | None
Parameters = Annotated[_Parameters, PLACEHOLDERS]


class ReplaceSavedRequest(Frozen):
    """A query to save. Unknown fields are refused."""

    model_config = with_example(_EXAMPLE, any_of([WITH_SQL]))

    name: Title = Field(description="Name of the query, unique among the caller's. Case does not matter.")
    database: Name = Field(description="Name of the database, as the list of databases has it.")
    sql: Sql = Field("", description="One SELECT in the database's SQL dialect.")
    question: Annotated[Text, Field(max_length=MAX_TEXT)] = Field(
        "", description="What the query answers, for readers."
    )
    parameters: Parameters = Field(
        None, description="Default values of placeholders: a list for `?`, an object for named ones."
    )

    @model_validator(mode="after")
    def _is_complete(self) -> ReplaceSavedRequest:
        if not self.sql.strip() and not getattr(self, "answer_ref", ""):
            raise ValueError("Send the query as `sql`.")
        return self

    def query(self) -> NewQuery:
        """The query to save."""
        return NewQuery(
            name=self.name.strip(),
            database=self.database,
            sql=self.sql.strip(),
            question=self.question.strip(),
            parameters=self.parameters,
        )


class SaveRequest(ReplaceSavedRequest, AnswerRequest):
    """A query to save, or the answer whose query and question to take. Unknown fields are refused."""

    model_config = with_example(_EXAMPLE, any_of([WITH_SQL, *WITH_ANSWER]))


class SavedResponse(SavedQuery):
    """A saved query, with its version.

    version: Version of the query. Send it as `If-Match` to refuse a change of a changed query. Also the ETag.
    """

    version: str

    @classmethod
    def of(cls, query: SavedQuery, version: str) -> SavedResponse:
        """Build the response for a saved query."""
        return cls(**query.model_dump(), version=version)


class SavedList(Frozen):
    """The caller's saved queries.

    saved: The queries, ordered by name.
    """

    saved: list[SavedQuery]


class RunSavedRequest(Frozen):
    """Options of one run of a saved query. Unknown fields are refused."""

    model_config = with_example({"parameters": {"status": "X"}, "row_limit": 100})

    parameters: Parameters = Field(None, description="Values of placeholders. Default: the saved values.")
    row_limit: RowLimit | None = Field(None, description=ROW_LIMIT)


SAVED_EXAMPLE = SavedResponse(
    id="3f1c0d5e8a7b4c2d9e6f1a0b3c5d7e9f",
    name="Orders by status",
    database="shop",
    question="Which orders have this status?",
    sql="SELECT order_id FROM orders WHERE status = :status",
    parameters={"status": "C"},
    created_at=datetime.fromisoformat("2025-03-01T09:30:00+00:00"),
    updated_at=datetime.fromisoformat("2025-03-01T09:30:00+00:00"),
    version="8d1f",
).model_dump(mode="json")


_ALERT = Alert(column="orders", direction="above", bound=100, url="https://hooks.example.com/plumbline")
_TILE: dict[str, Any] = {"minutes": 60, "alert": _ALERT.model_dump(mode="json")}


class PutTileRequest(Frozen):
    """The schedule of a tile, and its alert. Unknown fields are refused."""

    model_config = with_example(_TILE)

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
        """Build the response for a tile."""
        tile, query, runs = shown
        return cls(
            **take_fields(query, TileResponse),
            minutes=tile.minutes,
            next_run_at=utc_at(tile.next_at),
            last_run=runs.last,
            failed=runs.failed,
            alert=tile.alert,
            alert_state=tile.state if tile.alert else None,
        )


class PutTileResponse(TileResponse):
    """A tile, with the secret of its webhooks."""

    secret: str = Field(
        description="Secret that signs the webhooks. Returned only if the alert or its address is new; store it. Empty "
        "otherwise."
    )

    @classmethod
    def with_secret(cls, shown: Shown, secret: str) -> PutTileResponse:
        """Build the response for a new or changed tile."""
        return cls(**dict(TileResponse.of(shown)), secret=secret)


class DashboardResponse(Frozen):
    """The caller's dashboard.

    tiles: The tiles, ordered by the name of their query.
    """

    tiles: list[TileResponse]


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
