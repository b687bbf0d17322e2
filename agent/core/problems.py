"""Errors as RFC 9457 problem documents: one table from error type to HTTP status, for every way out of the service."""

from __future__ import annotations

from agent.core.errors import (
    AccessInvalid,
    AlreadySettled,
    BudgetSpent,
    ChangedMeanwhile,
    DocumentsInvalid,
    FeedbackInvalid,
    KeyReused,
    ModelFailed,
    ModelUnavailable,
    NameTaken,
    NoRows,
    NotAcceptable,
    NotAuthenticated,
    NotPermitted,
    OutOfTime,
    QuestionInvalid,
    RequestInProgress,
    ResponseNotKept,
    ReviewInvalid,
    RowsChanged,
    SavedQueryInvalid,
    SessionBusy,
    ShuttingDown,
    StateUnavailable,
    StorageFull,
    TileInvalid,
    TooBusy,
    TooManyRequests,
    TooManyRows,
    UnknownAnswer,
    UnknownCursor,
    UnknownDocument,
    UnknownJob,
    UnknownReview,
    UnknownSavedQuery,
    UnknownSession,
    UnknownTile,
    UnknownWritePlan,
    UploadInvalid,
    UploadTooLarge,
    WriteNotMade,
    WritesNotAllowed,
)
from agent.core.models import Problem
from executors.errors import DatabaseUnavailable, ErrorKind, SqlError, SqlFailed, SqlRefused, UnknownDatabase
from rag.errors import EmbedderUnavailable, StoreUnavailable

# error type -> (HTTP status, stable type, title)
STATUS: dict[type[Exception], tuple[int, str, str]] = {
    NotAuthenticated: (401, "not-authenticated", "Nobody is signed in"),
    NotPermitted: (403, "not-permitted", "Not permitted"),
    TooManyRequests: (429, "too-many-requests", "Too many requests"),
    TooBusy: (503, "too-busy", "The service is busy"),
    RequestInProgress: (409, "request-in-progress", "The request is being answered"),
    KeyReused: (422, "key-reused", "The key belongs to another request"),
    ResponseNotKept: (409, "response-not-kept", "The response was not kept"),
    ShuttingDown: (503, "shutting-down", "The service is being stopped"),
    AccessInvalid: (503, "access-invalid", "The service is not set up"),
    QuestionInvalid: (422, "question-invalid", "The question cannot be taken"),
    UnknownDatabase: (404, "unknown-database", "Unknown database"),
    UnknownSession: (404, "unknown-session", "Unknown session"),
    SessionBusy: (409, "session-busy", "The session is busy"),
    UnknownWritePlan: (404, "unknown-write-plan", "Unknown write plan"),
    UnknownJob: (404, "unknown-job", "Unknown job"),
    UnknownDocument: (404, "unknown-document", "Unknown document"),
    DocumentsInvalid: (422, "documents-invalid", "The documents cannot be taken"),
    UnknownReview: (404, "unknown-review", "Unknown review"),
    UnknownAnswer: (404, "unknown-answer", "Unknown answer"),
    UnknownSavedQuery: (404, "unknown-saved-query", "Unknown saved query"),
    ReviewInvalid: (422, "review-invalid", "The review cannot be settled so"),
    FeedbackInvalid: (422, "feedback-invalid", "The feedback cannot be taken"),
    SavedQueryInvalid: (422, "saved-query-invalid", "The query cannot be saved"),
    UnknownTile: (404, "unknown-tile", "Unknown tile"),
    TileInvalid: (422, "tile-invalid", "The tile cannot be made so"),
    AlreadySettled: (409, "already-settled", "Already settled"),
    ChangedMeanwhile: (409, "changed-meanwhile", "Changed by somebody else"),
    NameTaken: (409, "name-taken", "The name is taken"),
    UploadInvalid: (422, "upload-invalid", "The data cannot be taken"),
    UploadTooLarge: (413, "upload-too-large", "The data is too large"),
    StorageFull: (507, "storage-full", "There is no room left"),
    WritesNotAllowed: (409, "writes-not-allowed", "Writes are not allowed"),
    WriteNotMade: (409, "write-not-made", "The change was not made"),
    NotAcceptable: (406, "not-acceptable", "Not available in this format"),
    NoRows: (422, "no-rows", "There are no rows to give"),
    TooManyRows: (422, "too-many-rows", "More rows than can be had"),
    UnknownCursor: (404, "unknown-cursor", "Unknown cursor"),
    RowsChanged: (409, "rows-changed", "The rows have changed"),
    BudgetSpent: (422, "budget-spent", "The question takes more than it may"),
    ModelFailed: (502, "model-failed", "The model failed"),
    ModelUnavailable: (503, "model-unavailable", "The model is unavailable"),
    DatabaseUnavailable: (503, "database-unavailable", "The database is unavailable"),
    StateUnavailable: (503, "state-unavailable", "Sessions and reviews are unavailable"),
    StoreUnavailable: (503, "index-unavailable", "The index is unavailable"),
    EmbedderUnavailable: (503, "embedder-unavailable", "The embedding model is unavailable"),
    OutOfTime: (504, "out-of-time", "Out of time"),
    SqlRefused: (422, "sql-refused", "The query was not run"),
    SqlFailed: (422, "sql-failed", "The query failed"),
}

# What a query's error is in particular can be said by HTTP as well; its type stays what it is.
STATUS_OF_KIND: dict[ErrorKind, int] = {ErrorKind.NOT_READ_ONLY: 409, ErrorKind.TIMEOUT: 504}

TYPE_PREFIX = "urn:plumbline:problem:"
# Of what is not meant for the caller, which is a bug: stable type, title, what to do.
UNEXPECTED = ("unexpected", "Unexpected error", "Something failed that should not. Report it with the trace_id.")


def problem_of(error: Exception, trace_id: str = "") -> Problem | None:
    """The problem document of an error that is meant for the caller; None for any other, which is a bug.

    Args:
        error: what was raised.
        trace_id: of the request.
    """
    for kind, (status, slug, title) in STATUS.items():
        if isinstance(error, kind):
            problem = Problem(type=TYPE_PREFIX + slug, title=title, status=status, detail=str(error), trace_id=trace_id)
            return _of_sql(problem, error) if isinstance(error, SqlError) else problem
    return None


def unexpected(trace_id: str) -> Problem:
    """The problem document of an error that is not meant for the caller."""
    slug, title, detail = UNEXPECTED
    return Problem(type=TYPE_PREFIX + slug, title=title, status=500, detail=detail, trace_id=trace_id)


def _of_sql(problem: Problem, error: SqlError) -> Problem:
    """With what the caller needs to mend the query, or to raise the same error again."""
    status = STATUS_OF_KIND.get(error.kind, problem.status)
    return problem.model_copy(update={"status": status, "kind": error.kind, "hint": error.hint})
