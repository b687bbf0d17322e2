"""Chroma's collections, wherever they are kept: how documents are written there and found again."""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from rag.documents import Document, Kind
from rag.errors import StoreUnavailable

if TYPE_CHECKING:
    from chromadb.api.models.Collection import Collection as ChromaCollection

_PAGE = 5000  # documents read at once
_LEAST_PERSISTED = 1000
_FIELDS = {"kind", "table", "column", "source", "sql"}

Near = tuple[str, float]  # a document's id, and its cosine similarity to what was searched


def load() -> None:
    """Import Chroma ahead of its first use, which takes most of a second; blocks. Raises StoreUnavailable."""
    with errors_told("The index", ""):
        import_module("chromadb.api.models.Collection")


def configuration(writes: int) -> Any:
    """How a collection's vectors are compared, and how often they are written to files, in `writes` writes."""
    graph = {"space": "cosine", "ef_construction": 200, "ef_search": 200}
    return {"hnsw": {**graph, "sync_threshold": persisted_after(writes)}}


def persisted_after(writes: int) -> int:
    """Writes after which a collection's vectors go to files, where so many are to come: each time all of them do."""
    return max(_LEAST_PERSISTED, writes // 8)


def persist_after(collection: ChromaCollection, writes: int) -> None:
    """Another number of writes after which vectors go to files; for a collection that was opened just now."""
    # What Chroma warns of is its own record of a collection without an embedding function.
    warnings.filterwarnings("ignore", "legacy embedding function", DeprecationWarning)
    collection.modify(configuration={"hnsw": {"sync_threshold": max(2, writes)}})


def write(collection: ChromaCollection, documents: Sequence[Document], vectors: Sequence[Sequence[float]]) -> None:
    """Add documents with their vectors, or replace them."""
    import numpy as np

    collection.upsert(
        ids=[document.id for document in documents],
        embeddings=np.asarray(vectors, dtype=np.float32),
        documents=[document.text for document in documents],
        metadatas=[document.model_dump(include=_FIELDS) for document in documents],
    )


def delete(collection: ChromaCollection, ids: Sequence[str]) -> None:
    """Take documents out."""
    for start in range(0, len(ids), 1000):
        collection.delete(ids=list(ids[start : start + 1000]))


def nearest(
    collection: ChromaCollection, vectors: Sequence[Sequence[float]], top_k: int, kinds: Collection[Kind] = ()
) -> list[list[Near]]:
    """For each vector the documents nearest to it, best first, at most `top_k`; of all kinds where `kinds` is empty.

    Only ids and similarities: to have Chroma look up the documents, too, takes longer than the search. With kinds it
    takes long where many documents are of them.
    """
    import numpy as np

    found = collection.query(
        query_embeddings=np.asarray(vectors, dtype=np.float32),
        n_results=top_k,
        where=cast(Any, {"kind": {"$in": sorted(kinds)}}) if kinds else None,
        include=["distances"],
    )
    answers = zip(found["ids"], cast(Any, found["distances"]), strict=True)
    hits = [[(key, round(1.0 - far, 6)) for key, far in zip(*answer, strict=True)] for answer in answers]
    return [sorted(one, key=lambda hit: (-hit[1], hit[0])) for one in hits]


def ids_of(collection: ChromaCollection) -> set[str]:
    """The ids of all documents."""
    return set(collection.get(include=[])["ids"])


def vectors_of(collection: ChromaCollection, ids: Sequence[str]) -> dict[str, Sequence[float]]:
    """The vectors of those documents that are there."""
    found = collection.get(ids=list(ids), include=["embeddings"])
    return dict(zip(found["ids"], cast(Any, found["embeddings"]), strict=True))


def documents_by_id(collection: ChromaCollection, ids: Sequence[str]) -> dict[str, Document]:
    """Those documents that are there, by id."""
    found = collection.get(ids=list(ids), include=["documents", "metadatas"])
    rows = zip(found["ids"], found["documents"] or [], found["metadatas"] or [], strict=True)
    return {key: _document(key, text, meta) for key, text, meta in rows}


def documents_of(collection: ChromaCollection) -> list[Document]:
    """All documents, in an order that depends on nothing but themselves."""
    every: list[Document] = []
    for start in range(0, collection.count(), _PAGE):
        found = collection.get(include=["documents", "metadatas"], limit=_PAGE, offset=start)
        rows = zip(found["ids"], found["documents"] or [], found["metadatas"] or [], strict=True)
        every += [_document(key, text, meta) for key, text, meta in rows]
    every.sort(key=lambda it: (it.kind, it.table, it.column, it.source, it.text, it.id))
    return every


@contextmanager
def errors_told(place: str, mend: str, *also: type[Exception]) -> Iterator[None]:
    """Errors of Chroma, of the system and of `also`, as StoreUnavailable.

    Args:
        place: what cannot be used, as `The index in 'index'`.
        mend: a sentence that says what to do.
        also: further errors that mean the same.
    """
    try:
        from chromadb.errors import ChromaError
    except ImportError as error:
        raise StoreUnavailable(
            "The package `chromadb` is not installed. Install it with `pip install -r requirements.txt`."
        ) from error
    expected: tuple[type[Exception], ...] = (ChromaError, OSError, sqlite3.Error, *also)
    try:
        yield
    except expected as error:
        # Of the reason only what names no path or address; the rest is in the cause, for the log.
        said = f" ({error.strerror})" if isinstance(error, OSError) and error.strerror else ""
        raise StoreUnavailable(f"{place} cannot be read or written{said}. {mend}") from error
    except BaseException as error:
        if type(error).__module__ != "pyo3_runtime":  # a panic of Chroma's Rust code, which is no Exception
            raise
        raise StoreUnavailable(f"{place} cannot be read or written. {mend}") from error


def _document(key: str, text: str, metadata: Any) -> Document:
    return Document(id=key, text=text, **metadata)
