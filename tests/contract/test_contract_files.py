"""The contract, on local files."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from abc import abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import duckdb
import pytest
from contract_suite import ODD_COLUMNS, ODD_ROW, ODD_TABLES, PEOPLE, ROWS, WORDS, Contract, Run, sql_text
from unguarded import unguarded

from executors.base import Executor
from executors.engines.duckdb.executor import DuckdbExecutor
from executors.engines.files.executor import FilesExecutor
from executors.engines.sqlite.executor import SqliteExecutor
from executors.errors import SqlFailed
from executors.registry.kinds import Kind
from executors.workers.isolated import open_isolated
from executors.workers.pool import get_shared_pool

COLUMNS = "id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, amount DOUBLE"


def fingerprint(folder: Path) -> dict[str, str]:
    """Every file below a folder, with the hash of its bytes."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="class")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "with space, 100%#'"
    folder.mkdir()
    return folder


@pytest.fixture(scope="class")
def executor(request: pytest.FixtureRequest, folder: Path) -> Iterator[Executor]:
    executor: Executor = request.cls().make(folder)
    yield executor
    executor.close()


class FileContract(Contract):
    """Subclasses say how the data is stored."""

    endless = "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range + b.range = 7"

    @abstractmethod
    def make(self, folder: Path) -> Executor:
        """The data in that folder, written when it is not there yet, and what reads it."""

    def version(self, executor: Executor) -> str:
        query = "SELECT sqlite_version()" if executor.dialect == "sqlite" else "SELECT version()"
        return str(executor.run(unguarded(query), timeout_s=30).rows[0][0]).removeprefix("v")

    def test_an_error_names_no_path(self, run: Run, folder: Path) -> None:
        for sql in ("SELECT * FROM peple", "SELECT nmae FROM people", "SELECT FROM WHERE"):
            with pytest.raises(SqlFailed) as raised:
                run(sql)
            assert str(folder) not in raised.value.message

    # -- reading only --------------------------------------------------------------------------------------

    @pytest.mark.parametrize("sql", [
        "INSERT INTO people VALUES (1000, 'x', 'y', 1)",
        "UPDATE people SET name = 'x'",
        "DELETE FROM people",
        "DROP TABLE people",
        "CREATE TABLE mine (a INTEGER)",
        "CREATE TEMP TABLE mine (a INTEGER)",
        "ALTER TABLE people ADD COLUMN x INTEGER",
        "ATTACH ':memory:' AS other",
        "ATTACH '{folder}/new.db' AS other",
        "VACUUM INTO '{folder}/copy.db'",
        "COPY people TO '{folder}/copy.csv'",
        "COPY (SELECT 1) TO '{file}' (FORMAT csv, USE_TMP_FILE false)",
        "WITH x AS (COPY (SELECT 1 AS a) TO '{file}' (FORMAT csv, USE_TMP_FILE false)) SELECT * FROM x",
        "WITH x AS (INSERT INTO people VALUES (1001, 'x', 'y', 1) RETURNING *) SELECT * FROM x",
        "EXPORT DATABASE '{folder}/export'",
        "PRAGMA journal_mode = WAL",
        "PRAGMA query_only = OFF",
        "PRAGMA database_list",
        "SET memory_limit = '100GB'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SELECT load_extension('x')",
        "SELECT * FROM read_csv('{secret}')",
        "SELECT * FROM read_text('{secret}')",
        "SELECT * FROM '{secret}'",
        "SELECT * FROM glob('{folder}/*')",
        "SELECT 1; SELECT 2",
        "BEGIN",
        "",
    ])  # fmt: skip
    def test_nothing_but_its_own_tables_is_read_and_nothing_written(
        self, run: Run, executor: Executor, folder: Path, tmp_path: Path, sql: str
    ) -> None:
        secret = tmp_path / "secret.csv"
        secret.write_text("secret\nxyzzy\n", encoding="utf-8")
        executor.schema()
        before = fingerprint(folder)
        for hole, path in (("folder", folder), ("file", folder / next(iter(before))), ("secret", secret)):
            sql = sql.replace(f"{{{hole}}}", str(path).replace("'", "''"))

        with pytest.raises(SqlFailed) as raised:
            run(sql)

        assert "xyzzy" not in str(raised.value)
        assert fingerprint(folder) == before
        assert run("SELECT count(*) FROM people").rows == ((ROWS,),)

    def test_use_leaves_nothing_beside_the_data(self, folder: Path) -> None:
        executor = self.make(folder)
        before = fingerprint(folder)

        executor.schema()
        executor.run(unguarded("SELECT city, sum(amount) FROM people GROUP BY city ORDER BY 2"), timeout_s=30)
        executor.close()

        assert fingerprint(folder) == before

    def test_samples_can_be_switched_off(self, folder: Path) -> None:
        executor = self.make(folder)
        executor._sample_values = 0  # type: ignore[attr-defined]

        assert not any(column.samples for table in executor.schema().tables for column in table.columns)
        executor.close()


class TestSqlite(FileContract):
    engine = "SQLite"
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE i < 0"

    def make(self, folder: Path) -> Executor:
        path = folder / "people.sqlite"
        if not path.exists():
            with sqlite3.connect(path) as connection:
                _fill(connection.execute)
            connection.close()
        return SqliteExecutor("people", path, sample_values=3)


class TestDuckdb(FileContract):
    engine = "DuckDB"

    def make(self, folder: Path) -> Executor:
        path = folder / "people.duckdb"
        if not path.exists():
            with duckdb.connect(str(path)) as connection:
                _fill(connection.execute)
        return DuckdbExecutor("people", path, memory="200MB", threads=2, sample_values=3)


class FilesContract(FileContract):
    """A folder with one file per table."""

    odd_tables: ClassVar[tuple[str, ...]] = ("order", "Über_Maß", "MixedCase", "t_1st_quarter")
    suffix: ClassVar[str]
    options: ClassVar[str]
    memory: ClassVar[str] = "200MB"

    def make(self, folder: Path) -> Executor:
        if not any(folder.iterdir()):
            with duckdb.connect() as connection:
                _fill(connection.execute)
                for table in ("people", "visits", "prices", *ODD_TABLES):
                    file = str(folder / f"{table}{self.suffix}").replace("'", "''")
                    connection.execute(f"COPY \"{table}\" TO '{file}' ({self.options})")
        return FilesExecutor("people", folder, memory=self.memory, threads=2, sample_values=3)


class TestCsvFolder(FilesContract):
    engine = "CSV, TSV, Parquet, JSON by DuckDB"
    suffix, options = ".csv", "FORMAT csv, HEADER"


class TestTsvFolder(FilesContract):
    engine = "CSV, TSV, Parquet, JSON by DuckDB"
    suffix, options = ".tsv", "FORMAT csv, HEADER, DELIMITER '\t'"


class TestParquetFolder(FilesContract):
    engine = "CSV, TSV, Parquet, JSON by DuckDB"
    suffix, options = ".parquet", "FORMAT parquet"


class TestJsonFolder(FilesContract):
    engine = "CSV, TSV, Parquet, JSON by DuckDB"
    suffix, options = ".jsonl", "FORMAT json"
    memory = "4GB"  # DuckDB's JSON reader reserves 32 MB for each thread of each of the fifty queries at once


class Isolated(FileContract):
    """The same, in worker processes, as the service asks it."""

    here: ClassVar[type[FileContract]]
    kind: ClassVar[Kind]
    limits: ClassVar[dict[str, Any]] = {}

    def make(self, folder: Path) -> Executor:
        return self._isolated(folder, 3)

    def test_samples_can_be_switched_off(self, folder: Path) -> None:
        executor = self._isolated(folder, 0)
        assert not any(column.samples for table in executor.schema().tables for column in table.columns)
        executor.close()

    def _isolated(self, folder: Path, samples: int) -> Executor:
        made = self.here().make(folder)
        path: Path = made._path  # type: ignore[attr-defined]
        made.close()
        pool = get_shared_pool(4, 2 * 10**9)
        return open_isolated("people", self.kind, path, pool, sample_values=samples, **self.limits)


class TestIsolatedSqlite(Isolated, TestSqlite):
    here = TestSqlite
    kind = "sqlite"


class TestIsolatedDuckdb(Isolated, TestDuckdb):
    here = TestDuckdb
    kind = "duckdb"
    limits: ClassVar[dict[str, Any]] = {"memory": "200MB", "threads": 2}


class TestIsolatedCsvFolder(Isolated, TestCsvFolder):
    here = TestCsvFolder
    kind = "files"
    limits: ClassVar[dict[str, Any]] = {"memory": "200MB", "threads": 2}


def _fill(execute: Callable[[str], object]) -> None:
    values = ", ".join(f"({', '.join(sql_text(value) for value in row)})" for row in PEOPLE)
    execute(f"CREATE TABLE people ({COLUMNS})")
    execute(f"INSERT INTO people VALUES {values}")
    execute("CREATE TABLE visits (visit_no INTEGER, people_id INTEGER REFERENCES people (id))")
    execute("INSERT INTO visits VALUES (1, 1), (2, 1), (3, NULL)")
    quoted = ", ".join(f'"{word}" INTEGER' for word in WORDS)
    execute(f"CREATE TABLE prices ({quoted})")
    execute(f"INSERT INTO prices VALUES ({', '.join(map(str, range(len(WORDS))))})")
    odd = ", ".join(
        f'"{name}" {kind}' for name, kind in zip(ODD_COLUMNS, ("INTEGER", "INTEGER", "TEXT", "INTEGER"), strict=True)
    )
    for name in ODD_TABLES:
        execute(f'CREATE TABLE "{name}" ({odd})')
        execute(f'INSERT INTO "{name}" VALUES {ODD_ROW}')


def test_the_scratch_folder_goes_with_its_executor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    (tmp_path / "data").mkdir()
    executor = TestCsvFolder().make(tmp_path / "data")
    executor.schema()
    assert any(scratch.iterdir())

    executor.close()
    del executor

    assert not any(scratch.iterdir())
    shutil.rmtree(tmp_path / "data")
