"""Writes documents to Chroma's collections, in a folder or on a server, and searches them."""

from __future__ import annotations

import sqlite3
import sys
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from rag.docs.documents import Document, Kind
from rag.errors import StoreUnavailable
from rag.index.revision import Near

if TYPE_CHECKING:
    from chromadb.api.models.Collection import Collection as ChromaCollection

_PAGE = 5000  # documents read at once
_LEAST_PERSISTED = 1000
_FIELDS = {"kind", "table", "column", "source", "sql"}


def load() -> None:
    """Import Chroma before its first use, which takes most of a second. Blocks. Raises StoreUnavailable."""
    import_chroma()
    with translate_errors("The index", ""):
        import_module("chromadb.api.models.Collection")


def configuration(writes: int) -> Any:
    """A collection's distance, and how often its vectors are persisted in `writes` writes."""
    graph = {"space": "cosine", "ef_construction": 200, "ef_search": 200}
    return {"hnsw": {**graph, "sync_threshold": choose_persist_threshold(writes)}}


def choose_persist_threshold(writes: int) -> int:
    """Number of writes after which vectors are persisted, if `writes` follow. All vectors are written each time."""
    return max(_LEAST_PERSISTED, writes // 8)


def persist_after(collection: ChromaCollection, writes: int) -> None:
    """Set the number of writes after which vectors are persisted. For a collection that was just opened."""
    # Chroma warns about its own record of a collection without an embedding function.
    warnings.filterwarnings("ignore", "legacy embedding function", DeprecationWarning)
    collection.modify(configuration={"hnsw": {"sync_threshold": max(2, writes)}})


def write(collection: ChromaCollection, documents: Sequence[Document], vectors: Sequence[Sequence[float]]) -> None:
    """Add or replace documents with their vectors."""
    import numpy as np

    collection.upsert(
        ids=[document.id for document in documents],
        embeddings=np.asarray(vectors, dtype=np.float32),
        documents=[document.text for document in documents],
        metadatas=[document.model_dump(include=_FIELDS) for document in documents],
    )


def delete(collection: ChromaCollection, ids: Sequence[str]) -> None:
    """Delete documents."""
    for start in range(0, len(ids), 1000):
        collection.delete(ids=list(ids[start : start + 1000]))


class ChromaVectors:
    """The contents of a collection. See `rag.index.revision.Vectors`."""

    exact = False

    def __init__(self, collection: ChromaCollection) -> None:
        self._collection = collection

    def nearest(self, vectors: Sequence[Sequence[float]], top_k: int, kinds: Collection[Kind] = ()) -> list[list[Near]]:
        """See `Vectors`. Requests only ids: looking up the documents takes Chroma longer than the search. With kinds,
        it is slow if many documents are of these kinds."""
        import numpy as np

        found = self._collection.query(
            query_embeddings=np.asarray(vectors, dtype=np.float32),
            n_results=top_k,
            where=cast(Any, {"kind": {"$in": sorted(kinds)}}) if kinds else None,
            include=["distances"],
        )
        answers = zip(found["ids"], cast(Any, found["distances"]), strict=True)
        hits = [[(key, round(1.0 - far, 6)) for key, far in zip(*answer, strict=True)] for answer in answers]
        return [sorted(one, key=lambda hit: (-hit[1], hit[0])) for one in hits]

    def ids(self) -> set[str]:
        return set(self._collection.get(include=[])["ids"])

    def vectors_of(self, ids: Collection[str]) -> dict[str, Sequence[float]]:
        if not ids:
            return {}
        found = self._collection.get(ids=list(ids), include=["embeddings"])
        return dict(zip(found["ids"], cast(Any, found["embeddings"]), strict=True))

    def documents_by_id(self, ids: Collection[str]) -> dict[str, Document]:
        return {document.id: document for document in self._read(ids=list(ids))}

    def documents(self) -> list[Document]:
        every: list[Document] = []
        for start in range(0, self._collection.count(), _PAGE):
            every += self._read(limit=_PAGE, offset=start)
        every.sort(key=lambda it: (it.kind, it.table, it.column, it.source, it.text, it.id))
        return every

    def _read(self, **which: Any) -> list[Document]:
        found = self._collection.get(include=["documents", "metadatas"], **which)
        rows = zip(found["ids"], found["documents"] or [], cast(Any, found["metadatas"] or []), strict=True)
        return [Document(id=key, text=text, **metadata) for key, text, metadata in rows]


@contextmanager
def translate_errors(place: str, advice: str, *also: type[Exception]) -> Iterator[None]:
    """Convert errors of Chroma, the system and `also` to StoreUnavailable: what failed, and what to do."""
    expected: tuple[type[Exception], ...] = (OSError, sqlite3.Error, *also)
    try:
        yield
    except expected as error:
        # Include only reasons without paths or addresses. The cause has the rest, for the log.
        detail = f" ({error.strerror})" if isinstance(error, OSError) and error.strerror else ""
        raise StoreUnavailable(f"{place} cannot be read or written{detail}. {advice}") from error
    except BaseException as error:
        if not _is_chromas(error):
            raise
        raise StoreUnavailable(f"{place} cannot be read or written. {advice}") from error


def import_chroma() -> None:
    """Import the package, which takes most of a second. Raises StoreUnavailable if it is not installed."""
    # Import all of numpy first. Chroma first imports a part of it, and Python does not make that wait for another
    # thread that is importing the whole, such as the embedder's. That import then fails and leaves a partial numpy.
    with suppress(ImportError):
        import_module("numpy")
    try:
        import_module("chromadb.errors")
    except ImportError as error:
        raise StoreUnavailable(
            "The package `chromadb` is not installed. Install it with `pip install -r requirements.txt`."
        ) from error


def _is_chromas(error: BaseException) -> bool:
    """Whether Chroma raised the error. If Chroma was never imported, it did not; this check does not import it."""
    if type(error).__module__ == "pyo3_runtime":  # a panic of its Rust code, which is no Exception
        return True
    known = sys.modules.get("chromadb.errors")
    return known is not None and isinstance(error, known.ChromaError)
