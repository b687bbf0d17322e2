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
    """A query under a name. Unknown fields are refused."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE], **any_of([WITH_SQL])})

    name: Title = Field(description="Yours alone; upper and lower case are the same.")
    database: Name = Field(description="A name that `GET /api/databases` lists.")
    sql: Sql = Field("", description="One SELECT in the database's own dialect.")
    question: Annotated[Text, Field(max_length=MAX_TEXT)] = Field("", description="What it answers, for people.")
    parameters: Parameters = Field(
        None, description="What placeholders stand for, unless a run says otherwise: a list for `?`, else an object."
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
    """The same; `sql` and `question` may come from an answer instead."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE], **any_of([WITH_SQL, WITH_TRACE])})

    trace_id: Annotated[str, Field(pattern=f"{TRACE_ID}|^$")] = Field(
        "", description="Of an answer that you were given: what is not sent is taken from it."
    )


class SavedResponse(SavedQuery):
    """A saved query; `version`: sent as `If-Match`, it keeps a change from undoing another; also the ETag."""

    version: str

    @classmethod
    def of(cls, query: SavedQuery, version: str) -> SavedResponse:
        """The wire's shape of a saved query."""
        return cls(**query.model_dump(), version=version)


class SavedList(Frozen):
    """The caller's saved queries, by name."""

    saved: list[SavedQuery]


class RunSavedRequest(Frozen):
    """How to run a saved query. Unknown fields are refused."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"parameters": {"status": "X"}, "row_limit": 100}]})

    parameters: Parameters = Field(None, description="Instead of those that were saved.")
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
