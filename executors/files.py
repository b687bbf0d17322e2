"""CSV, TSV, Parquet and JSON files, one or a folder of them, each one table.

Nothing is loaded: a small DuckDB database, made in a temporary folder and then opened read-only, holds one view per
file, with the types pinned that were inferred once. That database may read exactly these files and nothing else.
"""

from __future__ import annotations

import pickle
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from executors.base import Cancel, CheckedSql, Column, Executor, Layer, QueryResult, Schema, Table
from executors.duckdb import scratch_folder
from executors.errors import DatabaseUnavailable
from executors.local import duckdb_engine, file_tables, probing
from executors.local.duckdb_schema import count_rows, is_key, text_samples
from executors.local.file_keys import key_candidates, with_foreign_keys
from executors.local.file_tables import WHOLE_BYTES, FileTable
from executors.local.files_state import FileState, state_of
from executors.local.kinds import FILE_SUFFIXES
from executors.local.samples import quoted

if TYPE_CHECKING:
    import duckdb

MAX_FILES = 500
_FILE_FAULT = re.compile(
    r"CSV Error on Line|Malformed JSON|read_json|Parquet|No files found|Could not read|cannot open", re.IGNORECASE
)


class _File(NamedTuple):
    """One version of one file."""

    path: Path
    state: FileState


class _Catalog(NamedTuple):
    """What was found in the files, and the database that reads them."""

    files: tuple[_File, ...]
    tables: dict[str, _File]
    connection: duckdb.DuckDBPyConnection
    warnings: tuple[str, ...]


class FilesExecutor(Executor):
    """Files as a database.

    A file that is changed, new or gone is noticed at the next call. One that cannot be read is left out, and
    `warnings` says why; only where none can be read is the database unavailable.

    Args:
        name: of the database.
        path: a file, a folder (its own files, not those of its folders), or a glob.
        memory, threads: of DuckDB.
        sample_values: stored values shown per text column.
    """

    dialect = "duckdb"

    def __init__(self, name: str, path: Path, *, memory: str, threads: int, sample_values: int) -> None:
        self.name, self._path, self._sample_values = name, path.absolute(), sample_values
        self._memory, self._threads = memory, threads
        self._scratch, self._numbers = scratch_folder(self), count(1)
        self._lock = threading.RLock()
        self._inspected: dict[_File, FileTable | DatabaseUnavailable] = {}
        self._described: dict[tuple[str, _File], Table] = {}
        self._catalog: _Catalog | None = None
        self._schema: Schema | None = None

    def schema(self) -> Schema:
        """See `Executor.schema`. Keys are inferred (`file_keys`); large files of text are not counted."""
        with self._lock:
            catalog = self._current()
            if self._schema is None:
                tables = [self._table(catalog, name) for name in catalog.tables]
                self._schema = Schema(database=self.name, dialect=self.dialect, tables=with_foreign_keys(tables))
            return self._schema

    def run(self, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None) -> QueryResult:
        """See `Executor.run`. A line that does not fit the types of a large file has them inferred from all of it."""
        import duckdb

        from executors.sql import diagnose

        while True:
            try:
                with self._cursor() as cursor:
                    return duckdb_engine.run(cursor, query, timeout_s=timeout_s, cancel=cancel)
            except duckdb.Error as error:
                if _FILE_FAULT.search(str(error)) and self._look_again(str(error)):
                    continue
                raise duckdb_engine.failed(error) or diagnose.sql_failed(
                    self._without_folder(str(error)), query.executable, self.schema()
                ) from error

    def kept(self) -> bytes:
        """What was found out of the files, for another process that opens them; nothing but this class reads it."""
        return pickle.dumps((self._inspected, self._described))

    def remember(self, kept: bytes) -> None:
        """Take over what another process `kept`; it counts for those files that are as they were."""
        self._inspected, self._described = pickle.loads(kept)  # noqa: S301  of a process like this one

    def layers(self) -> tuple[Layer, ...]:
        """See `Executor.layers`."""
        with self._cursor() as cursor:
            return probing.duckdb_layers(cursor)

    def close(self) -> None:
        """Let go of the files."""
        with self._lock:
            if self._catalog is not None:
                self._catalog.connection.close()
            self._catalog, self._schema = None, None

    # -- the files -----------------------------------------------------------------------------------------

    def _files(self) -> tuple[_File, ...]:
        return files_of(self._path)

    def _current(self) -> _Catalog:
        """The database over the files as they are now."""
        files = self._files()
        if self._catalog is None or self._catalog.files != files:
            self.close()
            self._catalog = self._build(files)
            self.warnings = self._catalog.warnings
            self._inspected = {file: found for file, found in self._inspected.items() if file in files}
            self._described = {key: table for key, table in self._described.items() if key[1] in files}
        return self._catalog

    def _build(self, files: tuple[_File, ...]) -> _Catalog:
        import duckdb

        database = self._scratch / f"files{next(self._numbers)}.duckdb"
        tables: dict[str, _File] = {}
        with duckdb.connect(str(database), config={"memory_limit": self._memory, "threads": self._threads}) as writer:
            for file in files:
                found = self._inspect(writer, file)
                if isinstance(found, FileTable):
                    name = _table_name(file.path.stem, tables)
                    writer.execute(f"CREATE VIEW {quoted(name)} AS SELECT * FROM {found.reader}")
                    tables[name] = file
        warnings = tuple(str(found) for file in files if isinstance(found := self._inspected[file], Exception))
        if not tables:
            raise DatabaseUnavailable(" ".join(warnings))
        connection = duckdb_engine.open_database(
            database,
            memory=self._memory,
            threads=self._threads,
            spill=self._scratch / "spill",
            readable=[file.path for file in tables.values()],
        )
        return _Catalog(files, tables, connection, warnings)

    def _inspect(self, connection: duckdb.DuckDBPyConnection, file: _File) -> FileTable | DatabaseUnavailable:
        if file not in self._inspected:
            try:
                self._inspected[file] = file_tables.inspect(connection, file.path)
            except DatabaseUnavailable as error:
                self._inspected[file] = error
        return self._inspected[file]

    def _look_again(self, message: str) -> bool:
        """After an error in a file: look at all of it.

        Returns:
            Whether the query can be tried again, because the file was changed or had not been looked at whole.

        Raises:
            DatabaseUnavailable: the file is at fault.
        """
        import duckdb

        with self._lock:
            catalog = self._catalog
            if catalog is None or catalog.files != self._files():
                return True
            for file in catalog.tables.values():
                known = self._inspected[file]
                if str(file.path) not in message or not isinstance(known, FileTable):
                    continue
                if known.whole:
                    raise file_tables.unreadable(file.path, message)
                with duckdb.connect(config={"memory_limit": self._memory, "threads": self._threads}) as connection:
                    self._inspected[file] = file_tables.inspect(connection, file.path, whole=True)
                self._described = {key: table for key, table in self._described.items() if key[1] != file}
                self.close()
                return True
        return False

    # -- the database --------------------------------------------------------------------------------------

    @contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self._lock:
            cursor = duckdb_engine.new_cursor(self._current().connection)
        try:
            yield cursor
        finally:
            cursor.close()

    def _table(self, catalog: _Catalog, name: str) -> Table:
        """One table, described once for each version of its file."""
        file = catalog.tables[name]
        if (name, file) not in self._described:
            found = self._inspected[file]
            assert isinstance(found, FileTable)  # noqa: S101  it has a table
            cursor, table = duckdb_engine.new_cursor(catalog.connection), quoted(name)
            samples = text_samples(cursor, table, found.columns, self._sample_values)
            is_counted = file.path.suffix.lower() == ".parquet" or file.state.size <= WHOLE_BYTES
            candidates = key_candidates(name, [column for column, _ in found.columns]) if is_counted else []
            key = tuple(column for column in candidates[:1] if is_key(cursor, table, quoted(column)))
            self._described[name, file] = Table(
                name=name,
                columns=tuple(
                    Column(name=column, type=kind, nullable=column not in key, samples=samples.get(column, ()))
                    for column, kind in found.columns
                ),
                primary_key=key,
                row_count=count_rows(cursor, table) if is_counted else None,
            )
            cursor.close()
        return self._described[name, file]

    def _without_folder(self, message: str) -> str:
        folder = self._path if self._path.is_dir() else self._path.parent
        return message.replace(f"{folder}/", "").replace(str(folder), "")


def files_of(path: Path) -> tuple[_File, ...]:
    """What there is now of a file, a folder or a glob, by name. Raises DatabaseUnavailable."""
    if path.is_dir():
        paths = [it for it in path.iterdir() if it.suffix.lower() in FILE_SUFFIXES]
    elif "*" in path.name or "?" in path.name:
        paths = [it for it in path.parent.glob(path.name) if it.suffix.lower() in FILE_SUFFIXES]
    else:
        paths = [path]
    paths = sorted((path for path in paths if not path.name.startswith((".", "~"))), key=lambda path: path.name)
    found = tuple(_File(path, state) for path in paths if (state := state_of(path)) and path.is_file())
    if not found:
        kinds = ", ".join(FILE_SUFFIXES)
        raise DatabaseUnavailable(f"{path.name} has no data that can be read; wanted are files of {kinds}.")
    if len(found) > MAX_FILES:
        raise DatabaseUnavailable(f"{path.name} has {len(found)} files of data; at most {MAX_FILES} are read.")
    return found


def _table_name(stem: str, taken: dict[str, _File]) -> str:
    """An identifier made of a file's name: `2024 Sales.csv` is `t_2024_Sales`; a second one of a name gets `_2`."""
    name = re.sub(r"\W+", "_", stem).strip("_") or "data"
    name = f"t_{name}" if name[0].isdigit() else name
    lower = {other.lower() for other in taken}
    return next(n for n in (name, *(f"{name}_{i}" for i in range(2, MAX_FILES + 2))) if n.lower() not in lower)
