"""The bodies of the routes for a caller's sessions."""

from __future__ import annotations

from datetime import datetime

from pydantic import ConfigDict, Field

from agent.api.schemas.common import Name
from agent.people.sessions.sessions import Session
from executors.base import Frozen


class NewSessionRequest(Frozen):
    """The database of a new session. Unknown fields are refused."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"database": "shop"}]})

    database: Name = Field(description="Name of the database, from `GET /api/databases`.")


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
        """The wire's shape of a session, in short."""
        return cls(
            session_id=session.id,
            database=session.database,
            title=session.title,
            messages=session.count,
            created_at=session.created_at,
            last_activity=session.last_activity,
        )


class SessionList(Frozen):
    """The caller's sessions.

    sessions: The sessions, the most recently used first.
    kept_s: Seconds that a session is kept after its last use.
    """

    sessions: list[SessionSummary]
    kept_s: float
