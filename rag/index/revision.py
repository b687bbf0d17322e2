"""A revision of an index: all documents under one name, such as a database's. It never changes.

A sync writes a new revision next to the old one and then switches to it in one step. A reader sees one of them
completely. A sync that is interrupted at any moment has changed nothing that anybody reads.
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
Near = tuple[str, float]  # a document's id, and its cosine similarity to what was searched

INDEX_VERSION = "2"  # raised when what is stored, or how, changes; an index of another version is made anew
_POLL_S = 0.2


@lru_cache(maxsize=1024)
def slug_of(name: str) -> str:
    """A name for files and collections: readable where the index's name can be, and never the same for two."""
    readable = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:40] or "x"
    return f"{readable}-{hashlib.sha256(name.encode()).hexdigest()[:12]}"


class IndexContent(Frozen):
    """What a revision holds, and what its vectors are. Equal contents answer equally.

    name: of the index.
    digest: of the ids of all documents, which are hashes of what they say.
    """

    name: str
    embedding_model: str
    dimension: int
    count: int
    digest: str
    index_version: str = INDEX_VERSION

    def comparable(self, other: IndexContent) -> bool:
        """Whether vectors of the one can stand beside vectors of the other."""
        return (self.embedding_model, self.dimension, self.index_version) == (
            other.embedding_model,
            other.dimension,
            other.index_version,
        )


def digest_of(ids: Iterable[str]) -> str:
    """The same for the same ids, in whatever order."""
    return hashlib.sha256("".join(sorted(ids)).encode()).hexdigest()[:32]


class Vectors(Protocol):
    """A revision's documents and their vectors. `exact`: whether a search compares all vectors, of whatever kinds."""

    exact: bool

    def nearest(self, vectors: Sequence[Sequence[float]], top_k: int, kinds: Collection[Kind] = ()) -> list[list[Near]]:
        """For each vector the documents nearest to it, best first, at most `top_k`; of any kind where none is named."""

    def documents(self) -> list[Document]:
        """All documents, in an order that depends on nothing but themselves."""

    def documents_by_id(self, ids: Collection[str]) -> dict[str, Document]:
        """The documents of these ids that exist, by id."""

    def ids(self) -> set[str]:
        """The ids of all documents."""

    def vectors_of(self, ids: Collection[str]) -> dict[str, Sequence[float]]:
        """The vectors of the documents that exist."""


class OpenRevision(NamedTuple):
    """A revision that is open. `revision` names it, and no other one ever."""

    revision: str
    content: IndexContent
    vectors: Vectors


class RevisionDraft(Protocol):
    """The next revision while it is written; readers do not see it.

    copied: whether it began as a copy of the current one, else empty.
    batch: documents that are well written at once.
    """

    copied: bool
    batch: int

    def write(self, documents: Sequence[Document], vectors: Sequence[Sequence[float]]) -> None:
        """Add documents with their vectors."""

    def delete(self, ids: Sequence[str]) -> None:
        """Take documents out."""

    def publish(self, content: IndexContent) -> None:
        """Make it the current revision, in one step. Raises StoreUnavailable where it is not what was written."""


class Revisions(Protocol):
    """Where revisions are kept. Safe in threads; every method raises StoreUnavailable and its kinds."""

    def content(self, name: str) -> IndexContent | None:
        """What the current revision holds; None without one. Cheap."""

    def needs_chroma(self, name: str) -> bool:
        """Whether it takes Chroma to read the current revision, or to make the first one. Cheap."""

    def read(self, name: str, use: Callable[[OpenRevision], T]) -> T | None:
        """What `use` makes of the current revision; None without one. Raises IndexDamaged."""

    def writing(self, name: str, turn: Turn) -> AbstractContextManager[tuple[str, ...]]:
        """Keep others from writing; first set aside what is damaged: the sentences that say so are what it yields."""

    def draft(self, name: str, changes: int, *, copied: bool) -> AbstractContextManager[RevisionDraft]:
        """A new revision, while `writing`; what is not published when it ends is discarded.

        `changes`: documents that will be written or deleted. If `copied`, it should begin as a copy of the current one;
        a draft may not be able to.
        """

    def close(self) -> None:
        """Give back files and connections; the next use opens them again."""


@dataclass(frozen=True)
class Turn:
    """How a sync waits while another process indexes the same, and how it is stopped.

    wait_s: seconds to wait; None: as long as it takes.
    waiting: called once where it has to wait.
    stop: set it to end the sync after its current batch, or while it waits.
    """

    wait_s: float | None = 30.0
    waiting: Callable[[], None] = lambda: None
    stop: threading.Event | None = None

    @property
    def is_stopped(self) -> bool:
        return self.stop is not None and self.stop.is_set()

    def attempts(self) -> Iterator[None]:
        """Once, then again while there is time. Raises IndexBusy: the time is over; IndexingStopped: `stop` was set."""
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
    """Hold a lock file; the system gives it back when the process ends. Raises IndexBusy: the turn's time is over."""
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
