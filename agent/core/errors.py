"""Errors of a question. Errors of a single query are in `executors.errors`, of retrieval in `rag.errors`.

PlumblineError
├── ReplyUnusable           the model reads it and tries again
├── ConfigurationInvalid    for the operator: all problems of settings and registry, at once
├── AccessInvalid           for the operator: the settings do not define who may call, so all calls are refused
├── AddressUnavailable      for the operator: the service cannot listen on the address
├── ExtensionInvalid        for the operator: an extension cannot be added
├── Later                   for the caller: try again after `retry_after_s` seconds
├── ModelError              an optional step continues without the model; any other step stops
└── …                       for the caller: one class per way in which a request can fail, with an HTTP status
"""

from __future__ import annotations

from typing import ClassVar

from agent.core.queueing import Standing


class PlumblineError(Exception):
    """Base class of the agent's errors. The message is a sentence that a person can act on.

    status: HTTP status; 0: no response. slug, title: for the problem document (RFC 9457). The slug is stable.
    """

    status: ClassVar[int] = 0
    slug: ClassVar[str] = ""
    title: ClassVar[str] = ""

    def __init_subclass__(cls, *, status: int = 0, slug: str = "", title: str = "") -> None:
        super().__init_subclass__()
        if status:
            cls.status, cls.slug, cls.title = status, slug, title


class ReplyUnusable(PlumblineError):
    """The model's reply does not fit the request; the model gets the message and tries again."""


class AddressUnavailable(PlumblineError):
    """The service cannot listen on that address and port; the message states the reason and the remedy."""


class ExtensionInvalid(PlumblineError):
    """An extension in `PLUMBLINE_EXTENSIONS` cannot be added; the message states the remedy."""


class ConfigurationInvalid(PlumblineError):
    """The settings or the registry cannot be used; the message has one line per problem and never contains a value."""


class AccessInvalid(PlumblineError, status=503, slug="access-invalid", title="The service is not configured"):
    """The access settings cannot be used; the message names the setting but never its value."""


class NotAuthenticated(PlumblineError, status=401, slug="not-authenticated", title="Not authenticated"):
    """The caller is unknown. Args: message: what to send; challenge: the value of `WWW-Authenticate`."""

    def __init__(self, message: str, challenge: str) -> None:
        super().__init__(message)
        self.challenge = challenge


class NotPermitted(PlumblineError, status=403, slug="not-permitted", title="Not permitted"):
    """The caller may not do this, or calls from a forbidden place."""


class Later(PlumblineError):
    """The request may succeed later. Args: message: a sentence; retry_after_s: whole seconds to wait before a retry."""

    def __init__(self, message: str, retry_after_s: int) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class TooManyRequests(Later, status=429, slug="too-many-requests", title="Too many requests"):
    """The principal exceeded the rate limit."""


class TooBusy(Later, status=503, slug="too-busy", title="The service is busy"):
    """This process is at capacity. `queue`: the queue that another question would join, if it is known."""

    def __init__(self, message: str, retry_after_s: int, queue: Standing | None = None) -> None:
        super().__init__(message, retry_after_s)
        self.queue = queue


class RequestInProgress(Later, status=409, slug="request-in-progress", title="The request is in progress"):
    """The same request, with the same Idempotency-Key, is being answered."""


class Starting(Later, status=503, slug="starting", title="The service is starting"):
    """The service was still being built when the request's deadline passed."""


class ShuttingDown(Later, status=503, slug="shutting-down", title="The service is shutting down"):
    """This process is ending and answers no new requests."""


class QuestionInvalid(PlumblineError, status=422, slug="question-invalid", title="Invalid question"):
    """The question cannot be accepted (empty, too long)."""


class UnknownSession(PlumblineError, status=404, slug="unknown-session", title="Unknown session"):
    """The session does not exist or has expired."""


class SessionBusy(PlumblineError, status=409, slug="session-busy", title="The session is busy"):
    """Another message of the session is still being answered."""


class UnknownDocument(PlumblineError, status=404, slug="unknown-document", title="Unknown document"):
    """No document with this id was added at run time."""


class UnknownJob(PlumblineError, status=404, slug="unknown-job", title="Unknown job"):
    """The principal has no such job, or the job is no longer kept."""


class DocumentsInvalid(PlumblineError, status=422, slug="documents-invalid", title="Invalid documents"):
    """The documents do not fit the database; none was stored."""


class UnknownReview(PlumblineError, status=404, slug="unknown-review", title="Unknown review"):
    """The review does not exist, or this principal may not see or settle it."""


class UnknownAnswer(PlumblineError, status=404, slug="unknown-answer", title="Unknown answer"):
    """No answer has this trace id, or it belongs to another caller or is too old."""


class UnknownShare(PlumblineError, status=404, slug="unknown-share", title="Unknown link"):
    """The link leads to no answer, is no longer shared, or its database is not permitted to the caller."""


class UnknownSavedQuery(PlumblineError, status=404, slug="unknown-saved-query", title="Unknown saved query"):
    """The principal has no such saved query."""


class ReviewInvalid(PlumblineError, status=422, slug="review-invalid", title="The review cannot be settled"):
    """The review cannot be settled in this way; it stays open."""


class FeedbackInvalid(PlumblineError, status=422, slug="feedback-invalid", title="Invalid feedback"):
    """The feedback does not fit this answer; nothing was stored."""


class SavedQueryInvalid(PlumblineError, status=422, slug="saved-query-invalid", title="The query cannot be saved"):
    """The query cannot be saved; nothing was changed."""


class UnknownTile(PlumblineError, status=404, slug="unknown-tile", title="Unknown tile"):
    """The principal's dashboard has no such tile."""


class TileInvalid(PlumblineError, status=422, slug="tile-invalid", title="Invalid tile"):
    """The tile is not valid; nothing was changed."""


class AlreadySettled(PlumblineError, status=409, slug="already-settled", title="Already settled"):
    """The review was settled before; nothing was changed."""


class ChangedMeanwhile(PlumblineError, status=409, slug="changed-meanwhile", title="Changed by another caller"):
    """Another caller changed the object meanwhile, or is changing it; this request changed nothing."""


class NameTaken(PlumblineError, status=409, slug="name-taken", title="The name is taken"):
    """The principal has another saved query with this name."""


class UploadInvalid(PlumblineError, status=422, slug="upload-invalid", title="Invalid data"):
    """The uploaded data cannot be accepted; none of it was kept."""


class UploadTooLarge(PlumblineError, status=413, slug="upload-too-large", title="The data is too large"):
    """The uploaded data exceeds the size limit; none of it was kept."""


class StorageFull(PlumblineError, status=507, slug="storage-full", title="No space left"):
    """There is no space for the uploaded data; none of it was kept."""


class WritesNotAllowed(PlumblineError, status=409, slug="writes-not-allowed", title="Writes are not allowed"):
    """The question would change the data."""


class UnknownWritePlan(PlumblineError, status=404, slug="unknown-write-plan", title="Unknown write plan"):
    """No planned change matches this token, this caller and this database."""


class WriteNotMade(PlumblineError, status=409, slug="write-not-made", title="The change was not made"):
    """An allowed change could not be planned, or not made as planned; nothing was changed."""


class NotAcceptable(PlumblineError, status=406, slug="not-acceptable", title="Not available in this format"):
    """The caller accepts none of the available formats."""


class NoRows(PlumblineError, status=422, slug="no-rows", title="No rows"):
    """The caller requested rows only, and the response has none: no query was needed, or none could run."""


class TooManyRows(PlumblineError, status=422, slug="too-many-rows", title="Too many rows"):
    """The caller requested more rows than `most`, the limit; none were returned."""

    def __init__(self, message: str, most: int) -> None:
        super().__init__(message)
        self.most = most


class UnknownCursor(PlumblineError, status=404, slug="unknown-cursor", title="Unknown cursor"):
    """The principal has no such cursor for this database, or it has expired."""


class RowsChanged(PlumblineError, status=409, slug="rows-changed", title="The rows have changed"):
    """The rows before a cursor have changed, so the next rows are unknown."""


class KeyReused(PlumblineError, status=422, slug="key-reused", title="The key belongs to another request"):
    """Another request used this Idempotency-Key; nothing was done."""


class ResponseNotKept(PlumblineError, status=409, slug="response-not-kept", title="The response was not kept"):
    """The request was carried out before, but its response could not be kept; it was not repeated."""


class ModelError(PlumblineError):
    """A step got no reply from the model."""


class ModelFailed(ModelError, status=502, slug="model-failed", title="The model failed"):
    """The model replied, but no reply was usable."""


class ModelDeclined(ModelFailed):
    """The model refused to answer. Its words may repeat the question, so they are not logged."""


class ContentFiltered(ModelFailed, status=422, slug="content-filtered", title="The content filter refused the text"):
    """The endpoint's content filter refused the prompt or the reply: another wording may pass."""


class ModelUnavailable(ModelError, status=503, slug="model-unavailable", title="The model is unavailable"):
    """The model cannot be reached or refuses the call. `retry_after_s`: whole seconds; None if it is unknown."""

    def __init__(self, message: str, retry_after_s: int | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ModelBusy(ModelError, Later, status=503, slug="model-busy", title="The model is busy"):
    """The endpoint's rate limit is exhausted for longer than a question may wait."""


class BudgetSpent(ModelError, status=422, slug="budget-spent", title="The question exceeds its budget"):
    """The question used up the model calls or tokens that one question may use."""


class StateUnavailable(
    PlumblineError, status=503, slug="state-unavailable", title="Sessions and reviews are unavailable"
):
    """Stored state cannot be read or written; the message states the remedy."""


class OutOfTime(PlumblineError, status=504, slug="out-of-time", title="Out of time"):
    """The request's deadline passed."""
