"""The bodies of the routes of sessions: those of chat are the specification's own, with fields appended."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field, model_validator

from agent.api.schemas.common import Name, one_of, with_example
from agent.core.models import take_fields
from agent.people.sessions.sessions import SMALL_TALK, Session
from agent.understanding.messages.overview import Overview
from agent.understanding.suggest import TEXT
from executors.base import Frozen, Table

MAX_SAMPLES = 3

SESSION_ID = "5f0c7a1e9d3b4c2f8a6e1d7b3c9f0a42"
SCHEMA_EXAMPLE: dict[str, Any] = {
    "table_name": "orders",
    "columns": [
        {"name": "order_id", "type": "INTEGER", "sample_values": None},
        {"name": "status", "type": "VARCHAR", "sample_values": ["C", "S", "X"]},
    ],
    "row_count": 14360,
}


class StartSessionRequest(Frozen):
    """The database of a new session."""

    model_config = with_example(
        {"dataset_id": "shop"},
        one_of(
            {"required": [name], "properties": {name: {"minLength": 1}, other: {"maxLength": 0}}}
            for name, other in (("dataset_id", "database"), ("database", "dataset_id"))
        ),
    )

    dataset_id: Name = Field("", description="Name of the database, as the list of databases has it.")
    database: Name = Field("", description="Another name for `dataset_id`. Send one of the two.")

    @model_validator(mode="after")
    def _one(self) -> StartSessionRequest:
        if not self.name or (self.dataset_id and self.database and self.dataset_id != self.database):
            raise ValueError("Name one database, as `dataset_id` or as `database`.")
        return self

    @property
    def name(self) -> str:
        """The database's name, from either field."""
        return self.dataset_id or self.database


class ChatColumn(Frozen):
    """A column.

    name: Column name.
    type: Type, as the database names it.
    sample_values: A few stored values. Null unless the column holds text.
    """

    name: str
    type: str
    sample_values: list[str] | None


class ChatTable(Frozen):
    """A table.

    table_name: Table name.
    columns: The table's columns, in order.
    row_count: Number of rows. Null if counting takes too long.
    """

    table_name: str
    columns: list[ChatColumn]
    row_count: int | None

    @classmethod
    def of(cls, table: Table) -> ChatTable:
        """Build the response for a table."""
        columns = [
            ChatColumn(
                name=column.name,
                type=column.type,
                sample_values=list(column.samples[:MAX_SAMPLES])
                if column.samples and TEXT.search(column.type) and not column.private
                else None,
            )
            for column in table.columns
        ]
        return cls(table_name=table.name, columns=columns, row_count=table.row_count)


class ChatSchema(ChatTable):
    """The main table of a database, and all tables if there are several.

    tables: All tables, the main one first. Absent if there is only one.
    """

    tables: list[ChatTable] | None = Field(None, exclude_if=lambda tables: tables is None)

    @classmethod
    def of_all(cls, tables: tuple[Table, ...]) -> ChatSchema:
        """Build the response for tables, the main one first; empty if there are none."""
        shown = [ChatTable.of(table) for table in tables]
        main = shown[0] if shown else ChatTable(table_name="", columns=[], row_count=None)
        return cls(**dict(main), tables=shown if len(shown) > 1 else None)


class StartSessionResponse(Frozen):
    """A new session.

    session_id: Id of the session.
    schema: The schema of the database.
    sample_questions: Questions that the database can answer.
    database: The database of the session.
    """

    model_config = with_example(
        {"session_id": SESSION_ID, "schema": SCHEMA_EXAMPLE, "database": "shop",
         "sample_questions": ["How many orders are there?", "What is the total amount of orders by status?"]}
    )  # fmt: skip

    session_id: str
    schema_: ChatSchema = Field(alias="schema")
    sample_questions: list[str]
    database: str

    @classmethod
    def of(cls, session: Session, found: Overview) -> StartSessionResponse:
        """Build the response."""
        return cls(
            session_id=session.id,
            schema=ChatSchema.of_all(found.tables),
            sample_questions=list(found.questions),
            database=session.database,
        )


class SessionMessageShown(Frozen):
    """One message of a session.

    role: Who wrote the message.
    content: The text.
    sql_query: Query of an answer. Null otherwise.
    timestamp: When the message was written, in UTC.
    status: Status of an answer. Null otherwise.
    confidence: Confidence of an answer, 0 to 1. Null otherwise.
    question: A follow-up as it was answered. Null otherwise.
    trace_id: The trace id of the request.
    answer_id: Id of the answer, also for its question.
    """

    role: Literal["user", "assistant"]
    content: str
    sql_query: str | None
    timestamp: datetime
    status: str | None = None
    confidence: float | None = None
    question: str | None = None
    trace_id: str = ""
    answer_id: str = ""


class SessionResponse(Frozen):
    """A session, with all its messages.

    session_id: Id of the session.
    dataset_id: The database of the session.
    schema: The schema of the database.
    messages: All messages, the oldest first.
    created_at: When the session was created, in UTC.
    last_activity: When the session was last used, in UTC.
    clarification: The question to the user that is still open. Null if there is none.
    """

    session_id: str
    dataset_id: str
    schema_: ChatSchema = Field(alias="schema")
    messages: list[SessionMessageShown]
    created_at: datetime
    last_activity: datetime
    clarification: str | None = None

    @classmethod
    def of(cls, session: Session, found: Overview) -> SessionResponse:
        """Build the response."""
        messages = [
            SessionMessageShown(
                **take_fields(message, SessionMessageShown)
                | {
                    "question": message.understood or None,
                    "status": "success" if message.status == SMALL_TALK else message.status,
                }
            )
            for message in session.messages
        ]
        return cls(
            session_id=session.id,
            dataset_id=session.database,
            schema=ChatSchema.of_all(found.tables),
            messages=messages,
            created_at=session.created_at,
            last_activity=session.last_activity,
            clarification=session.pending.clarification if session.pending else None,
        )


class SessionEnded(Frozen):
    """The session was deleted.

    status: Always `success`.
    message: Confirmation, with the session's id.
    """

    model_config = with_example({"status": "success", "message": f"Session {SESSION_ID} ended successfully"})

    status: Literal["success"] = "success"
    message: str


SESSION_EXAMPLE = {
    "session_id": SESSION_ID,
    "dataset_id": "shop",
    "schema": SCHEMA_EXAMPLE,
    "messages": [
        {"role": "user", "content": "How many rows?", "sql_query": None, "timestamp": "2024-01-15T10:34:58Z"},
        {
            "role": "assistant",
            "content": "10,000 rows",
            "sql_query": "SELECT COUNT(*) AS n FROM orders",
            "timestamp": "2024-01-15T10:35:00Z",
            "status": "success",
        },
    ],
    "created_at": "2024-01-15T10:30:00Z",
    "last_activity": "2024-01-15T10:35:00Z",
    "clarification": None,
}


class NewSessionRequest(Frozen):
    """The database of a new session. Unknown fields are refused."""

    model_config = with_example({"database": "shop"})

    database: Name = Field(description="Name of the database, as the list of databases has it.")


class SessionSummary(Frozen):
    """A session.

    session_id: Id of the session.
    database: The database of the session.
    title: The first question. Empty if there is none yet.
    messages: Number of messages.
    created_at: When the session was created, in UTC.
    last_activity: When the session was last used, in UTC.
    """

    session_id: str
    database: str
    title: str
    messages: int
    created_at: datetime
    last_activity: datetime

    @classmethod
    def of(cls, session: Session) -> SessionSummary:
        """Build the summary of a session."""
        return cls(**take_fields(session, cls) | {"session_id": session.id, "messages": session.count})


class SessionList(Frozen):
    """The caller's sessions.

    sessions: The sessions, the most recently used first.
    kept_s: Seconds that a session is kept after its last use.
    """

    sessions: list[SessionSummary]
    kept_s: float
