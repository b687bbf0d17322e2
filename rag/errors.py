"""Errors of retrieval. Each message is a sentence that says what to do.

RetrievalError
├── EmbedderUnavailable   no vector can be had: a package is missing, or the endpoint does not answer
├── IndexingStopped       a sync was stopped; the vectors it made are kept
└── StoreUnavailable      the index cannot be opened, read or written
    ├── IndexBusy             another process is indexing the same documents now
    ├── IndexDamaged          what is stored is not what was written; the next sync sets it aside
    └── IndexOutdated         it was made with another embedding model
"""

from __future__ import annotations


class RetrievalError(Exception):
    """Anything this package raises on purpose."""


class EmbedderUnavailable(RetrievalError):
    """Texts cannot be turned into vectors. `retry_after_s`: whole seconds; None where it is unknown."""

    def __init__(self, message: str, retry_after_s: int | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class IndexingStopped(RetrievalError):
    """A sync was stopped; the next one continues where it ended."""


class StoreUnavailable(RetrievalError):
    """The index is down, damaged or held by another process; the message says what to do."""


class IndexBusy(StoreUnavailable):
    """Another process is indexing; what was indexed before still answers."""


class IndexDamaged(StoreUnavailable):
    """Files of the index are missing or changed; nothing in it is trusted, and nothing is deleted."""


class IndexOutdated(StoreUnavailable):
    """The index was made with another embedding model, so its vectors cannot be compared; index again."""
