"""Errors as RFC 9457 problem documents: one table from error type to HTTP status, for every way out of the service."""

from __future__ import annotations

from agent.errors import (
    ModelFailed,
    ModelUnavailable,
    OutOfTime,
    QuestionInvalid,
    SessionStoreUnavailable,
    UnknownSession,
    WritesNotAllowed,
)
from agent.models import Problem
from executors.errors import DatabaseUnavailable, SqlError, UnknownDatabase
from rag.errors import EmbedderUnavailable, StoreUnavailable

# error type -> (HTTP status, stable type, title)
STATUS: dict[type[Exception], tuple[int, str, str]] = {
    QuestionInvalid: (422, "question-invalid", "The question cannot be taken"),
    UnknownDatabase: (404, "unknown-database", "Unknown database"),
    UnknownSession: (404, "unknown-session", "Unknown session"),
    WritesNotAllowed: (409, "writes-not-allowed", "Writes are not allowed"),
    ModelFailed: (502, "model-failed", "The model failed"),
    ModelUnavailable: (503, "model-unavailable", "The model is unavailable"),
    DatabaseUnavailable: (503, "database-unavailable", "The database is unavailable"),
    SessionStoreUnavailable: (503, "sessions-unavailable", "Sessions are unavailable"),
    StoreUnavailable: (503, "index-unavailable", "The index is unavailable"),
    EmbedderUnavailable: (503, "embedder-unavailable", "The embedding model is unavailable"),
    OutOfTime: (504, "out-of-time", "Out of time"),
    SqlError: (422, "sql-refused", "The query was not run"),
}

TYPE_PREFIX = "urn:plumbline:problem:"


def problem_of(error: Exception, trace_id: str = "") -> Problem | None:
    """The problem document of an error that is meant for the caller; None for any other, which is a bug.

    Args:
        error: what was raised.
        trace_id: of the request.
    """
    for kind, (status, slug, title) in STATUS.items():
        if isinstance(error, kind):
            return Problem(type=TYPE_PREFIX + slug, title=title, status=status, detail=str(error), trace_id=trace_id)
    return None
