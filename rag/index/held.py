"""The documents of one revision in memory: a search gives ids, which are looked up here."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence

from rag.docs.documents import Document, Kind, Retrieved
from rag.index.revision import Near, OpenRevision

_SHARE = 0.1  # of the documents, from which those of some kinds are found among the nearest of all kinds
_MORE = 4  # times as many as should suffice there


class HeldDocuments:
    """What a revision holds, read whole and once.

    Args:
        reading: the revision.
    """

    def __init__(self, reading: OpenRevision) -> None:
        self.revision = reading.revision
        self.documents: tuple[Document, ...] = tuple(reading.vectors.documents())
        self._by_id = {document.id: document for document in self.documents}
        self._kinds = Counter(document.kind for document in self.documents)

    def nearest(
        self, reading: OpenRevision, vectors: Sequence[Sequence[float]], top_k: int, kinds: Collection[Kind]
    ) -> list[list[Retrieved]]:
        """For each vector the documents nearest to it, best first, at most `top_k`; all kinds where `kinds` is empty.

        Args:
            reading: the same revision.
        """
        found = self._nearest(reading, vectors, top_k, frozenset(kinds or self._kinds))
        return [[Retrieved(document=self._by_id[key], score=score) for key, score in hits] for hits in found]

    def _nearest(
        self, reading: OpenRevision, vectors: Sequence[Sequence[float]], top_k: int, kinds: frozenset[Kind]
    ) -> list[list[Near]]:
        """Filters by kind in Chroma only where needed: it compares documents of a kind one by one."""
        wanted, every = sum(self._kinds[kind] for kind in kinds), len(self.documents)
        if not wanted:
            return [[] for _ in vectors]
        if wanted == every:
            return reading.vectors.nearest(vectors, top_k)
        if not reading.vectors.exact and wanted >= every * _SHARE:
            most = min(every, math.ceil(_MORE * top_k * every / wanted))
            found = reading.vectors.nearest(vectors, most)
            chosen = [[hit for hit in hits if self._by_id[hit[0]].kind in kinds][:top_k] for hits in found]
            if all(len(hits) == min(top_k, wanted) for hits in chosen):
                return chosen
        return reading.vectors.nearest(vectors, top_k, kinds)
