"""A revision's files: checks that they are complete and unchanged before it opens them."""

from __future__ import annotations

import hashlib
import sqlite3
import struct
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pydantic import ValidationError

from executors.base import Frozen
from rag.errors import IndexDamaged
from rag.index.chroma import import_chroma
from rag.index.revision import IndexContent

if TYPE_CHECKING:
    from chromadb.api.client import Client

MANIFEST, _SQLITE = "manifest.json", "chroma.sqlite3"
_HEADER = struct.Struct("<iQQQQ")  # of hnswlib's files: version, offset, room for elements, elements, bytes of each
_HEADER_VERSION = 1


class Manifest(Frozen):
    """What a revision holds. files: hash by name, without SQLite's, which every reader touches."""

    content: IndexContent
    files: dict[str, str]


def open_client(folder: Path) -> Client:
    """Chroma in a folder. Raises ChromaError; StoreUnavailable: it is not installed."""
    import_chroma()
    import chromadb
    from chromadb.api.shared_system_client import SharedSystemClient
    from chromadb.config import Settings
    from chromadb.errors import ChromaError

    try:
        return cast("Client", chromadb.PersistentClient(folder, settings=Settings(anonymized_telemetry=False)))
    except ChromaError:
        # Chroma keeps what it had made so far for the next client of this folder, which then fails otherwise.
        SharedSystemClient._identifier_to_system.pop(str(folder), None)
        raise


def read_manifest(folder: Path, name: str) -> Manifest:
    """What a revision holds. Raises IndexDamaged; FileNotFoundError where the folder is gone."""
    path = folder / MANIFEST
    try:
        manifest: Manifest | None = Manifest.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        if not folder.exists():
            raise  # replaced just now
        manifest = None
    except ValidationError:
        manifest = None
    if manifest is None or manifest.content.name != name:
        raise _build_damage_error(name, MANIFEST)
    return manifest


def has_vectors(folder: Path, count: int) -> bool:
    """Whether the files hold that many vectors: on a full disk Chroma writes what fits, and does not say so."""
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
    """Compare a revision's files with what was written. Raises IndexDamaged."""
    found = hashes(folder)
    for file in sorted(found.keys() | manifest.files.keys()):
        if found.get(file) != manifest.files.get(file):
            raise _build_damage_error(manifest.content.name, Path(file).name)
    try:
        with closing(sqlite3.connect(f"{(folder / _SQLITE).absolute().as_uri()}?mode=ro", uri=True)) as connection:
            sound = connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
            count = connection.execute("SELECT count(*) FROM embeddings").fetchone()[0] if sound else 0
    except sqlite3.OperationalError:
        if (folder / _SQLITE).is_file() and (folder / _SQLITE).stat().st_size:
            raise
        sound, count = False, 0
    except sqlite3.DatabaseError:
        sound, count = False, 0
    if not sound or count != manifest.content.count:
        raise _build_damage_error(manifest.content.name, _SQLITE)


def scrub(folder: Path) -> None:
    """Take what was deleted out of SQLite's file as well, where it stays until its room is needed.

    A value whose column has become private must not be there to be found.
    """
    with closing(sqlite3.connect(folder / _SQLITE)) as connection:
        connection.execute("VACUUM")


def hashes(folder: Path) -> dict[str, str]:
    """The hash of each file but SQLite's own and the manifest."""
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
