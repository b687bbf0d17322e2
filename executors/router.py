"""Finds the executor of a database by its name."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from executors.base import Executor
from executors.dialects.table import DIALECTS
from executors.engines.common.servers import failures
from executors.engines.common.servers.patient import PatientExecutor
from executors.errors import DatabaseUnavailable, UnknownDatabase
from executors.guard.private import PrivateColumns, PrivateExecutor
from executors.registry.entry import ServerOptions
from executors.registry.kinds import Kind, is_glob, kind_of, local_path
from executors.registry.openers import OPENERS
from executors.registry.registry import Entry, Registry, server_entry
from executors.workers import checking
from executors.workers.isolated import open_isolated
from executors.workers.pool import get_shared_pool


class Router:
    """Opens databases by name, each once and on first use. Thread-safe.

    Args:
        sample_values: Number of stored values shown per text column of a schema.
        duckdb_memory: Memory limit of each DuckDB database, such as `1GB`.
        duckdb_threads: Number of threads of each DuckDB database.
        server: Options of servers whose entry sets none. A database may be written to only if both `writable` here and
            its entry allow it.
        workers: Maximum number of processes for all local databases together.
        worker_memory: Memory limit of each process, in bytes.
    """

    def __init__(
        self,
        registry: Registry,
        *,
        sample_values: int,
        duckdb_memory: str,
        duckdb_threads: int,
        server: ServerOptions | None = None,
        workers: int = 4,
        worker_memory: int = 2 * 10**9,
    ) -> None:
        self._pool, self._holds = get_shared_pool(workers, worker_memory), False
        self._pools = (self._pool, checking.workers())
        self._registry, self._added, self._uploads = _by_name(registry.entries), dict[str, Entry](), dict[str, Entry]()
        self._entries = dict(self._registry)
        self._sample_values, self._memory, self._threads = sample_values, duckdb_memory, duckdb_threads
        self._server = (server or ServerOptions()).model_copy(update={"sample_values": sample_values})
        self._lock = threading.Lock()
        self._open: dict[str, Executor] = {}

    def names(self, principal: str | None = None) -> tuple[str, ...]:
        """Names of the databases that a principal may query: the registry's in its order, then all others."""
        return tuple(name for name, entry in self._entries.items() if entry.admits(principal))

    def entry(self, name: str, principal: str | None = None) -> Entry:
        """The registry's entry of a database.
        Args: principal: the caller; None: this machine's own user, who may query every database.
        Raises UnknownDatabase: there is no such database, or the principal may not query it."""
        entry = self._entries.get(name)
        if entry is None or not entry.admits(principal):
            raise UnknownDatabase(name, self.names(principal))
        return entry

    def get(self, name: str) -> Executor:
        """The executor of a database.
        Raises UnknownDatabase: it carries the known names; DatabaseUnavailable: the file does not exist or is of an
        unknown kind, or the driver is not installed."""
        entry = self.entry(name)
        with self._lock:
            if name not in self._open:
                executor = self._executor(entry)
                private = PrivateColumns(entry.private)
                self._open[name] = PrivateExecutor(executor, private) if entry.private else executor
            return self._open[name]

    def add(self, path: Path, *, docs: Sequence[Path] = (), name: str | None = None) -> str:
        """Register a file, folder or glob for the lifetime of this process. For the command line, never for a request.

        Args: name: the name of the database; None: derived from the path.
        Returns the name. If the same database was added before, it keeps its earlier name.
        Raises DatabaseUnavailable: the path does not exist, or cannot be read as a database.
        """
        _check(path, "check the path")
        kind_of(path)
        wanted = name or re.sub(r"[^A-Za-z0-9_-]+", "-", path.absolute().stem).strip("-") or "data"
        return self._add(Entry(name=wanted, url=str(path.absolute()), docs=tuple(doc.absolute() for doc in docs)))

    def add_source(self, source: str, *, docs: Sequence[Path] = ()) -> str:
        """Register a path, or a server's address such as `postgresql://reader@host/sales`, as `add` does.

        Returns the name.
        Raises DatabaseUnavailable, as `add`; RegistryInvalid: the address cannot be used. The message does not repeat
        any part of the address.
        """
        path = local_path(source)
        if path is not None:
            return self.add(path, docs=docs)
        return self._add(server_entry(source, docs))

    def with_docs(self, name: str, docs: Sequence[Path]) -> str:
        """Register a copy of a database with other docs. Returns its name. Raises UnknownDatabase."""
        return self._add(self.entry(name).model_copy(update={"docs": tuple(doc.absolute() for doc in docs)}))

    def _add(self, wanted: Entry) -> str:
        """Register an entry. If another entry has its name, add a number to the name."""
        entry, number = wanted, 1
        with self._lock:
            while (known := self._entries.get(entry.name)) is not None and known != entry:
                number += 1
                entry = entry.model_copy(update={"name": f"{wanted.name}-{number}"})
            self._added[entry.name] = entry
            self._merge()
        return entry.name

    def replace(
        self, registry: Sequence[Entry] | None = None, uploads: Sequence[Entry] | None = None
    ) -> tuple[tuple[str, ...], tuple[Executor, ...]]:
        """Replace the registry's entries, the uploaded entries, or both. None keeps the present ones.

        If both have the same name, the registry's entry is used.

        Returns the names that are gone or now refer to another database, and their open executors. Running queries may
        still use these executors; `close` them afterwards.
        """
        with self._lock:
            before = self._entries
            self._registry = self._registry if registry is None else _by_name(registry)
            self._uploads = self._uploads if uploads is None else _by_name(uploads)
            self._merge()
            changed = tuple(name for name, entry in before.items() if self._entries.get(name) != entry)
            closed = [executor for name in changed if (executor := self._open.pop(name, None)) is not None]
        return changed, tuple(closed)

    def _merge(self) -> None:
        """Merge all entries in their order. If two have the same name, the registry's is used."""
        self._entries = {**self._registry, **self._added, **self._uploads, **self._added, **self._registry}

    def look(self, entry: Entry) -> Executor:
        """An executor for an entry that is not registered yet. The caller must close it. Raises DatabaseUnavailable."""
        with self._lock:
            return self._executor(entry)

    def refresh(self, name: str) -> None:
        """Make a database's schema be read again on its next use. Raises UnknownDatabase."""
        self.entry(name)
        with self._lock:
            executor = self._open.get(name)
        if executor is not None:
            executor.refresh()

    def open_path(self, path: Path) -> Executor:
        """`add` and `get` in one."""
        return self.get(self.add(path))

    def close(self) -> None:
        """Close all open executors."""
        with self._lock:
            for executor in self._open.values():
                executor.close()
            self._open.clear()
            holds, self._holds = self._holds, False
        for pool in self._pools if holds else ():
            pool.release()

    def _executor(self, entry: Entry) -> Executor:
        if not self._holds:
            for pool in self._pools:
                pool.hold()
            self._holds = True
        if entry.is_file:
            return self._of_files(entry)
        options = self._options(entry)
        if entry.via:
            from executors.engines.remote.executor import RemoteExecutor

            return RemoteExecutor(
                entry.name,
                entry.via,
                key=entry.key,
                identity=entry.identity,
                database=entry.database,
                dialect=entry.dialect or "",
                options=options,
            )
        address = entry.address
        make = partial(_server_class(entry.name, address.dialect), entry.name, address, options=options)
        return PatientExecutor(make, options.connect_timeout_s)

    def _options(self, entry: Entry) -> ServerOptions:
        """The options of the settings, narrowed by the entry's."""
        server, limits = self._server, entry.limits
        return server.model_copy(
            update={
                "pool_size": min(server.pool_size, limits.queries or server.pool_size),
                "schema_ttl_s": min(server.schema_ttl_s, limits.schema_ttl_s or server.schema_ttl_s),
                "schemas": entry.schemas,
                "writable": server.writable and entry.writable,
            }
        )

    def _of_files(self, entry: Entry) -> Executor:
        path = entry.path
        _check(path, "run `make data` to build the samples" if entry.is_sample else "check the path in databases.yaml")
        kind = _kind(entry)
        writable = self._server.writable and entry.writable
        options: dict[str, Any] = {"sample_values": self._sample_values}
        if kind != "sqlite":
            options |= {"memory": self._memory, "threads": self._threads}
        if kind == "files":
            options |= {"encoding": entry.encoding, "dates": entry.dates or ""}
        return open_isolated(entry.name, kind, path, self._pool, writable=writable, **options)


def _by_name(entries: Sequence[Entry]) -> dict[str, Entry]:
    return {entry.name: entry for entry in entries}


def _kind(entry: Entry) -> Kind:
    if not entry.dialect:
        return kind_of(entry.path)
    named: dict[str, Kind] = {"sqlite": "sqlite", "duckdb": "duckdb"}
    return named.get(entry.dialect, "files")


def _server_class(name: str, dialect: str) -> Callable[..., Executor]:
    """The executor class for servers of a dialect. Raises DatabaseUnavailable if its driver is not installed."""
    opener = OPENERS[dialect]
    try:
        import_module(opener.driver)
        module = import_module(opener.module)
    except ImportError as error:
        raise failures.no_driver(name, DIALECTS[dialect]) from error
    found: Callable[..., Executor] = getattr(module, opener.executor)
    return found


def _check(path: Path, advice: str) -> None:
    """Raise DatabaseUnavailable if nothing exists at the path. Args: advice: what the user should do."""
    if not path.exists() and not is_glob(path):
        raise DatabaseUnavailable(f"There is no {path.name}: {advice}.")
