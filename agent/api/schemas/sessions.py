"""The bodies of the routes for a caller's sessions."""

from __future__ import annotations

from datetime import datetime

from pydantic import ConfigDict

from agent.api.schemas.common import Name
from agent.people.sessions.sessions import Session
from executors.base import Frozen


class NewSessionRequest(Frozen):
    """Which database the session is about. Unknown fields are refused."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"database": "shop"}]})

    database: Name


class SessionSummary(Frozen):
    """A session; `title`: its first question, empty before that; `messages`: how many there are."""

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
    """The caller's sessions, the one that was used last first; `kept_s`: seconds for which each is kept after that."""

    sessions: list[SessionSummary]
    kept_s: float
