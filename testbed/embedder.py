"""An embedder for tests: no model, no waiting, and the same vectors on every machine."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence

from rag.words import words


class HashingEmbedder:
    """Texts with common words are near each other: each word's stem counts in one of `dimension` places.

    `embedded` contains all embedded texts, in order.
    """

    def __init__(self, name: str = "hashing", dimension: int = 256) -> None:
        self.name, self.dimension = name, dimension
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.embedded += texts
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        vector = [0.0] * self.dimension
        for word in words(text) or {""}:
            place = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest(), "big")
            vector[place % self.dimension] += 1.0
        length = math.sqrt(sum(number * number for number in vector))
        return [number / length for number in vector]
