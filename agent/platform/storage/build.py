"""Builds the store of the settings, imports its packages only then, and migrates older state."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from agent.core.errors import StateUnavailable
from agent.platform.config.settings import Settings
from agent.platform.storage.sqlite import MemoryStore, SqliteStore
from agent.platform.storage.store import (
    Change,
    Insert,
    Place,
    Record,
    Replace,
    StateConflict,
    StateStore,
    insert_missing,
)

FIRST = 1  # version of state without a version record: the first release wrote none
META, VERSION = Place(kind="meta", partition="state"), "version"

Migration = Callable[[StateStore], None]  # must be safe to repeat, run concurrently and interrupt


class VersionedStore:
    """A `StateStore` that is migrated before first use, from version `FIRST` on.

    The version is a record. Migrations only add: instances of the old release still work with the same state. Every
    method also raises StateUnavailable if a newer Plumbline wrote the state.
    """

    def __init__(self, store: StateStore, migrations: Sequence[Migration]) -> None:
        self.store, self._migrations = store, migrations
        self._lock, self._ready = threading.Lock(), False

    @property
    def version(self) -> int:
        """The version that this Plumbline writes."""
        return FIRST + len(self._migrations)

    def get(self, place: Place, key: str) -> Record | None:
        return self._current().get(place, key)

    def records(self, place: Place, *, prefix: str = "", start: str = "", limit: int | None = None) -> list[Record]:
        return self._current().records(place, prefix=prefix, start=start, limit=limit)

    def everywhere(self, kind: str, *, key: str | None = None, limit: int | None = None) -> list[Record]:
        return self._current().everywhere(kind, key=key, limit=limit)

    def commit(self, place: Place, changes: Sequence[Change]) -> list[str]:
        return self._current().commit(place, changes)

    def purge(self) -> int:
        return self._current().purge()

    def close(self) -> None:
        self.store.close()

    def _current(self) -> StateStore:
        if not self._ready:
            with self._lock:
                if not self._ready:
                    self._migrate()
                    self._ready = True
        return self.store

    def _migrate(self) -> None:
        record = self.store.get(META, VERSION)
        found = int(str(record.value["version"])) if record else FIRST
        if found > self.version:
            raise StateUnavailable(
                f"The state was written by a newer Plumbline (version {found}, this one knows {self.version}): run "
                "that one, or name another place in PLUMBLINE_STATE_DIR or PLUMBLINE_AZURE_TABLES_NAME."
            )
        for migrate in self._migrations[found - FIRST :]:
            migrate(self.store)
        if record is None or found < self.version:
            now = Replace(key=VERSION, value={"version": self.version}, version=record.version if record else "")
            with suppress(StateConflict):  # another process has done the same
                self.store.commit(META, [now])


DONE = ".imported"  # suffix of a migrated file
FORGOTTEN_AFTER_S = 86_400.0  # how long a change's record outlives its token

log = logging.getLogger(__name__)

Found = Iterator[tuple[Place, Insert]]


class _File(NamedTuple):
    """A file of version 1 and its reader. needed: whether losing its content is an error."""

    name: str
    read: Callable[[sqlite3.Connection], Found]
    needed: bool


def import_files(folder: Path, store: StateStore) -> None:
    """Migrate the SQLite files of version 1, once. Newer records are kept. Raises StateUnavailable."""
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
        detail = f"{file.name} in the folder of PLUMBLINE_STATE_DIR cannot be migrated ({error})"
        if not path.exists():
            return  # another process has read it meanwhile
        if file.needed:
            raise StateUnavailable(f"{detail}. Repair it, or move it away to continue without its content.") from error
        log.warning("%s; it is left in place and no longer read.", detail)
        return
    for place, inserts in by_place.items():
        insert_missing(store, place, inserts)
    try:
        path.rename(path.with_name(path.name + DONE))
    except FileNotFoundError:
        return  # as above
    except OSError as error:
        log.warning("%s was taken over and cannot be renamed: %s", path.name, error.strerror)


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


FILE = "state.sqlite"  # in the folder of `state_dir`


def build_store(settings: Settings) -> StateStore:
    """The state store of the settings. It is opened or connected on first use."""
    if settings.state_kind == "memory":
        return MemoryStore()
    store: StateStore
    if settings.state_kind == "azure_tables":
        from agent.platform.storage.azure_tables import AzureTablesStore

        connection = settings.azure_tables_connection
        store = AzureTablesStore(
            connection=connection.get_secret_value() if connection else "",
            endpoint=settings.azure_tables_endpoint or "",
            table=settings.azure_tables_name,
        )
    else:
        store = SqliteStore(settings.state_path / FILE)
    return VersionedStore(store, (partial(import_files, settings.state_path),))
