"""Caches the vectors of recent texts: several steps need those of one question, and questions repeat."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

from rag.embedding.embedder import Embedder, vocabulary_of

_MOST = 2048  # texts; 6 MB of vectors of 384 numbers
_MANY = 64  # texts at once from which they are those of an index, and are not asked for again


class QuestionVectors:
    """An embedder that remembers. Methods block, and may be called from several threads at once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: OrderedDict[str, list[float]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """See `Embedder`."""
        return self._embedder.name

    @property
    def dimension(self) -> int:
        """See `Embedder`."""
        return self._embedder.dimension

    @property
    def batch(self) -> int | None:
        """See `Embedder`; None where it does not say."""
        return getattr(self._embedder, "batch", None)

    @property
    def vocabulary(self) -> frozenset[str]:
        """See `embedder.vocabulary_of`."""
        return vocabulary_of(self._embedder)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """See `Embedder`. What is not known is computed at once, for a model reads all of its weights each time."""
        if len(texts) >= _MANY:
            return self._embedder.embed(texts)
        with self._lock:
            found = {text: self._known[text] for text in texts if text in self._known}
        new = list(dict.fromkeys(text for text in texts if text not in found))
        if new:
            found |= dict(zip(new, self._embedder.embed(new), strict=True))
        with self._lock:
            for text, vector in found.items():
                self._known[text] = vector
                self._known.move_to_end(text)
            while len(self._known) > _MOST:
                self._known.popitem(last=False)
        return [found[text] for text in texts]
