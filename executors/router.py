"""From a database's name to what answers queries on it."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from pathlib import Path

from executors.base import Executor
from executors.errors import DatabaseUnavailable, UnknownDatabase
from executors.local.kinds import is_glob, kind_of
from executors.registry import Entry, Registry


class Router:
    """Opens databases by name, each once and when it is first asked for. Safe to use from several threads.

    Args:
        registry: the databases that a request may name.
        sample_values: stored values shown per text column of a schema.
        duckdb_memory: limit of each DuckDB database, as `1GB`.
        duckdb_threads: of each DuckDB database.
    """

    def __init__(self, registry: Registry, *, sample_values: int, duckdb_memory: str, duckdb_threads: int) -> None:
        self._entries = {entry.name: entry for entry in registry.entries}
        self._sample_values, self._memory, self._threads = sample_values, duckdb_memory, duckdb_threads
        self._lock = threading.Lock()
        self._open: dict[str, Executor] = {}

    def names(self) -> tuple[str, ...]:
        """All databases, in the registry's order, then what the command line added."""
        return tuple(self._entries)

    def entry(self, name: str) -> Entry:
        """What the registry says of a database. Raises UnknownDatabase."""
        try:
            return self._entries[name]
        except KeyError:
            raise UnknownDatabase(name, self.names()) from None

    def get(self, name: str) -> Executor:
        """The database of that name.

        Raises:
            UnknownDatabase: there is none; the error carries the names there are.
            DatabaseUnavailable: its file is not there, or is of no known kind.
        """
        entry = self.entry(name)
        with self._lock:
            if name not in self._open:
                self._open[name] = self._executor(entry)
            return self._open[name]

    def add(self, path: Path, *, docs: Sequence[Path] = (), name: str | None = None) -> str:
        """Make a file, folder or glob known for the life of this process: for the command line, never for a request.

        Args:
            path: of the data.
            docs: files and folders that describe it.
            name: to go by; from the path where absent.

        Returns:
            Its name: an earlier one where the same was added before.

        Raises:
            DatabaseUnavailable: it is not there, or is nothing that can be read.
        """
        _check(path, "check the path")
        kind_of(path)
        wanted = name or re.sub(r"[^A-Za-z0-9_-]+", "-", path.absolute().stem).strip("-") or "data"
        with self._lock:
            entry = Entry(name=wanted, url=str(path.absolute()), docs=tuple(doc.absolute() for doc in docs))
            number = 1
            while (known := self._entries.get(entry.name)) is not None and known != entry:
                number += 1
                entry = entry.model_copy(update={"name": f"{wanted}-{number}"})
            self._entries[entry.name] = entry
        return entry.name

    def open_path(self, path: Path) -> Executor:
        """`add` and `get` in one."""
        return self.get(self.add(path))

    def close(self) -> None:
        """Close what is open."""
        with self._lock:
            for executor in self._open.values():
                executor.close()
            self._open.clear()

    def _executor(self, entry: Entry) -> Executor:
        path = entry.path
        _check(path, "run `make data` to build the samples" if entry.is_sample else "check the path in databases.yaml")
        kind = entry.dialect or kind_of(path)
        if kind == "sqlite":
            from executors.sqlite import SqliteExecutor

            return SqliteExecutor(entry.name, path, sample_values=self._sample_values)
        if kind == "duckdb":
            from executors.duckdb import DuckdbExecutor

            return DuckdbExecutor(
                entry.name, path, memory=self._memory, threads=self._threads, sample_values=self._sample_values
            )
        from executors.files import FilesExecutor

        return FilesExecutor(
            entry.name, path, memory=self._memory, threads=self._threads, sample_values=self._sample_values
        )


def _check(path: Path, mend: str) -> None:
    """Raise where nothing is there. Args: mend: what to do then."""
    if not path.exists() and not is_glob(path):
        raise DatabaseUnavailable(f"There is no {path.name}: {mend}.")
