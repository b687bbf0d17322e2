"""What can go wrong with a question. Errors of a single query are in `executors.errors`, of retrieval in `rag.errors`.

PlumblineError
├── Mendable                the model is told and may try again
│   └── ReplyUnusable           the model's reply was not what was asked for
├── ConfigurationInvalid        the operator is told: all that is wrong with settings and registry, at once
├── AccessInvalid               the operator is told: who may ask cannot be decided, so nobody may; 503
├── AddressUnavailable          the operator is told: the service cannot listen where it was told to
├── ExtensionInvalid           the operator is told: what PLUMBLINE_EXTENSIONS names cannot be added
└── Fatal                   the caller is told; each has one HTTP status (api.STATUS)
    ├── NotAuthenticated        401
    ├── NotPermitted            403
    ├── Later                   try again in so many seconds
    │   ├── TooManyRequests         429
    │   ├── TooBusy                 503
    │   ├── RequestInProgress       409
    │   └── ShuttingDown            503
    ├── QuestionInvalid         422
    ├── UnknownSession          404
    ├── SessionBusy             409
    ├── UnknownWritePlan        404
    ├── UnknownDocument         404
    ├── UnknownJob              404
    ├── UnknownReview           404
    ├── UnknownAnswer           404
    ├── UnknownSavedQuery       404
    ├── DocumentsInvalid        422
    ├── ReviewInvalid           422
    ├── FeedbackInvalid         422
    ├── SavedQueryInvalid       422
    ├── UnknownTile             404
    ├── TileInvalid             422
    ├── AlreadySettled          409
    ├── ChangedMeanwhile        409
    ├── NameTaken               409
    ├── UploadInvalid           422
    ├── UploadTooLarge          413
    ├── StorageFull             507
    ├── WritesNotAllowed        409
    ├── WriteNotMade            409
    ├── NotAcceptable           406
    ├── NoRows                  422
    ├── TooManyRows             422
    ├── UnknownCursor           404
    ├── RowsChanged             409
    ├── KeyReused               422
    ├── ResponseNotKept         409
    ├── ModelError              an optional step goes on without the model; any other one stops
    │   ├── ModelFailed             502
    │   ├── ModelUnavailable        503
    │   └── BudgetSpent             422
    ├── StateUnavailable        503
    └── OutOfTime               504
"""

from __future__ import annotations


class PlumblineError(Exception):
    """Anything the agent raises on purpose; the message is a sentence a person can act on."""


class Mendable(PlumblineError):
    """The model is told, and may try again."""


class ReplyUnusable(Mendable):
    """The model's reply was not what was asked for."""


class AddressUnavailable(PlumblineError):
    """The service cannot listen on that address and port; the message says why, and what to do."""


class ExtensionInvalid(PlumblineError):
    """What `PLUMBLINE_EXTENSIONS` names cannot be added; the message says what to do."""


class Fatal(PlumblineError):
    """No further attempt can mend this; the caller is told."""


class ConfigurationInvalid(PlumblineError):
    """The settings or the registry cannot be used; the message has a line for each problem, and never a value."""


class AccessInvalid(PlumblineError):
    """The settings that say who may ask cannot be used; the message names the setting, and never its value."""


class NotAuthenticated(Fatal):
    """Nobody knows who asks. Args: message: what to send; challenge: the value of `WWW-Authenticate`."""

    def __init__(self, message: str, challenge: str) -> None:
        super().__init__(message)
        self.challenge = challenge


class NotPermitted(Fatal):
    """Who asks is known, or comes from a place that nobody may ask from, and may not do this."""


class Later(Fatal):
    """Not now. Args: message: a sentence; retry_after_s: whole seconds until it is worth another try."""

    def __init__(self, message: str, retry_after_s: int) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class TooManyRequests(Later):
    """The principal has asked more than the rate allows."""


class TooBusy(Later):
    """This process answers as many questions as it can."""


class RequestInProgress(Later):
    """The same request, with the same Idempotency-Key, is being answered."""


class ShuttingDown(Later):
    """This process ends; what was asked of it is not answered."""


class QuestionInvalid(Fatal):
    """The question itself cannot be taken (empty, too long)."""


class UnknownSession(Fatal):
    """No such session, or it has expired."""


class SessionBusy(Fatal):
    """Another message of the session is still being answered."""


class UnknownDocument(Fatal):
    """No document of this id was added at run time."""


class UnknownJob(Fatal):
    """The principal has no such job, or it has been forgotten."""


class DocumentsInvalid(Fatal):
    """Documents that do not fit the database; none of them was taken."""


class UnknownReview(Fatal):
    """No such review, or it is not for this principal to see or to settle."""


class UnknownAnswer(Fatal):
    """Nothing was answered under this trace id, or it was somebody else, or too long ago."""


class UnknownSavedQuery(Fatal):
    """The principal has saved no such query."""


class ReviewInvalid(Fatal):
    """The review cannot be settled in this way; it stays open."""


class FeedbackInvalid(Fatal):
    """What was said cannot be said of this answer; nothing was taken."""


class SavedQueryInvalid(Fatal):
    """The query cannot be saved; nothing was changed."""


class UnknownTile(Fatal):
    """The principal's dashboard has no such tile."""


class TileInvalid(Fatal):
    """The tile cannot be as it was asked for; nothing was changed."""


class AlreadySettled(Fatal):
    """Somebody has settled the review before; nothing was changed."""


class ChangedMeanwhile(Fatal):
    """Somebody else has changed, or is changing, what was to be changed; nothing was changed."""


class NameTaken(Fatal):
    """The principal has another saved query of this name."""


class UploadInvalid(Fatal):
    """Data that was sent cannot be taken; nothing of it was kept."""


class UploadTooLarge(Fatal):
    """Data that was sent is larger than it may be; nothing of it was kept."""


class StorageFull(Fatal):
    """There is no room for data that was sent; nothing of it was kept."""


class WritesNotAllowed(Fatal):
    """What was asked would change the data."""


class UnknownWritePlan(Fatal):
    """No change waits for this token, this caller and this database."""


class WriteNotMade(Fatal):
    """A change that was allowed could not be planned, or made as it was planned; nothing was changed."""


class NotAcceptable(Fatal):
    """The caller accepts none of the formats that there are."""


class NoRows(Fatal):
    """Rows alone were asked for, and the response has none: it asks back, or no query could be run."""


class TooManyRows(Fatal):
    """More rows are asked for than can be had; fewer were not given in their place."""


class UnknownCursor(Fatal):
    """The principal has no such cursor for this database, or it has expired."""


class RowsChanged(Fatal):
    """The rows that a cursor comes after are others now, so nobody knows which come next."""


class KeyReused(Fatal):
    """Another request had this Idempotency-Key; nothing was done."""


class ResponseNotKept(Fatal):
    """The request was done before, and its response could not be kept; nothing was done again."""


class ModelError(Fatal):
    """A step got nothing from the model."""


class ModelFailed(ModelError):
    """The model answered, but never with anything usable."""


class ModelUnavailable(ModelError):
    """The model cannot be reached, or refuses us.

    Args:
        message: a sentence.
        retry_after_s: whole seconds until it is worth trying again; None: unknown.
    """

    def __init__(self, message: str, retry_after_s: int | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class BudgetSpent(ModelError):
    """The question has had the model calls, or the tokens, that one question may have."""


class StateUnavailable(Fatal):
    """What the service remembers cannot be read or written; the message says what to do."""


class OutOfTime(Fatal):
    """The request's deadline passed."""
