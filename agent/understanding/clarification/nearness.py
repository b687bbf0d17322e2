"""The similarity of a question's words to a database's names, by an embedder."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from agent.understanding.clarification.inquiry import Inquiry
from rag.errors import RetrievalError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rag.embedding.embedder import Embedder

PATIENCE_S = 5.0  # seconds to wait for the embedder; after that, similarities are unknown
_MOST_TERMS = 600  # embedded once per schema, which takes seconds on one core; a larger schema has a word for anything


class Terms:
    """The vectors of a database's terms, kept for the most recent schema and docs."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str], tuple[tuple[str, ...], NDArray[np.float64]]] = {}

    def vectors(self, terms: tuple[str, ...], database: str, embedder: Embedder) -> NDArray[np.float64]:
        """One row per term. Blocks. Raises EmbedderUnavailable."""
        import numpy as np

        key = (database, embedder.name)
        entry = self._entries.get(key)
        if entry is None or entry[0] != terms:
            entry = self._entries[key] = (terms, np.asarray(embedder.embed(terms), dtype=np.float64))
        return entry[1]


async def similarities(
    mention: Sequence[str], terms: tuple[str, ...], database: str, embedder: Embedder, cache: Terms
) -> NDArray[np.float64] | None:
    """The cosines of words (rows) to terms (columns). None if they are unknown. `database`: the owner of the terms."""
    if not terms or len(terms) > _MOST_TERMS:
        return None

    def compare() -> NDArray[np.float64]:
        import numpy as np

        return np.asarray(embedder.embed(mention)) @ cache.vectors(terms, database, embedder).T

    try:
        async with asyncio.timeout(PATIENCE_S):
            return await asyncio.to_thread(compare)
    except (RetrievalError, TimeoutError):
        return None


async def nearest(
    mention: Sequence[str], terms: tuple[str, ...], inquiry: Inquiry, embedder: Embedder, cache: Terms
) -> tuple[float, str] | None:
    """The highest cosine of any word to any term, and that term. None if it is unknown."""
    found = await similarities(mention, terms, inquiry.schema.database, embedder, cache)
    if found is None:
        return None
    cosines = found.max(axis=0)
    best = int(cosines.argmax())
    return float(cosines[best]), terms[best]
