"""What can go wrong with a question. Errors of a single query are in `executors.errors`, of retrieval in `rag.errors`.

PlumblineError
├── Mendable                the model is told and may try again
│   └── ReplyUnusable           the model's reply was not what was asked for
└── Fatal                   the caller is told; each has one HTTP status (api.STATUS)
    ├── QuestionInvalid         422
    ├── UnknownSession          404
    ├── WritesNotAllowed        409
    ├── ModelFailed             502
    ├── ModelUnavailable        503
    ├── SessionStoreUnavailable 503
    └── OutOfTime               504
"""

from __future__ import annotations


class PlumblineError(Exception):
    """Anything the agent raises on purpose; the message is a sentence a person can act on."""


class Mendable(PlumblineError):
    """The model is told, and may try again."""


class ReplyUnusable(Mendable):
    """The model's reply was not what was asked for."""


class Fatal(PlumblineError):
    """No further attempt can mend this; the caller is told."""


class QuestionInvalid(Fatal):
    """The question itself cannot be taken (empty, too long)."""


class UnknownSession(Fatal):
    """No such session, or it has expired."""


class WritesNotAllowed(Fatal):
    """What was asked would change the data."""


class ModelFailed(Fatal):
    """The model answered, but never with anything usable."""


class ModelUnavailable(Fatal):
    """The model cannot be reached, or refuses us."""


class SessionStoreUnavailable(Fatal):
    """Sessions cannot be read or written; the message says what to do."""


class OutOfTime(Fatal):
    """The request's deadline passed."""
