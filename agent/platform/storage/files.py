"""Migration from version 1 to 2: verified queries, planned changes and added documents were separate SQLite files.

Each file is read into the store once and then renamed, so that no other store reads it again. Records that the store
already has are newer and stay.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from agent.core.errors import StateUnavailable
from agent.platform.storage.store import Insert, Place, StateStore, insert_missing

DONE = ".imported"  # after the file's name
FORGOTTEN_AFTER_S = 86_400.0  # a change's record outlives its token by so much

log = logging.getLogger(__name__)

Found = Iterator[tuple[Place, Insert]]


class _File(NamedTuple):
    """A file of version 1, and how to read it. needed: whether its content would be missed."""

    name: str
    read: Callable[[sqlite3.Connection], Found]
    needed: bool


def import_files(folder: Path, store: StateStore) -> None:
    """Read the files of a folder into a store. Raises StateUnavailable: the documents cannot be read; none is lost."""
    for file in _FILES:
        path = folder / file.name
        if path.exists():
            _import(path, file, store)


def _import(path: Path, file: _File, store: StateStore) -> None:
    by_place: dict[Place, list[Insert]] = defaultdict(list)
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            for place, insert in file.read(connection):
                by_place[place].append(insert)
    except (sqlite3.Error, ValueError) as error:
        if path.exists():  # else another process has read it meanwhile
            _cannot(file, error)
        return
    for place, inserts in by_place.items():
        insert_missing(store, place, inserts)
    try:
        path.rename(path.with_name(path.name + DONE))
    except FileNotFoundError:
        return  # as above
    except OSError as error:
        log.warning("%s was taken over and cannot be renamed: %s", path.name, error.strerror)


def _cannot(file: _File, error: Exception) -> None:
    """Report that a file cannot be read. Raises StateUnavailable where its content would be missed."""
    detail = f"{file.name} in the folder of PLUMBLINE_STATE_DIR cannot be migrated ({error})"
    if file.needed:
        raise StateUnavailable(f"{detail}. Repair it, or move it away to continue without its content.") from error
    log.warning("%s; it is left in place and no longer read.", detail)


def _read_verified(connection: sqlite3.Connection) -> Found:
    for database, question, sql, tables, fingerprint, used_at in connection.execute(
        "SELECT database, question, sql, tables, fingerprint, used_at FROM verified"
    ):
        query = {"sql": sql, "tables": json.loads(tables), "fingerprint": fingerprint}
        value = {"query": query, "used_at": used_at}
        yield Place(kind="verified", partition=database), Insert(key=question, value=value)


def _writes(connection: sqlite3.Connection) -> Found:
    for token, plan, until, used in connection.execute("SELECT token, plan, expires_at, used FROM writes"):
        value = {"plan": json.loads(plan), "until": until, "used": bool(used)}
        insert = Insert(key="plan", value=value, expires_at=until + FORGOTTEN_AFTER_S)
        yield Place(kind="write", partition=token), insert


def _documents(connection: sqlite3.Connection) -> Found:
    for number, database, key, document in connection.execute("SELECT number, database, id, document FROM documents"):
        value = {"document": json.loads(document), "added_at": float(number)}
        yield Place(kind="document", partition=database), Insert(key=key, value=value)


_FILES = (
    _File("verified.sqlite", _read_verified, needed=False),
    _File("writes.sqlite", _writes, needed=False),
    _File("documents.sqlite", _documents, needed=True),
)
