"""Queries CSV, TSV, Parquet, JSON and Excel files. Each file is a table; several files with one schema are one table.

No data is loaded. A small DuckDB database is created in a temporary folder and then opened read-only. It contains one
view per table, with types that were inferred once, and may read exactly these files and nothing else.
"""

from __future__ import annotations

import pickle
import re
import shutil
import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from executors.base import Cancel, CheckedSql, Column, Executor, Layer, QueryResult, Schema, Table, TableReport
from executors.engines.common.local.files import FileState, duckdb_layers, quote_name, state_of
from executors.engines.duckdb import engine as duckdb_engine
from executors.engines.duckdb.executor import scratch_folder
from executors.engines.duckdb.schema import count_rows, is_key, text_samples
from executors.engines.files import file_tables
from executors.engines.files.file_groups import (
    differences,
    group_parts,
    key_candidates,
    root_of,
    table_report,
    with_foreign_keys,
    write_union,
)
from executors.engines.files.file_table import FileTable
from executors.engines.files.file_tables import WHOLE_BYTES
from executors.engines.files.prepared import prepare_file
from executors.engines.files.unreadable import unreadable
from executors.errors import DatabaseUnavailable, DiskFull, is_disk_full
from executors.registry.kinds import FILE_SUFFIXES, PACKED, PACKED_TEXTS, is_file_of_data, is_glob, why_unread

if TYPE_CHECKING:
    import duckdb

MAX_FILES = 500
RETRY_FULL_S = 60
MOST_NAMED = 3  # unread files that a warning names
MOST_LOOKS = 5  # tries of a query whose files change while it reads them
_FILE_FAULT = re.compile(
    r"CSV Error on Line|Malformed JSON|read_json|Parquet|No files found|Could not read|cannot open", re.IGNORECASE
)


class _File(NamedTuple):
    """One version of one file."""

    path: Path
    state: FileState


class _Part(NamedTuple):
    """The part of a table that comes from one file or sheet. path: the file that is read; name: of its own table."""

    file: _File
    name: str
    path: Path
    found: FileTable
    encoding: str = ""


class _Catalog(NamedTuple):
    """The content of the files, and the database that reads them. tables: the parts of each table."""

    files: tuple[_File, ...]
    tables: dict[str, tuple[_Part, ...]]
    connection: duckdb.DuckDBPyConnection
    warnings: tuple[str, ...]


class FilesExecutor(Executor):
    """A database of files: a file, a folder with its subfolders, or a glob (`**` matches any folders).

    The next call notices changed, new and deleted files. A file that cannot be read is left out, and `warnings` has the
    reason. The database is unavailable only if no file can be read.
    Args: memory: DuckDB's memory limit, shared by all queries that run at once. A query on JSON files needs 32 MB for
    each thread, whatever their size. sample_values: number per text column; encoding: of text files that are not UTF-8;
    empty: it is detected; dates: `day_first` or `month_first`, for dates that can be read in both ways.
    """

    dialect = "duckdb"

    def __init__(
        self,
        name: str,
        path: Path,
        *,
        memory: str,
        threads: int,
        sample_values: int,
        encoding: str = "",
        dates: str = "",
    ) -> None:
        self.name, self._path, self._sample_values = name, path.absolute(), sample_values
        self._encoding, self._first = encoding, dates.removesuffix("_first")
        self._memory, self._threads = memory, threads
        self._scratch, self._numbers = scratch_folder(self), count(1)
        self._lock = threading.RLock()
        self._inspected: dict[_File, tuple[_Part, ...] | DatabaseUnavailable] = {}
        self._written: dict[_File, Path] = {}  # folder of the rewritten copy of each file
        self._described: dict[tuple[str, tuple[_File, ...]], tuple[Table, TableReport]] = {}
        self._database: Path | None = None  # of the catalogue
        self._catalog: _Catalog | None = None
        self._schema: Schema | None = None

    def schema(self) -> Schema:
        """See `Executor.schema`. Keys are inferred. The rows of large text files are not counted."""
        with self._lock:
            catalog = self._current()
            if self._schema is None:
                described = [self._describe(catalog, name) for name in catalog.tables]
                self.reports = tuple(report for _, report in described)
                empty = (it.problems[-1] for it in self.reports if it.rows == 0)
                self.warnings = tuple(dict.fromkeys((*catalog.warnings, *empty)))
                tables = with_foreign_keys([table for table, _ in described])
                self._schema = Schema(database=self.name, dialect=self.dialect, tables=tables)
            return self._schema

    def run(self, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None) -> QueryResult:
        """See `Executor.run`. If a line of a large file does not fit the types, they are inferred from all lines."""
        import duckdb

        from executors.sql.names import diagnose

        changes = 0
        while changes < MOST_LOOKS:
            with self._lock:
                files = self._current().files
            try:
                with self._cursor() as cursor:
                    result = duckdb_engine.run(cursor, query, timeout_s=timeout_s, cancel=cancel)
                if files_of(self._path) == files:
                    return result
                changes += 1  # its rows may be from before and after the change
            except duckdb.Error as error:
                if _FILE_FAULT.search(str(error)) and self._look_again(str(error)):
                    changes += files_of(self._path) != files
                    continue
                raise duckdb_engine.translate_error(error) or diagnose.sql_failed(
                    self._without_folder(str(error)), query.executable, self.schema()
                ) from error
        raise DatabaseUnavailable(f"{self._path.name} changes while it is read: try again when it is whole.")

    def dump_cache(self) -> bytes:
        """The inferred tables in a form for another process that opens the files. Only this class reads it."""
        own = {  # without rewritten files, which are in a folder of this process
            file: found
            for file, found in self._inspected.items()
            if isinstance(found, DatabaseUnavailable) or all(part.path == file.path for part in found)
        }
        return pickle.dumps((own, self._described))

    def load_cache(self, cache: bytes) -> None:
        """Load the dump of another process. It is used for files that have not changed."""
        self._inspected, self._described = pickle.loads(cache)  # noqa: S301  it comes from another worker

    def layers(self) -> tuple[Layer, ...]:
        with self._cursor() as cursor:
            return duckdb_layers(cursor)

    def close(self) -> None:
        """Close the files."""
        with self._lock:
            if self._catalog is not None:
                self._catalog.connection.close()
            self._catalog, self._schema = None, None

    def _current(self) -> _Catalog:
        """The database for the present state of the files. Raises DatabaseUnavailable."""
        files = files_of(self._path)
        if self._catalog is None or self._catalog.files != files:
            self.close()
            self._forget_others(files)
            self._catalog = self._build(files)
            self.warnings = self._catalog.warnings
        return self._catalog

    def _forget_others(self, files: tuple[_File, ...]) -> None:
        """Delete the data and rewritten copies of files that have changed, to free space before more is written."""
        self._inspected = {file: found for file, found in self._inspected.items() if file in files}
        self._described = {key: found for key, found in self._described.items() if set(key[1]) <= set(files)}
        for file in self._written.keys() - set(files):
            shutil.rmtree(self._written.pop(file), ignore_errors=True)

    def _build(self, files: tuple[_File, ...]) -> _Catalog:
        import duckdb

        database = self._scratch / f"files{next(self._numbers)}.duckdb"
        try:
            catalog = self._catalog_in(database, files)
        except duckdb.IOException as error:
            if is_disk_full(error):
                raise no_room(self._path) from error
            raise
        finally:
            if self._database is not None:
                self._database.unlink(missing_ok=True)
            self._database = database
        return catalog

    def _catalog_in(self, database: Path, files: tuple[_File, ...]) -> _Catalog:
        import duckdb

        with duckdb.connect(str(database), config={"memory_limit": self._memory, "threads": self._threads}) as writer:
            parts = [part for file in files for part in self._inspect(writer, file)]
            groups = group_parts(self._root, [(part.file.path, part.name, part.found) for part in parts])
            tables: dict[str, tuple[_Part, ...]] = {}
            warnings = [problem for file in files for problem in self._problems(file)] + not_read(self._path)
            for stem, members in groups:
                name = _table_name(stem, tables)
                union = write_union([(parts[at].found, partition) for at, partition in members])
                writer.execute(f"CREATE VIEW {quote_name(name)} AS {union}")
                tables[name] = tuple(parts[at] for at, _ in members)
                several = self._differences(tables[name])
                warnings += [f"{name}: {column}: {sentence}" for column, sentence in several.items()]
        if not tables:
            raise DatabaseUnavailable(" ".join(warnings))
        connection = duckdb_engine.open_database(
            database,
            memory=self._memory,
            threads=self._threads,
            spill=self._scratch / "spill",
            readable=[part.path for part in parts],
        )
        return _Catalog(files, tables, connection, tuple(warnings))

    def _differences(self, parts: Sequence[_Part]) -> dict[str, str]:
        files = [str(part.file.path.relative_to(self._root)) for part in parts]
        return differences([part.found for part in parts], files)

    @property
    def _root(self) -> Path:
        return root_of(self._path)

    def _problems(self, file: _File) -> tuple[str, ...]:
        found = self._inspected[file]
        if isinstance(found, DatabaseUnavailable):
            return (str(found),)
        return tuple(dict.fromkeys(problem for part in found for problem in part.found.problems))

    def _inspect(self, connection: duckdb.DuckDBPyConnection, file: _File, *, whole: bool = False) -> tuple[_Part, ...]:
        """The parts of a file. Empty if it cannot be read; `_problems` has the reason."""
        if file not in self._inspected or whole:
            folder = self._scratch / f"prepared{next(self._numbers)}"
            folder.mkdir()
            before, self._written[file] = self._written.get(file), folder
            try:
                self._inspected[file] = tuple(self._parts(connection, file, folder, whole=whole))
            except DatabaseUnavailable as error:
                self._inspected[file] = error
            except OSError as error:
                if is_disk_full(error):  # temporary, so the result is not cached
                    self._inspected.pop(file, None)
                    shutil.rmtree(self._written.pop(file), ignore_errors=True)
                    raise no_room(file.path) from error
                problem = f"{file.path.name} cannot be opened: check that it is there and may be read."
                self._inspected[file] = DatabaseUnavailable(problem)
            finally:
                if before is not None:
                    shutil.rmtree(before, ignore_errors=True)
        found = self._inspected[file]
        return found if isinstance(found, tuple) else ()

    def _parts(
        self, connection: duckdb.DuckDBPyConnection, file: _File, folder: Path, *, whole: bool
    ) -> Iterator[_Part]:
        for ready in prepare_file(file.path, folder, self._encoding):
            try:
                found = file_tables.inspect(connection, ready.path, whole=whole, folder=folder, first=self._first)
            except DatabaseUnavailable as error:
                message = _under_name(ready.label or file.path.name, ready.path.name, str(error))
                raise DatabaseUnavailable(message) from error
            if ready.formats is not None:
                found = file_tables.apply_formats(ready.path, found, ready.formats)
            problems, remarks = (
                tuple(_under_name(ready.label or file.path.name, ready.path.name, it) for it in sentences)
                for sentences in ((*ready.problems, *found.problems), (*ready.remarks, *found.remarks))
            )
            read = found.path or ready.path
            yield _Part(file, ready.name, read, found._replace(problems=problems, remarks=remarks), ready.encoding)

    def _look_again(self, message: str) -> bool:
        """After an error in a file, infer its types from the whole file. Return whether the query can be tried again,
        because the file has changed, or had not been read completely.
        Raises DatabaseUnavailable: the file causes the error."""
        import duckdb

        with self._lock:
            catalog = self._catalog
            if catalog is None or catalog.files != files_of(self._path):
                return True
            for file in dict.fromkeys(part.file for parts in catalog.tables.values() for part in parts):
                known = self._inspected[file]
                if not isinstance(known, tuple) or not any(str(part.path) in message for part in known):
                    continue
                if all(part.found.whole for part in known):
                    raise unreadable(file.path, message)
                with duckdb.connect(config={"memory_limit": self._memory, "threads": self._threads}) as connection:
                    self._inspect(connection, file, whole=True)
                if isinstance(again := self._inspected[file], DatabaseUnavailable):
                    raise again
                self._described = {key: found for key, found in self._described.items() if file not in key[1]}
                self.close()
                return True
        return False

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        with self._lock:
            return duckdb_engine.new_cursor(self._current().connection)

    def _describe(self, catalog: _Catalog, name: str) -> tuple[Table, TableReport]:
        """One table and the report on it, cached for each version of its files."""
        parts = catalog.tables[name]
        files = tuple(part.file for part in parts)
        if (name, files) not in self._described:
            with duckdb_engine.new_cursor(catalog.connection) as cursor:
                table = self._read_table(cursor, name, parts)
                report = table_report(
                    cursor,
                    table,
                    files=[str(file.path.relative_to(self._root)) for file in files],
                    encodings=[part.encoding for part in parts],
                    found=[part.found for part in parts],
                )
            if table.row_count == 0:
                problem = f"{self._origin(catalog, name)} no rows."
                report = report.model_copy(update={"problems": (*report.problems, problem)})
            self._described[name, files] = table, report
        return self._described[name, files]

    def _origin(self, catalog: _Catalog, name: str) -> str:
        """The files of a table and the verb "have", or the table if its file has other tables, too."""
        files = {part.file for part in catalog.tables[name]}
        others = {part.file for other, parts in catalog.tables.items() for part in parts if other != name}
        names = [name] if files & others else sorted(file.path.name for file in files)
        return f"{', '.join(names[:MOST_NAMED])} {'have' if len(names) > 1 else 'has'}"

    def _read_table(self, cursor: duckdb.DuckDBPyConnection, name: str, parts: Sequence[_Part]) -> Table:
        notes = {column: note for part in parts for column, note in part.found.notes}
        notes |= self._differences(parts)
        place = quote_name(name)
        columns = [(row[0], row[1]) for row in cursor.execute(f"DESCRIBE {place}").fetchall()]
        samples = text_samples(cursor, place, columns, self._sample_values)
        is_parquet = all(part.file.path.suffix.lower() == ".parquet" for part in parts)
        is_counted = is_parquet or sum(part.file.state.size for part in parts) <= WHOLE_BYTES
        candidates = key_candidates(name, [column for column, _ in columns]) if is_counted else []
        key = tuple(column for column in candidates[:1] if is_key(cursor, place, quote_name(column)))
        return Table(
            name=name,
            columns=tuple(
                Column(
                    name=column,
                    type=kind,
                    nullable=column not in key,
                    samples=samples.get(column, ()),
                    comment=notes.get(column, ""),
                )
                for column, kind in columns
            ),
            primary_key=key,
            row_count=count_rows(cursor, place) if is_counted else None,
        )

    def _without_folder(self, message: str) -> str:
        folder = self._path if self._path.is_dir() else self._path.parent
        return message.replace(f"{folder}/", "").replace(str(folder), "")


def no_room(path: Path) -> DiskFull:
    """The error of a path that cannot be read because the disk is full."""
    return DiskFull(f"There is no room on the disk to read {path.name}: make some, and try again.", RETRY_FULL_S)


def _under_name(name: str, written: str, sentence: str) -> str:
    """A sentence on a rewritten file, with the original file's name."""
    own = re.match(rf"(?:even_|cut_)*{re.escape(written)}(?=[: ])", sentence)
    return f"{name}{sentence[own.end() :]}" if own else sentence


def files_of(path: Path) -> tuple[_File, ...]:
    """The present files of a path, folder or glob, by name. Raises DatabaseUnavailable."""
    root = root_of(path)
    if path.is_dir():
        paths = [it for it in path.rglob("*") if is_file_of_data(it)]
    elif root != path.parent or is_glob(path):
        paths = [it for it in root.glob(str(path.relative_to(root))) if is_file_of_data(it)]
    else:
        paths = [path]
    paths = sorted(it for it in paths if not _is_hidden(it.relative_to(root) if it != path else Path(it.name)))
    found = tuple(_File(path, state) for path in paths if (state := state_of(path)) and path.is_file())
    if not found:
        kinds = ", ".join(it for it in FILE_SUFFIXES if it not in PACKED_TEXTS)
        advice = f"use files of {kinds}; texts may be packed ({', '.join(PACKED)})."
        raise DatabaseUnavailable(" ".join([f"{path.name} has no data that can be read; {advice}", *not_read(path)]))
    if len(found) > MAX_FILES:
        raise DatabaseUnavailable(f"{path.name} has {len(found)} files of data; at most {MAX_FILES} are read.")
    return found


def not_read(path: Path) -> list[str]:
    """A sentence on data files of a folder that are not read, with advice. Empty for a file or a glob."""
    if not path.is_dir():
        return []
    found = sorted(it for it in path.rglob("*") if why_unread(it) and not _is_hidden(it.relative_to(path)))
    each = ", ".join(f"{it.name} ({why_unread(it)})" for it in found[:MOST_NAMED])
    more = f" and {len(found) - MOST_NAMED:,} more" if len(found) > MOST_NAMED else ""
    return [f"Not read: {each}{more}."] if found else []


def _is_hidden(path: Path) -> bool:
    return any(part.startswith((".", "~")) for part in path.parts)


def _table_name(stem: str, taken: Iterable[str]) -> str:
    """An identifier from a file's name: `2024 Sales.csv` becomes `t_2024_Sales`. A repeated name gets `_2`."""
    name = re.sub(r"\W+", "_", stem).strip("_") or "data"
    name = f"t_{name}" if name[0].isdigit() else name
    lower = {other.lower() for other in taken}
    return next(n for n in (name, *(f"{name}_{i}" for i in range(2, MAX_FILES + 2))) if n.lower() not in lower)
