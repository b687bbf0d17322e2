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

PATIENCE_S = 5.0  # for the embedder; where it takes longer, nobody can tell
_MOST_TERMS = 600  # embedded once for a schema: seconds, on one core; a larger one has some word for anything


class Terms:
    """The vectors of what a database is about, for the schema and docs that were last asked about."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str], tuple[tuple[str, ...], NDArray[np.float64]]] = {}

    def vectors(self, terms: tuple[str, ...], database: str, embedder: Embedder) -> NDArray[np.float64]:
        """A row for each term; blocks. Raises EmbedderUnavailable."""
        import numpy as np

        key = (database, embedder.name)
        entry = self._entries.get(key)
        if entry is None or entry[0] != terms:
            entry = self._entries[key] = (terms, np.asarray(embedder.embed(terms), dtype=np.float64))
        return entry[1]


async def similarities(
    mention: Sequence[str], terms: tuple[str, ...], database: str, embedder: Embedder, cache: Terms
) -> NDArray[np.float64] | None:
    """The cosines of words, a row for each, to terms; None where nobody can tell. `database`: whose terms they are."""
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
    """The highest cosine of any words to any term, and which that is; None where nobody can tell."""
    found = await similarities(mention, terms, inquiry.schema.database, embedder, cache)
    if found is None:
        return None
    cosines = found.max(axis=0)
    best = int(cosines.argmax())
    return float(cosines[best]), terms[best]
