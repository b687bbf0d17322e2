"""The index: documents and their vectors, by name, in Chroma.

The name is a database's, or any other name for documents. Each sync creates a revision and switches to it in one step
(`revision`). Chroma is a folder of this machine or a server. Several processes may read and write one folder: readers
are never blocked, and writers of one name take turns.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from executors.base import Frozen
from rag.docs.documents import Document, Kind, Retrieved
from rag.embedding.embedder import Embedder
from rag.errors import IndexDamaged, IndexingStopped, IndexOutdated
from rag.index import chroma
from rag.index.chroma_folder import FolderRevisions
from rag.index.chroma_server import ChromaServer, ServerRevisions
from rag.index.revision import IndexContent, Near, OpenRevision, RevisionDraft, Revisions, Turn, digest_of
from rag.index.vector_cache import VectorCache

_SHARE = 0.1  # share of the documents from which on those of some kinds are found among the nearest of all kinds
_MORE = 4  # factor for the number of hits requested in that case


class _HeldDocuments:
    """The documents of a revision, read once."""

    def __init__(self, reading: OpenRevision) -> None:
        self.revision = reading.revision
        self.documents: tuple[Document, ...] = tuple(reading.vectors.documents())
        self._by_id = {document.id: document for document in self.documents}
        self._kinds = Counter(document.kind for document in self.documents)

    def nearest(
        self, reading: OpenRevision, vector: Sequence[float], top_k: int, kinds: Collection[Kind]
    ) -> list[Retrieved]:
        """At most `top_k` documents nearest to a vector, best first. Without `kinds`, of all kinds."""
        found = self._nearest(reading, vector, top_k, frozenset(kinds or self._kinds))
        return [Retrieved(document=self._by_id[key], score=score) for key, score in found]

    def _nearest(
        self, reading: OpenRevision, vector: Sequence[float], top_k: int, kinds: frozenset[Kind]
    ) -> list[Near]:
        """Filter by kind in Chroma only if needed, because Chroma compares documents of a kind one by one."""
        wanted, every = sum(self._kinds[kind] for kind in kinds), len(self.documents)
        if not wanted:
            return []
        if wanted == every:
            return reading.vectors.nearest([vector], top_k)[0]
        if not reading.vectors.exact and wanted >= every * _SHARE:
            most = min(every, math.ceil(_MORE * top_k * every / wanted))
            (found,) = reading.vectors.nearest([vector], most)
            chosen = [hit for hit in found if self._by_id[hit[0]].kind in kinds][:top_k]
            if len(chosen) == min(top_k, wanted):
                return chosen
        return reading.vectors.nearest([vector], top_k, kinds)[0]


BATCH = 64  # documents per embedding call, unless the embedder states it; a killed sync loses at most one batch

Hit = TypeVar("Hit")
Progress = Callable[[int, int], None]  # documents done, documents in total


class SyncReport(Frozen):
    """The result of a sync, in documents.

    embedded: how many of the added documents had to be embedded. The others were embedded before an interruption.
    notes: for the operator, one sentence each: what was damaged and where it is kept.
    """

    added: int = 0
    removed: int = 0
    unchanged: int = 0
    embedded: int = 0
    notes: tuple[str, ...] = ()

    @property
    def document_count(self) -> int:
        """The number of documents in the index afterwards."""
        return self.added + self.unchanged

    def then(self, later: SyncReport) -> SyncReport:
        """The combined result of this sync and a later one of the same index."""
        return SyncReport(
            added=self.added + later.added,
            removed=self.removed + later.removed,
            unchanged=max(0, later.unchanged - self.added),
            embedded=self.embedded + later.embedded,
            notes=self.notes + later.notes,
        )


class Store:
    """Documents and their vectors. Methods block, and may be called from several threads at once.

    If a Chroma server stores the index, the folder holds locks and the vectors of unfinished syncs. Every method raises
    StoreUnavailable: the index cannot be opened, read or written, and the message states what to do; IndexDamaged: it
    is not what was written. `sync` sets it aside.
    """

    def __init__(self, path: Path, server: ChromaServer | None = None) -> None:
        self._path = path
        self._revisions: Revisions = FolderRevisions(path) if server is None else ServerRevisions(server, path)
        self._lock = threading.Lock()
        self._documents: dict[str, _HeldDocuments] = {}  # by name

    def sync(
        self,
        name: str,
        documents: Sequence[Document],
        embedder: Embedder,
        progress: Progress | None = None,
        turn: Turn | None = None,
    ) -> SyncReport:
        """Make the index of this name contain exactly these documents. Only texts that are new to it are embedded.

        The old index answers until the new one is complete. An index that is damaged, or has another embedding model or
        index version, is rebuilt. Vectors are kept as they are computed, so that a stopped, failed or killed sync can
        be continued. `progress` is called after each batch with the numbers of documents done and to be written in all.
        Raises EmbedderUnavailable; IndexBusy: another process has been indexing for too long; IndexingStopped.
        """
        wanted = {document.id: document for document in documents}
        content = IndexContent(
            name=name,
            embedding_model=embedder.name,
            dimension=embedder.dimension,
            count=len(wanted),
            digest=digest_of(wanted),
        )
        turn = turn or Turn()
        if self._holds(content):
            return SyncReport(unchanged=len(wanted))
        with self._revisions.writing(name, turn) as notes:
            sync = _Sync(self._revisions, content, wanted, embedder, self._path / "vectors.sqlite")
            try:
                return sync.run(progress or (lambda *_: None), turn, notes)
            finally:
                sync.close()

    def search(
        self,
        name: str,
        vector: Sequence[float],
        top_k: int,
        kinds: Collection[Kind] = (),
        *,
        model: str | None = None,
    ) -> list[Retrieved]:
        """At most `top_k` documents nearest to a vector, best first. Empty if nothing is indexed.

        With `kinds`, it is slow in an index of many thousands. Raises IndexOutdated: the index was made with an
        embedding model other than `model`.
        """
        (found,) = self._search(
            name, [vector], model, lambda it: [self._hold(name, it).nearest(it, vector, top_k, kinds)]
        )
        return found

    def search_ids(
        self, name: str, vectors: Sequence[Sequence[float]], top_k: int, *, model: str | None = None
    ) -> list[list[tuple[str, float]]]:
        """The ids and similarities of the nearest documents, without the documents. Arguments and errors: `search`."""
        return self._search(name, vectors, model, lambda it: it.vectors.nearest(vectors, top_k))

    def documents_by_id(self, name: str, ids: Collection[str]) -> dict[str, Document]:
        """The documents of these ids that exist now."""
        return self._revisions.read(name, lambda it: it.vectors.documents_by_id(sorted(ids))) or {}

    def documents(self, name: str) -> tuple[Document, ...]:
        """All documents, in an order that depends only on themselves. Works after a change of the model as well."""
        return self._revisions.read(name, lambda it: self._hold(name, it).documents) or ()

    def is_indexed(self, name: str) -> bool:
        """Whether a sync of this name has completed."""
        return self.content(name) is not None

    def content(self, name: str) -> IndexContent | None:
        """The contents of the index of this name, and the kind of its vectors. None if no sync has completed."""
        return self._revisions.content(name)

    def load(self, names: Iterable[str]) -> None:
        """Import Chroma if it is needed to read or create an index of one of these names."""
        if any(map(self._revisions.needs_chroma, names)):
            chroma.load()

    def close(self) -> None:
        """Release files and connections."""
        self._revisions.close()

    def _search(
        self,
        name: str,
        vectors: Sequence[Sequence[float]],
        model: str | None,
        nearest: Callable[[OpenRevision], list[list[Hit]]],
    ) -> list[list[Hit]]:
        """The result of `nearest` in the current revision, after checking that the vectors are from the same model."""

        def search(reading: OpenRevision) -> list[list[Hit]]:
            made_with = reading.content
            if model not in {None, made_with.embedding_model} or {*map(len, vectors)} != {made_with.dimension}:
                raise IndexOutdated(
                    f"The docs of {name!r} were indexed with the embedding model {made_with.embedding_model!r}, and "
                    "another one is set now. Index again: python -m agent index."
                )
            return nearest(reading) if made_with.count else []

        return (self._revisions.read(name, search) if vectors else None) or [[] for _ in vectors]

    def _hold(self, name: str, reading: OpenRevision) -> _HeldDocuments:
        known = self._documents.get(name)
        if known is None or known.revision != reading.revision:
            known = self._documents[name] = _HeldDocuments(reading)
        return known

    def _holds(self, content: IndexContent) -> bool:
        """Whether the index is sound and already has these contents, so that there is nothing to write or wait for."""
        try:
            if self._revisions.content(content.name) != content:
                return False
            return self._revisions.read(content.name, lambda _: True) or False
        except IndexDamaged:
            return False


class _Sync:
    """One sync, while no other process writes this name."""

    def __init__(
        self,
        revisions: Revisions,
        content: IndexContent,
        wanted: Mapping[str, Document],
        embedder: Embedder,
        cache: Path,
    ) -> None:
        self._revisions, self._content, self._wanted, self._embedder = revisions, content, wanted, embedder
        self._cache = VectorCache(cache, content)
        self._have: set[str] = set()
        self._embedded = 0

    def run(self, progress: Progress, turn: Turn, notes: tuple[str, ...]) -> SyncReport:
        """See `Store.sync`."""
        current = self._revisions.content(self._content.name)
        if current is not None and current.comparable(self._content):
            self._have = self._revisions.read(self._content.name, lambda it: it.vectors.ids()) or set()
        stale = sorted(self._have - self._wanted.keys())
        added = len(self._wanted.keys() - self._have)
        if current != self._content:
            # With few changes, changing a copy is faster than rebuilding the graph of neighbours.
            changes, small = len(stale) + added, len(stale) + added <= len(self._have) // 2
            with self._revisions.draft(self._content.name, changes, copied=small and bool(self._have)) as draft:
                held = self._have if draft.copied else set()
                draft.delete(sorted(held & {*stale}))
                self._write([it for it in self._wanted.values() if it.id not in held], draft, progress, turn)
                draft.publish(self._content)
            self._cache.keep_only(document.passage for document in self._wanted.values())
        return SyncReport(
            added=added,
            removed=len(stale),
            unchanged=len(self._wanted) - added,
            embedded=self._embedded,
            notes=(*notes, self._cache.problem) if self._cache.problem else notes,
        )

    def close(self) -> None:
        """Close the file of kept vectors."""
        self._cache.close()

    def _write(self, documents: list[Document], draft: RevisionDraft, progress: Progress, turn: Turn) -> None:
        """Write documents with their vectors. Those with known vectors come first, so that the time left is right."""
        documents.sort(key=lambda document: document.id not in self._have)
        waiting: list[Document] = []
        vectors: list[Sequence[float]] = []
        size = int(getattr(self._embedder, "batch", None) or BATCH)
        for start in range(0, len(documents), size):
            if turn.is_stopped:
                raise IndexingStopped(
                    "Indexing was stopped; the vectors made so far are kept, and the next run continues there."
                )
            batch = documents[start : start + size]
            waiting += batch
            vectors += self._vectors(batch)
            while len(waiting) >= draft.batch:
                draft.write(waiting[: draft.batch], vectors[: draft.batch])
                del waiting[: draft.batch], vectors[: draft.batch]
            progress(start + len(batch), len(documents))
        if waiting:
            draft.write(waiting, vectors)

    def _vectors(self, batch: Sequence[Document]) -> Iterator[Sequence[float]]:
        """One vector per document: kept, from the old index, or computed now and kept."""
        known: dict[str, Sequence[float]] = {**self._cache.get({document.passage for document in batch})}
        lacking = [document for document in batch if document.passage not in known]
        old = [document.id for document in lacking if document.id in self._have]
        if old:
            found = self._revisions.read(self._content.name, lambda it: it.vectors.vectors_of(old)) or {}
            known |= {document.passage: found[document.id] for document in lacking if document.id in found}
        texts = list(dict.fromkeys(document.passage for document in batch if document.passage not in known))
        if texts:
            computed = self._embedder.embed(texts)
            self._embedded += len(texts)
            self._cache.put(texts, computed)
            known |= dict(zip(texts, computed, strict=True))
        return (known[document.passage] for document in batch)
