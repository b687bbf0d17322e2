"""The bodies of the routes for saved queries."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import ConfigDict, Field, model_validator

from agent.api.schemas.common import FILLED, ROW_LIMIT, SOMETHING, WHOLE, Name, RowLimit, Text, Value, any_of
from agent.api.schemas.reviews import TRACE_ID, Sql
from agent.people.feedback.records import MAX_TEXT
from agent.people.feedback.saved import NewQuery, SavedQuery
from executors.base import Frozen

WITH_SQL: dict[str, Any] = {"required": ["sql"], "properties": {"sql": FILLED}}
WITH_TRACE: dict[str, Any] = {
    "required": ["trace_id"], "properties": {"trace_id": {"type": "string", "pattern": TRACE_ID}},
}  # fmt: skip
_EXAMPLE: dict[str, Any] = {
    "name": "Orders by status", "database": "shop", "question": "Which orders have this status?",
    "sql": "SELECT order_id FROM orders WHERE status = :status", "parameters": {"status": "C"},
}  # fmt: skip
SAVED_ID = "^[0-9a-f]{32}$"

Title = Annotated[str, Field(min_length=1, max_length=100, pattern=SOMETHING), WHOLE]
Parameters = Annotated[list[Value], Field(max_length=100)] | Annotated[dict[Name, Value], Field(max_length=100)] | None


class ReplaceSavedRequest(Frozen):
    """A query to save. Unknown fields are refused."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE], **any_of([WITH_SQL])})

    name: Title = Field(description="Name of the query, unique among the caller's. Case does not matter.")
    database: Name = Field(description="Name of the database, from `GET /api/databases`.")
    sql: Sql = Field("", description="One SELECT in the database's SQL dialect.")
    question: Annotated[Text, Field(max_length=MAX_TEXT)] = Field(
        "", description="What the query answers, for readers."
    )
    parameters: Parameters = Field(
        None, description="Default values of placeholders: a list for `?`, an object for named ones."
    )

    @model_validator(mode="after")
    def _is_complete(self) -> ReplaceSavedRequest:
        if not self.sql.strip() and not getattr(self, "trace_id", ""):
            raise ValueError("Send the query as `sql`.")
        return self

    def query(self) -> NewQuery:
        """What is to be kept."""
        return NewQuery(
            name=self.name.strip(),
            database=self.database,
            sql=self.sql.strip(),
            question=self.question.strip(),
            parameters=self.parameters,
        )


class SaveRequest(ReplaceSavedRequest):
    """A query to save, or the answer to take it from. Unknown fields are refused."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE], **any_of([WITH_SQL, WITH_TRACE])})

    trace_id: Annotated[str, Field(pattern=f"{TRACE_ID}|^$")] = Field(
        "", description="Trace id of an answer to save. `sql` and `question` default to the answer's."
    )


class SavedResponse(SavedQuery):
    """A saved query, with its version.

    version: Version of the query. Send it as `If-Match` to refuse a change of a changed query. Also the ETag.
    """

    version: str

    @classmethod
    def of(cls, query: SavedQuery, version: str) -> SavedResponse:
        """The wire's shape of a saved query."""
        return cls(**query.model_dump(), version=version)


class SavedList(Frozen):
    """The caller's saved queries.

    saved: The queries, ordered by name.
    """

    saved: list[SavedQuery]


class RunSavedRequest(Frozen):
    """Options of one run of a saved query. Unknown fields are refused."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"parameters": {"status": "X"}, "row_limit": 100}]})

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
