"""Chroma in a folder: each revision is a small Chroma in its own folder, which never changes once it is complete.

Chroma does not support sharing a folder between processes: a process that has already read a folder does not see
vectors that another one adds, two writers silently lose each other's vectors, and even a reader may write files. So a
revision is written in a folder that no reader opens, and becomes the current one when that folder is renamed.

Chroma also trusts its files: a missing file gives wrong answers, a damaged one can end the process. So the hashes of a
revision's files are stored with it and compared before Chroma opens them.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import shutil
import sqlite3
import struct
import tempfile
import threading
import uuid
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from pydantic import ValidationError

from executors.base import Frozen
from rag.docs.documents import Document
from rag.errors import IndexDamaged, StoreUnavailable
from rag.index import chroma, exact
from rag.index.chroma import import_chroma
from rag.index.revision import IndexContent, OpenRevision, RevisionDraft, T, Turn, file_lock, slug_of
from rag.index.vector_cache import aside_of, close_tree, keep_others_out, make_folder

if TYPE_CHECKING:
    from chromadb.api.client import Client

MANIFEST, _SQLITE = "manifest.json", "chroma.sqlite3"
_HEADER = struct.Struct("<iQQQQ")  # of hnswlib's files: version, offset, capacity, elements, bytes per element
_HEADER_VERSION = 1


class Manifest(Frozen):
    """The contents of a revision. files: hash by name, without SQLite's file, which every reader touches."""

    content: IndexContent
    files: dict[str, str]


def open_client(folder: Path) -> Client:
    """Open Chroma in a folder. Raises ChromaError; StoreUnavailable: it is not installed."""
    import_chroma()
    import chromadb
    from chromadb.api.shared_system_client import SharedSystemClient
    from chromadb.config import Settings
    from chromadb.errors import ChromaError

    try:
        return cast("Client", chromadb.PersistentClient(folder, settings=Settings(anonymized_telemetry=False)))
    except ChromaError:
        # Chroma keeps the partial system for the next client of this folder, which would then fail with another error.
        SharedSystemClient._identifier_to_system.pop(str(folder), None)
        raise


def read_manifest(folder: Path, name: str) -> Manifest:
    """The manifest of a revision. Raises IndexDamaged; FileNotFoundError if the folder is gone."""
    path = folder / MANIFEST
    try:
        manifest: Manifest | None = Manifest.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        if not folder.exists():
            raise  # it was just replaced
        manifest = None
    except ValidationError:
        manifest = None
    if manifest is None or manifest.content.name != name:
        raise _build_damage_error(name, MANIFEST)
    return manifest


def has_vectors(folder: Path, count: int) -> bool:
    """Whether the files contain that many vectors. On a full disk, Chroma writes what fits and reports no error."""
    if not count:
        return True
    held = 0
    for header in folder.rglob("header.bin"):
        fields = header.read_bytes()
        if len(fields) < _HEADER.size:
            return False
        version, _, _, elements, size = _HEADER.unpack_from(fields)
        whole = (header.parent / "data_level0.bin").stat().st_size >= elements * size
        held += elements if whole or version != _HEADER_VERSION else 0
    return held >= count


def verify(folder: Path, manifest: Manifest) -> None:
    """Compare a revision's files with their stored hashes. Raises IndexDamaged."""
    found = hashes(folder)
    for file in sorted(found.keys() | manifest.files.keys()):
        if found.get(file) != manifest.files.get(file):
            raise _build_damage_error(manifest.content.name, Path(file).name)
    try:
        with closing(sqlite3.connect(f"{(folder / _SQLITE).absolute().as_uri()}?mode=ro", uri=True)) as connection:
            sound = connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
            count = connection.execute("SELECT count(*) FROM embeddings").fetchone()[0] if sound else 0
    except sqlite3.DatabaseError as error:
        stored = folder / _SQLITE
        if isinstance(error, sqlite3.OperationalError) and stored.is_file() and stored.stat().st_size:
            raise
        sound, count = False, 0
    if not sound or count != manifest.content.count:
        raise _build_damage_error(manifest.content.name, _SQLITE)


def scrub(folder: Path) -> None:
    """Purge deleted data from SQLite's file, where it stays until the space is reused. Values of a column that became
    private must not remain there."""
    with closing(sqlite3.connect(folder / _SQLITE)) as connection:
        connection.execute("VACUUM")


def hashes(folder: Path) -> dict[str, str]:
    """The hash of each file, except SQLite's files and the manifest."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name != MANIFEST and not name.startswith(_SQLITE):
            with path.open("rb") as file:
                found[name] = hashlib.file_digest(file, "blake2b").hexdigest()[:32]
    return found


def _build_damage_error(name: str, file: str) -> IndexDamaged:
    return IndexDamaged(
        f"The index of {name!r} is damaged ({file}); index again: `python -m agent index` sets it aside and makes "
        "another one."
    )


_OPEN = 16  # revisions that this process keeps open
_COLLECTION = "documents"
_REVISION = re.compile(r"r-(\d{6,})-[0-9a-f]{8}")  # the suffix makes names unique even if a number is reused
_ADVICE = "Check that the folder can be written and that the disk has room, then index again: python -m agent index."
_ROOM = 1_000_000  # bytes that must be free at the end
_SAMPLE = 3  # vectors that are checked in a new revision
_SAME = 0.001  # greatest distance between a vector and its stored 32-bit copy


class _Opened(NamedTuple):
    folder: Path
    reading: OpenRevision
    client: Client | None = None  # None: a small revision with its vectors in memory
    copy: Path | None = None  # a copy that is read instead if the folder is read-only


class FolderRevisions:
    """Revisions in a folder, created at the first write. See `rag.index.revision.Revisions`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._opened: OrderedDict[str, _Opened] = OrderedDict()
        self._locks: defaultdict[str, threading.RLock] = defaultdict(threading.RLock)
        self._lock = threading.Lock()

    def content(self, name: str) -> IndexContent | None:
        with self._errors():
            folder = self._current(name)
            while folder is not None:
                try:
                    return read_manifest(folder, name).content
                except FileNotFoundError:
                    previous, folder = folder, self._current(name)
                    if folder == previous:
                        raise
            return None

    def needs_chroma(self, name: str) -> bool:
        with self._errors():
            folder = self._current(name)
            return folder is None or not exact.exists(folder)

    def read(self, name: str, use: Callable[[OpenRevision], T]) -> T | None:
        with self._lock_of(name), self._errors():
            folder = self._current(name)
            while folder is not None:
                try:
                    with _chroma_errors():
                        return use(self._open(name, folder))
                except StoreUnavailable:
                    self._close(name)
                    replaced, folder = folder, self._current(name)
                    if folder == replaced:  # otherwise it was removed because there is a newer one
                        raise
            return None

    @contextmanager
    def writing(self, name: str, turn: Turn) -> Iterator[tuple[str, ...]]:
        with self._errors():
            home = self._home(name)
            make_folder(home)
            with file_lock(home / "index.lock", turn):
                for left in home.glob("draft-*"):  # left by a killed process
                    shutil.rmtree(left)
                yield self._set_aside(name)

    @contextmanager
    def draft(self, name: str, changes: int, *, copied: bool) -> Iterator[RevisionDraft]:
        current = self._current(name)
        number = int(_number(current)) + 1 if current else 1
        home = self._home(name)
        folder = home / f"draft-{uuid.uuid4().hex[:12]}"
        make_folder(folder)
        draft = _FolderDraft(
            folder, home / f"r-{number:06d}-{uuid.uuid4().hex[:8]}", changes, base=current if copied else None
        )
        try:
            with _chroma_errors():
                draft.open()
                yield draft
        finally:
            draft.close()
            shutil.rmtree(folder, ignore_errors=True)
        for old in self._revisions(name)[:-1]:  # if another process holds its files, the next sync removes it
            shutil.rmtree(home / old, ignore_errors=True)

    def close(self) -> None:
        for name in tuple(self._opened):
            with self._lock_of(name):
                self._close(name)

    def _home(self, name: str) -> Path:
        return self._path / slug_of(name)

    def _lock_of(self, name: str) -> threading.RLock:
        with self._lock:
            return self._locks[name]

    def _revisions(self, name: str) -> list[str]:
        """The folder names of complete revisions, the current one last."""
        try:
            names = os.listdir(self._home(name))  # noqa: PTH208  ten times per question; a path for each takes longer
        except FileNotFoundError:
            return []
        return sorted(filter(_REVISION.fullmatch, names))

    def _current(self, name: str) -> Path | None:
        names = self._revisions(name)
        return self._home(name) / names[-1] if names else None

    def _set_aside(self, name: str) -> tuple[str, ...]:
        """Rename a damaged revision, and return a note about it."""
        folder = self._current(name)
        if folder is None:
            return ()
        try:
            verify(folder, read_manifest(folder, name))
        except IndexDamaged as damage:
            with self._lock_of(name):
                self._close(name)
            aside = folder.rename(aside_of(folder))
            return (f"{damage} It is kept aside as {slug_of(name)}/{aside.name}, and a new one is built.",)
        return ()

    def _open(self, name: str, folder: Path) -> OpenRevision:
        opened = self._opened.get(name)
        if opened is not None and opened.folder == folder:
            self._opened.move_to_end(name)
            return opened.reading
        self._close(name)
        keep_others_out(folder.parent)  # older versions let everybody read it
        manifest = read_manifest(folder, name)
        verify(folder, manifest)
        if exact.exists(folder):
            opened = _Opened(folder, OpenRevision(str(folder), manifest.content, exact.read(folder)))
        else:
            opened = _in_chroma(folder, manifest)
        self._opened[name] = opened
        while len(self._opened) > _OPEN:
            self._close_oldest(but=name)
        return opened.reading

    def _close_oldest(self, *, but: str) -> None:
        for name in [one for one in tuple(self._opened) if one != but]:
            lock = self._lock_of(name)
            if lock.acquire(blocking=False):  # a revision that is being read stays open
                try:
                    self._close(name)
                finally:
                    lock.release()
                return

    def _close(self, name: str) -> None:
        opened = self._opened.pop(name, None)
        if opened is not None and opened.client is not None:
            opened.client.close()
            if opened.copy is not None:
                shutil.rmtree(opened.copy, ignore_errors=True)

    def _errors(self) -> AbstractContextManager[None]:
        """Convert errors of the folder to StoreUnavailable, without its path."""
        return chroma.translate_errors(f"The index in {self._path.name!r}", _ADVICE)


def _in_chroma(folder: Path, manifest: Manifest) -> _Opened:
    """Raises ChromaError; StoreUnavailable: it is not installed."""
    copy = None if os.access(folder, os.W_OK) else Path(tempfile.mkdtemp(prefix="plumbline-index-"))
    if copy is not None:
        shutil.copytree(folder, copy, dirs_exist_ok=True, copy_function=shutil.copyfile)
    client = open_client(copy or folder)
    vectors = chroma.ChromaVectors(client.get_collection(_COLLECTION, embedding_function=None))
    return _Opened(folder, OpenRevision(str(folder), manifest.content, vectors), client, copy)


class _FolderDraft:
    """A revision that is being written, in a folder that no other process opens."""

    batch = 1000

    def __init__(self, folder: Path, final: Path, changes: int, *, base: Path | None) -> None:
        self._folder, self._final, self._changes, self._base = folder, final, changes, base
        self.copied = base is not None
        self._deletes = False
        self._client: Client | None = None
        self._collection: Any = None
        self._sample: dict[str, Sequence[float]] = {}

    def open(self) -> None:
        if self._base is not None:
            shutil.copytree(self._base, self._folder, dirs_exist_ok=True)
            (self._folder / MANIFEST).unlink()
            self._client = open_client(self._folder)
            self._collection = self._client.get_collection(_COLLECTION, embedding_function=None)
            chroma.persist_after(self._collection, chroma.choose_persist_threshold(self._changes))
            return
        self._client = open_client(self._folder)
        self._collection = self._client.create_collection(
            _COLLECTION, configuration=chroma.configuration(self._changes), embedding_function=None
        )

    def write(self, documents: Sequence[Document], vectors: Sequence[Sequence[float]]) -> None:
        chroma.write(self._collection, documents, vectors)
        self._sample = {**dict(list(self._sample.items())[: _SAMPLE - 1]), documents[-1].id: vectors[-1]}

    def delete(self, ids: Sequence[str]) -> None:
        chroma.delete(self._collection, ids)
        self._deletes = self._deletes or bool(ids)

    def publish(self, content: IndexContent) -> None:
        self.close()
        self._persist()
        if self._deletes:
            scrub(self._folder)
        self._check(content)
        manifest = Manifest(content=content, files=hashes(self._folder))
        with (self._folder / MANIFEST).open("w", encoding="utf-8") as file:
            file.write(manifest.model_dump_json(indent=1))
            file.flush()
            os.fsync(file.fileno())
        close_tree(self._folder)
        self._folder.rename(self._final)

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
        self._client = self._collection = None

    def _persist(self) -> None:
        """Make Chroma write all vectors to files, so that readers have nothing left to write.

        Chroma does so after a number of writes, and only a client that was just opened accepts a new number.
        """
        with closing(open_client(self._folder)) as client:
            collection = client.get_collection(_COLLECTION, embedding_function=None)
            found = collection.get(limit=1, include=["documents", "metadatas", "embeddings"])
            if not found["ids"]:
                return
            chroma.persist_after(collection, 2)
            for _ in range(2):
                collection.upsert(
                    ids=found["ids"],
                    documents=found["documents"],
                    metadatas=found["metadatas"],
                    embeddings=found["embeddings"],
                )

    def _check(self, content: IndexContent) -> None:
        """Open the new revision as a reader will, and check a sample. Raises StoreUnavailable."""
        room = self._folder / "room"
        room.write_bytes(bytes(_ROOM))  # OSError: the disk is full, and may have been full when Chroma wrote
        room.unlink()
        with closing(open_client(self._folder)) as client:
            collection = client.get_collection(_COLLECTION, embedding_function=None)
            whole = collection.count() == content.count and has_vectors(self._folder, content.count)
            vectors = chroma.ChromaVectors(collection)
            found = vectors.vectors_of(self._sample)
            if whole:
                exact.write(self._folder, content, vectors)
        whole = whole and all(key in found and math.dist(found[key], self._sample[key]) < _SAME for key in self._sample)
        if not whole:
            raise StoreUnavailable(f"The new index does not match what was written; the old one is kept. {_ADVICE}")


def _chroma_errors() -> Any:
    return chroma.translate_errors("The index", _ADVICE)


def _number(folder: Path) -> str:
    match = _REVISION.fullmatch(folder.name)
    return match[1] if match else "0"
