"""Errors of a question. Errors of a single query are in `executors.errors`, of retrieval in `rag.errors`.

PlumblineError
├── ReplyUnusable           the model reads it and tries again
├── ConfigurationInvalid    for the operator: all that is wrong with settings and registry, at once
├── AccessInvalid           for the operator: the settings do not say who may call, so nobody may
├── AddressUnavailable      for the operator: the service cannot listen there
├── ExtensionInvalid        for the operator: an extension cannot be added
└── Fatal                   for the caller, with an HTTP status, a slug and a title
    ├── Later                   try again in so many seconds
    ├── ModelError              an optional step continues without the model; any other step stops
    └── …                       one class for each way in which a request cannot be served
"""

from __future__ import annotations

from typing import ClassVar

from agent.core.queueing import Standing


class PlumblineError(Exception):
    """Anything the agent raises on purpose; the message is a sentence a person can act on.

    status: of its HTTP response; 0: none. slug, title: of its problem document (RFC 9457); the slug is stable.
    """

    status: ClassVar[int] = 0
    slug: ClassVar[str] = ""
    title: ClassVar[str] = ""

    def __init_subclass__(cls, *, status: int = 0, slug: str = "", title: str = "") -> None:
        super().__init_subclass__()
        if status:
            cls.status, cls.slug, cls.title = status, slug, title


class ReplyUnusable(PlumblineError):
    """The model's reply does not fit the request; the model reads the message and tries again."""


class AddressUnavailable(PlumblineError):
    """The service cannot listen on that address and port; the message says why, and what to do."""


class ExtensionInvalid(PlumblineError):
    """What `PLUMBLINE_EXTENSIONS` names cannot be added; the message says what to do."""


class Fatal(PlumblineError):
    """No further attempt can help; the caller gets a problem document."""


class ConfigurationInvalid(PlumblineError):
    """The settings or the registry cannot be used; the message has a line for each problem, and never a value."""


class AccessInvalid(PlumblineError, status=503, slug="access-invalid", title="The service is not configured"):
    """The access settings cannot be used; the message names the setting, and never its value."""


class NotAuthenticated(Fatal, status=401, slug="not-authenticated", title="Not authenticated"):
    """The caller is unknown. Args: message: what to send; challenge: the value of `WWW-Authenticate`."""

    def __init__(self, message: str, challenge: str) -> None:
        super().__init__(message)
        self.challenge = challenge


class NotPermitted(Fatal, status=403, slug="not-permitted", title="Not permitted"):
    """The caller is known, or calls from a forbidden place, and may not do this."""


class Later(Fatal):
    """Not now. Args: message: a sentence; retry_after_s: whole seconds until it is worth another try."""

    def __init__(self, message: str, retry_after_s: int) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class TooManyRequests(Later, status=429, slug="too-many-requests", title="Too many requests"):
    """The principal has asked more than the rate allows."""


class TooBusy(Later, status=503, slug="too-busy", title="The service is busy"):
    """This process answers as many questions as it can. `queue`: what one more would wait for, where it is known."""

    def __init__(self, message: str, retry_after_s: int, queue: Standing | None = None) -> None:
        super().__init__(message, retry_after_s)
        self.queue = queue


class RequestInProgress(Later, status=409, slug="request-in-progress", title="The request is in progress"):
    """The same request, with the same Idempotency-Key, is being answered."""


class Starting(Later, status=503, slug="starting", title="The service is starting"):
    """The service was still being built when the request's deadline passed."""


class ShuttingDown(Later, status=503, slug="shutting-down", title="The service is shutting down"):
    """This process is ending and answers no new requests."""


class QuestionInvalid(Fatal, status=422, slug="question-invalid", title="Invalid question"):
    """The question itself cannot be taken (empty, too long)."""


class UnknownSession(Fatal, status=404, slug="unknown-session", title="Unknown session"):
    """No such session, or it has expired."""


class SessionBusy(Fatal, status=409, slug="session-busy", title="The session is busy"):
    """Another message of the session is still being answered."""


class UnknownDocument(Fatal, status=404, slug="unknown-document", title="Unknown document"):
    """No document of this id was added at run time."""


class UnknownJob(Fatal, status=404, slug="unknown-job", title="Unknown job"):
    """The principal has no such job, or it has been forgotten."""


class DocumentsInvalid(Fatal, status=422, slug="documents-invalid", title="Invalid documents"):
    """Documents that do not fit the database; none of them was taken."""


class UnknownReview(Fatal, status=404, slug="unknown-review", title="Unknown review"):
    """No such review, or it is not for this principal to see or to settle."""


class UnknownAnswer(Fatal, status=404, slug="unknown-answer", title="Unknown answer"):
    """There is no answer with this trace id, or it is another caller's, or too old."""


class UnknownShare(Fatal, status=404, slug="unknown-share", title="Unknown link"):
    """There is no answer under this link, it is shared no longer, or its database is not the caller's to ask."""


class UnknownSavedQuery(Fatal, status=404, slug="unknown-saved-query", title="Unknown saved query"):
    """The principal has saved no such query."""


class ReviewInvalid(Fatal, status=422, slug="review-invalid", title="The review cannot be settled"):
    """The review cannot be settled in this way; it stays open."""


class FeedbackInvalid(Fatal, status=422, slug="feedback-invalid", title="Invalid feedback"):
    """The feedback does not fit this answer; nothing was stored."""


class SavedQueryInvalid(Fatal, status=422, slug="saved-query-invalid", title="The query cannot be saved"):
    """The query cannot be saved; nothing was changed."""


class UnknownTile(Fatal, status=404, slug="unknown-tile", title="Unknown tile"):
    """The principal's dashboard has no such tile."""


class TileInvalid(Fatal, status=422, slug="tile-invalid", title="Invalid tile"):
    """The tile is not valid; nothing was changed."""


class AlreadySettled(Fatal, status=409, slug="already-settled", title="Already settled"):
    """The review was settled before; nothing was changed."""


class ChangedMeanwhile(Fatal, status=409, slug="changed-meanwhile", title="Changed by another caller"):
    """Another caller has changed it meanwhile, or is changing it; nothing was changed."""


class NameTaken(Fatal, status=409, slug="name-taken", title="The name is taken"):
    """The principal has another saved query of this name."""


class UploadInvalid(Fatal, status=422, slug="upload-invalid", title="Invalid data"):
    """Data that was sent cannot be taken; nothing of it was kept."""


class UploadTooLarge(Fatal, status=413, slug="upload-too-large", title="The data is too large"):
    """Data that was sent is larger than it may be; nothing of it was kept."""


class StorageFull(Fatal, status=507, slug="storage-full", title="No space left"):
    """There is no room for data that was sent; nothing of it was kept."""


class WritesNotAllowed(Fatal, status=409, slug="writes-not-allowed", title="Writes are not allowed"):
    """The question would change the data."""


class UnknownWritePlan(Fatal, status=404, slug="unknown-write-plan", title="Unknown write plan"):
    """No change waits for this token, this caller and this database."""


class WriteNotMade(Fatal, status=409, slug="write-not-made", title="The change was not made"):
    """A change that was allowed could not be planned, or made as it was planned; nothing was changed."""


class NotAcceptable(Fatal, status=406, slug="not-acceptable", title="Not available in this format"):
    """The caller accepts none of the available formats."""


class NoRows(Fatal, status=422, slug="no-rows", title="No rows"):
    """The caller wants rows alone, and the response has none: it asks back, or no query could be run."""


class TooManyRows(Fatal, status=422, slug="too-many-rows", title="Too many rows"):
    """The caller wants more rows than the limit allows; none were given."""


class UnknownCursor(Fatal, status=404, slug="unknown-cursor", title="Unknown cursor"):
    """The principal has no such cursor for this database, or it has expired."""


class RowsChanged(Fatal, status=409, slug="rows-changed", title="The rows have changed"):
    """The rows before a cursor have changed, so the next ones are unknown."""


class KeyReused(Fatal, status=422, slug="key-reused", title="The key belongs to another request"):
    """Another request had this Idempotency-Key; nothing was done."""


class ResponseNotKept(Fatal, status=409, slug="response-not-kept", title="The response was not kept"):
    """The request was done before, and its response could not be kept; nothing was done again."""


class ModelError(Fatal):
    """A step got nothing from the model."""


class ModelFailed(ModelError, status=502, slug="model-failed", title="The model failed"):
    """The model answered, but never with anything usable."""


class ModelUnavailable(ModelError, status=503, slug="model-unavailable", title="The model is unavailable"):
    """The model cannot be reached, or refuses us. `retry_after_s`: whole seconds; None where it is unknown."""

    def __init__(self, message: str, retry_after_s: int | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ModelBusy(ModelError, Later, status=503, slug="model-busy", title="The model is busy"):
    """The endpoint's rate limit is used up for longer than a question may wait."""


class BudgetSpent(ModelError, status=422, slug="budget-spent", title="The question exceeds its budget"):
    """The question has had the model calls, or the tokens, that one question may have."""


class StateUnavailable(Fatal, status=503, slug="state-unavailable", title="Sessions and reviews are unavailable"):
    """What the service remembers cannot be read or written; the message says what to do."""


class OutOfTime(Fatal, status=504, slug="out-of-time", title="Out of time"):
    """The request's deadline passed."""
