"""Errors of retrieval. Each message is a sentence that states what to do.

RetrievalError
├── EmbedderUnavailable   no vectors: a package is missing, or the endpoint does not answer
├── IndexingStopped       a sync was stopped; its vectors are kept
└── StoreUnavailable      the index cannot be opened, read or written
    ├── IndexBusy             another process is indexing the same documents
    ├── IndexDamaged          the stored data is not what was written; the next sync sets it aside
    └── IndexOutdated         the index was made with another embedding model
"""

from __future__ import annotations


class RetrievalError(Exception):
    """Any error that this package raises deliberately."""


class EmbedderUnavailable(RetrievalError):
    """Texts cannot be embedded. `retry_after_s`: whole seconds. None if it is unknown."""

    def __init__(self, message: str, retry_after_s: int | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class IndexingStopped(RetrievalError):
    """A sync was stopped. The next one continues where it ended."""


class StoreUnavailable(RetrievalError):
    """The index is down, damaged or held by another process. The message states what to do."""


class IndexBusy(StoreUnavailable):
    """Another process is indexing. The previous index still answers."""


class IndexDamaged(StoreUnavailable):
    """Files of the index are missing or changed. Nothing in it is trusted, and nothing is deleted."""


class IndexOutdated(StoreUnavailable):
    """The index was made with another embedding model, so its vectors cannot be compared. Index again."""
