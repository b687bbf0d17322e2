"""The index: Chroma in a folder, one collection for each database.

Several processes may read the same folder while one writes. Chroma keeps the vectors that it has read in memory and
does not see what another process adds to them, so the collection carries a `revision`, set when a sync ends; a reader
that meets a new one opens the folder again. Writers take turns by a lock file. In one process, use one `Store` per
folder.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from executors.base import Frozen
from rag.documents import Document, Kind, Retrieved
from rag.embedder import Embedder
from rag.errors import IndexOutdated, StoreUnavailable

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection as ChromaCollection

INDEX_VERSION = "1"  # raised when what is stored, or how, changes; an index of another version is made anew
_BATCH = 64  # documents embedded and written at a time
_CONFIGURATION: Any = {"hnsw": {"space": "cosine", "ef_construction": 200, "ef_search": 200}}
_MEND = "Check that the folder can be written; if it is damaged, delete it and index again: python -m agent index."

Progress = Callable[[int, int], None]  # documents done, documents in all


class SyncReport(Frozen):
    """What a sync did, in documents."""

    added: int = 0
    removed: int = 0
    unchanged: int = 0


class Store:
    """Documents and their vectors. Methods block, and may be called from several threads at once.

    Args:
        path: the index's folder; made when first written to.
        lock_timeout_s: seconds to wait for another process that is indexing.

    Raises (every method):
        StoreUnavailable: the folder cannot be opened, read or written, or is damaged; the message says what to do.
    """

    def __init__(self, path: Path, *, lock_timeout_s: float = 30.0) -> None:
        self._path, self._lock_timeout_s = path, lock_timeout_s
        self._lock = threading.RLock()
        self._client: Client | None = None
        self._revisions: dict[str, str] = {}  # by collection: what the open client has read
        self._documents: dict[str, tuple[str, tuple[Document, ...]]] = {}  # by database, with their revision

    def sync(
        self, database: str, documents: Sequence[Document], embedder: Embedder, progress: Progress | None = None
    ) -> SyncReport:
        """Make the database's index hold exactly these documents; only new ones are embedded.

        An index of another embedding model or index version is made anew. What was written before an interruption is
        kept and not embedded again.

        Raises:
            EmbedderUnavailable: the documents cannot be embedded.
        """
        wanted = {document.id: document for document in documents}
        dimension = embedder.dimension  # an embedder that cannot work says so before anything is deleted
        with self._errors(), self._writing():
            with self._lock:
                name = self._prepare(database, embedder.name, dimension)
                have = set(self._named(name).get(include=[])["ids"])
            new = [document for key, document in wanted.items() if key not in have]
            for start in range(0, len(new), _BATCH):
                batch = new[start : start + _BATCH]
                vectors = embedder.embed([document.passage for document in batch])
                with self._lock:
                    _write(self._named(name), batch, vectors)
                if progress is not None:
                    progress(start + len(batch), len(new))
            gone = sorted(have - wanted.keys())
            with self._lock:
                collection = self._named(name)
                for start in range(0, len(gone), 1000):
                    collection.delete(ids=gone[start : start + 1000])
                revision = hashlib.sha256("".join(sorted(wanted)).encode()).hexdigest()[:16]
                collection.modify(metadata=_metadata(database, embedder.name, dimension, revision))
                self._revisions[collection.name] = f"{collection.id}/{revision}"
        return SyncReport(added=len(new), removed=len(gone), unchanged=len(wanted) - len(new))

    def search(
        self,
        database: str,
        vector: Sequence[float],
        top_k: int,
        kinds: Collection[Kind] = (),
        *,
        model: str | None = None,
    ) -> list[Retrieved]:
        """The documents nearest to a vector, best first, at most `top_k`; none where nothing is indexed.

        Args:
            kinds: only documents of these kinds; all where empty.
            model: name of the embedder that made the vector, where it is to be checked.

        Raises:
            IndexOutdated: the index was made with another embedding model.
        """
        with self._errors(), self._lock:
            collection = self._collection(database)
            if collection is None:
                return []
            made_with = collection.metadata["embedding_model"]
            if collection.metadata["dimension"] != len(vector) or (model is not None and made_with != model):
                raise IndexOutdated(
                    f"The docs of {database!r} were indexed with the embedding model {made_with!r}, and another one is "
                    "set now. Index again: python -m agent index."
                )
            found = collection.query(
                query_embeddings=cast(Any, [list(vector)]),
                n_results=top_k,
                where=cast(Any, {"kind": {"$in": sorted(kinds)}}) if kinds else None,
                include=["documents", "metadatas", "distances"],
            )
        rows = zip(
            found["ids"][0],
            (found["documents"] or [[]])[0],
            (found["metadatas"] or [[]])[0],
            (found["distances"] or [[]])[0],
            strict=True,
        )
        hits = [
            Retrieved(document=_document(key, text, meta), score=round(1.0 - far, 6)) for key, text, meta, far in rows
        ]
        return sorted(hits, key=lambda hit: (-hit.score, hit.document.id))

    def documents(self, database: str) -> tuple[Document, ...]:
        """All documents of a database, in an order that depends on nothing but themselves."""
        with self._errors(), self._lock:
            collection = self._collection(database)
            if collection is None:
                return ()
            revision = _revision(collection)
            known = self._documents.get(database)
            if known is not None and known[0] == revision:
                return known[1]
            found = collection.get(include=["documents", "metadatas"])
            rows = zip(found["ids"], found["documents"] or [], found["metadatas"] or [], strict=True)
            every = [_document(key, text, meta) for key, text, meta in rows]
            every.sort(key=lambda it: (it.kind, it.table, it.column, it.source, it.text, it.id))
            self._documents[database] = (revision, tuple(every))
            return self._documents[database][1]

    def indexed(self, database: str) -> bool:
        """True where a sync of this database has ended."""
        with self._errors(), self._lock:
            return self._collection(database) is not None

    def close(self) -> None:
        """Give back the files."""
        with self._lock:
            if self._client is not None:
                self._client.close()
            self._client = None
            self._revisions.clear()

    def _open(self) -> Client:
        if self._client is None:
            import chromadb
            from chromadb.api.shared_system_client import SharedSystemClient
            from chromadb.config import Settings
            from chromadb.errors import ChromaError

            self._path.mkdir(parents=True, exist_ok=True)
            settings = Settings(anonymized_telemetry=False)
            try:
                self._client = cast("Client", chromadb.PersistentClient(self._path, settings=settings))
            except ChromaError:
                # Chroma keeps what it had made so far for the next client of this folder, which then fails otherwise.
                SharedSystemClient._identifier_to_system.pop(str(self._path), None)
                raise
        return self._client

    def _find(self, name: str) -> ChromaCollection | None:
        from chromadb.errors import NotFoundError

        try:
            return self._open().get_collection(name, embedding_function=None)
        except NotFoundError:
            return None

    def _collection(self, database: str) -> ChromaCollection | None:
        """The finished collection, read anew where another process has changed it; None where there is none."""
        if self._client is None and not (self._path / "chroma.sqlite3").exists():
            return None  # reading makes no folders
        name = _collection_name(database)
        collection = self._find(name)
        if collection is None or not _is_current(collection):
            return None
        revision = _revision(collection)
        if self._revisions.setdefault(name, revision) != revision:
            self.close()
            self._revisions[name] = revision
            collection = self._find(name)
        return collection

    def _named(self, name: str) -> ChromaCollection:
        collection = self._find(name)
        if collection is None:
            raise StoreUnavailable(f"The index in {self._path.name!r} was deleted while it was written. Index again.")
        return collection

    def _prepare(self, database: str, model: str, dimension: int) -> str:
        """The name of a collection that can take vectors of this model: the one that is there, else a new one."""
        self.close()  # whatever another process wrote before it gave up the lock is to be seen
        name = _collection_name(database)
        collection = self._find(name)
        metadata = _metadata(database, model, dimension, "")
        if collection is not None:
            old = {**(collection.metadata or {}), "revision": ""}
            if old == metadata:
                return name
            self._open().delete_collection(name)
        self._open().create_collection(name, metadata=metadata, configuration=_CONFIGURATION, embedding_function=None)
        return name

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the lock file; other processes wait for it."""
        from filelock import FileLock, Timeout

        self._path.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(self._path / "index.lock", timeout=self._lock_timeout_s):
                yield
        except Timeout as error:
            raise StoreUnavailable(
                "Another process is indexing. Wait until it has finished, then try again."
            ) from error

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Chroma's errors, and those of the folder, as ours."""
        try:
            from chromadb.errors import ChromaError
        except ImportError as error:
            raise StoreUnavailable(
                "The package `chromadb` is not installed. Install it with `pip install -r requirements.txt`."
            ) from error
        try:
            yield
        except (ChromaError, OSError) as error:
            self.close()  # the next use opens the folder again
            # Of the reason only what names no path; the rest is in the cause, for the log.
            said = f" ({error.strerror})" if isinstance(error, OSError) else ""
            raise StoreUnavailable(
                f"The index in {self._path.name!r} cannot be read or written{said}. {_MEND}"
            ) from error


def _collection_name(database: str) -> str:
    """Chroma takes few characters in a name, a database's name may have any."""
    return "db-" + hashlib.sha256(database.encode()).hexdigest()[:32]


def _metadata(database: str, model: str, dimension: int, revision: str) -> dict[str, Any]:
    return {
        "database": database,
        "embedding_model": model,
        "dimension": dimension,
        "index_version": INDEX_VERSION,
        "revision": revision,
    }


def _is_current(collection: ChromaCollection) -> bool:
    metadata = collection.metadata or {}
    return metadata.get("index_version") == INDEX_VERSION and bool(metadata.get("revision"))


def _revision(collection: ChromaCollection) -> str:
    return f"{collection.id}/{collection.metadata['revision']}"


def _write(collection: ChromaCollection, batch: Sequence[Document], vectors: list[list[float]]) -> None:
    collection.upsert(
        ids=[document.id for document in batch],
        embeddings=cast(Any, vectors),
        documents=[document.text for document in batch],
        metadatas=[document.model_dump(include={"kind", "table", "column", "source", "sql"}) for document in batch],
    )


def _document(key: str, text: str, metadata: Any) -> Document:
    return Document(id=key, text=text, **metadata)
