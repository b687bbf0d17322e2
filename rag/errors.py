"""What can go wrong in retrieval. Each message is a sentence that says what to do.

RetrievalError
├── EmbedderUnavailable   no vector can be had: a package is missing, or the endpoint does not answer
└── StoreUnavailable      the index cannot be opened, read or written
    └── IndexOutdated         it can, but was made with another embedding model
"""

from __future__ import annotations


class RetrievalError(Exception):
    """Anything this package raises on purpose."""


class EmbedderUnavailable(RetrievalError):
    """Texts cannot be turned into vectors; the message says what to install or set."""


class StoreUnavailable(RetrievalError):
    """The index is down, damaged or held by another process; the message says what to do."""


class IndexOutdated(StoreUnavailable):
    """The index was made with another embedding model, so its vectors cannot be compared; index again."""
