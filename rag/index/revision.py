"""A revision of an index: all documents under one name, such as a database's. It never changes.

A sync writes a new revision next to the old one and then switches to it in one step. A reader sees either one
completely. A sync that is interrupted at any moment has changed nothing that a reader sees.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from executors.base import Frozen
from rag.docs.documents import Document, Kind
from rag.errors import IndexBusy, IndexingStopped

if TYPE_CHECKING:
    from pathlib import Path

T = TypeVar("T")
Near = tuple[str, float]  # a document's id, and its cosine similarity to the query

INDEX_VERSION = "2"  # raised when the format or content changes; an index of another version is rebuilt
_POLL_S = 0.2


@lru_cache(maxsize=1024)
def slug_of(name: str) -> str:
    """A name for files and collections: readable as far as possible, and unique for each index name."""
    readable = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:40] or "x"
    return f"{readable}-{hashlib.sha256(name.encode()).hexdigest()[:12]}"


class IndexContent(Frozen):
    """The contents of a revision, and the kind of its vectors. Equal contents give equal answers.

    name: of the index.
    digest: of the ids of all documents, which are hashes of their contents.
    """

    name: str
    embedding_model: str
    dimension: int
    count: int
    digest: str
    index_version: str = INDEX_VERSION

    def comparable(self, other: IndexContent) -> bool:
        """Whether vectors of the two can be used together."""
        return (self.embedding_model, self.dimension, self.index_version) == (
            other.embedding_model,
            other.dimension,
            other.index_version,
        )


def digest_of(ids: Iterable[str]) -> str:
    """A digest of ids that does not depend on their order."""
    return hashlib.sha256("".join(sorted(ids)).encode()).hexdigest()[:32]


class Vectors(Protocol):
    """A revision's documents and vectors. `exact`: whether a search compares all vectors, for any kinds."""

    exact: bool

    def nearest(self, vectors: Sequence[Sequence[float]], top_k: int, kinds: Collection[Kind] = ()) -> list[list[Near]]:
        """For each vector, at most `top_k` nearest documents, best first. Without `kinds`, of any kind."""

    def documents(self) -> list[Document]:
        """All documents, in an order that depends only on themselves."""

    def documents_by_id(self, ids: Collection[str]) -> dict[str, Document]:
        """The existing documents among these ids, by id."""

    def ids(self) -> set[str]:
        """The ids of all documents."""

    def vectors_of(self, ids: Collection[str]) -> dict[str, Sequence[float]]:
        """The vectors of the existing documents among these ids."""


class OpenRevision(NamedTuple):
    """An open revision. `revision` is its unique name."""

    revision: str
    content: IndexContent
    vectors: Vectors


class RevisionDraft(Protocol):
    """The next revision while it is being written. Readers do not see it.

    copied: whether it began as a copy of the current one, not empty.
    batch: the preferred number of documents per write.
    """

    copied: bool
    batch: int

    def write(self, documents: Sequence[Document], vectors: Sequence[Sequence[float]]) -> None:
        """Add documents with their vectors."""

    def delete(self, ids: Sequence[str]) -> None:
        """Delete documents."""

    def publish(self, content: IndexContent) -> None:
        """Make it the current revision, in one step. Raises StoreUnavailable if it is not what was written."""


class Revisions(Protocol):
    """Storage of revisions. Safe in threads. Every method raises StoreUnavailable and its subclasses."""

    def content(self, name: str) -> IndexContent | None:
        """The contents of the current revision. None if there is none. Cheap."""

    def needs_chroma(self, name: str) -> bool:
        """Whether Chroma is needed to read the current revision, or to create the first one. Cheap."""

    def read(self, name: str, use: Callable[[OpenRevision], T]) -> T | None:
        """The result of `use` for the current revision. None if there is none. Raises IndexDamaged."""

    def writing(self, name: str, turn: Turn) -> AbstractContextManager[tuple[str, ...]]:
        """Lock out other writers and set damaged data aside. Yields one note for each."""

    def draft(self, name: str, changes: int, *, copied: bool) -> AbstractContextManager[RevisionDraft]:
        """A new revision, within `writing`. If it is not published by the end, it is discarded.

        `changes`: the number of documents to write or delete. `copied`: begin with a copy of the current one, if the
        draft supports it.
        """

    def close(self) -> None:
        """Release files and connections. The next use opens them again."""


@dataclass(frozen=True)
class Turn:
    """How a sync waits while another process indexes the same documents, and how it is stopped.

    wait_s: seconds to wait. None: no limit.
    waiting: called once if the sync has to wait.
    stop: set it to end the sync after its current batch, or while it waits.
    """

    wait_s: float | None = 30.0
    waiting: Callable[[], None] = lambda: None
    stop: threading.Event | None = None

    @property
    def is_stopped(self) -> bool:
        return self.stop is not None and self.stop.is_set()

    def attempts(self) -> Iterator[None]:
        """Yield once, then again until time is over. Raises IndexBusy: it is over; IndexingStopped: `stop` was set."""
        waited, pause = 0.0, self.stop or threading.Event()
        while True:
            yield
            if self.is_stopped:
                raise IndexingStopped("Indexing was stopped. Index again: python -m agent index.")
            if self.wait_s is not None and waited >= self.wait_s:
                raise IndexBusy("Another process is indexing. Wait until it has finished, then try again.")
            if not waited:
                self.waiting()
            pause.wait(_POLL_S)
            waited += _POLL_S


@contextmanager
def file_lock(path: Path, turn: Turn) -> Iterator[None]:
    """Hold a lock file. The system releases it when the process ends. Raises IndexBusy: the turn's time is over."""
    from filelock import FileLock, Timeout

    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path)
    for _ in turn.attempts():
        try:
            lock.acquire(timeout=0)
        except Timeout:
            continue
        break
    try:
        yield
    finally:
        lock.release()
