"""What can go wrong with a question. Errors of a single query are in `executors.errors`, of retrieval in `rag.errors`.

PlumblineError
├── Mendable                the model is told and may try again
│   └── ReplyUnusable           the model's reply was not what was asked for
├── VerifiedQueriesUnavailable  nobody is told: the query is written anew, and the log says why
└── Fatal                   the caller is told; each has one HTTP status (api.STATUS)
    ├── QuestionInvalid         422
    ├── UnknownSession          404
    ├── UnknownWritePlan        404
    ├── UnknownDocument         404
    ├── DocumentsInvalid        422
    ├── WritesNotAllowed        409
    ├── WriteNotMade            409
    ├── ModelFailed             502
    ├── ModelUnavailable        503
    ├── SessionStoreUnavailable 503
    ├── StateUnavailable        503
    ├── WritePlansUnavailable   503
    └── OutOfTime               504
"""

from __future__ import annotations


class PlumblineError(Exception):
    """Anything the agent raises on purpose; the message is a sentence a person can act on."""


class Mendable(PlumblineError):
    """The model is told, and may try again."""


class ReplyUnusable(Mendable):
    """The model's reply was not what was asked for."""


class VerifiedQueriesUnavailable(PlumblineError):
    """Queries of earlier answers cannot be read or written; the message says what to do."""


class Fatal(PlumblineError):
    """No further attempt can mend this; the caller is told."""


class QuestionInvalid(Fatal):
    """The question itself cannot be taken (empty, too long)."""


class UnknownSession(Fatal):
    """No such session, or it has expired."""


class UnknownDocument(Fatal):
    """No document of this id was added at run time."""


class DocumentsInvalid(Fatal):
    """Documents that do not fit the database; none of them was taken."""


class WritesNotAllowed(Fatal):
    """What was asked would change the data."""


class UnknownWritePlan(Fatal):
    """No change waits for this token, this caller and this database."""


class WriteNotMade(Fatal):
    """A change that was allowed could not be planned, or made as it was planned; nothing was changed."""


class ModelFailed(Fatal):
    """The model answered, but never with anything usable."""


class ModelUnavailable(Fatal):
    """The model cannot be reached, or refuses us."""


class SessionStoreUnavailable(Fatal):
    """Sessions cannot be read or written; the message says what to do."""


class StateUnavailable(Fatal):
    """What the service remembers cannot be read or written; the message says what to do."""


class WritePlansUnavailable(Fatal):
    """Planned changes cannot be read or written; the message says what to do."""


class OutOfTime(Fatal):
    """The request's deadline passed."""
