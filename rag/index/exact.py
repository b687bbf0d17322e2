"""A small revision in two plain files next to Chroma's. numpy compares all vectors, and Chroma is not read.

Importing Chroma takes most of a second, and a search in Chroma takes longer than comparing some thousand vectors. The
files belong to a revision and are written from Chroma's contents when it is published. Chroma stores and changes the
index, and searches larger ones.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from rag.docs.documents import Document, Kind
from rag.index.revision import IndexContent, Near, Vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_NUMBERS = 2_000_000  # in all vectors, 4 bytes each: 5200 vectors of 384 numbers, 1300 of 1536
_VECTORS, _DOCUMENTS = "vectors.npy", "documents.json"
_ROWS = TypeAdapter(list[Document])


class ExactVectors:
    """A revision's documents and vectors in memory. See `rag.index.revision.Vectors`. Immutable, so safe in threads.

    The documents' order must depend only on themselves. `vectors` has one nonzero row, of any length, per document.
    """

    exact = True

    def __init__(self, documents: Sequence[Document], vectors: NDArray[np.float32]) -> None:
        import numpy as np

        self._documents = list(documents)
        self._unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(np.float32).tiny)
        self._place = {document.id: place for place, document in enumerate(self._documents)}
        self._kinds = np.array([document.kind for document in self._documents])

    def nearest(self, vectors: Sequence[Sequence[float]], top_k: int, kinds: Collection[Kind] = ()) -> list[list[Near]]:
        import numpy as np

        queries = np.asarray(vectors, dtype=np.float32)
        queries = queries / np.maximum(np.linalg.norm(queries, axis=1, keepdims=True), np.finfo(np.float32).tiny)
        # Not `@`: BLAS would start its threads for these few numbers.
        scores = np.einsum("qn,dn->qd", queries, self._unit).round(6)
        places = np.flatnonzero(np.isin(self._kinds, sorted(kinds))) if kinds else np.arange(len(self._documents))
        return [self._best(row[places], places, top_k) for row in scores]

    def documents(self) -> list[Document]:
        return list(self._documents)

    def documents_by_id(self, ids: Collection[str]) -> dict[str, Document]:
        return {key: self._documents[self._place[key]] for key in ids if key in self._place}

    def ids(self) -> set[str]:
        return set(self._place)

    def vectors_of(self, ids: Collection[str]) -> dict[str, Sequence[float]]:
        return {key: self._unit[self._place[key]].tolist() for key in ids if key in self._place}

    def _best(self, scores: Any, places: Any, top_k: int) -> list[Near]:
        """The best of one row of scores, best first. Equal scores are ordered by id."""
        import numpy as np

        if len(scores) > top_k:
            least = np.partition(scores, len(scores) - top_k)[len(scores) - top_k]
            chosen = np.flatnonzero(scores >= least)
            scores, places = scores[chosen], places[chosen]
        hits = zip(places.tolist(), scores.tolist(), strict=True)
        # Rounded again, because the 32-bit numbers became 64-bit numbers.
        found = [(self._documents[place].id, round(score, 6)) for place, score in hits]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))[:top_k]


def write(folder: Path, content: IndexContent, vectors: Vectors) -> None:
    """Write the files of a revision if it is small enough. Delete those copied from the previous revision."""
    import numpy as np

    for name in (_VECTORS, _DOCUMENTS):
        (folder / name).unlink(missing_ok=True)
    if content.count * content.dimension > MOST_NUMBERS:
        return
    documents = vectors.documents()
    found = vectors.vectors_of([document.id for document in documents])
    rows = np.array([found[document.id] for document in documents], dtype=np.float32)
    np.save(folder / _VECTORS, rows.reshape(len(documents), content.dimension), allow_pickle=False)
    (folder / _DOCUMENTS).write_bytes(_ROWS.dump_json(documents))


def exists(folder: Path) -> bool:
    """Whether the revision in this folder has these files."""
    return (folder / _VECTORS).is_file()


def read(folder: Path) -> ExactVectors:
    """Load the files, after they have been verified."""
    import numpy as np

    documents = _ROWS.validate_json((folder / _DOCUMENTS).read_bytes())
    return ExactVectors(documents, np.load(folder / _VECTORS, allow_pickle=False))
